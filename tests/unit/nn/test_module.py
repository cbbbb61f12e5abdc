import pickle

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import nn
from tabgrad.errors import TabgradError
from tabgrad.tensor import Tensor


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.norm = nn.BatchNorm1d(4)
        self.scale = nn.Parameter(np.ones(4, np.float32))
        self.register_buffer("seen", tg.tensor(np.zeros(2, np.float32)))
        self.register_buffer("cache", tg.tensor(np.zeros(2, np.float32)), persistent=False)
        self.register_parameter("absent", None)

    def forward(self, x):
        return self.norm(self.first(x)) * self.scale


class TorchBlock(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(3, 4)
        self.norm = torch.nn.BatchNorm1d(4)
        self.scale = torch.nn.Parameter(torch.ones(4))
        self.register_buffer("seen", torch.zeros(2))
        self.register_buffer("cache", torch.zeros(2), persistent=False)
        self.register_parameter("absent", None)


def models(lib, block):
    return lib.Sequential(
        block(), lib.ModuleList([lib.ReLU(), lib.ReLU(), lib.Linear(2, 2)]), lib.ModuleDict({"a": lib.Tanh()})
    )


def test_names_and_their_order_are_torchs():
    ours, theirs = models(nn, Block), models(torch.nn, TorchBlock)
    assert [n for n, _ in ours.named_parameters()] == [n for n, _ in theirs.named_parameters()]
    assert [n for n, _ in ours.named_buffers()] == [n for n, _ in theirs.named_buffers()]
    assert [n for n, _ in ours.named_modules()] == [n for n, _ in theirs.named_modules()]
    assert [n for n, _ in ours.named_children()] == [n for n, _ in theirs.named_children()]
    assert list(ours.state_dict()) == list(theirs.state_dict())


def test_repr_is_torchs():
    assert repr(models(nn, Block)) == repr(models(torch.nn, TorchBlock)).replace("TorchBlock", "Block")
    for name, args in [
        ("Conv2d", (3, 6, (3, 5), 2, 1, 2, 3)),
        ("Conv2d", (3, 6, 3, 1, "same")),
        ("BatchNorm2d", (3,)),
        ("LayerNorm", ((3, 4),)),
        ("Dropout", (0.1,)),
        ("Embedding", (3, 4, 1)),
        ("Linear", (3, 4, False)),
        ("CrossEntropyLoss", ()),
    ]:
        assert repr(getattr(nn, name)(*args)) == repr(getattr(torch.nn, name)(*args))


def test_shared_parameters_are_listed_once_but_saved_twice():
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model[1].weight = model[0].weight
    assert [n for n, _ in model.named_parameters()] == ["0.weight", "0.bias", "1.bias"]
    assert "1.weight" in model.state_dict()


def test_attributes_change_kind_as_in_torch():
    module = nn.Module()
    module.x = 3
    module.x = nn.Parameter(np.zeros(1, np.float32))
    assert "x" not in vars(module)
    with pytest.raises(TypeError, match="cannot assign 'int' as parameter 'x'"):
        module.x = 3
    module.x = None
    assert list(module.parameters()) == []
    module.child = nn.ReLU()
    with pytest.raises(TypeError, match="as child module 'child'"):
        module.child = 1
    del module.child
    assert list(module.children()) == []
    with pytest.raises(AttributeError, match="'Module' object has no attribute 'child'"):
        _ = module.child


def test_registering_checks_names_and_types():
    module = nn.Module()
    for name in ("", "a.b"):
        with pytest.raises(KeyError, match=r"is not empty and has no"):
            module.register_buffer(name, None)
    with pytest.raises(KeyError, match="'forward' already exists"):
        module.add_module("forward", nn.ReLU())
    with pytest.raises(TypeError, match=r"cannot assign 'ndarray' object to buffer 'b'"):
        module.register_buffer("b", np.zeros(1))
    with pytest.raises(TypeError, match=r"cannot assign 'Tensor' object to parameter 'p'"):
        module.register_parameter("p", tg.tensor([1.0]))
    with pytest.raises(TypeError, match="int is not a Module subclass"):
        module.add_module("m", 3)


def test_assignment_before_init_is_explained():
    class Forgetful(nn.Module):
        def __init__(self):
            self.layer = nn.ReLU()

    with pytest.raises(AttributeError, match=r"cannot assign 'layer' before Module.__init__\(\) call; start Forgetful"):
        Forgetful()


def test_missing_forward_is_explained():
    with pytest.raises(NotImplementedError, match='missing the required "forward" function'):
        nn.Module()(1)


def test_train_and_eval_reach_every_module():
    model = models(nn, Block)
    assert all(m.training for m in model.modules())
    assert model.eval() is model
    assert not any(m.training for m in model.modules())
    with pytest.raises(ValueError, match="expected to be boolean"):
        model.train("yes")


def test_apply_visits_children_first():
    seen = []
    models(nn, Block).apply(lambda m: seen.append(type(m).__name__))
    assert seen == [
        "Linear",
        "BatchNorm1d",
        "Block",
        "ReLU",
        "ReLU",
        "Linear",
        "ModuleList",
        "Tanh",
        "ModuleDict",
        "Sequential",
    ]


def test_zero_grad_and_freezing():
    model = nn.Linear(2, 1)
    model(tg.tensor([[1.0, 2.0]])).sum().backward()
    assert model.weight.grad.tolist() == [[1, 2]]
    model.zero_grad(set_to_none=False)
    assert model.weight.grad.tolist() == [[0, 0]]
    model.zero_grad()
    assert model.weight.grad is None
    model.requires_grad_(False)
    assert not model(tg.tensor([[1.0, 2.0]])).requires_grad


def test_get_submodule_finds_by_dotted_name():
    model = models(nn, Block)
    assert model.get_submodule("0.first") is model[0].first
    assert model.get_submodule("") is model
    with pytest.raises(AttributeError, match=r"has no submodule 'second' \(of '0.second'\)"):
        model.get_submodule("0.second")


def test_state_dict_round_trip():
    source, target = Block(), Block()
    assert target.load_state_dict(source.state_dict()) == ([], [])
    for name, value in source.state_dict().items():
        np.testing.assert_array_equal(target.state_dict()[name].numpy(), value.numpy())
        assert not value.requires_grad


def test_load_state_dict_lists_every_problem_and_loads_nothing():
    model = nn.Linear(3, 2)
    before = model.weight.detach().numpy().copy()
    state = {"weight": tg.tensor(np.zeros((4, 2), np.float32)), "extra": tg.tensor([1.0])}
    with pytest.raises(TabgradError) as error:
        model.load_state_dict(state)
    with pytest.raises(RuntimeError) as theirs:
        torch.nn.Linear(3, 2).load_state_dict({"weight": torch.zeros(4, 2), "extra": torch.ones(1)})
    expected = (
        str(theirs.value).replace("torch.Size(", "").replace("])", "]").replace(": \n", ":\n").replace(". \n", ".\n")
    )
    assert str(error.value) == expected.rstrip()
    np.testing.assert_array_equal(model.weight.detach().numpy(), before)


def test_load_state_dict_not_strict_loads_what_fits():
    model = nn.Linear(2, 1)
    result = model.load_state_dict({"bias": tg.tensor([7.0]), "extra": tg.tensor([1.0])}, strict=False)
    assert result.missing_keys == ["weight"]
    assert result.unexpected_keys == ["extra"]
    assert model.bias.tolist() == [7]


def test_load_state_dict_refuses_arrays():
    with pytest.raises(TabgradError, match=r'"bias": expected a Tensor, got ndarray'):
        nn.Linear(2, 1).load_state_dict({"bias": np.zeros(1)}, strict=False)


def test_parameter_shares_memory_with_its_tensor():
    data = tg.tensor([1.0, 2.0])
    parameter = nn.Parameter(data)
    assert parameter.requires_grad
    assert not nn.Parameter(data, requires_grad=False).requires_grad
    assert isinstance(parameter, Tensor)
    assert repr(parameter).startswith("Parameter containing:\ntensor(")


def test_moves_keep_parameters_and_change_dtypes_in_place():
    model = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
    weight = model[0].weight
    for moved in (model.to("cuda:0"), model.cuda(), model.cpu(), model.to(device="cpu", non_blocking=True)):
        assert moved is model
    model(tg.tensor(np.ones((2, 3), np.float32))).sum().backward()
    model.half()
    assert model[0].weight is weight
    assert {weight.dtype, weight.grad.dtype, model[1].running_var.dtype} == {tg.float16}
    assert model[1].num_batches_tracked.dtype is tg.int64
    assert model.to(tg.zeros(1)).type(tg.bfloat16)[0].bias.dtype is tg.bfloat16
    assert model.float()[0].weight.dtype is tg.float32
    with pytest.raises(TypeError, match="only accepts floating point"):
        model.to(tg.int32)
    with pytest.raises(RuntimeError, match="expected one of cpu, cuda"):
        model.to("gpu")
    with pytest.raises(NotImplementedError, match=r"use float\(\)"):
        model.double()


def test_buffers_by_class_and_their_errors():
    module = nn.Module()
    module.kept, module.left = nn.Buffer(tg.zeros(2)), nn.Buffer(tg.zeros(2), persistent=False)
    assert [n for n, _ in module.named_buffers()] == ["kept", "left"]
    assert list(module.state_dict()) == ["kept"]
    assert module.get_buffer("left") is module.left
    with pytest.raises(AttributeError, match=r"has no parameter 'kept'"):
        module.get_parameter("kept")


def test_duplicates_are_named_where_asked():
    ours, theirs = (lib.Sequential(*[lib.Linear(2, 2)] * 2, lib.ReLU()) for lib in (nn, torch.nn))
    for walk in ("named_parameters", "named_buffers", "named_modules"):
        names = [[n for n, _ in getattr(m, walk)(prefix="p", remove_duplicate=False)] for m in (ours, theirs)]
        assert names[0] == names[1]


def test_set_submodule_replaces_and_strict_wants_one_there():
    model = nn.Sequential(nn.Sequential(nn.ReLU()))
    model.set_submodule("0.0", nn.Tanh())
    assert repr(model[0][0]) == "Tanh()"
    with pytest.raises(AttributeError, match="has no submodule 'x'"):
        model.set_submodule("0.x", nn.Tanh(), strict=True)


def test_load_state_dict_assigns_where_asked():
    model = nn.Linear(2, 1)
    state = {"weight": tg.tensor([[1.0, 2.0]]), "bias": nn.Parameter(tg.tensor([3.0]))}
    model.load_state_dict(state, assign=True)
    assert model.bias is state["bias"]
    state["weight"].add_(1)
    assert model.weight.tolist() == [[2, 3]]


class Versioned(nn.Module):
    _version = 2

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(tg.zeros(1))

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest):
        if local_metadata.get("version", 1) < 2:
            state_dict[prefix + "w"] = state_dict.pop(prefix + "old")
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def get_extra_state(self):
        return {"seen": 3}

    def set_extra_state(self, state):
        self.seen = state["seen"]


def test_subclasses_read_older_forms_and_keep_extra_state():
    model = nn.Sequential(Versioned())
    state = model.state_dict()
    assert state._metadata["0"] == {"version": 2}
    assert model.load_state_dict(state) == ([], [])
    assert model[0].seen == 3
    older = {"0.old": tg.tensor([4.0]), "0._extra_state": {"seen": 5}}
    assert model.load_state_dict(older) == ([], [])
    assert (model[0].w.tolist(), model[0].seen) == ([4], 5)


def test_pickling_names_the_state_dict():
    with pytest.raises(TypeError, match=r"save its state_dict\(\)"):
        pickle.dumps(nn.Linear(1, 1))

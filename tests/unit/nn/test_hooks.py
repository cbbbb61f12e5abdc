import copy

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import nn, optim

X = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, a, b, *, scale=1.0):
        return self.fc(a) * scale, self.fc(b) * 2


class TorchPair(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 2)

    forward = Pair.forward


def both(ours, theirs):
    ours.load_state_dict({n: tg.tensor(v.numpy()) for n, v in theirs.state_dict().items()})
    return (ours, tg), (theirs, torch)


def listed(values):
    return [None if v is None else v.detach().numpy() for v in values]


def test_hooks_of_calls_are_called_in_torchs_order_and_may_replace():
    logs = []
    for model, lib in both(nn.Linear(3, 2), torch.nn.Linear(3, 2)):
        log = []
        model.register_forward_pre_hook(lambda m, args, log=log: log.append("pre 1"))
        model.register_forward_pre_hook(lambda m, args, log=log: log.append("pre 0") or (args[0] * 2,), prepend=True)
        model.register_forward_pre_hook(lambda m, a, k, log=log: log.append(sorted(k)) or (a, {}), with_kwargs=True)
        model.register_forward_hook(lambda m, args, out, log=log: log.append(tuple(out.shape)) or out + 1)
        handle = model.register_forward_hook(lambda m, args, out, log=log: log.append("removed"))
        model.register_forward_hook(lambda m, a, k, out, log=log: log.append(len(a)) or None, with_kwargs=True)
        handle.remove()
        out = model(lib.tensor(X), unknown=1)
        logs.append((log, np.round(out.detach().numpy(), 5).tolist()))
    assert logs[0] == logs[1]


def test_always_call_runs_after_an_exception():
    for model, lib in both(nn.Linear(3, 2), torch.nn.Linear(3, 2)):
        log = []
        model.register_forward_hook(lambda m, args, out, log=log: log.append(out), always_call=True)
        model.register_forward_hook(lambda m, args, out, log=log: log.append("never"))
        with pytest.raises(Exception):  # noqa: B017 - each library's own
            model(lib.tensor(X[:, :2].copy()))
        assert log == [None]


@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
@pytest.mark.parametrize("of_inputs", ["both", "first", "none"])
def test_backward_hooks_see_torchs_gradients_and_may_replace_them(of_inputs):
    results = []
    for model, lib in both(Pair(), TorchPair()):
        log = []
        x = [lib.tensor(X), lib.tensor(X + 1)]
        for n, t in enumerate(x):
            t.requires_grad_(of_inputs == "both" or (of_inputs == "first" and n == 0))

        def hook(m, given, taken, log=log):
            log.append((listed(given), listed(taken)))
            return tuple(g if g is None else g * 3 for g in given)

        model.register_full_backward_hook(hook)
        model.register_full_backward_pre_hook(lambda m, taken: tuple(g * 2 for g in taken))
        a, b = model(*x, scale=0.5)
        (a.sum() + (b * b).sum()).backward()
        log.append(listed([x[0].grad, x[1].grad, model.fc.weight.grad]))
        results.append(log)
    ours, theirs = results
    assert len(ours) == len(theirs) == 2
    for mine, other in zip(flat(ours), flat(theirs), strict=True):
        assert (mine is None) == (other is None)
        if mine is not None:
            np.testing.assert_allclose(mine, other, 1e-4, 1e-5)


def flat(value):
    """The gradients in nested lists, as arrays."""
    if isinstance(value, tuple | list):
        return [one for inner in value for one in flat(inner)]
    return [value]


def test_hooks_run_in_each_round_of_a_loop_and_the_last_one_without_them():
    tg.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    seen, gradients = [], []
    forward = model[0].register_forward_hook(lambda m, a, out: seen.append(out.detach()))
    backward = model[2].register_full_backward_hook(lambda m, given, taken: gradients.append(given[0]))
    for n in range(6):
        if n == 5:
            forward.remove()
            backward.remove()
        optimizer.zero_grad()
        (model(tg.tensor(X)) ** 2).mean().backward()
        optimizer.step()
    assert len(seen) == len(gradients) == 5
    assert len({round(float(t.sum()), 6) for t in seen}) == 5
    assert len({round(float(t.sum()), 6) for t in gradients}) == 5


def test_a_compiled_step_takes_forward_hooks_and_their_removal():
    model = nn.Linear(3, 1)
    step = tg.compile(lambda x: model(x).sum())
    x = tg.tensor(X)
    plain = [step(x).item() for _ in range(3)]
    handle = model.register_forward_hook(lambda m, a, out: out * 0 + 1)
    assert [step(x).item() for _ in range(3)] == [4.0, 4.0, 4.0]
    second = model.register_forward_hook(lambda m, a, out: out * 2)
    assert step(x).item() == 8
    second.remove()
    assert step(x).item() == 4
    handle.remove()
    assert step(x).item() == plain[0]


def test_a_compiled_step_refuses_backward_hooks():
    model = nn.Linear(3, 1)
    model.register_full_backward_hook(lambda m, given, taken: None)

    @tg.compile
    def step(x):
        return model(x).sum()

    with pytest.raises(NotImplementedError, match=r"Linear: a backward hook inside tabgrad.compile"):
        step(tg.tensor(X))


def test_handles_end_with_their_block_and_copies_have_hooks():
    model = nn.Linear(3, 1)
    calls = []
    with model.register_forward_hook(lambda *_: calls.append(1)):
        copy.deepcopy(model)(tg.tensor(X))
    model(tg.tensor(X))
    assert calls == [1]


def test_state_dict_hooks():
    model = nn.Sequential(nn.Linear(2, 1))
    model[0].register_state_dict_pre_hook(lambda m, prefix, keep: calls.append(prefix))
    model.register_state_dict_post_hook(lambda m, state, prefix, meta: state.__delitem__("0.bias"))
    model.register_load_state_dict_pre_hook(lambda m, state, *_: state.update({"0.weight": state.pop("old")}))
    model.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear())
    calls = []
    state = model.state_dict()
    assert list(state) == ["0.weight"]
    assert calls == ["0."]
    state = {"old": tg.tensor([[5.0, 6.0]])}
    assert model.load_state_dict(state) == ([], [])
    assert model[0].weight.tolist() == [[5, 6]]
    assert list(state) == ["old"]

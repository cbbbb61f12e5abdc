import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import nn

X = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)
LIBRARIES = (tg, torch)


def twins():
    """A small model of each library with the same values."""
    torch.manual_seed(0)
    theirs = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 2))
    ours = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
    ours.load_state_dict({n: tg.tensor(v.numpy()) for n, v in theirs.state_dict().items()})
    return ours, theirs


def same(a, b, rtol=1e-4, atol=1e-5):
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol, atol)


def test_gradient_norms_are_torchs():
    found = []
    for model, lib in zip(twins(), LIBRARIES, strict=True):
        utils = lib.nn.utils
        (model(lib.tensor(X)) ** 2).sum().backward()
        grads = [p.grad for p in model.parameters()]
        total = utils.get_total_norm(grads, 1.0)
        utils.clip_grads_with_norm_(model.parameters(), 0.5, total)
        clipped = utils.clip_grad_norm_(model.parameters(), 0.1, foreach=True, error_if_nonfinite=True)
        utils.clip_grad_value_(model.parameters(), 0.01, foreach=False)
        found.append([total, clipped, *(p.grad for p in model.parameters())])
        next(model.parameters()).grad[0, 0] = float("nan")
        with pytest.raises(RuntimeError, match="is non-finite, so it cannot be clipped"):
            utils.clip_grad_norm_(model.parameters(), 0.1, error_if_nonfinite=True)
    for a, b in zip(*found, strict=True):
        same(a, b)


def test_parameters_as_a_vector():
    vectors = []
    for model, lib in zip(twins(), LIBRARIES, strict=True):
        vector = lib.nn.utils.parameters_to_vector(model.parameters())
        lib.nn.utils.vector_to_parameters(vector * 2 + 1, model.parameters())
        vectors += [vector, lib.nn.utils.parameters_to_vector(model.parameters())]
    same(vectors[0], vectors[2])
    same(vectors[1], vectors[3])
    with pytest.raises(ValueError, match=r"expected a vector \[34\]"):
        nn.utils.vector_to_parameters(tg.zeros(3), twins()[0].parameters())


def test_calls_with_other_parameters():
    found = []
    for model, lib in zip(twins(), LIBRARIES, strict=True):
        weight = lib.tensor(np.ones((4, 3), np.float32), requires_grad=True)
        call = lib.nn.utils.stateless.functional_call if lib is tg else torch.func.functional_call
        out = call(model, {"0.weight": weight * 2}, (lib.tensor(X),))
        out.sum().backward()
        found.append([out, weight.grad, model[0].weight, model[2].weight.grad])
        assert model[0].weight.grad is None
    for a, b in zip(*found, strict=True):
        same(a, b)
    with pytest.raises(RuntimeError, match=r"unexpected \['nothing'\]"):
        nn.utils.stateless.functional_call(twins()[0], {"nothing": tg.zeros(1)}, tg.tensor(X), strict=True)


@pytest.mark.filterwarnings("ignore:.*weight_norm.* is deprecated")
@pytest.mark.parametrize("form", ["parametrizations", "former"])
@pytest.mark.parametrize("dim", [0, 1, None])
def test_weight_norm_is_torchs(form, dim):
    found = []
    for model, lib in zip(twins(), LIBRARIES, strict=True):
        utils = lib.nn.utils
        layer, x = model[0], lib.tensor(X)
        (utils.parametrizations if form == "parametrizations" else utils).weight_norm(layer, dim=dim)
        (layer(x) ** 2).sum().backward()
        parameters = dict(layer.named_parameters())
        state = layer.state_dict()
        if form == "former":
            utils.remove_weight_norm(layer)
        else:
            utils.parametrize.remove_parametrizations(layer, "weight")
        assert type(layer) is lib.nn.Linear
        found.append((list(state), [*(parameters[n].grad for n in sorted(parameters)), layer(x)]))
        assert [n for n, _ in layer.named_parameters()] == ["bias", "weight"]
    assert found[0][0] == found[1][0]
    for a, b in zip(found[0][1], found[1][1], strict=True):
        same(a, b)


@pytest.mark.parametrize("form", ["parametrizations", "former"])
def test_spectral_norm_divides_by_the_largest_singular_value(form):
    layer = nn.Linear(3, 4)
    weight = layer.weight.detach().numpy().copy()
    utils = nn.utils
    (utils.parametrizations if form == "parametrizations" else utils).spectral_norm(layer)
    for _ in range(20):
        out = layer(tg.tensor(X))
    expected = weight / np.linalg.norm(weight, 2)
    np.testing.assert_allclose(layer.weight.detach().numpy(), expected, 1e-3, 1e-4)
    out.sum().backward()
    assert all(p.grad is not None for p in layer.parameters())


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).t()

    def right_inverse(self, x):
        return x.triu()


def test_parametrizations_are_computed_set_and_cached():
    layer = nn.Linear(3, 3)
    parametrize = nn.utils.parametrize
    parametrize.register_parametrization(layer, "weight", Symmetric())
    assert parametrize.is_parametrized(layer, "weight")
    assert not parametrize.is_parametrized(layer, "bias")
    assert list(layer.state_dict()) == ["bias", "parametrizations.weight.original"]
    same(layer.weight, layer.weight.t())
    layer.weight = tg.tensor(np.full((3, 3), 2.0, np.float32))
    assert layer.weight.tolist() == [[2.0] * 3] * 3
    assert layer.weight is not layer.weight
    with parametrize.cached():
        assert layer.weight is layer.weight
    parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
    assert layer.weight.tolist() == [[2, 2, 2], [0, 2, 2], [0, 0, 2]]
    with pytest.raises(ValueError, match="does not have a parameter"):
        parametrize.register_parametrization(layer, "nothing", Symmetric())


def test_batch_norm_goes_into_the_layer_before_it():
    model = twins()[0]
    model(tg.tensor(X))
    model.eval()
    fused = nn.utils.fuse_linear_bn_eval(model[0], model[1])
    same(fused(tg.tensor(X)), model[1](model[0](tg.tensor(X))))


def test_what_is_not_there_is_named():
    with pytest.raises(NotImplementedError, match="prune is not supported; multiply"):
        _ = nn.utils.prune

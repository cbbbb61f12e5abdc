"""``backward`` and ``grad`` with all their keywords, ``.grad``, modes, and anomalies: all against PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg

Story = Callable[[Any], Any]


def _w(T: Any, *values: float) -> Any:
    return T.tensor(list(values or (1.0, 2.0)), requires_grad=True)


def values(found: Any) -> Any:
    if isinstance(found, tuple | list):
        return [values(f) for f in found]
    return found.tolist() if hasattr(found, "tolist") else found


def inputs_alone(T: Any) -> Any:
    w, v = _w(T), _w(T, 3.0, 4.0)
    h = w * v
    (h * h).sum().backward(inputs=[w, h])
    return w.grad, v.grad, h.grad


def one_input(T: Any) -> Any:
    w, v = _w(T), _w(T)
    (w * v).sum().backward(inputs=w, retain_graph=True)
    (w * v).sum().backward(inputs=w)
    return w.grad, v.grad


def retained_inside_of_inputs(T: Any) -> Any:
    w, v = _w(T), _w(T)
    h, beside = w * 2, v * 3
    h.retain_grad()
    beside.retain_grad()
    (h * beside).sum().backward(inputs=[w])
    return h.grad, h.retains_grad, w.grad, beside.grad, w.retains_grad


def several_tensors(T: Any) -> Any:
    w = _w(T)
    y = w * w
    T.autograd.backward([y.sum(), y * 2], [None, T.tensor([1.0, 10.0])])
    return w.grad


def one_tensor(T: Any) -> Any:
    w = _w(T)
    T.autograd.backward((w * w).sum(), retain_graph=True, create_graph=False, inputs=(w,))
    return w.grad


def batched(T: Any) -> Any:
    w = _w(T)
    seeds = T.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 3.0]])
    return T.autograd.grad(w**3, w, seeds, is_grads_batched=True)


def materialized(T: Any) -> Any:
    w, unused = _w(T), _w(T)
    loss = (w * 2).sum()
    return (
        T.autograd.grad(loss, [w, unused], materialize_grads=True, retain_graph=True),
        T.autograd.grad(loss, [w, unused], allow_unused=True),
    )


def positional(T: Any) -> Any:
    w = _w(T)
    (found,) = T.autograd.grad((w * w).sum(), w, None, True, True, True, False)
    return found, found.requires_grad


def generator_of_inputs(T: Any) -> Any:
    layer = T.nn.Linear(2, 1)
    with T.no_grad():
        layer.weight.fill_(0.5)
    T.autograd.backward(layer(T.ones(3, 2)).sum(), inputs=list(layer.parameters()))
    return layer.weight.grad, layer.bias.grad


def in_inference_mode(T: Any) -> Any:
    w = _w(T)
    with T.inference_mode():
        seen = [T.is_grad_enabled(), T.is_inference_mode_enabled(), (w * 2).requires_grad]
        with T.enable_grad():
            seen.append((w * 2).requires_grad)
        with T.inference_mode(False):
            seen += [T.is_inference_mode_enabled(), (w * 2).requires_grad]

    @T.inference_mode()
    def function() -> bool:
        return T.is_inference_mode_enabled()

    @T.inference_mode
    def other() -> bool:
        return T.is_grad_enabled()

    @T.inference_mode()
    def generator() -> Iterator[bool]:
        yield (w * 2).requires_grad
        yield T.is_inference_mode_enabled()

    inside = []
    for value in generator():
        inside += [value, T.is_inference_mode_enabled()]
    return [*seen, function(), other(), *inside, T.is_inference_mode_enabled(), T.is_grad_enabled()]


def detached_in_place(T: Any) -> Any:
    w = _w(T)
    y = w * 2
    same = y.detach_()
    (y * w).sum().backward()
    return same is y, y.requires_grad, y.is_leaf, y.grad_fn, w.grad


def truncated(T: Any) -> Any:
    w, h, found = _w(T), T.zeros(2), []
    optimizer = T.optim.SGD([w], lr=0.1)
    for n in range(8):
        h = (h * w + n).tanh()
        optimizer.zero_grad()
        h.sum().backward()
        optimizer.step()
        h.detach_()
        found.append(round(h.sum().item(), 4))
    return found, [round(v, 4) for v in w.tolist()]


def own_grad(T: Any) -> Any:
    w = _w(T)
    w.grad = T.tensor([5.0, 6.0])
    (w * 2).sum().backward()
    first = w.grad.tolist()
    del w.grad
    return first, w.grad


def graph_of_records(T: Any) -> Any:
    w = _w(T)
    y = (w * 2).exp()
    (before, nr), *_ = y.grad_fn.next_functions
    ((leaf, _), *_) = before.next_functions
    names = [y.grad_fn.name(), before.name(), leaf.name()]
    return names, nr, leaf.variable is w, leaf.next_functions, w.grad_fn, y.is_leaf, w.is_leaf


def variables(T: Any) -> Any:
    w = T.autograd.Variable(T.tensor([1.0, 2.0]), requires_grad=True)
    (w * w).sum().backward()
    return isinstance(w, T.autograd.Variable), isinstance(3, T.autograd.Variable), w.is_leaf, w.grad


STORIES: list[Story] = [
    variables,
    inputs_alone, one_input, several_tensors, one_tensor, batched, materialized, positional, generator_of_inputs,
    in_inference_mode, detached_in_place, truncated, own_grad, graph_of_records,
]  # fmt: skip


@pytest.mark.parametrize("story", STORIES, ids=lambda s: s.__name__)
def test_story_is_pytorchs(story: Story) -> None:
    ours, theirs = values(story(tg)), values(story(torch))
    assert str(ours) == str(theirs)


def test_retained_results_that_the_inputs_do_not_need_get_no_gradient() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        ours, theirs = values(retained_inside_of_inputs(tg)), values(retained_inside_of_inputs(torch))
    assert ours == theirs


@pytest.mark.parametrize("story", [inputs_alone, several_tensors, batched, materialized])
def test_story_repeated_is_the_same_each_time(story: Story) -> None:
    first = values(story(tg))
    for _ in range(6):
        assert values(story(tg)) == first


def test_inputs_in_a_compiled_step() -> None:
    w, v = _w(tg), _w(tg, 3.0, 4.0)

    @tg.compile
    def step(x: tg.Tensor) -> tuple[tg.Tensor, tg.Tensor]:
        w.grad = v.grad = None
        loss = (w * v * x).sum()
        loss.backward(inputs=[w])
        assert v.grad is None
        return loss, w.grad * 1

    for n in range(3):
        loss, found = step(tg.tensor([1.0, float(n)]))
        assert found.tolist() == [3, 4 * n]
        assert loss.item() == 3 + 8 * n


REFUSED: dict[str, tuple[Callable[[Any], Any], type[Exception]]] = {
    "empty inputs": (lambda T: (_w(T) * 2).sum().backward(inputs=[]), RuntimeError),
    "input without grad": (lambda T: (_w(T) * 2).sum().backward(inputs=[T.ones(2)]), RuntimeError),
    "grad by what requires none": (
        lambda T: T.autograd.grad((_w(T) * 2).sum(), T.ones(2), allow_unused=True),
        RuntimeError,
    ),
    "materialize without unused": (
        lambda T: T.autograd.grad(_w(T).sum(), _w(T), allow_unused=False, materialize_grads=True),
        ValueError,
    ),
    "both names": (
        lambda T: T.autograd.backward(_w(T) * 2, T.ones(2), grad_variables=T.ones(2)),
        RuntimeError,
    ),
    "fewer gradients": (lambda T: T.autograd.backward([_w(T) * 2, _w(T) * 3], [T.ones(2)]), RuntimeError),
    "grad of another shape": (lambda T: setattr(_w(T), "grad", T.ones(3)), RuntimeError),
    "grad of another dtype": (lambda T: setattr(_w(T), "grad", T.ones(2, dtype=T.float16)), RuntimeError),
    "grad that is no tensor": (lambda T: setattr(_w(T), "grad", 3), TypeError),
    "own grad": (lambda T: (w := _w(T)) is None or setattr(w, "grad", w), RuntimeError),
    "integer": (lambda T: T.ones(2, dtype=T.int32).requires_grad_(), RuntimeError),
    "integer by attribute": (lambda T: setattr(T.ones(2, dtype=T.int32), "requires_grad", True), RuntimeError),
    "retain_grad": (lambda T: T.ones(2).retain_grad(), RuntimeError),
    "detach_ of a view": (lambda T: (_w(T) * 2)[:1].detach_(), RuntimeError),
}


@pytest.mark.filterwarnings("ignore:`grad_variables` is deprecated:FutureWarning")
@pytest.mark.parametrize("name", REFUSED)
def test_wrong_argument_raises_pytorchs_class(name: str) -> None:
    call, kind = REFUSED[name]
    for T in (torch, tg):
        with pytest.raises(kind):
            call(T)


def test_grad_of_a_result_warns_as_in_pytorch() -> None:
    for T in (torch, tg):
        y = _w(T) * 2
        with pytest.warns(UserWarning, match="is not a leaf Tensor is being accessed"):
            assert y.grad is None
        y.retain_grad()
        assert y.grad is None


# Anomalies


def test_anomaly_names_the_op_whose_gradient_is_nan() -> None:
    def loss(T: Any) -> Any:
        return (_w(T, 0.0, 1.0).sqrt() * 0).sum()

    for T in (torch, tg):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch warns that it is slow
            with T.autograd.detect_anomaly(), pytest.raises(RuntimeError, match=r"(?i)sqrt.*nan|nan.*sqrt"):
                loss(T).backward()
        loss(T).backward()
    with tg.autograd.detect_anomaly(check_nan=False):
        loss(tg).backward()
    with tg.autograd.set_detect_anomaly(True), pytest.raises(RuntimeError, match="'sqrt'"):
        loss(tg).backward()


def test_anomaly_is_found_in_a_loop_whose_calls_are_known_and_refused_in_compiled_steps() -> None:
    w = _w(tg, 4.0, 1.0)

    def step(x: tg.Tensor) -> tg.Tensor:
        w.grad = None
        loss = ((w * x).sqrt()).sum()
        loss.backward()
        return loss

    for _ in range(7):
        step(tg.ones(2)).item()
    with tg.autograd.detect_anomaly(), pytest.raises(RuntimeError, match="got NaN"):
        step(tg.zeros(2))
    compiled = tg.compile(step)
    compiled(tg.ones(2))
    with tg.autograd.detect_anomaly(), pytest.raises(NotImplementedError, match="outside of compiled steps"):
        compiled(tg.ones(2))
    compiled(tg.ones(2))


def test_gradients_are_compared_with_differences() -> None:
    x = tg.tensor(np.linspace(0.5, 1.5, 4).astype(np.float32), requires_grad=True)

    class Wrong(tg.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, x: tg.Tensor) -> tg.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: tg.Tensor) -> tg.Tensor:
            return g * 3

    assert tg.autograd.gradcheck(lambda x: (x.sin() * x, x.sum()), (x,))
    assert tg.autograd.gradgradcheck(lambda x: x.tanh() * x, (x,))
    with pytest.raises(tg.autograd.GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
        tg.autograd.gradcheck(Wrong.apply, (x,))
    assert not tg.autograd.gradcheck(Wrong.apply, (x,), raise_exception=False)
    with pytest.raises(ValueError, match="eps of 1e-4 or more"):
        tg.autograd.gradcheck(Wrong.apply, (x,), eps=1e-6)

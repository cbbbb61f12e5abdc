"""What becomes one kernel and what does not, and the order of kernels that write over what others read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import tabgrad as tg
from sessions import session_on
from tabgrad import runtime
from tabgrad.compiler.compile import Compiled, compile_graph
from tabgrad.compiler.target import Target
from tabgrad.devices.base import Limits
from tabgrad.graph.linearize import linearize
from tabgrad.nn import functional as F
from unit.compiler.strict_device import StrictDevice, check_program


def _input(*shape: int) -> tg.Tensor:
    return tg.tensor(np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape))


def _compile(*wanted: tg.Tensor, bindings: int = 8, software: bool = False) -> Compiled:
    target = Target(limits=Limits(max_storage_buffers=bindings), software=software, renders=True)
    compiled = compile_graph(linearize([t._node for t in wanted]), target)
    check_program(compiled.program, bindings)
    return compiled


def _count(*wanted: tg.Tensor, bindings: int = 8) -> int:
    return len(_compile(*wanted, bindings=bindings).program.dispatches)


X, Y, W, B = _input(6, 8), _input(6, 8), _input(8, 5), _input(5)
LABELS = tg.tensor([0, 1, 2, 3, 4, 5])
IMAGES, KERNEL, BIAS = _input(2, 3, 8, 8), _input(4, 3, 3, 3), _input(4)

ONE_KERNEL: dict[str, Callable[[], tg.Tensor]] = {
    "elementwise chain": lambda: ((X * 2 + Y).tanh() - X).sigmoid() * Y,
    "broadcast": lambda: X * _input(1, 8) + _input(6, 1),
    "views": lambda: tg.cat([X.transpose(0, 1)[::2].reshape(-1), Y.reshape(-1)], 0) * 2,
    "pad and slice": lambda: F.pad(X, (1, 2, 3, 0))[1:, 2:] + 1,
    "cast and compare": lambda: (X > Y).float() * X,
    "random numbers": lambda: F.dropout(X + Y, 0.5),
    "sum with prologue and epilogue": lambda: ((X * Y).exp().sum(1) * 0.5).sqrt(),
    "mean of squared differences": lambda: F.mse_loss(X, Y),
    "linear, bias, activation": lambda: F.relu(X @ W + B),
    "linear with transposed weight": lambda: F.linear(X, _input(5, 8), B),
    "convolution, bias, activation": lambda: F.relu(F.conv2d(IMAGES, KERNEL, BIAS, padding=1)),
    "pooling of an activation": lambda: F.relu(F.max_pool2d(IMAGES, 2)) * 2,
    "residual after a product": lambda: X @ _input(8, 8) + X,
    "gather": lambda: F.embedding(tg.tensor([1, 0, 5]), X) * 2,
}


@pytest.mark.parametrize("name", ONE_KERNEL)
def test_one_kernel(name: str) -> None:
    assert _count(ONE_KERNEL[name]()) == 1


FEW_KERNELS: dict[str, tuple[Callable[[], tuple[tg.Tensor, ...]], int]] = {
    "softmax": (lambda: (X.softmax(1),), 1),
    "softmax along columns": (lambda: (X.softmax(0),), 1),
    "softmax's gradient": (lambda: _gradients(lambda x: x.softmax(1), X), 1),
    "log-softmax and its gradient": (lambda: (X.log_softmax(1), *_gradients(lambda x: x.log_softmax(1), X)), 1),
    "cross entropy": (lambda: (F.cross_entropy(X, LABELS),), 3),
    "two results over the same elements": (lambda: (X * Y, (X + Y).exp()), 1),
    "a value and its sum": (lambda: ((e := (X * Y).exp()), e.sum(1)), 1),
    "a value, its sum, and its share of it": (lambda: ((e := (X * Y).exp()), (s := e.sum(1, keepdim=True)), e / s), 1),
    "independent sums of one operand": (lambda: ((X * Y).sum(0), (X * X).sum(0), X.amax(0)), 1),
    "two products": (lambda: ((X @ W).relu() @ _input(5, 3),), 2),
    "batch norm in training": (lambda: (F.batch_norm(IMAGES, None, None, training=True),), 3),
    "layer norm": (lambda: (F.layer_norm(X, (8,), _input(8), _input(8)),), 1),
    "two layer norms, one of the other": (lambda: (F.layer_norm(F.layer_norm(X, (8,)) * 2 + Y, (8,)),), 1),
    "layer norm's input gradient, and a residual": (
        lambda: (_gradients(lambda x, w: F.layer_norm(x, (8,), w), X, _input(8))[0] + Y,),
        1,
    ),
    "layer norm's parameter gradients": (
        lambda: _gradients(lambda x, w, b: F.layer_norm(x, (8,), w, b), X, _input(8), _input(8))[1:],
        2,
    ),
}


def _gradients(fn: Callable[..., tg.Tensor], *inputs: tg.Tensor) -> tuple[tg.Tensor, ...]:
    leaves = [x.detach().requires_grad_() for x in inputs]
    out = fn(*leaves)
    return tg.grad([out], leaves, [_input(*out.shape) * 2])


@pytest.mark.parametrize("name", FEW_KERNELS)
def test_few_kernels(name: str) -> None:
    make, most = FEW_KERNELS[name]
    assert _count(*make()) <= most


def test_an_optimizer_updates_all_parameters_in_one_kernel() -> None:
    parameters = [tg.tensor(np.ones(n, np.float32), requires_grad=True) for n in (3, 70, 1, 8)]
    optimizer = tg.optim.Adam(parameters)
    for _ in range(2):  # the first step also lays the parameters out side by side
        for p in parameters:
            p.grad = tg.tensor(np.ones(p.shape, np.float32))
        before = tg.current_session().device.counters.snapshot()
        optimizer.step()
        after = tg.current_session().device.counters.snapshot()
    assert after["submits"] - before["submits"] == 1
    # one kernel puts each gradient that lay elsewhere into its place, one updates
    assert after["dispatches"] - before["dispatches"] <= len(parameters) + 1


def test_views_of_memory_run_nothing() -> None:
    x = _input(4, 6)
    x.numpy()
    (x * 1).realize()
    before = tg.current_session().device.counters.submits
    x.reshape(8, 3).realize().reshape(24).realize()
    assert tg.current_session().device.counters.submits == before


def test_empty_results_run_nothing() -> None:
    assert _count(tg.zeros(0, 3) * 2) == 0
    assert (tg.zeros(0, 3) * 2).tolist() == []
    assert tg.zeros(0, 3).sum(0).tolist() == [0, 0, 0]


@pytest.mark.parametrize("bindings", [4, 5, 8])
def test_many_operands_are_split_over_kernels(bindings: int) -> None:
    many = [_input(6, 8) * 1.0 for _ in range(20)]
    with session_on(StrictDevice(bindings)):
        parts = [tg.tensor(np.full((6, 8), n, np.float32)) for n in range(20)]
        total = sum(parts[1:], parts[0])
        after_product = tg.tensor(np.eye(6, dtype=np.float32)) @ parts[3]
        for p in parts:
            after_product = after_product + p
        np.testing.assert_array_equal(total.numpy(), 190)
        np.testing.assert_array_equal(after_product.numpy(), 193)
        np.testing.assert_array_equal((total * 0 + 1).sum(1).numpy(), 8)
    assert len(many) == 20


@pytest.mark.parametrize("bindings", [4, 8])
def test_a_value_written_to_many_places_fits_the_bindings(bindings: int) -> None:
    with session_on(StrictDevice(bindings)):
        weights = [tg.tensor(np.ones(5, np.float32), requires_grad=True) for _ in range(12)]
        states = [tg.tensor(np.zeros(5, np.float32)) for _ in range(12)]
        optimizer = tg.optim.SGD(weights, lr=0.5)

        @tg.compile
        def step(x: tg.Tensor) -> tg.Tensor:
            value = x * 2
            for s in states:
                s.copy_(value)
            optimizer.zero_grad()
            (sum(weights[1:], weights[0]) * x).sum().backward()  # the same gradient for all
            optimizer.step()
            return value

        assert step(tg.ones(5).realize()).tolist() == [2] * 5
        assert [s.tolist() for s in states] == [[2] * 5] * 12
        assert [w.tolist() for w in weights] == [[0.5] * 5] * 12


# Scratch memory


def test_scratch_is_reused_along_a_chain() -> None:
    x = _input(16, 16)
    y = x
    for _ in range(12):
        y = (y @ x).tanh()
    program = _compile(y).program
    scratch = [b for b in program.buffers if b.role == "scratch"]
    assert len(program.dispatches) == 12
    assert len(scratch) == 2
    assert program.scratch_bytes == 2 * 16 * 16 * 4


def test_gradients_are_used_up_as_they_come() -> None:
    """The activations of all layers are kept, the gradients of two or three."""
    layers, x = 8, _input(256, 64)
    weights = [_input(64, 64).requires_grad_() for _ in range(layers)]
    y = x
    for w in weights:
        y = (y @ w).tanh()
    gradients = tg.grad([y.sum()], weights)
    packed = tg.ops.pack(list(gradients))
    assert _compile(packed * 2).program.scratch_bytes <= ((layers + 3) * x.numel() + packed.numel()) * 4


def test_results_are_not_scratch() -> None:
    x = _input(16, 16)
    a = (x @ x).tanh()
    b = (a @ x).tanh()
    program = _compile(a, b).program
    assert [b.role for b in program.buffers] == ["input", "output", "output"]
    assert program.externals == (0, 1, 2)


def test_a_kernel_is_compiled_once_for_equal_work() -> None:
    x, y = _input(16, 16), _input(16, 16)
    for _ in range(6):
        y = (x @ y).tanh()
    assert len(_compile(y).program.shaders) == 1


# Writers after readers


def _state(*values: float) -> tg.Tensor:
    t = tg.tensor(np.array(values, np.float32))
    t._node.storage.on(tg.current_session().device)  # type: ignore[union-attr]  # values on the host are written without a program
    return t


@pytest.fixture(params=["numpy", "gpu"])
def strict(request: pytest.FixtureRequest) -> Iterator[StrictDevice]:
    device = StrictDevice(kind=request.param)
    with session_on(device):
        yield device


def _in_one_step(fn: Callable[[], list[tg.Tensor]]) -> list[list[float]]:
    """What ``fn`` returns, computed in one program with all that it writes."""
    device = tg.current_session().device
    submits = device.counters.submits
    wanted = fn()
    runtime.realize_all(wanted)
    assert device.counters.submits - submits == 1
    return [t.tolist() for t in wanted]


def test_reader_runs_before_the_writer(strict: StrictDevice) -> None:
    a = _state(1, 2, 3)

    def step() -> list[tg.Tensor]:
        total = a.sum()
        a.copy_(a * 0 - 5)
        return [a, total]

    assert _in_one_step(step) == [[-5, -5, -5], 6]


def test_read_after_write_sees_the_new_value(strict: StrictDevice) -> None:
    a = _state(1, 2, 3)

    def step() -> list[tg.Tensor]:
        old = a * 1
        a.mul_(10)
        return [a.sum(), a, old]

    assert _in_one_step(step) == [60, [10, 20, 30], [1, 2, 3]]


def test_two_buffers_swap(strict: StrictDevice) -> None:
    a, b = _state(1, 2, 3), _state(7, 8, 9)

    def step() -> list[tg.Tensor]:
        kept = a.clone()
        a.copy_(b)
        b.copy_(kept)
        return [a, b]

    assert _in_one_step(step) == [[7, 8, 9], [1, 2, 3]]


def test_three_buffers_rotate(strict: StrictDevice) -> None:
    a, b, c = _state(1, 2), _state(3, 4), _state(5, 6)

    def step() -> list[tg.Tensor]:
        kept = a * 1
        a.copy_(b)
        b.copy_(c)
        c.copy_(kept)
        return [a, b, c]

    assert _in_one_step(step) == [[3, 4], [5, 6], [1, 2]]


def test_a_buffer_is_overwritten_with_its_own_elements_moved(strict: StrictDevice) -> None:
    a = _state(1, 2, 3, 4)

    def step() -> list[tg.Tensor]:
        a.copy_(tg.flip(a, 0))
        return [a]

    assert _in_one_step(step) == [[4, 3, 2, 1]]


def test_a_matrix_is_overwritten_with_its_own_transpose_and_product(strict: StrictDevice) -> None:
    a, b = _state(1, 2, 3, 4), _state(1, 2, 3, 4)
    m, n = a.reshape(2, 2).clone().realize(), b.reshape(2, 2).clone().realize()

    def step() -> list[tg.Tensor]:
        m.copy_(m.transpose(0, 1))
        n.copy_(n @ n)
        return [m, n]

    assert _in_one_step(step) == [[[1, 3], [2, 4]], [[7, 10], [15, 22]]]


def test_rows_are_overwritten_with_what_is_made_of_them(strict: StrictDevice) -> None:
    a, b = _state(*range(12)).reshape(3, 4).clone().realize(), _state(*range(12)).reshape(3, 4).clone().realize()

    def step() -> list[tg.Tensor]:
        first = a - a.mean(1, keepdim=True)
        a.copy_(first / (first * first).sum(1, keepdim=True))  # each pass reads what the last one overwrites
        b.copy_(b + b.sum(1, keepdim=True).flip(0))  # rows that other threads overwrite
        return [a, b]

    found_a, found_b = (np.array(v) for v in _in_one_step(step))
    rows = np.arange(12.0).reshape(3, 4)
    centred = rows - rows.mean(1, keepdims=True)
    np.testing.assert_allclose(found_a, centred / (centred**2).sum(1, keepdims=True), rtol=1e-5)
    np.testing.assert_allclose(found_b, rows + rows.sum(1, keepdims=True)[::-1])


def test_a_value_per_row_is_overwritten_while_rows_read_it(strict: StrictDevice) -> None:
    x, mean, shift = _state(*range(12)).reshape(3, 4).clone().realize(), _state(1, 2, 3), _state(0, 0, 0)

    def step() -> list[tg.Tensor]:
        centred = x - mean.reshape(3, 1)  # the old one
        mean.copy_(mean * 0.5 + centred.mean(1) * 0.5)
        shift.copy_(shift + (x - mean.reshape(3, 1)).amax(1))  # the new one
        return [mean, shift, centred * shift.reshape(3, 1)]

    rows, old = np.arange(12.0).reshape(3, 4), np.array([[1.0], [2], [3]])
    new = old * 0.5 + (rows - old).mean(1, keepdims=True) * 0.5
    largest = (rows - new).max(1, keepdims=True)
    for found, expected in zip(_in_one_step(step), (new[:, 0], largest[:, 0], (rows - old) * largest), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_tensor_is_overwritten_and_summed_in_one_step(strict: StrictDevice) -> None:
    a = _state(*range(12)).reshape(3, 4).clone().realize()

    def step() -> list[tg.Tensor]:
        before = a.sum(0)
        a.copy_(a * 2 + a.sum(1, keepdim=True))
        return [a, before, a.sum(0), a.sum(1)]

    rows = np.arange(12.0).reshape(3, 4)
    new = rows * 2 + rows.sum(1, keepdims=True)
    for found, expected in zip(_in_one_step(step), (new, rows.sum(0), new.sum(0), new.sum(1)), strict=True):
        np.testing.assert_allclose(found, expected)


def test_a_running_mean_reads_itself_and_is_read_again(strict: StrictDevice) -> None:
    mean, x = _state(0, 0), _state(2, 4)

    def step() -> list[tg.Tensor]:
        mean.copy_(mean * 0.5 + x * 0.5)
        centred = x - mean
        mean.copy_(mean * 0.5 + centred)
        return [mean, centred]

    assert _in_one_step(step) == [[1.5, 3.0], [1, 2]]


def test_a_write_that_nobody_asked_for_again_still_happens(strict: StrictDevice) -> None:
    a = _state(1, 2)
    a.add_(1)
    del_me = a * 3
    assert del_me.tolist() == [6, 9]
    assert a.tolist() == [2, 3]


def test_values_from_before_an_optimizer_step_are_read_correctly(strict: StrictDevice) -> None:
    w = tg.tensor(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32), requires_grad=True)
    x = _state(1, 10)
    optimizer = tg.optim.SGD([w], lr=1.0, momentum=0.9)
    prediction = (w @ x).detach()
    norm = (w * w).sum().detach()
    part, flat = w[1].detach(), w.reshape(-1).detach()
    (w * 2).sum().backward()
    gradient = w.grad
    optimizer.step()
    assert w.tolist() == [[-1, 0], [1, 2]]
    assert prediction.tolist() == [21, 43]
    assert norm.item() == 30
    assert (w @ x).tolist() == [-1, 21]
    assert gradient.tolist() == [[2, 2], [2, 2]]
    # views of the parameter, which show what it is now
    assert part.tolist() == [1, 2]
    assert flat.tolist() == [-1, 0, 1, 2]


def test_a_lazy_value_of_a_lazy_value_survives_many_steps(strict: StrictDevice) -> None:
    w = tg.tensor(np.ones(3, np.float32), requires_grad=True)
    optimizer = tg.optim.SGD([w], lr=0.5)
    history = []
    for _ in range(4):
        history.append((w * 2).detach() + 1)
        optimizer.zero_grad()
        w.sum().backward()
        optimizer.step()
    assert [h[0].item() for h in history] == [3, 2, 1, 0]

"""``torch_rng``: one seed gives PyTorch's numbers, on its own functions, layers, loaders and in a training run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
import torch.distributions
import torch.utils.data

import tabgrad as tg
import tabgrad.distributions
import tabgrad.utils.checkpoint
import tabgrad.utils.data
from sessions import session_on
from tabgrad.compat import install_as_torch, torch_rng
from tabgrad.errors import TabgradError
from tabgrad.session import current

DIGITS = 2e-6  # logarithms, cosines and the like differ from PyTorch's in their last digits


@pytest.fixture(autouse=True)
def _torchs_numbers() -> Iterator[None]:
    with session_on("reference"), torch_rng():
        yield


def both(make: Callable[[Any], Any], seed: int = 7) -> None:
    """What ``make`` makes of either package is equal, and so are the numbers that are drawn next."""
    found = []
    for m in (tg, torch):
        m.manual_seed(seed)
        made = make(m)
        parts = made.values() if isinstance(made, dict) else made if isinstance(made, list | tuple) else [made]
        found.append(([np.asarray(p.detach().float().numpy()) for p in parts], m.rand(3).numpy(), m.randn(3).numpy()))
    (ours, *after), (theirs, *after_theirs) = found
    for a, b in zip(ours, theirs, strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=DIGITS, atol=DIGITS)
    np.testing.assert_array_equal(after[0], after_theirs[0])
    np.testing.assert_allclose(after[1], after_theirs[1], rtol=DIGITS)


SIZES = (1, 2, 7, 15, 16, 17, 31, 32, 33, 100, 1009)


@pytest.mark.parametrize("n", SIZES)
def test_functions_draw_torchs_numbers(n: int) -> None:
    for make in (
        lambda m: m.rand(n), lambda m: m.rand(n, dtype=m.float64), lambda m: m.randn(n),
        lambda m: m.randn(n, dtype=m.float64), lambda m: m.randn(n, dtype=m.bfloat16), lambda m: m.randperm(n),
        lambda m: m.randint(-5, n, (n,)), lambda m: m.randint(0, 2**28, (n,)), lambda m: m.randint(2**28 - 1, (n,)),
        lambda m: m.normal(m.arange(n) * 1.0, 2.0), lambda m: m.normal(1.0, 2.0, (n,)),
        lambda m: m.nn.functional.dropout(m.ones(n), 0.3), lambda m: m.rand_like(m.ones(n, 2)),
        lambda m: m.nn.functional.alpha_dropout(m.ones(n), 0.3, True),
        lambda m: m.nn.functional.dropout2d(m.ones(1, n, 2, 2), 0.4), lambda m: m.bernoulli(m.full((n,), 0.3)),
        lambda m: m.multinomial(m.arange(1, n + 1) * 1.0, n), lambda m: m.multinomial(m.arange(1, n + 1) * 1.0, 1),
        lambda m: m.multinomial(m.arange(1, 3 * n + 1).reshape(3, n) * 1.0, 5, True),
        lambda m: m.poisson(m.arange(n) * 0.5), lambda m: m.nn.functional.gumbel_softmax(m.zeros(n, 3), hard=True),
        lambda m: m.nn.functional.rrelu(m.arange(-n, n) * 1.0, training=True),
        lambda m: m.randint_like(m.ones(n), 3, 9),
    ):  # fmt: skip
        both(make)


FILLS = {
    "uniform_": (-0.1, 0.3), "normal_": (0.3, 0.02), "bernoulli_": (0.7,), "exponential_": (2.0,), "geometric_": (0.3,),
    "cauchy_": (1.0, 2.0), "log_normal_": (0.5, 0.2), "random_": (3, 99),
}  # fmt: skip


@pytest.mark.parametrize("name", FILLS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_tensors_are_filled_in_the_order_of_their_memory(name: str, dtype: str) -> None:
    for shape, order in (((5,), (0,)), ((37,), (0,)), ((6, 8), (1, 0)), ((2, 3, 4, 5), (0, 2, 3, 1))):
        both(lambda m: getattr(m.empty(shape, dtype=getattr(m, dtype)).permute(order), name)(*FILLS[name]))  # noqa: B023
    both(lambda m: m.nn.functional.dropout(m.ones(6, 8).t(), 0.5))
    both(lambda m: m.randn_like(m.ones(6, 8).t()))


MODELS: dict[str, Callable[[Any], Any]] = {
    "linear": lambda m: m.nn.Linear(5, 7),
    "convolutions": lambda m: m.nn.Sequential(m.nn.Conv1d(3, 4, 3), m.nn.Conv2d(4, 8, 3, groups=2)),
    "volumes": lambda m: m.nn.Sequential(m.nn.Conv3d(2, 4, 3), m.nn.ConvTranspose3d(2, 4, 3)),
    "transposed": lambda m: m.nn.Sequential(m.nn.ConvTranspose1d(3, 4, 3), m.nn.ConvTranspose2d(4, 6, 3, groups=2)),
    "embeddings": lambda m: m.nn.Sequential(m.nn.Embedding(11, 3, padding_idx=2), m.nn.EmbeddingBag(11, 3)),
    "recurrent": lambda m: m.nn.ModuleList([m.nn.LSTM(3, 5, 2, bidirectional=True), m.nn.GRU(3, 5), m.nn.RNN(3, 5)]),
    "cells": lambda m: m.nn.ModuleList([m.nn.LSTMCell(3, 5), m.nn.GRUCell(3, 5), m.nn.RNNCell(3, 5)]),
    "attention": lambda m: m.nn.MultiheadAttention(8, 2, kdim=4, vdim=6, add_bias_kv=True),
    "transformer": lambda m: m.nn.Transformer(8, 2, 2, 2, 16),
    "bilinear": lambda m: m.nn.Bilinear(3, 4, 5),
    "norms": lambda m: m.nn.Sequential(m.nn.BatchNorm2d(3), m.nn.LayerNorm(4), m.nn.PReLU(3)),
    "spectral": lambda m: m.nn.utils.spectral_norm(m.nn.Linear(4, 5)),
    "parametrized": lambda m: m.nn.utils.parametrizations.spectral_norm(m.nn.Linear(4, 5)),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
def test_layers_start_as_torchs(name: str) -> None:
    both(lambda m: dict(sorted(MODELS[name](m).state_dict().items())))


INITS: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("uniform_", (-1.0, 2.0)), ("normal_", (0.5, 2.0)), ("trunc_normal_", ()), ("trunc_normal_", (0.0, 1.0, 1.0, 3.0)),
    ("xavier_uniform_", ()), ("xavier_normal_", ()), ("kaiming_uniform_", ()), ("kaiming_normal_", ()),
    ("orthogonal_", ()), ("sparse_", (0.3,)),
)  # fmt: skip


@pytest.mark.parametrize(("name", "arguments"), INITS)
def test_init_is_torchs(name: str, arguments: tuple[Any, ...]) -> None:
    for shape in ((3, 2), (7, 20), (20, 7)):
        both(lambda m: getattr(m.nn.init, name)(m.empty(shape), *arguments))  # noqa: B023


DISTRIBUTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "Normal": lambda d, s: d.Normal(s, s), "Uniform": lambda d, s: d.Uniform(s, s + 1),
    "Exponential": lambda d, s: d.Exponential(s), "Laplace": lambda d, s: d.Laplace(s, s),
    "Cauchy": lambda d, s: d.Cauchy(s, s),
    "Bernoulli": lambda d, s: d.Bernoulli(s / 3), "Geometric": lambda d, s: d.Geometric(s / 3),
    "Categorical": lambda d, s: d.Categorical(s), "Multinomial": lambda d, s: d.Multinomial(6, s),
    "Poisson": lambda d, s: d.Poisson(s * 9), "Gamma": lambda d, s: d.Gamma(s, s),
    "Beta": lambda d, s: d.Beta(s, s + 1), "StudentT": lambda d, s: d.StudentT(s, s, s),
}  # fmt: skip


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions_draw_torchs_samples(name: str) -> None:
    for shape in ((), (3, 4)):
        both(lambda m: DISTRIBUTIONS[name](m.distributions, m.tensor([0.5, 1.0, 2.0])).sample(shape))  # noqa: B023


def test_normal_numbers_have_torchs_bits() -> None:
    if not torch.backends.cpu.get_cpu_capability().startswith("AVX"):
        pytest.skip("PyTorch rounds normal numbers otherwise on processors without AVX2")
    for n, mean, std in ((37, 0.0, 1.0), (40_003, 0.0, 1.0), (40_000, -0.3, 0.02)):
        for m in (tg, torch):
            m.manual_seed(n)
        np.testing.assert_array_equal(tg.empty(n).normal_(mean, std).numpy(), torch.empty(n).normal_(mean, std).numpy())


def test_loops_with_all_kinds_of_numbers_follow_torch() -> None:
    def losses(m: Any) -> list[float]:
        m.manual_seed(0)
        functional, generator = m.nn.functional, m.Generator().manual_seed(3)
        layer, held, found = m.nn.Linear(6, 6), m.zeros(4, 6), []
        for _ in range(5):
            x = functional.alpha_dropout(layer(m.randn(4, 6)), 0.2, training=True)
            x = functional.dropout(x.t(), 0.3).t() + m.rand(4, 6, generator=generator)
            x = functional.gumbel_softmax(x) + m.randn_like(x) * functional.rrelu(x - 0.5, training=True)
            held.copy_(m.empty(4, 6).normal_(0, 0.1).add_(m.zeros(4, 6).uniform_(-1, 1)))
            chosen = m.multinomial(x.softmax(-1).detach(), 1) + m.bernoulli(x.sigmoid().detach())
            loss = ((x + held) * chosen).pow(2).mean()
            layer.zero_grad()
            loss.backward()
            with m.no_grad():
                layer.weight -= 0.1 * layer.weight.grad
            found.append(loss.item())
        return found

    np.testing.assert_allclose(losses(tg), losses(torch), rtol=1e-5)  # sums of float32 in another order


class Numbers:
    """The data: each sample is its own place."""

    def __len__(self) -> int:
        return 23

    def __getitem__(self, index: int) -> int:
        return int(index)


LOADERS: dict[str, Callable[[Any, Any], Any]] = {
    "shuffled": lambda d, g: d.DataLoader(Numbers(), 4, shuffle=True),
    "in order": lambda d, g: d.DataLoader(Numbers(), 4),
    "of a generator": lambda d, g: d.DataLoader(Numbers(), 4, shuffle=True, generator=g, drop_last=True),
    "with replacement": lambda d, g: d.DataLoader(Numbers(), 4, sampler=d.RandomSampler(Numbers(), True, 70)),
    "more than there are": lambda d, g: d.DataLoader(Numbers(), 4, sampler=d.RandomSampler(Numbers(), num_samples=70)),
    "weighted": lambda d, g: d.DataLoader(Numbers(), 4, sampler=d.WeightedRandomSampler([0.1, 0.3, 2, 1], 9)),
    "weighted, once": lambda d, g: d.DataLoader(Numbers(), 2, sampler=d.WeightedRandomSampler([1, 3, 2], 3, False)),
    "of a subset": lambda d, g: d.DataLoader(Numbers(), 2, sampler=d.SubsetRandomSampler([3, 5, 9, 11])),
    "of batches": lambda d, g: d.DataLoader(
        Numbers(), batch_sampler=d.BatchSampler(d.RandomSampler(Numbers()), 3, True)
    ),
    "of samples": lambda d, g: d.DataLoader(Numbers(), None, shuffle=True, generator=g),
    "of a part": lambda d, g: d.DataLoader(d.random_split(Numbers(), [0.7, 0.3])[0], 4, shuffle=True),
}


@pytest.mark.parametrize("name", LOADERS)
def test_loaders_have_torchs_order(name: str) -> None:
    found = []
    for m in (tg, torch):
        m.manual_seed(4)
        loader = LOADERS[name](m.utils.data, m.Generator().manual_seed(9))
        seen = []
        for epoch in range(3):
            for n, batch in enumerate(loader):
                seen.append(np.asarray(batch).reshape(-1).tolist())
                if (epoch, n) == (1, 0):
                    break  # what is left of the epoch is not drawn
            seen.append(m.rand(2).tolist())
        found.append(seen)
    assert found[0] == found[1]


def _losses(m: Any, how: str) -> list[float]:
    """Of a network with dropout, from the seed alone."""
    m.manual_seed(0)
    x, y = m.randn(96, 12), m.randint(0, 4, (96,))
    model = m.nn.Sequential(m.nn.Linear(12, 32), m.nn.ReLU(), m.nn.Dropout(0.25), m.nn.Linear(32, 4))
    criterion = m.nn.CrossEntropyLoss()
    loader = m.utils.data.DataLoader(m.utils.data.TensorDataset(x, y), batch_size=16, shuffle=True)

    def step(a: Any, b: Any) -> Any:
        model.zero_grad()
        recomputed = how == "checkpoint" and m is tg  # PyTorch's import of it takes seconds, too
        out = tg.utils.checkpoint.checkpoint(model, a, use_reentrant=False) if recomputed else model(a)
        loss = criterion(out, b)
        loss.backward()
        with m.no_grad():  # PyTorch's optimizers take seconds to import
            for parameter in model.parameters():
                parameter -= 0.3 * parameter.grad
        return loss

    if how == "compiled" and m is tg:
        step = tg.compile(step)
    return [step(a, b).item() for _ in range(2) for a, b in loader] + m.rand(2).tolist()


@pytest.mark.parametrize(
    ("device", "how"),
    [
        ("reference", "plain"),
        ("reference", "compiled"),
        ("reference", "checkpoint"),
        pytest.param("native", "plain", marks=pytest.mark.native),
    ],
)
def test_a_training_run_has_torchs_losses(device: str, how: str) -> None:
    with session_on(device), torch_rng():  # type: ignore[arg-type]
        ours = _losses(tg, how)
    np.testing.assert_allclose(ours, _losses(torch, how), rtol=1e-5)  # sums of float32 in another order


def test_attention_and_recurrent_layers_drop_torchs_elements() -> None:
    def attention(m: Any) -> Any:
        q = m.arange(48).reshape(1, 2, 6, 4) * 0.1
        return m.nn.functional.scaled_dot_product_attention(q, q.cos(), q.sin(), dropout_p=0.4)

    both(attention)
    both(lambda m: m.nn.MultiheadAttention(8, 2, dropout=0.3)(*[m.ones(5, 2, 8)] * 3))
    both(lambda m: m.nn.LSTM(3, 4, 2, dropout=0.5)(m.ones(6, 2, 3))[0])
    both(lambda m: m.nn.TransformerEncoderLayer(8, 2, 16)(m.ones(5, 2, 8)))


def test_states_are_torchs() -> None:
    tg.manual_seed(3)
    torch.manual_seed(3)
    for draws in (0, 3, 16, 624 - 22, 100):  # odd numbers leave a normal number over; 624 words are a block
        assert tg.randn(draws).shape == torch.randn(draws).shape
        state = torch.get_rng_state()
        np.testing.assert_array_equal(tg.get_rng_state().numpy()[:5024], state.numpy()[:5024])
        tg.manual_seed(99)
        tg.set_rng_state(state)
        assert tg.initial_seed() == 3
        theirs = torch.randn(5).numpy()
        np.testing.assert_allclose(tg.randn(5).numpy(), theirs, rtol=DIGITS)
    with tg.random.fork_rng():
        tg.rand(4)
    torch.set_rng_state(torch.from_numpy(tg.get_rng_state().numpy()))
    assert tg.rand(4).tolist() == torch.rand(4).tolist()
    generator, another = tg.Generator(), torch.Generator()
    assert generator.initial_seed() == another.initial_seed()
    assert tg.rand(2, generator=generator).tolist() == torch.rand(2, generator=another).tolist()
    generator.manual_seed(-5)
    another.manual_seed(-5)
    assert generator.initial_seed() == another.initial_seed()
    another.set_state(torch.from_numpy(generator.get_state().numpy()))
    assert tg.randperm(9, generator=generator).tolist() == torch.randperm(9, generator=another).tolist()
    with pytest.raises(RuntimeError, match=r"expected a state of PyTorch's CPU generator, uint8 \[5056\], got uint8"):
        tg.set_rng_state(tg.zeros(8, dtype=tg.uint8))


def test_numbers_go_on_as_before_afterwards() -> None:
    with session_on("reference"):
        tg.manual_seed(5)
        first = tg.rand(4).tolist()
        state = tg.get_rng_state()
        with torch_rng():
            tg.manual_seed(5)
            assert tg.rand(3).tolist() != first[:3]
        second = tg.rand(4).tolist()
        tg.set_rng_state(state)
        assert tg.rand(4).tolist() == second
        torch_rng()
        inside = tg.rand(3).tolist()
        torch.manual_seed(5)
        assert inside == torch.rand(3).tolist()
        torch_rng(False)
        assert tg.get_rng_state().shape == (8,)


def test_known_calls_and_recorded_steps_follow_the_switch() -> None:
    with session_on("reference"):
        x = tg.ones(64)

        @tg.compile
        def recorded(x: tg.Tensor) -> tg.Tensor:
            return tg.nn.functional.dropout(x, 0.5)

        def plain(x: tg.Tensor) -> tg.Tensor:
            return tg.nn.functional.dropout(x, 0.5) * 1.0

        for step in (recorded, plain):
            for _ in range(4):
                step(x).numpy()
            for _ in range(2):
                with torch_rng():
                    tg.manual_seed(1)
                    torch.manual_seed(1)
                    for _ in range(3):
                        theirs = torch.nn.functional.dropout(torch.ones(64), 0.5)
                        np.testing.assert_array_equal(step(x).numpy(), theirs.numpy())
                assert set(step(x).tolist()) == {0.0, 2.0}


def test_what_differs_is_refused() -> None:
    for refused, told in (
        (lambda: tg.distributions.Binomial(4, tg.tensor([0.5])).sample(), "Binomial.sample: expected a function whose"),
        (lambda: tg.nn.Linear(2, 3, dtype=tg.float64), "Linear with dtype=float64"),
        (lambda: tg.empty(3, dtype=tg.int64).random_(), "random_: expected limits inside torch_rng"),
        (lambda: current().generator.next_draw(), "torch_rng: expected a function whose numbers"),
        (lambda: tg.data.RandomSampler(range(4)).state_dict(), "RandomSampler.state_dict: expected counter-based"),
        (lambda: tg.data.DataLoader(Numbers(), shuffle=True).state_dict(), "keep tabgrad.get_rng_state"),
    ):
        with pytest.raises(NotImplementedError, match=told):
            refused()
    with pytest.raises(TabgradError, match="torch_rng: expected a call outside of compiled steps"):
        tg.compile(lambda x: (torch_rng(), x + 1)[1])(tg.ones(2))
    with pytest.raises(TabgradError, match="install_as_torch: expected rng as 'torch' or None, got 'numpy'"):
        install_as_torch(rng="numpy")

"""Misuse of optimizers, schedules, data and functions of autograd: errors are of PyTorch's classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unit.misuse.compare import difference


def leaf(t: Any, *sizes: int) -> Any:
    return t.ones(*sizes, requires_grad=True)


def lin(t: Any, *sizes: Any) -> Any:
    return t.nn.Linear(*sizes)


def opt(t: Any, name: str = "SGD", **options: Any) -> Any:
    return getattr(t.optim, name)([leaf(t, 2)], **options)


def sched(t: Any, name: str, *given: Any, **options: Any) -> Any:
    return getattr(t.optim.lr_scheduler, name)(opt(t, lr=0.1), *given, **options)


def opt_state(t: Any) -> None:
    state = t.optim.Adam([leaf(t, 2)]).state_dict()
    t.optim.Adam([leaf(t, 2), leaf(t, 3)]).load_state_dict(state)


def doubling(t: Any, **functions: Any) -> None:
    """Apply a function of a class of one's own, and differentiate it."""
    made = type("Doubling", (t.autograd.Function,), {name: staticmethod(f) for name, f in functions.items()})
    made.apply(leaf(t, 2)).sum().backward()


def fn(t: Any) -> None:
    doubling(t, forward=lambda ctx, x: x * 2, backward=lambda ctx, g: (g, g))


def fn2(t: Any) -> None:
    doubling(t, forward=lambda ctx, x: x * 2)


def fn3(t: Any) -> None:
    doubling(t, forward=lambda ctx, x: x * 2, backward=lambda ctx, g: t.ones(5))


class DS:
    """Lists of different lengths."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> list[int]:
        return [1] * (index + 1)


class Mixed(DS):
    def __getitem__(self, index: int) -> Any:
        return object()


class NoLen:
    def __getitem__(self, index: int) -> int:
        return index


def sequential(t: Any) -> None:
    one = opt(t, lr=0.1)
    t.optim.lr_scheduler.SequentialLR(one, [t.optim.lr_scheduler.StepLR(one, 1)], [1, 2])


def divergence(t: Any) -> None:
    t.distributions.kl_divergence(t.distributions.Normal(0.0, 1.0), t.distributions.Categorical(t.ones(2)))


MISUSES: dict[str, Callable[[Any], Any]] = {
    "no params": lambda t: t.optim.SGD([], lr=0.1),
    "params tensor": lambda t: t.optim.SGD(leaf(t, 2), lr=0.1),
    "params none": lambda t: t.optim.SGD(None, lr=0.1),
    "params int": lambda t: t.optim.SGD([1, 2], lr=0.1),
    "params module": lambda t: t.optim.SGD(lin(t, 2, 2), lr=0.1),
    "params modules": lambda t: t.optim.SGD([lin(t, 2, 2)], lr=0.1),
    "params uncalled": lambda t: t.optim.SGD(lin(t, 2, 2).parameters, lr=0.1),
    "params dict": lambda t: t.optim.SGD({"params": [leaf(t, 2)]}, lr=0.1),
    "params twice": lambda t: t.optim.SGD([{"params": (p := [leaf(t, 2)])}, {"params": p}], lr=0.1),
    "lr negative": lambda t: opt(t, lr=-1),
    "lr str": lambda t: opt(t, lr="a"),
    "lr none": lambda t: opt(t, lr=None),
    "momentum": lambda t: opt(t, lr=0.1, momentum=-1),
    "nesterov": lambda t: opt(t, lr=0.1, nesterov=True),
    "betas": lambda t: opt(t, "Adam", betas=(1.0, 0.9)),
    "betas float": lambda t: opt(t, "Adam", betas=0.9),
    "eps": lambda t: opt(t, "Adam", eps=-1),
    "wd": lambda t: opt(t, "AdamW", weight_decay=-1),
    "opt unknown": lambda t: opt(t, lr=0.1, learning_rate=3),
    "step closure": lambda t: opt(t, "LBFGS").step(),
    "opt load": opt_state,
    "add group": lambda t: opt(t).add_param_group([leaf(t, 2)]),
    "sched no opt": lambda t: t.optim.lr_scheduler.StepLR(lin(t, 2, 2), 1),
    "sched str": lambda t: t.optim.lr_scheduler.StepLR("a", 1),
    "sched missing": lambda t: sched(t, "StepLR"),
    "sched lambda": lambda t: sched(t, "LambdaLR", [lambda e: 1, lambda e: 1]),
    "sched one cycle": lambda t: sched(t, "OneCycleLR", max_lr=0.1),
    "sched one cycle steps": lambda t: sched(t, "OneCycleLR", max_lr=0.1, total_steps=-1),
    "sched plateau mode": lambda t: sched(t, "ReduceLROnPlateau", "minimum"),
    "sched plateau factor": lambda t: sched(t, "ReduceLROnPlateau", factor=1.5),
    "sched plateau step": lambda t: sched(t, "ReduceLROnPlateau").step(),
    "sched sequential": sequential,
    "sched cyclic": lambda t: sched(t, "CyclicLR", 0.1, 0.2, mode="tri"),
    "sched warm": lambda t: sched(t, "CosineAnnealingWarmRestarts", 0),
    "sched polynomial": lambda t: sched(t, "LinearLR", start_factor=2.0),
    "sched milestones": lambda t: sched(t, "MultiStepLR", 3),
    "sched last_epoch": lambda t: sched(t, "StepLR", 1, last_epoch=3),
    "clip none": lambda t: t.nn.utils.clip_grad_norm_(None, 1),
    "clip module": lambda t: t.nn.utils.clip_grad_norm_(lin(t, 2, 2), 1.0),
    "clip max": lambda t: t.nn.utils.clip_grad_norm_(lin(t, 2, 2).parameters()),
    "pad_sequence": lambda t: t.nn.utils.rnn.pad_sequence([1, 2]),
    "pad_sequence shapes": lambda t: t.nn.utils.rnn.pad_sequence([t.ones(2, 3), t.ones(2, 4)]),
    "pack lengths": lambda t: t.nn.utils.rnn.pack_padded_sequence(t.ones(3, 2, 1), [1, 3]),
    "pack zero": lambda t: t.nn.utils.rnn.pack_padded_sequence(t.ones(3, 2, 1), [3, 0]),
    "vector_to": lambda t: t.nn.utils.vector_to_parameters([1.0, 2.0], lin(t, 2, 2).parameters()),
    "TensorDataset sizes": lambda t: t.utils.data.TensorDataset(t.ones(2), t.ones(3)),
    "loader batch 0": lambda t: t.utils.data.DataLoader([1, 2], batch_size=0),
    "loader batch str": lambda t: t.utils.data.DataLoader([1, 2], batch_size="a"),
    "loader workers": lambda t: t.utils.data.DataLoader([1, 2], num_workers=-1),
    "loader shuffle sampler": lambda t: t.utils.data.DataLoader([1, 2], shuffle=True, sampler=[0, 1]),
    "loader batch_sampler": lambda t: t.utils.data.DataLoader([1, 2], batch_size=3, batch_sampler=[[0]]),
    "loader ragged": lambda t: list(t.utils.data.DataLoader(DS(), batch_size=2)),
    "loader ragged tensors": lambda t: list(t.utils.data.DataLoader([t.ones(2), t.ones(3)], batch_size=2)),
    "loader objects": lambda t: list(t.utils.data.DataLoader(Mixed(), batch_size=2)),
    "loader none dataset": lambda t: list(t.utils.data.DataLoader(None)),
    "loader no len": lambda t: list(t.utils.data.DataLoader(NoLen(), batch_size=2, shuffle=True)),
    "loader drop": lambda t: t.utils.data.DataLoader([1], batch_size=None, drop_last=True),
    "loader timeout": lambda t: t.utils.data.DataLoader([1], timeout=-1),
    "loader unknown": lambda t: t.utils.data.DataLoader([1], batchsize=2),
    "random_split sum": lambda t: t.utils.data.random_split([1, 2, 3], [1, 1]),
    "random_split fractions": lambda t: t.utils.data.random_split([1, 2, 3], [0.5, 0.6]),
    "Subset range": lambda t: t.utils.data.Subset([1, 2], [5])[0],
    "ConcatDataset": lambda t: t.utils.data.ConcatDataset([]),
    "ConcatDataset range": lambda t: t.utils.data.ConcatDataset([[1, 2]])[5],
    "RandomSampler": lambda t: t.utils.data.RandomSampler([1, 2], num_samples=0),
    "WeightedRandomSampler": lambda t: t.utils.data.WeightedRandomSampler([1.0, 2.0], 0),
    "BatchSampler": lambda t: t.utils.data.BatchSampler([1, 2], 0, False),
    "Dataset abstract": lambda t: t.utils.data.Dataset()[0],
    "StackDataset": lambda t: t.utils.data.StackDataset([1], [1, 2]),
    "Function two grads": fn,
    "Function no backward": fn2,
    "Function shape": fn3,
    "Function call": lambda t: type("G", (t.autograd.Function,), {})()(t.ones(2)),
    "checkpoint": lambda t: t.utils.checkpoint.checkpoint(None, t.ones(2), use_reentrant=False),
    "func grad vector": lambda t: t.func.grad(lambda x: x * 2)(t.ones(3)),
    "func grad int": lambda t: t.func.grad(lambda x: x.sum())(t.ones(3).long()),
    "vmap sizes": lambda t: t.func.vmap(lambda a, b: a + b)(t.ones(2), t.ones(3)),
    "vmap nothing": lambda t: t.func.vmap(lambda a: a)(3),
    "jacobian": lambda t: t.autograd.functional.jacobian(lambda x: 3, t.ones(2)),
    "hessian vector": lambda t: t.autograd.functional.hessian(lambda x: x, t.ones(2)),
    "dist scale": lambda t: t.distributions.Normal(0.0, -1.0),
    "dist both": lambda t: t.distributions.Bernoulli(probs=t.tensor(0.5), logits=t.tensor(0.5)),
    "dist neither": lambda t: t.distributions.Bernoulli(),
    "dist value": lambda t: t.distributions.Bernoulli(t.tensor(0.5)).log_prob(t.tensor(3.0)),
    "dist kl": divergence,
    "dist shapes": lambda t: t.distributions.Normal(t.zeros(2), t.ones(3)),
    "autocast device": lambda t: t.autocast("tpu"),
    "no_grad arg": lambda t: t.set_grad_enabled("a") and None,
    "default_dtype": lambda t: t.set_default_dtype("float32"),
    "default_dtype int": lambda t: t.set_default_dtype(t.int32),
    "manual_seed none": lambda t: t.manual_seed(None),
    "assert_close": lambda t: t.testing.assert_close(t.ones(2), t.zeros(2)),
    "hook no grad": lambda t: t.ones(2).register_hook(lambda g: g),
    "spectral": lambda t: t.nn.utils.parametrizations.spectral_norm(lin(t, 2, 2), "nope"),
    "prune missing": lambda t: t.nn.utils.parametrize.register_parametrization(lin(t, 2, 2), "nope", t.nn.ReLU()),
    "remove": lambda t: t.nn.utils.parametrize.remove_parametrizations(lin(t, 2, 2), "weight"),
    "upsample": lambda t: t.nn.Upsample()(t.ones(1, 1, 2, 2)),
    "pixel_shuffle": lambda t: t.nn.PixelShuffle(3)(t.ones(1, 4, 2, 2)),
    "unfold": lambda t: t.nn.Unfold(3)(t.ones(1, 1, 2, 2)),
    "fold": lambda t: t.nn.Fold(4, 2)(t.ones(1, 3, 2)),
    "flatten": lambda t: t.nn.Flatten(1, 5)(t.ones(2, 2)),
    "Unflatten": lambda t: t.nn.Unflatten(1, (2, 2))(t.ones(2, 3)),
    "softmax2d": lambda t: t.nn.Softmax2d()(t.ones(2, 2)),
    "glu odd": lambda t: t.nn.functional.glu(t.ones(3)),
    "prelu": lambda t: t.nn.PReLU(3)(t.ones(2, 2)),
    "embedding bag": lambda t: t.nn.EmbeddingBag(3, 2)(t.tensor([0, 1])),
    "cosine": lambda t: t.nn.functional.cosine_similarity(t.ones(2, 3), t.ones(2, 4)),
    "pairwise": lambda t: t.nn.functional.pairwise_distance(t.ones(2, 3), t.ones(2, 4)),
    "triplet": lambda t: t.nn.functional.triplet_margin_loss(t.ones(2, 3), t.ones(2, 4), t.ones(2, 3)),
    "ident": lambda t: t.nn.Identity()(),
    "local": lambda t: t.nn.LocalResponseNorm(2)(t.ones(2)),
}


def test_errors_are_of_pytorchs_classes() -> None:
    assert not [told for name, call in MISUSES.items() if (told := difference(name, call))]

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import nn
from tabgrad.nn.utils import rnn

pytestmark = pytest.mark.filterwarnings("ignore:LSTM with projections is not supported with oneDNN")
CASES = [
    ("LSTM", {}, {}),
    ("LSTM", {"num_layers": 2, "bidirectional": True, "proj_size": 2, "batch_first": True}, {}),
    ("LSTM", {"bias": False, "num_layers": 2, "dropout": 0.5}, {"eval": True}),
    ("GRU", {"num_layers": 2, "bidirectional": True}, {}),
    ("RNN", {"nonlinearity": "relu", "batch_first": True}, {}),
    ("RNN", {"bidirectional": True}, {}),
]
X = np.random.default_rng(0).standard_normal((3, 3, 5)).astype(np.float32)


def pair(name, arguments):
    ours, theirs = (getattr(lib, name)(5, 6 if "Cell" not in name else 4, **arguments) for lib in (nn, torch.nn))
    ours.load_state_dict({n: tg.tensor(v.numpy()) for n, v in theirs.state_dict().items()})
    assert repr(ours) == repr(theirs)
    return ours, theirs


def flat(values):
    return [t for v in values for t in (flat(v) if isinstance(v, tuple) else [v])]


def compare(ours, theirs, ours_out, theirs_out, inputs):
    for a, b in zip(ours_out, theirs_out, strict=True):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), 2e-5, 2e-6)
    sum((o * o).sum() for o in ours_out).backward()
    sum((o * o).sum() for o in theirs_out).backward()
    mine = dict(ours.named_parameters())
    pairs = [*inputs, *((mine[n], p) for n, p in theirs.named_parameters())]
    for a, b in pairs:
        np.testing.assert_allclose(a.grad.numpy(), b.grad.numpy(), 2e-4, 2e-5)


@pytest.mark.parametrize(("name", "arguments", "options"), CASES)
@pytest.mark.parametrize("form", ["single", "states"])
def test_layers_are_torchs(name, arguments, options, form):
    ours, theirs = pair(name, arguments)
    if options:
        ours.eval()
        theirs.eval()
    x = X[:, 0] if form == "single" else X
    mine, other = tg.tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
    states = [(), ()]
    if form == "states":
        with torch.no_grad():
            first = flat([theirs(other)[1]])
        states = [tuple(lib.tensor(s.numpy() + 0.5) for s in first) for lib in (tg, torch)]
        states = [(s if name == "LSTM" else s[0],) for s in states]
    a, b = flat(ours(mine, *states[0])), flat(theirs(other, *states[1]))
    compare(ours, theirs, a, b, [(mine, other)])


@pytest.mark.parametrize("name", ["LSTMCell", "GRUCell", "RNNCell"])
@pytest.mark.parametrize("single", [False, True])
def test_cells_are_torchs(name, single):
    ours, theirs = pair(name, {})
    x = X[0, 0] if single else X[0]
    state = np.ones((4,) if single else (3, 4), np.float32)
    mine, other = tg.tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
    outs = []
    for cell, lib, given in ((ours, tg, mine), (theirs, torch, other)):
        hx = lib.tensor(state)
        outs.append(flat([cell(given), cell(given, (hx, hx * 2) if name == "LSTMCell" else hx)]))
    compare(ours, theirs, *outs, [(mine, other)])


@pytest.mark.parametrize(("name", "lengths"), [("LSTM", [1, 3, 2]), ("GRU", [3, 2, 1])])
def test_packed_sequences_are_torchs(name, lengths):
    ours, theirs = pair(name, {"bidirectional": True})
    mine, other = tg.tensor(X, requires_grad=True), torch.tensor(X, requires_grad=True)
    in_order = lengths == sorted(lengths, reverse=True)
    outs = []
    for layer, x, r in ((ours, mine, rnn), (theirs, other, torch.nn.utils.rnn)):
        packed = r.pack_padded_sequence(x, lengths, enforce_sorted=in_order)
        out, states = layer(packed)
        padded, found = r.pad_packed_sequence(out, padding_value=7.0, total_length=4)
        assert found.tolist() == lengths
        outs.append(flat([out.data, out.batch_sizes, padded, states]))
    for values in outs:
        values.pop(1)
    compare(ours, theirs, *outs, [(mine, other)])


def test_sequences_pad_and_pack_as_torchs():
    parts = [X[:2, 0], X[:3, 1], X[:1, 2]]
    results = []
    for lib, r in ((tg, rnn), (torch, torch.nn.utils.rnn)):
        given = [lib.tensor(p) for p in parts]
        packed = r.pack_sequence(given, enforce_sorted=False)
        padded = r.pad_sequence(given, batch_first=True, padding_value=3.0)
        left = r.pad_sequence(given, padding_side="left")
        back = [*r.unpad_sequence(padded, lib.tensor([2, 3, 1]), batch_first=True), *r.unpack_sequence(packed)]
        results.append([*packed, padded, left, *back])
    for a, b in zip(*results, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_mistakes_are_named():
    with pytest.raises(RuntimeError, match="expected lengths in decreasing order"):
        rnn.pack_padded_sequence(tg.tensor(X), [1, 2, 3])
    with pytest.raises(RuntimeError, match="expected lengths from 1 to 3"):
        rnn.pack_padded_sequence(tg.tensor(X), [5, 2, 0])
    with pytest.raises(RuntimeError, match=r"LSTM: expected hidden state \[1, 3, 2\], \[1, 3, 2\], got \[1, 3, 2\]"):
        nn.LSTM(5, 2)(tg.tensor(X), (tg.zeros(1, 3, 2),))
    with pytest.raises(RuntimeError, match="GRU: expected input_size 4"):
        nn.GRU(4, 2)(tg.tensor(X))
    with pytest.warns(UserWarning, match="dropout=0.5 does nothing"):
        nn.GRU(4, 2, dropout=0.5)


def test_a_recurrent_classifier_learns():
    tg.manual_seed(0)
    rng = np.random.default_rng(0)
    x = tg.tensor(rng.standard_normal((16, 5, 2)).astype(np.float32))
    labels = tg.tensor((x.numpy().sum((1, 2)) > 0).astype(np.int32))
    lstm, head = nn.LSTM(2, 8, batch_first=True), nn.Linear(8, 2)
    optimizer = tg.optim.Adam([*lstm.parameters(), *head.parameters()], lr=0.05)

    @tg.compile
    def step(x, labels):
        optimizer.zero_grad()
        out, _ = lstm(x)
        loss = nn.functional.cross_entropy(head(out[:, -1]), labels)
        loss.backward()
        optimizer.step()
        return loss

    losses = [step(x, labels).item() for _ in range(12)]
    assert losses[-1] < 0.5 * losses[0]

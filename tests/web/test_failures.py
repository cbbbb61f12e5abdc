"""Bad input: one clear sentence beside the editor, and training can start again."""

from __future__ import annotations

import gzip
import re
import struct
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import FilePayload, expect

from web import scripts
from web.visitor import Visitor


def shown(visitor: Visitor) -> str:
    """The sentence that says what went wrong."""
    visitor.expect_status("The script failed")
    return visitor.page.locator(".error-message").inner_text()


def assert_trains_again(visitor: Visitor) -> None:
    assert visitor.run(scripts.SHORT)["ok"]
    visitor.expect_status("Finished")
    expect(visitor.page.locator(".error")).to_have_count(0)
    expect(visitor.page.locator(".cm-error-line")).to_have_count(0)


def test_script_error_marks_its_line_and_shows_the_traceback(visitor: Visitor) -> None:
    source = "import tabgrad as tg\n\ndef broken():\n    return tg.zeros(2) + tg.zeros(3)\n\nbroken()\n"
    assert not visitor.run(source)["ok"]
    assert re.match(r"Line 4: \s*ShapeError: ", shown(visitor))
    traceback = visitor.page.locator(".traceback").inner_text()
    assert 'File "script.py", line 6, in <module>' in traceback
    assert 'File "script.py", line 4, in broken' in traceback
    assert "return tg.zeros(2) + tg.zeros(3)" in traceback
    expect(visitor.page.locator(".cm-error-line")).to_have_text("    return tg.zeros(2) + tg.zeros(3)")
    assert_trains_again(visitor)


def test_syntax_error_marks_its_line(visitor: Visitor) -> None:
    assert not visitor.run("x = 1\ny = = 2\n")["ok"]
    assert re.match(r"Line 2: \s*SyntaxError: ", shown(visitor))
    expect(visitor.page.locator(".cm-error-line")).to_have_text("y = = 2")
    assert_trains_again(visitor)


@pytest.mark.parametrize(
    ("options", "step", "tensor"),
    [
        ({"then": "x[3, 2] = np.nan"}, 1, "the input batch, shape [8, 16]"),
        ({"lr": 1e30}, 2, "the output of '2' (Linear), shape [8, 1]"),
    ],
    ids=["data", "learning rate"],
)
def test_loss_that_is_not_finite_names_step_and_tensor(
    options: dict[str, Any], step: int, tensor: str, visitor: Visitor
) -> None:
    assert not visitor.run(scripts.training(**options))["ok"]
    assert visitor.all_heard("state")[-1]["state"] == "failed"
    sentence = shown(visitor)
    assert re.search(rf"NotFiniteError: .* the loss is (nan|inf) at step {step}; ", sentence)
    assert f"the first tensor that is not finite is {tensor}; " in sentence
    expect(visitor.page.locator(".cm-error-line")).to_have_text(re.compile("^await trainer.fit"))
    assert_trains_again(visitor)


def idx(array: np.ndarray) -> bytes:
    """An array of bytes as an IDX file."""
    return bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


LABELS = np.arange(300, dtype=np.uint8) % 10
IMAGES = np.zeros((300, 28, 28), np.uint8)
IMAGES[np.arange(300), LABELS, LABELS] = 255
GOOD_IMAGES, GOOD_LABELS = gzip.compress(idx(IMAGES)), idx(LABELS)


def choose(visitor: Visitor, images: bytes, labels: bytes) -> None:
    """Pick the MNIST example and its two files."""
    visitor.page.get_by_label("Example script").select_option("mnist")
    for name, content in (("Images", images), ("Labels", labels)):
        file: FilePayload = {"name": f"{name.lower()}-ubyte", "mimeType": "application/octet-stream", "buffer": content}
        visitor.page.get_by_label(f"{name} file").set_input_files(file)
        expect(visitor.page.locator(".file", has_text=name)).to_contain_text(f"{name.lower()}-ubyte")


@pytest.mark.parametrize(
    ("images", "labels", "said"),
    [
        (GOOD_IMAGES[:-9], GOOD_LABELS, "expected a complete gzip file, got damaged data"),
        (idx(IMAGES)[:-1], GOOD_LABELS, "images.idx"),
        (b"P5 28 28 255 ....", GOOD_LABELS, "expected an IDX file starting with bytes 00 00, got images.idx"),
        (GOOD_LABELS, GOOD_IMAGES, "are images and labels exchanged?"),
        (GOOD_IMAGES, idx(LABELS[:-1]), "expected as many labels as images, got 300 images and 299 labels"),
    ],
    ids=["truncated gzip", "truncated", "no IDX", "exchanged", "of two sets"],
)
def test_bad_files_are_refused_in_a_sentence(images: bytes, labels: bytes, said: str, visitor: Visitor) -> None:
    choose(visitor, images, labels)
    assert not visitor.run()["ok"]
    sentence = shown(visitor)
    assert re.match(r"Line \d+: \s*FileFormatError: ", sentence)
    assert said in sentence
    assert "\n" not in sentence.split(": ", 2)[2]


def test_good_files_train_after_bad_ones(visitor: Visitor) -> None:
    choose(visitor, b"", GOOD_LABELS)
    assert not visitor.run()["ok"]
    assert "starting with nothing" in shown(visitor)
    choose(visitor, GOOD_IMAGES, GOOD_LABELS)
    assert visitor.run()["ok"]
    assert visitor.heard("fit_start")["train_samples"] == 270
    expect(visitor.page.locator(".error")).to_have_count(0)

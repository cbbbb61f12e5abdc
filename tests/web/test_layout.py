"""The page on a phone, from the keyboard, in light and dark."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from web import scripts
from web.visitor import Visitor

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}

# Elements that stick out of the window, unless something around them scrolls or clips.
STICKING_OUT = """() => [...document.querySelectorAll("body *")].filter((element) => {
  const { left, right, width } = element.getBoundingClientRect();
  if (width === 0 || (left >= 0 && right <= innerWidth + 0.5)) return false;
  for (let around = element.parentElement; around; around = around.parentElement)
    if (getComputedStyle(around).overflowX !== "visible") return false;
  return true;
}).map((element) => element.outerHTML.slice(0, 120))"""


def assert_fits(page: Page) -> None:
    width = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert width[0] <= width[1]
    assert page.evaluate(STICKING_OUT) == []


def test_phone_shows_all_without_scrolling_sideways(new_visitor: Callable[..., Visitor]) -> None:
    visitor = new_visitor(**PHONE)
    visitor.visit()
    assert_fits(visitor.page)
    visitor.heard("ready")
    visitor.editor.wait_for()
    visitor.page.get_by_label("Example script").select_option("diabetes")
    visitor.forget()
    visitor.button("Train").tap()
    visitor.heard("validation")
    assert_fits(visitor.page)
    visitor.button("Pause").tap()
    visitor.heard("state", state="paused")
    for control in (
        *(visitor.button(name) for name in ("Resume", "Step", "Stop", "Use dark colours")),
        visitor.page.get_by_label("Learning rate", exact=True),
        visitor.page.get_by_label("Learning rate, logarithmic"),
        visitor.page.get_by_label("Example script"),
        visitor.editor,
    ):
        control.scroll_into_view_if_needed()
        expect(control).to_be_visible()
        expect(control).to_be_in_viewport()
    visitor.button("Stop").tap()
    visitor.heard("done")
    visitor.page.get_by_label("Example script").select_option("mnist")
    assert_fits(visitor.page)
    assert not visitor.run("raise ValueError('long ' * 60)")["ok"]
    visitor.page.locator(".error").wait_for()
    assert_fits(visitor.page)


@pytest.mark.parametrize("width", [320, 1280, 1920])
def test_other_widths_fit_too(width: int, visitor: Visitor) -> None:
    visitor.page.set_viewport_size({"width": width, "height": 800})
    assert_fits(visitor.page)
    visitor.page.set_viewport_size({"width": 1280, "height": 720})


def focused(page: Page) -> str:
    """The name of the element that has the keyboard's focus."""
    return page.evaluate(
        "document.activeElement.ariaLabel || document.activeElement.labels?.[0]?.innerText"
        " || document.activeElement.innerText"
    )


def tab_to(page: Page, name: str) -> None:
    """Press Tab until an element has the focus; it must show so."""
    seen = []
    for _ in range(20):
        page.keyboard.press("Tab")
        seen.append(focused(page))
        if seen[-1] == name:
            outline = page.evaluate(
                "(({ outlineStyle, boxShadow }) => [outlineStyle, boxShadow])(getComputedStyle(document.activeElement))"
            )
            assert outline != ["none", "none"], f"{name} does not show the focus"
            return
    raise AssertionError(f"Tab does not reach {name!r}, but {seen}")


def test_keyboard_does_all(visitor: Visitor) -> None:
    page = visitor.page
    page.locator("body").press("Home")
    page.evaluate("document.activeElement.blur()")
    page.mouse.click(2, 2)  # Tab starts from here, wherever an earlier test left the focus
    tab_to(page, "Example script")
    visitor.write(scripts.LONG_STEPS)
    visitor.editor.focus()
    page.keyboard.press("Control+End")
    page.keyboard.press("Tab")  # indents: the editor keeps the key
    assert visitor.editor.evaluate("element => element.contains(document.activeElement)")
    visitor.forget()
    page.keyboard.press("Control+Enter")
    visitor.heard("metrics")
    page.keyboard.press("Escape")
    tab_to(page, "Pause")
    visitor.forget()
    page.keyboard.press("Enter")
    visitor.heard("state", state="paused")
    assert focused(page) == "Resume"  # the focus stays where it was
    visitor.forget()
    page.keyboard.press("Space")
    visitor.heard("state", state="running")
    tab_to(page, "Stop")
    page.keyboard.press("Enter")
    visitor.heard("done")


def brightness(page: Page) -> float:
    """Of the page's background, from 0 to 1."""
    return page.evaluate(
        """() => {
          const context = new OffscreenCanvas(1, 1).getContext("2d");
          context.fillStyle = getComputedStyle(document.documentElement).backgroundColor;
          context.fillRect(0, 0, 1, 1);
          const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
          return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
        }"""
    )


def test_colours_follow_the_system_until_the_visitor_chooses(new_visitor: Callable[..., Visitor]) -> None:
    visitor = new_visitor(color_scheme="dark")
    visitor.do_without_python()
    visitor.visit()
    assert brightness(visitor.page) < 0.2
    visitor.page.emulate_media(color_scheme="light")
    assert brightness(visitor.page) > 0.8
    visitor.button("Use dark colours").click()
    assert brightness(visitor.page) < 0.2
    visitor.visit()
    assert brightness(visitor.page) < 0.2  # the choice is kept
    visitor.button("Use light colours").click()
    assert brightness(visitor.page) > 0.8

"""An edited script outlasts a reload, a closed tab and a crash; the page also works where nothing is kept."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from playwright.sync_api import Error, Page, expect

from web.visitor import Visitor

EDIT = "print('mine')"
WRITTEN_MS = 400  # an edit is written after 250 ms

COUNT_WRITES = """() => {
  globalThis.written = [];
  const { setItem } = Storage.prototype;
  Storage.prototype.setItem = function (key, value) {
    written.push(key);
    setItem.call(this, key, value);
  };
}"""

PASTE_LONG = """() => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", `# ${"long ".repeat(20)}\\n`.repeat(10_000));
  document.querySelector(".cm-content").dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
}"""

NO_STORAGE = {
    "throws": """for (const name of ["getItem", "setItem", "removeItem"])
        Storage.prototype[name] = () => { throw new DOMException("denied", "SecurityError"); };""",
    "full": 'Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };',
    "missing": 'Object.defineProperty(globalThis, "localStorage", { value: undefined });',
}


def open_editor(visitor: Visitor) -> Visitor:
    """Open the page; Python is not waited for."""
    visitor.do_without_python()
    visitor.visit()
    visitor.editor.wait_for()
    return visitor


def shown(visitor: Visitor) -> str:
    """The script in the editor, when it has taken it over."""
    visitor.page.wait_for_timeout(100)
    return visitor.editor.inner_text()


def another_tab(visitor: Visitor) -> Visitor:
    return open_editor(Visitor(visitor.page.context, visitor.url))


@pytest.fixture
def guest(new_visitor: Callable[..., Visitor]) -> Visitor:
    return open_editor(new_visitor())


def test_edited_script_and_its_example_outlast_a_reload_until_undone(guest: Visitor) -> None:
    guest.page.get_by_label("Example script").select_option("diabetes")
    guest.write(EDIT)
    open_editor(guest)
    assert shown(guest) == EDIT
    expect(guest.page.get_by_label("Example script")).to_have_value("diabetes")
    guest.page.get_by_label("Example script").select_option("digits")
    expect(guest.editor).to_contain_text("datasets.digits()")
    guest.page.get_by_label("Example script").select_option("diabetes")
    guest.press("Undo edits")
    expect(guest.editor).to_contain_text("datasets.diabetes(")
    open_editor(guest)
    expect(guest.editor).to_contain_text("datasets.digits()")
    assert guest.page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('tabgrad.script'))") == []


def test_edit_before_a_closed_tab_is_kept(guest: Visitor) -> None:
    guest.write(EDIT)
    guest.page.close(run_before_unload=True)
    assert shown(another_tab(guest)) == EDIT


def test_edit_before_a_crash_is_kept(guest: Visitor) -> None:
    guest.write(EDIT)
    guest.page.wait_for_timeout(WRITTEN_MS)
    crash(guest.page)
    assert shown(another_tab(guest)) == EDIT


def crash(page: Page) -> None:
    """End the tab's process."""
    with page.expect_event("crash"), contextlib.suppress(Error):
        page.goto("chrome://crash", timeout=5000)


def test_tab_follows_another_one_and_writes_nothing_of_its_own(guest: Visitor) -> None:
    other = another_tab(guest)
    guest.write(EDIT)
    expect(other.editor).to_have_text(EDIT)
    guest.write("print('newer')")
    expect(other.editor).to_have_text("print('newer')")
    other.page.evaluate(COUNT_WRITES)
    other.page.get_by_label("Example script").select_option("diabetes")
    other.page.wait_for_timeout(WRITTEN_MS)
    other.page.evaluate("dispatchEvent(new Event('pagehide'))")
    assert other.page.evaluate("written") == []
    other.write("print('its own')")
    other.page.wait_for_timeout(WRITTEN_MS)
    assert set(other.page.evaluate("written")) == {"tabgrad.script", "tabgrad.script.diabetes"}


def test_tab_with_edits_of_its_own_keeps_them(guest: Visitor) -> None:
    other = another_tab(guest)
    other.write("print('other')")
    other.page.wait_for_timeout(WRITTEN_MS)
    guest.write(EDIT)
    guest.page.wait_for_timeout(WRITTEN_MS)
    assert shown(other) == "print('other')"
    assert shown(guest) == EDIT


@pytest.mark.parametrize("how", NO_STORAGE)
def test_without_storage_the_page_works_and_says_so_once(how: str, new_visitor: Callable[..., Visitor]) -> None:
    visitor = new_visitor()
    visitor.page.add_init_script(NO_STORAGE[how])
    open_editor(visitor)
    expect(visitor.page.locator(".not-kept")).to_have_count(0)
    visitor.write(EDIT)
    expect(visitor.page.locator(".not-kept")).to_contain_text(
        "the newest edits will be gone when it is closed or reloaded"
    )
    visitor.write("print('again')")
    visitor.page.get_by_label("Example script").select_option("diabetes")
    expect(visitor.editor).to_contain_text("datasets.diabetes(")
    visitor.page.get_by_label("Example script").select_option("digits")
    assert shown(visitor) == "print('again')"
    expect(visitor.page.locator(".not-kept")).to_have_count(1)


def test_script_too_long_to_be_kept_says_so(guest: Visitor) -> None:
    guest.write(EDIT)
    guest.page.wait_for_timeout(WRITTEN_MS)
    guest.page.evaluate(PASTE_LONG)
    expect(guest.page.locator(".not-kept")).to_contain_text("no scripts of over a million characters")
    assert guest.page.evaluate("localStorage.getItem('tabgrad.script.digits')") == EDIT

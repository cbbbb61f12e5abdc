"""Winners of kernel tuning in wasm, saved by JavaScript: see ``web/python/winners.js``."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import tabgrad
from tabgrad.session import current
from tabgrad.tuner import TunerRegistry, manage, parse, winners
from tabgrad.tuner.store import MemoryStore


class PageStore(MemoryStore):
    """Stored in memory, and saved in the background by a JavaScript object with ``read()`` and ``write(text)``."""

    def __init__(self, js: Any, text: str | None) -> None:
        super().__init__()
        self._js = js
        self._writing: asyncio.Future[None] | None = None
        self.document = self._parsed(text)

    def write(self, document: winners.Document) -> None:
        """Store this document, and save it in place of the saved one."""
        super().write(document)
        self._later(document, merge=False)

    def add(self, document: winners.Document) -> None:
        """Add this document to the stored one and to what other tabs have saved."""
        super().write(winners.merged(self.document, document))
        self._later(document, merge=True)

    async def flush(self) -> None:
        """Wait until everything is saved."""
        if self._writing is not None:
            await self._writing

    def _later(self, document: winners.Document, *, merge: bool) -> None:
        self._writing = asyncio.ensure_future(self._keep(document, self._writing, merge))

    async def _keep(self, document: winners.Document, earlier: asyncio.Future[None] | None, merge: bool) -> None:
        if earlier is not None:
            await earlier
        if merge:
            document = winners.merged(self._parsed(await self._js.read()), document)
        await self._js.write(winners.to_text(document))

    def _parsed(self, text: Any) -> winners.Document:
        if not isinstance(text, str):  # JavaScript's null
            return winners.empty()
        try:
            return winners.parse(text, "the kept winners of kernel tuning", "kernels are measured again")
        except tabgrad.FileFormatError as error:
            sys.stderr.write(f"{error}\n")
            return winners.empty()


def use(js: Any, text: str | None) -> None:
    """Save winners in a JavaScript object, which has saved ``text``."""
    current().own(TunerRegistry).store = PageStore(js, text)


async def flush() -> None:
    """Wait until all winners are saved."""
    store = current().own(TunerRegistry).store
    if isinstance(store, PageStore):
        await store.flush()


def set_tuning(text: str) -> None:
    """Set how kernels are tuned until a script changes it: ``MODE`` or ``MODE:SECONDS``; the budget starts again."""
    setting = parse(text, "tuning")
    tabgrad.tuning(setting.mode, budget_s=setting.budget_s)


def export_text() -> str:
    """All winners, as the text of an exported file."""
    return manage.export_text()


def import_text(text: str) -> str | None:
    """Import an exported file's winners; returns the file's defect, or None."""
    try:
        manage.import_text(text, "the chosen file")
    except tabgrad.FileFormatError as error:
        return str(error)
    return None


def clear() -> None:
    """Delete all winners."""
    manage.clear()


def count() -> int:
    """The number of stored winners."""
    return len(list(manage.held()))

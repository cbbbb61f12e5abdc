"""Profiles of a run's next training steps, taken when the world asks for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabgrad.session import Session
from tabgrad.train.events import Events

if TYPE_CHECKING:
    from tabgrad.profiler import Profile


class StepProfiles:
    """At most one at a time; while there is none, steps know nothing of it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._current: Profile | None = None

    def take(self, steps: int | None = None) -> None:
        """Profile the next training steps, then emit the report; a request while one is under way is dropped."""
        from tabgrad.profiler import DEFAULT_STEPS, Profile  # late: few runs need it, and a page shall start soon

        count = DEFAULT_STEPS if steps is None else steps
        if self._session.profiler is None:
            self._current = Profile(steps=count, only="train", on_ready=self._report).start()

    def _report(self, profile: Profile) -> None:
        from tabgrad.profiler import report

        self._session.own(Events).emit(report(profile))

    async def finish(self) -> None:
        """The run ends: report what there is of a profile under way."""
        current, self._current = self._current, None
        if current is not None:
            await current.finish()

    def cancel(self) -> None:
        """Abandon a profile under way, after an error."""
        if self._current is not None:
            self._current.stop()

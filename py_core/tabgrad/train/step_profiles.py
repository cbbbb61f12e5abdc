"""Profiles of a run's next training steps, on request of a control message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabgrad.session import Session
from tabgrad.train.events import Events

if TYPE_CHECKING:
    from tabgrad.profiler import Profile


class StepProfiles:
    """At most one profile at a time; without one, steps have no overhead."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._current: Profile | None = None

    def take(self, steps: int | None = None) -> None:
        """Profile the next training steps, then emit the report; a request during a profile is dropped."""
        from tabgrad.profiler import DEFAULT_STEPS, Profile  # here: a page starts faster without it

        count = DEFAULT_STEPS if steps is None else steps
        if self._session.profiler is None:
            self._current = Profile(steps=count, only="train", on_ready=self._report).start()

    def _report(self, profile: Profile) -> None:
        from tabgrad.profiler import report

        self._session.own(Events).emit(report(profile))

    async def finish(self) -> None:
        """The run ends: report the part of the profile that was taken."""
        current, self._current = self._current, None
        if current is not None:
            await current.finish()

    def cancel(self) -> None:
        """Drop the current profile, after an error."""
        if self._current is not None:
            self._current.stop()

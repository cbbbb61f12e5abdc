"""Profiles: the time of steps by kernel. ``with tabgrad.profile() as prof: ...``, then ``prof.table()``."""

from tabgrad.profiler.averages import KernelAverage
from tabgrad.profiler.profile import Profile, ProfiledRun, Span, profile
from tabgrad.profiler.script_profile import DEFAULT_STEPS, profiled, report

__all__ = ["DEFAULT_STEPS", "KernelAverage", "Profile", "ProfiledRun", "Span", "profile", "profiled", "report"]

"""What runs: compiled steps and their replay, programs that are kept, values that are computed, read and written."""

from tabgrad.runtime import in_place, in_place_forms
from tabgrad.runtime.evaluation import realize_all
from tabgrad.runtime.program_cache import CachedProgram, ProgramCache
from tabgrad.runtime.reads import read, read_now

__all__ = ["CachedProgram", "ProgramCache", "in_place", "in_place_forms", "read", "read_now", "realize_all"]

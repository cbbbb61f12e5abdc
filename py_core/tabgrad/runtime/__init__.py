"""What runs: compiled steps and their replay, programs that are kept, values that are computed, read and written."""

from tabgrad.runtime import in_place, in_place_index
from tabgrad.runtime.evaluation import realize_all
from tabgrad.runtime.programs import CachedProgram, Programs
from tabgrad.runtime.reads import read, read_now

__all__ = ["CachedProgram", "Programs", "in_place", "in_place_index", "read", "read_now", "realize_all"]

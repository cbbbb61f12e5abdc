"""Kernel tuning: measure the families' variants in the background, and keep the fastest in a cache."""

from tabgrad.tuner.settings import Tuning, parse
from tabgrad.tuner.tuner import Tuner
from tabgrad.tuner.tuners import Tuners, current_tuner, tuning

__all__ = ["Tuner", "Tuners", "Tuning", "current_tuner", "parse", "tuning"]

"""Kernel tuning: measure the families' variants in the background, and keep the fastest in a cache."""

from tabgrad.tuner.registry import TunerRegistry, current_tuner, tuning
from tabgrad.tuner.settings import Tuning, parse
from tabgrad.tuner.tuner import Tuner

__all__ = ["Tuner", "TunerRegistry", "Tuning", "current_tuner", "parse", "tuning"]

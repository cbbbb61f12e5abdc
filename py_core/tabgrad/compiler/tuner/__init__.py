"""Which variant is fastest: the space is the families', the measuring is here, in the background, with a cache."""

from tabgrad.compiler.tuner.announce import set_listener
from tabgrad.compiler.tuner.settings import Tuning, parse, tuning
from tabgrad.compiler.tuner.tuner import Tuner, forget_winners, tuner_of

__all__ = ["Tuner", "Tuning", "forget_winners", "parse", "set_listener", "tuner_of", "tuning"]

"""Training: the trainer, the scheduler it runs on, the events it sends and the controls it obeys."""

from tabgrad import runtime
from tabgrad.train import control, events
from tabgrad.train.trainer import Trainer

runtime.set_listener(events.show)  # what tuning tells goes where all events go

__all__ = ["Trainer", "control", "events"]

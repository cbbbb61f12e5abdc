"""Training: the trainer, the scheduler it runs on, the events it sends and the controls it obeys."""

from tabgrad.train import control, events
from tabgrad.train.trainer import Trainer

__all__ = ["Trainer", "control", "events"]

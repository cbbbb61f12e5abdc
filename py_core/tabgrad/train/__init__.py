"""Training: the trainer, its scheduler, its events and its control messages."""

from tabgrad.train import control, events
from tabgrad.train.trainer import Trainer

__all__ = ["Trainer", "control", "events"]

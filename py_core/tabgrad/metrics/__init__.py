"""Numbers about a run: quality measures of the model, and collectors of times, memory and load."""

from typing import Any as _Any

from tabgrad import late_names as _late_names
from tabgrad.late import load_class as _load_class
from tabgrad.late import missing_name as _missing_name
from tabgrad.metrics.basic import Basic
from tabgrad.metrics.collector import Collector, RunInfo
from tabgrad.metrics.functions import (
    MetricFunction,
    accuracy,
    mean_absolute_error,
    mean_squared_error,
    measured,
    metric_function,
    named_metrics,
)
from tabgrad.metrics.nvml import Nvml
from tabgrad.metrics.pick import pick_collectors
from tabgrad.metrics.run_collectors import RunCollectors
from tabgrad.metrics.web_collector import Web

_LATE = [name for names in _late_names.CLASSES["metrics"].values() for name in names.split()]

__all__ = [
    "Basic",
    "Collector",
    "MetricFunction",
    "Nvml",
    "RunCollectors",
    "RunInfo",
    "Web",
    "accuracy",
    "mean_absolute_error",
    "mean_squared_error",
    "measured",
    "metric_function",
    "named_metrics",
    "pick_collectors",
    *_LATE,
]


def __getattr__(name: str) -> _Any:
    module = _load_class("metrics", name)
    if module is None:
        raise _missing_name("tabgrad.metrics", name)
    return getattr(module, name)

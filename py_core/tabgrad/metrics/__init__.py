"""Numbers about a run: quality measures of the model, and collectors of times, memory and load."""

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
]

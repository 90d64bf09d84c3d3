"""Time-continuous annotations: events to traces, traces to windows, distances, agreement, outliers,
counts.

Arrays of float, times in milliseconds. Processing order of the published pipeline: `resample`,
`windows`, `normalise`, `inactive_outliers`, `consensus_outliers`, then `high_low` and
`rises_falls`.
"""

from believable.traces.dtw import dtw_distance, dtw_matrix
from believable.traces.resample import (
    HighLow,
    RisesFalls,
    btrace_values,
    high_low,
    normalise,
    point_sample,
    resample,
    resample_all,
    rises_falls,
    windows,
)
from believable.traces.trace_agreement import (
    Outliers,
    consensus_outliers,
    direction_kappa,
    gold_standard,
    inactive_outliers,
    lag_ms,
    sda,
)

__all__ = [
    "HighLow",
    "Outliers",
    "RisesFalls",
    "btrace_values",
    "consensus_outliers",
    "direction_kappa",
    "dtw_distance",
    "dtw_matrix",
    "gold_standard",
    "high_low",
    "inactive_outliers",
    "lag_ms",
    "normalise",
    "point_sample",
    "resample",
    "resample_all",
    "rises_falls",
    "sda",
    "windows",
]

"""Time-continuous annotations: events to traces, traces to windows, distances, agreement, outliers, counts.

Arrays of float, times in milliseconds. Processing order of the published pipeline: `resample`, `windows`, `normalise`,
`inactive_outliers`, `consensus_outliers`, then `high_low` and `rises_falls`.
"""

from believable.traces.counts import HighLow, RisesFalls, high_low, rises_falls
from believable.traces.direction import direction_kappa, lag_ms, sda
from believable.traces.dtw import dtw_distance, dtw_matrix
from believable.traces.gold import gold_standard
from believable.traces.outliers import Outliers, consensus_outliers, inactive_outliers
from believable.traces.resample import point_sample, resample, resample_all
from believable.traces.windows import btrace_values, normalise, windows

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

"""Every public function of the statistics has at least two committed cases of an independent tool, or a stated reason."""

from __future__ import annotations

import importlib
import inspect
import json
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
R, PYTHON = "output.json", "output_python.json"
# Module → function → folder of the witness, its output, and the entries that hold the cases.
WITNESSES: dict[str, dict[str, tuple[str, str, tuple[str, ...]]]] = {
    "believable.traces": {
        "resample": ("traces", R, ("resample",)),
        "windows": ("traces", R, ("windows",)),
        "normalise": ("traces", R, ("normalise",)),
        "sda": ("traces", R, ("sda",)),
        "direction_kappa": ("traces", R, ("direction_kappa",)),
        "lag_ms": ("traces", R, ("lag",)),
        "dtw_distance": ("traces", R, ("dtw",)),
        **dict.fromkeys(
            ("dtw_matrix", "inactive_outliers", "consensus_outliers", "gold_standard"),
            ("traces", R, ("groups",)),
        ),
        "high_low": ("traces", R, ("counts",)),
        "rises_falls": ("traces", R, ("counts",)),
    },
    "believable.stats.agreement": {
        **dict.fromkeys(
            ("percent_agreement", "gwet_ac1", "brennan_prediger", "conger_kappa"),
            ("agreement", PYTHON, ("complete", "gaps")),
        ),
        "cohen_kappa": ("agreement", R, ("cohen",)),
        "fleiss_kappa": ("agreement", R, ("fleiss",)),
        "light_kappa": ("agreement", R, ("light",)),
        "krippendorff_alpha": ("agreement", R, ("krippendorff",)),
        "icc": ("agreement", R, ("icc",)),
        "cronbach_alpha": ("agreement", R, ("cronbach",)),
        "kendall_w": ("agreement", R, ("kendall",)),
        "robinson_a": ("agreement", R, ("robinson",)),
    },
    "believable.stats.resample": {
        "bootstrap": ("resample", R, ("values",)),
        "bootstrap_two_way": ("resample", R, ("two_way",)),
        "permutation_test": ("resample", R, ("independent", "paired", "association")),
        "median_interval": ("resample", R, ("medians",)),
    },
    "believable.stats.tests": {
        **dict.fromkeys(
            ("paired_t", "wilcoxon", "shapiro", "paired_comparison", "dz", "dav", "rank_biserial"),
            ("tests", R, ("paired",)),
        ),
        **dict.fromkeys(("mann_whitney", "g", "cliffs_delta"), ("tests", R, ("groups",))),
        "binomial": ("tests", R, ("binomial",)),
        "proportion": ("tests", R, ("binomial",)),
        "mcnemar": ("tests", R, ("mcnemar",)),
        "chi_square": ("tests", R, ("chi_square",)),
        "pearson": ("tests", R, ("correlation",)),
        "spearman": ("tests", R, ("correlation",)),
        "ols": ("tests", R, ("ols",)),
        "odds_ratio": ("tests", R, ("odds",)),
        "tost_mean": ("tests", R, ("tost_mean", "tost_welch")),
        "tost_proportion": ("tests", R, ("tost_proportion",)),
        "holm": ("tests", R, ("p_values",)),
        "benjamini_hochberg": ("tests", R, ("p_values",)),
    },
    "believable.stats.models": {
        "mixed_logistic": ("models", R, ("crossed",)),
        "mixed_linear": ("models", R, ("linear",)),
    },
    "believable.stats.pairs": {
        "bradley_terry": ("pairs", R, ("no_ties", "ties")),
        "win_rates": ("pairs", R, ("rates",)),
        "elo": ("pairs", R, ("rates",)),
    },
    "believable.stats.detection": dict.fromkeys(("d_prime", "criterion"), ("detection", R, ("cases",))),
    "believable.stats.power": {
        "paired_t": ("power", R, ("paired_t", "paired_t_n")),
        "binomial": ("power", R, ("binomial", "binomial_n")),
        "mann_whitney": ("power", R, ("mann_whitney",)),
        "correlation": ("power", R, ("correlation", "correlation_n")),
    },
    "believable.stats.indices": {
        **dict.fromkeys(
            ("believability_index", "confidence_index", "clip_recall"), ("indices", R, ("clips",))
        ),
        "unbelievable_rate": ("indices", R, ("rates",)),
        "pooled_unbelievable_rate": ("indices", R, ("sessions",)),
        "hntt_pass": ("indices", R, ("hntt",)),
    },
}
ELSEWHERE = {
    "believable.traces.btrace_values": "a running sum, tested by hand",
    "believable.traces.point_sample": "every n-th sample, tested on the public recordings",
    "believable.traces.resample_all": "`resample` of many, tested against it",
    "believable.stats.agreement.finn": "the published value of R irr, tests/stats/test_agreement.py",
    "believable.stats.agreement.mean_rank_correlation": "the published value of R irr, tests/stats/test_agreement.py",
    "believable.stats.agreement.fleiss_kappa_by_category": "the published values of R irr, tests/stats/test_agreement.py",
    "believable.stats.resample.interval": "scipy's bounds on scipy's resamples, tests/stats/test_bootstrap.py",
    "believable.stats.pairs.comparisons": "makes the record the others read",
    "believable.stats.indices.clip_precision": "a ratio of the counts of clip_recall, tested by hand",
    "believable.stats.indices.hntt_subsampling": "hntt_pass of subsamples",
}


def public_functions(module_name: str) -> set[str]:
    module = importlib.import_module(module_name)
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module_name and not name.startswith("_")
    ]
    return {name for name in names if inspect.isfunction(getattr(module, name))}


@pytest.mark.parametrize("module", WITNESSES)
def test_no_function_is_without_a_witness(module: str) -> None:
    explained = {name.rpartition(".")[2] for name in ELSEWHERE if name.rpartition(".")[0] == module}
    assert set(WITNESSES[module]) | explained == public_functions(module)
    assert not set(WITNESSES[module]) & explained


@pytest.mark.parametrize(
    ("module", "function"), [(module, name) for module, functions in WITNESSES.items() for name in functions]
)
def test_a_witness_has_two_cases(module: str, function: str) -> None:
    folder, output, entries = WITNESSES[module][function]
    found: dict[str, Any] = json.loads((HERE / folder / output).read_text())
    assert sum(len(found[entry]) for entry in entries) >= 2
    assert "R version" in found["tool"] or output == PYTHON, "the tool's version is part of the output"
    assert (HERE / folder / ("oracle.py" if output == PYTHON else "oracle.R")).is_file()

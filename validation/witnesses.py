"""Which independent tool saw each statistical function, where its committed cases lie, and what
needs none.

Every public function of every module of `believable.stats` and `believable.traces` stands in
exactly one of the three tables; `tests/oracles/test_complete.py` keeps that,
`validation.statistics` prints it as a reference page.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

R, PYTHON = "output.json", "output_python.json"
PACKAGES = ("believable.stats", "believable.traces")


@dataclass(frozen=True, slots=True)
class Witness:
    """The folder below tests/oracles, its output file, and the entries of it that hold the
    cases.
    """

    folder: str
    entries: tuple[str, ...]
    output: str = R


def _all(names: str, folder: str, *entries: str, output: str = R) -> dict[str, Witness]:
    return dict.fromkeys(names.split(), Witness(folder, entries, output))


#: Module → function → its witness.
WITNESSES: dict[str, dict[str, Witness]] = {
    "traces.resample": {
        **_all("resample", "traces", "resample"),
        **_all("resample_all", "pieces", "bins"),
        **_all("point_sample", "pieces", "point"),
        **_all("windows", "traces", "windows"),
        **_all("normalise", "traces", "normalise"),
        **_all("high_low rises_falls", "traces", "counts"),
        **_all("btrace_values", "pieces", "btrace"),
    },
    "traces.trace_agreement": {
        **_all("sda", "traces", "sda"),
        **_all("direction_kappa", "traces", "direction_kappa"),
        **_all("lag_ms", "traces", "lag"),
        **_all("others_medians", "pieces", "others"),
        **_all("inactive_outliers consensus_outliers gold_standard", "traces", "groups"),
    },
    "traces.dtw": {
        **_all("dtw_distance", "traces", "dtw"),
        **_all("dtw_matrix", "traces", "groups"),
    },
    "stats.agreement.multirater": {
        **_all("percent_agreement gwet_ac1", "agreement", "complete", "gaps", output=PYTHON),
        **_all("fleiss_kappa", "agreement", "fleiss"),
    },
    "stats.agreement.kappas": _all("cohen_kappa", "agreement", "cohen"),
    "stats.agreement.krippendorff": _all("krippendorff_alpha", "agreement", "krippendorff"),
    "stats.agreement.reliability": {
        **_all("icc", "agreement", "icc"),
        **_all("cronbach_alpha", "agreement", "cronbach"),
        **_all("kendall_w", "agreement", "kendall"),
    },
    "stats.bootstrap": {
        **_all("bootstrap", "resample", "values"),
        **_all("median_interval", "resample", "medians"),
    },
    "stats.two_way": _all("bootstrap_two_way", "resample", "two_way"),
    "stats.permutation": _all(
        "permutation_test", "resample", "independent", "paired", "association"
    ),
    "stats.location": {
        **_all("paired_t wilcoxon shapiro paired_comparison", "tests", "paired"),
        **_all("mann_whitney", "tests", "groups"),
    },
    "stats.effects": {
        **_all("dz dav rank_biserial", "tests", "paired"),
        **_all("g cliffs_delta", "tests", "groups"),
        **_all("odds_ratio", "tests", "odds"),
    },
    "stats.counts": {
        **_all("binomial proportion", "tests", "binomial"),
        **_all("mcnemar", "tests", "mcnemar"),
        **_all("fisher", "own_design", "fisher"),
        **_all("chi_square", "tests", "chi_square"),
    },
    "stats.correlations": {
        **_all("pearson spearman", "tests", "correlation"),
        **_all("pearson_with_choice", "means", "choice"),
        **_all("correlations_compared", "means", "compared"),
        **_all("within_correlation", "means", "within"),
    },
    "stats.regression": _all("ols", "tests", "ols"),
    "stats.equivalence": {
        **_all("tost_mean", "tests", "tost_mean", "tost_welch"),
        **_all("tost_proportion", "tests", "tost_proportion"),
    },
    "stats.result": _all("holm benjamini_hochberg", "tests", "p_values"),
    "stats.means": {
        **_all("mean_t welch_t", "means", "means"),
        **_all("mean_skewed", "means", "skewed"),
    },
    "stats.models.logistic": _all("mixed_logistic", "models", "crossed", "slopes"),
    "stats.models.ordinal": {
        **_all("mixed_ordinal", "ordinal", "mixed", "plain"),
        **_all("proportional_odds", "ordinal", "nominal", "nominal_mixed"),
    },
    "stats.models.linear": _all("mixed_linear", "models", "linear"),
    "stats.bradley_terry": _all("bradley_terry", "pairs", "no_ties", "ties"),
    "stats.strength_contrasts": {
        **_all("strength_contrasts rank_strengths human_equivalence", "pairs", "clustered"),
        **_all("strength_lead lead_equivalence", "leads", "clustered"),
    },
    "stats.strength_drift": _all("strength_drift", "leads", "drift"),
    "stats.pairs": _all("win_rates", "pairs", "rates"),
    "stats.estimate": {
        **_all("mean_share", "pieces", "shares"),
        **_all("ratio_share", "pieces", "ratios"),
    },
    "stats.smoothness": {
        **_all("spectral_arc_length", "smoothness", "arc_lengths"),
        **_all("rms_jerk", "smoothness", "jerks"),
    },
    "stats.sequential": _all("weigh_evidence", "sequential", "cases"),
    "stats.e_values": _all("e_benjamini_hochberg", "sequential", "discoveries"),
    "stats.detection": _all("d_prime criterion", "detection", "cases"),
    "stats.power": {
        **_all("paired_t", "power", "paired_t", "paired_t_n"),
        **_all("binomial", "power", "binomial", "binomial_n"),
        **_all("mann_whitney", "power", "mann_whitney"),
        **_all("correlation", "power", "correlation", "correlation_n"),
    },
    "stats.indices": {
        **_all("believability_index confidence_index clip_recall", "indices", "clips"),
        **_all("unbelievable_rate", "indices", "rates"),
        **_all("pooled_unbelievable_rate", "indices", "sessions"),
        **_all("hntt_pass", "indices", "hntt"),
        **_all("clip_precision", "pieces", "precision"),
        **_all("hntt_subsampling", "pieces", "subsets", output=PYTHON),
    },
}
#: Function → what stands in for a committed case of its own.
ELSEWHERE = {
    "stats.models.ordinal.probability_of_superiority": (
        "numerical integration, tests/stats/test_mixed_ordinal.py"
    ),
    "stats.permutation.permutation_anova": (
        "`tests/stats/test_permutation_anova.py`: scipy.stats.permutation_test and f_oneway"
    ),
    "stats.bootstrap.interval": (
        "scipy's bounds on scipy's resamples, tests/stats/test_bootstrap.py"
    ),
    "stats.bootstrap.bca_by_moments": "the bounds of R boot, tests/stats/test_accelerated.py",
    "stats.pairs.comparisons": "makes the record the others read",
    "stats.stopping_rule.choose_rule": "the formula of the widening, tests/stats/test_sequential.py",
    "stats.sequential.log_evidence": "`weigh_evidence`, tests/stats/test_sequential.py",
    "stats.sequential.follow_evidence": (
        "`weigh_evidence` of every beginning, tests/stats/test_sequential.py"
    ),
    "stats.sequential.stopping_times": (
        "`follow_evidence` of a row, tests/stats/test_sequential.py; `python -m"
        " validation.sequential`"
    ),
    "stats.sequential.always_covers": (
        "simulated coverage, tests/stats/test_sequential.py; `python -m validation.sequential`"
    ),
    "stats.crossed.crossed_variance": (
        "t tests of scipy, tests/stats/test_crossed.py; simulated size, validation/verdict_size.py"
    ),
    "stats.crossed.crossed_mean": "scipy ttest_1samp, tests/stats/test_crossed.py",
    "stats.crossed.variance_split": "balanced analysis of variance, tests/stats/test_crossed.py",
    "stats.crossed.difference_split": "`variance_split` of each group, tests/stats/test_crossed.py",
    "stats.crossed.unanimous_test": "scipy binomtest, tests/stats/test_crossed.py",
    "stats.crossed_contrasts.crossed_difference": (
        "scipy ttest_rel and ttest_ind, tests/stats/test_crossed.py"
    ),
    "stats.crossed_contrasts.crossed_odds": (
        "the odds ratio of pooled counts and simulated size, tests/stats/test_crossed.py"
    ),
    "stats.crossed_contrasts.crossed_share_test": "scipy ttest_1samp, tests/stats/test_crossed.py",
}
#: Parts of the functions above: they check arguments, order values or turn one record into another,
#: and have unit tests.
PARTS = {
    "stats.agreement.coefficient": (
        "code_labels code_pair count_table pair_counts few_ratings number_table complete_rows "
        "too_small coefficient unseen_share jackknife_se one_item no_items"
    ),
    "stats.agreement.kappas": "shared_kappas",
    "stats.agreement.reliability": "satterthwaite_df",
    "stats.counts": "check_counts",
    "stats.crossed": "judge_weights crossed_estimate crossed_share t_against",
    "stats.equivalence": "as_test tost_estimate",
    "stats.effects": "count_table noncentral_t_bounds",
    "stats.e_values": (
        "count_levels add_levels mix_bets symmetric_evidence symmetric_factors capital_evidence "
        "capital_factors two_sided_evidence t_moments t_evidence best_growth t_growth"
    ),
    "stats.estimate": "undefined without_interval t_estimate check_level wilson",
    "stats.inputs": "float_array finite_array check_squarable paired_arrays one_of",
    "stats.models.answer_counts": "trials_of number_cells collapse log_choose is_separated",
    "stats.models.cumulative": "order_answers answer_slopes is_separated",
    "stats.models.cumulative_laplace": "fit_ordinal",
    "stats.models.degrees_of_freedom": "degrees_of_freedom",
    "stats.models.design": "parse design",
    "stats.models.laplace": "gradient hessian fit_laplace solve_by_group",
    "stats.models.penalised_logistic": "fitted_model fit_penalised coefficient odds",
    "stats.models.random_effects": (
        "standardise_columns unscale_block start likely_start lower_limits blocks is_singular describe by_size "
        "offsets gram factor forward backward"
    ),
    "stats.ranks": (
        "paired_differences signed_rank_chances rank_sum_chances signed_rank_index rank_sum_index "
        "kth_walsh_average kth_difference binomial_index"
    ),
    "stats.regression": "check_rank",
    "stats.result": "no_result t_test check_alternative tail",
    "stats.strength_spread": "strength_spread",
    "traces.dtw": "batch_size",
    "traces.dtw_numba": "pack rows_distances pair_distance",
    "traces.resample": "row_normalised",
    "traces.trace_agreement": "correlation row_sdas row_kappas row_lags",
}


def public_functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Every function without a leading underscore, with the module that defines it
    (`stats.means`).
    """
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        folder = Path(spec.origin).parent
        for file in sorted(folder.rglob("*.py")):
            module = ".".join(
                [package.partition(".")[2], *file.relative_to(folder).with_suffix("").parts]
            )
            for node in ast.parse(file.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                    yield module, node

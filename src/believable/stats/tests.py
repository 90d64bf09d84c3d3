"""Every hypothesis test and effect size under one name; each lives in the module of its kind."""

from believable.stats.association import OlsResult, Term, ols, pearson, spearman
from believable.stats.counts import binomial, chi_square, mcnemar, proportion
from believable.stats.effects import cliffs_delta, dav, dz, g, odds_ratio, rank_biserial
from believable.stats.equivalence import EquivalenceResult, tost_mean, tost_proportion
from believable.stats.location import (
    PairedComparison,
    mann_whitney,
    paired_comparison,
    paired_t,
    shapiro,
    wilcoxon,
)
from believable.stats.multiplicity import benjamini_hochberg, holm
from believable.stats.result import TestResult

__all__ = [
    "EquivalenceResult",
    "OlsResult",
    "PairedComparison",
    "Term",
    "TestResult",
    "benjamini_hochberg",
    "binomial",
    "chi_square",
    "cliffs_delta",
    "dav",
    "dz",
    "g",
    "holm",
    "mann_whitney",
    "mcnemar",
    "odds_ratio",
    "ols",
    "paired_comparison",
    "paired_t",
    "pearson",
    "proportion",
    "rank_biserial",
    "shapiro",
    "spearman",
    "tost_mean",
    "tost_proportion",
    "wilcoxon",
]

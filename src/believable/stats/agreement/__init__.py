"""Do raters agree? All measures take items × raters (rows × columns) and return an `Estimate`.

Which one? Two coders and categories: `cohen_kappa` (ordered: weighted). Several interchangeable raters: `fleiss_kappa`;
one dominant category: `gwet_ac1`; missing cells or any level of measurement: `krippendorff_alpha`. Numbers: `icc`.
Items of one scale: `cronbach_alpha`. Rankings: `kendall_w`. Intervals treat the items as the sample, raters as given.
"""

from believable.stats.agreement.kappas import cohen_kappa, conger_kappa, light_kappa
from believable.stats.agreement.krippendorff import krippendorff_alpha
from believable.stats.agreement.multirater import (
    brennan_prediger,
    fleiss_kappa,
    fleiss_kappa_by_category,
    gwet_ac1,
    percent_agreement,
)
from believable.stats.agreement.reliability import (
    IccForm,
    cronbach_alpha,
    finn,
    icc,
    kendall_w,
    mean_rank_correlation,
    robinson_a,
)

__all__ = [
    "IccForm",
    "brennan_prediger",
    "cohen_kappa",
    "conger_kappa",
    "cronbach_alpha",
    "finn",
    "fleiss_kappa",
    "fleiss_kappa_by_category",
    "gwet_ac1",
    "icc",
    "kendall_w",
    "krippendorff_alpha",
    "light_kappa",
    "mean_rank_correlation",
    "percent_agreement",
    "robinson_a",
]

"""Do raters agree? All measures take items × raters (rows × columns) and return an `Estimate`.

Which one? Two coders and categories: `cohen_kappa` (ordered: weighted). Several interchangeable
raters: `fleiss_kappa`; one dominant category: `gwet_ac1`; missing cells or any level of
measurement: `krippendorff_alpha`. Numbers: `icc`. Items of one scale: `cronbach_alpha`. Rankings:
`kendall_w`. Intervals treat the items as the sample, raters as given.
"""

from believable.stats.agreement.kappas import cohen_kappa
from believable.stats.agreement.krippendorff import krippendorff_alpha
from believable.stats.agreement.multirater import fleiss_kappa, gwet_ac1, percent_agreement
from believable.stats.agreement.reliability import IccForm, cronbach_alpha, icc, kendall_w

__all__ = [
    "IccForm",
    "cohen_kappa",
    "cronbach_alpha",
    "fleiss_kappa",
    "gwet_ac1",
    "icc",
    "kendall_w",
    "krippendorff_alpha",
    "percent_agreement",
]

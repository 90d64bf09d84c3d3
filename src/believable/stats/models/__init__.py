"""Mixed-effects models: logistic for yes/no judgements, ordinal for ratings, linear for
measures."""

from believable.stats.models.fitted import (
    Convergence,
    MixedModel,
    ModelTerm,
    RandomCorrelation,
    RandomSd,
    Threshold,
)
from believable.stats.models.linear import mixed_linear
from believable.stats.models.logistic import mixed_logistic
from believable.stats.models.ordinal import (
    mixed_ordinal,
    probability_of_superiority,
    proportional_odds,
)

__all__ = [
    "Convergence",
    "MixedModel",
    "ModelTerm",
    "RandomCorrelation",
    "RandomSd",
    "Threshold",
    "mixed_linear",
    "mixed_logistic",
    "mixed_ordinal",
    "probability_of_superiority",
    "proportional_odds",
]

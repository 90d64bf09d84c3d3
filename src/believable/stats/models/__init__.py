"""Mixed-effects models: logistic for yes/no judgements, linear for ratings."""

from believable.stats.models.fitted import (
    Convergence,
    MixedModel,
    ModelTerm,
    RandomCorrelation,
    RandomSd,
)
from believable.stats.models.linear import mixed_linear
from believable.stats.models.logistic import mixed_logistic

__all__ = [
    "Convergence",
    "MixedModel",
    "ModelTerm",
    "RandomCorrelation",
    "RandomSd",
    "mixed_linear",
    "mixed_logistic",
]

"""The result of a mixed model."""

from __future__ import annotations

from dataclasses import dataclass

from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.stats.estimate import Estimate


@dataclass(frozen=True, slots=True)
class ModelTerm:
    """One fixed effect: the coefficient with se, z or t, p and interval; for a logistic model also
    its odds ratio; for an ordinal one also the probability of superiority.
    """

    name: str
    estimate: Estimate
    odds_ratio: Estimate | None = None
    superiority: Estimate | None = None


@dataclass(frozen=True, slots=True)
class Threshold:
    """Where, on the scale of the log odds, the answers up to `below` end and those from `above`
    on begin.
    """

    below: float
    above: float
    value: float
    se: float


@dataclass(frozen=True, slots=True)
class RandomSd:
    """The standard deviation of one effect between the levels of a group."""

    group: str
    name: str
    sd: float
    levels: int


@dataclass(frozen=True, slots=True)
class RandomCorrelation:
    """The correlation of two effects of a group; None when one of them does not vary."""

    group: str
    names: tuple[str, str]
    value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Convergence:
    """How the fit ended.

    converged     an optimum was found
    singular      a random effect has no variance, or two are perfectly correlated: the model is
                  simpler than its formula says
    separated     the fixed effects predict some answers perfectly: no finite maximum-likelihood
                  estimate exists
    evaluations   of the likelihood, as the optimiser counts them
    decrease_left by how much one more Newton step would lower the deviance, where the fit computes
    it
    messages      of the optimiser, in its words
    """

    converged: bool
    singular: bool
    separated: bool
    evaluations: int
    decrease_left: float | None = None
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedModel:
    """A fitted mixed model at full precision.

    criterion       the maximized function: "REML", "ML", "ML (Laplace)" or a named penalised
                    likelihood
    log_likelihood  its value on the scale of R's logLik, for the rows as given
    sigma           residual standard deviation (linear models)
    thresholds      between neighbouring answers (ordinal models)
    groups          (name, number of levels) of every random group
    """

    formula: str
    terms: tuple[ModelTerm, ...]
    random: tuple[RandomSd, ...]
    correlations: tuple[RandomCorrelation, ...]
    sigma: float | None
    log_likelihood: float
    criterion: str
    n: int
    groups: tuple[tuple[str, int], ...]
    method: str
    convergence: Convergence
    notes: tuple[str, ...] = ()
    thresholds: tuple[Threshold, ...] = ()

    def term(self, name: str) -> ModelTerm:
        """The fixed effect of that name."""
        for term in self.terms:
            if term.name == name:
                return term
        raise InvalidInput(
            f"term: unknown name {name!r}. {did_you_mean(name, [t.name for t in self.terms])}"
        )

    def random_sd(self, group: str, name: str = "(Intercept)") -> float:
        """The standard deviation of that effect between the levels of that group."""
        for effect in self.random:
            if (effect.group, effect.name) == (group, name):
                return effect.sd
        known = [f"{effect.group}: {effect.name}" for effect in self.random]
        raise InvalidInput(
            f"random_sd: no effect {name!r} of group {group!r}."
            f" {did_you_mean(f'{group}: {name}', known)}"
        )

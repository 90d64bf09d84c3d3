"""When evidence that is read after every judge is enough: the rule, and the form of evidence that a
design allows. Needs no arrays, so that a study can be checked without them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean

Form = Literal["symmetric", "betting", "t"]
FORMS: tuple[Form, ...] = ("symmetric", "betting", "t")
#: Guessing gives this share.
CHANCE = 0.5
#: A judge with at least this many trials has a share that is nearly continuous.
T_TRIALS = 12
#: The quantile by which the mean of a pool may miss the mean of the agent, and its part of alpha.
POOL_QUANTILE, POOL_ALPHA = 2.576, 0.01
#: The assumed standard deviation of shares between clips.
CLIP_SD = 0.15
#: A pool that needs more says nothing.
_WIDEST = 0.49


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppingRule:
    """How evidence is collected, and when it is enough.

    form      which e-value decides about a difference: `symmetric` if judges see fresh clips,
              `betting` if clips are drawn from a pool, `t` if judges have 12 or more trials
    margin    an accuracy nearer to chance than this counts as equivalent
    alpha     the share of studies that may end with a false verdict
    widening  by how much the mean of a pool of clips may miss the mean of the agent; 0 for fresh
              clips. A pool spends .01 of alpha on this.
    """

    form: Form = "symmetric"
    margin: float = 0.1
    alpha: float = 0.05
    widening: float = 0.0

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise InvalidInput(f"form: unknown {self.form!r}. {did_you_mean(self.form, FORMS)}")
        if not 0 < self.margin < CHANCE:
            raise InvalidInput(
                f"margin: expected a number between 0 and .5, got {self.margin!r}. For accuracies"
                " from .4 to .6 give 0.1."
            )
        if not POOL_ALPHA < self.alpha < 1:
            raise InvalidInput(
                f"alpha: expected a number between {POOL_ALPHA} and 1, got {self.alpha!r}. The"
                " usual value is 0.05."
            )
        if not 0 <= self.widening < CHANCE:
            raise InvalidInput(
                f"widening: expected a number from 0 to .5, got {self.widening!r}. Show more clips"
                " if a pool needs more."
            )
        if self.widening and self.form != "betting":
            raise InvalidInput(
                f"form: clips of a pool need the form 'betting', got {self.form!r}. Judges who see"
                " the same clips are not independent."
            )

    @property
    def log_threshold(self) -> float:
        """The log evidence at which a verdict is reached."""
        return -math.log(self.alpha - (POOL_ALPHA if self.widening else 0.0))


def choose_rule(
    *,
    trials: int,
    pool: int | None = None,
    shared: bool = False,
    balanced: bool = True,
    clip_sd: float = CLIP_SD,
    margin: float = 0.1,
    alpha: float = 0.05,
) -> StoppingRule:
    """Return the rule that a design allows.

    trials   how many answers each judge gives
    pool     how many clips the judges see in all; None if each judge sees fresh ones
    shared   whether all judges see the same clips; the verdict is then about these clips
    balanced whether a judge sees as many recordings of the agent as of people
    clip_sd  the assumed standard deviation of accuracy between clips, for the widening of a pool
    Formula  a pool widens by 2.576 · clip_sd / sqrt(pool), and spends .01 of alpha on it
    """
    if trials < 1 or (pool is not None and pool < 1):
        raise InvalidInput(
            f"trials and pool: expected at least 1, got {trials} and {pool}. Give the numbers of"
            " the design."
        )
    if not 0 <= clip_sd <= CHANCE:
        raise InvalidInput(
            f"clip_sd: expected a number from 0 to .5, got {clip_sd!r}. Give a standard deviation"
            " of shares."
        )
    if shared:
        return StoppingRule(form="betting", margin=margin, alpha=alpha)
    if pool is not None:
        widening = min(POOL_QUANTILE * clip_sd / math.sqrt(pool), _WIDEST)
        return StoppingRule(form="betting", margin=margin, alpha=alpha, widening=widening)
    form: Form = "t" if trials >= T_TRIALS else "symmetric" if balanced else "betting"
    return StoppingRule(form=form, margin=margin, alpha=alpha)

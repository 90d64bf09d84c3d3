"""The planted truth of simulated viewers."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayTruth:
    """The planted truth. Ratings are felt on the scale of the answers and rounded to 1 … 7.

    baseline           mean overall believability of the baseline
    ours               mean overall believability of the condition of interest
    person_sd          spread of ratings between viewers
    noise              spread of one viewer's two ratings
    choice_noise       how loosely the final choice follows the ratings
    flag_logit         log-odds of flagging an action of the baseline, for the average viewer
    flag_effect        by how much it differs for ours (log of the odds ratio), for the average
                       viewer
    effect_sd          spread of that difference between viewers: hardly any effect is the same
                       for all people
    d_goal             how well violations are separated from other actions, in standard deviations
                       (d′):
                       goal inconsistency
    d_environment      the same, environment rules
    d_temporal         the same, temporal implausibility
    d_social           the same, social norms
    d_control          the same, failures of control
    d_overlay          by how much better with plan or log opened
    flag_sd            spread of viewers' readiness to flag, in log-odds
    opens              share of viewings with the plan open
    skips              share of viewings with a stretch jumped over
    reason             share of flags with a reason
    undone             how many flags are set and taken back, per flag that stays
    delay_ms           median time from seeing an action to pressing the key
    delay_spread       spread of that time between viewers, of its logarithm
    """

    baseline: float = 4.0
    ours: float = 4.7
    person_sd: float = 0.8
    noise: float = 0.8
    choice_noise: float = 0.6
    flag_logit: float = -2.0
    flag_effect: float = -0.7
    effect_sd: float = 0.4
    d_goal: float = 0.0
    d_environment: float = 0.0
    d_temporal: float = 0.0
    d_social: float = 0.0
    d_control: float = 0.0
    d_overlay: float = 0.0
    flag_sd: float = 0.6
    opens: float = 0.6
    skips: float = 0.15
    reason: float = 0.6
    undone: float = 0.05
    delay_ms: float = 550.0
    delay_spread: float = 0.25

    def d_prime(self, violations: str, opened: bool = False) -> float:
        """Return how well an action with these violations is noticed: their highest d′, or 0."""
        known = [
            getattr(self, D_PRIME_FIELDS[part.partition("/")[0]])
            for part in violations.split("; ")
            if part
        ]
        return max(known) + self.d_overlay * opened if known else 0.0


#: Category of a violation → the field that says how well it is noticed.
D_PRIME_FIELDS = {
    "goal_inconsistency": "d_goal",
    "environment_rule": "d_environment",
    "temporal": "d_temporal",
    "social_norm": "d_social",
    "control_failure": "d_control",
}


#: In the demonstration some violations are noticed, and other actions are rarely flagged.
DEMONSTRATION = ReplayTruth(
    flag_logit=-4.0,
    flag_effect=0.0,
    d_goal=1.2,
    d_environment=1.8,
    d_temporal=1.5,
    d_social=0.8,
    d_control=2.0,
    d_overlay=0.3,
)


#: Share of a day that is jumped over.
GAP = 0.08


#: The careless flag about 18 in 100 actions, whatever happens in them.
CARELESS_LOGIT = -1.5


def nothing() -> ReplayTruth:
    """Return a truth without any difference between the conditions."""
    return replace(ReplayTruth(), ours=4.0, flag_effect=0.0, effect_sd=0.0)

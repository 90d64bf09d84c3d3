"""The declared analysis of a study as records: what is asked of the data, written down before they are looked at."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from believable.study.bases import Id, Record

#: A role's value: one name, or a list of them.
RoleValue: TypeAlias = str | tuple[str, ...]

Criterion: TypeAlias = Literal["significant", "contains", "excludes", "equivalent", "at_least", "at_most"]


class Hypothesis(Record):
    """What is expected of one outcome, and when the data count as agreeing with it."""

    id: Id
    """Name of the hypothesis, such as H1."""
    text: str = Field(min_length=1)
    """The hypothesis in words."""
    outcome: Id
    """The outcome it is about, one of the protocol's."""
    about: str | None = None
    """Which one, where the outcome is found for several: a condition, or the protocol's word; all where it is left out."""
    direction: Literal["two_sided", "greater", "less"] = "two_sided"
    """The side the test looks at."""
    criterion: Criterion = "significant"
    """When it counts as supported: p after the multiplicity rule is below alpha; the interval `contains` or `excludes` the
    `value`; the equivalence test is passed; the estimate is `at_least` or `at_most` the `value`."""
    value: float | None = None
    """The number that the criterion speaks of."""


class Outcomes(Record):
    """Which of the protocol's outcomes decide, and which add to the picture."""

    primary: tuple[Id, ...] = ()
    """Outcomes that the study is about."""
    secondary: tuple[Id, ...] = ()
    """Further outcomes, declared beforehand as well."""


class ExclusionRule(Record):
    """Who or what is left out. Incomplete, screened-out, rejected and withdrawn sessions always are."""

    rule: Literal["failed_check", "unanswered", "too_fast", "reviewed", "unreliable", "answer"]
    """`failed_check`: a check answered wrongly; `unanswered`: more than the share `over` left open; `too_fast`: total time
    under `below` times the median; `reviewed`: free text excluded by a reviewer; `unreliable`: failed the quality tests' gate;
    `answer`: a certain answer."""
    check: Id | None = None
    """For `failed_check`: id of the check, or every check."""
    over: float | None = Field(default=None, ge=0, lt=1)
    """For `unanswered`: the share of shown questions; half where it is left out."""
    below: float | None = Field(default=None, gt=0, lt=1)
    """For `too_fast`: the share of the median; a third where it is left out."""
    drops: Literal["session", "trial", "answer"] | None = None
    """For `reviewed`: what goes with an excluded text: the session, its trial, or only the text; else the session."""
    answer: str | None = None
    """For `answer`: which one, as `trial.question`."""
    is_: tuple[Any, ...] | None = Field(default=None, alias="is", min_length=1)
    """For `answer`: the values that lead to exclusion, as a list."""


class Stopping(Record):
    """When collecting ends."""

    rule: Literal["complete", "after_exclusions", "experience"] = "complete"
    """`complete`: so many complete sessions; `after_exclusions`: so many after exclusions; `experience`: the respondents' mean
    experience reaches `at_least` (with at least `n` of them, where given)."""
    n: int | None = Field(default=None, ge=1)
    """How many sessions."""
    at_least: float | None = None
    """For `experience`: the mean to reach; 3 where it is left out."""


class Plan(Record):
    """The declared analysis. `believable preregister` turns it into documents and a hash; results are marked against that."""

    protocol: Literal["trace", "replay", "clips", "hntt", "qa"]
    """Which analysis runs."""
    roles: dict[Id, Annotated[RoleValue, Field(union_mode="left_to_right")]] = Field(default_factory=dict)
    """What in this study plays which part: `role: question`, `role: trial.question`, or the name of a trial, arm or condition.
    The roles of each protocol, and what they are where they are left out, are listed below."""
    hypotheses: tuple[Hypothesis, ...] = ()
    """What is expected."""
    outcomes: Outcomes = Outcomes()
    """Primary and secondary outcomes."""
    tests: dict[Id, dict[Id, Any]] = Field(default_factory=dict)
    """Options of an outcome's test: `outcome: {option: value}`, such as the margin of an equivalence test."""
    exclusions: tuple[ExclusionRule, ...] = ()
    """Who is left out, beyond incomplete and rejected sessions."""
    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    """Level of the tests; intervals are at 1 − alpha."""
    multiplicity: Literal["none", "holm", "benjamini_hochberg"] = "holm"
    """How p values are adjusted for several confirmatory tests."""
    stopping: Stopping | None = None
    """When collecting ends."""
    options: dict[Id, Any] = Field(default_factory=dict)
    """Parameters of the analysis; the defaults follow the published protocols."""
    seed: int = 1
    """Resampling follows from it."""

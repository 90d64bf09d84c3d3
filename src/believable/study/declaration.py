"""What an analysis needs and offers, declared: the roles it looks for, its outcomes, its options.
One record per protocol.

The study layer checks plans against these; the analysis reads its own roles, outcomes and options
from them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from believable.contracts.record import Id, Record
from believable.study.measures import DeclaredMeasure

#: A role's value: one name, or a list of them.
RoleValue: TypeAlias = str | tuple[str, ...]

#: Whom verdicts are about.
About: TypeAlias = Literal["agent", "these clips"]

Criterion: TypeAlias = Literal[
    "significant", "contains", "excludes", "equivalent", "at_least", "at_most"
]


class Hypothesis(Record):
    """The expectation about one outcome, and when the data agree with it."""

    id: Id
    """Name of the hypothesis, such as H1."""
    text: str = Field(min_length=1)
    """The hypothesis in words."""
    outcome: Id
    """The outcome it is about: one of the protocol's, or of the plan's own measures."""
    about: str | None = None
    """Which one, if the outcome is found for several: a condition, or the protocol's name for it;
    all by default. For custom measures: a group (`human`), or the first group minus the second
    (`human-scripted`).
    """
    direction: Literal["two_sided", "greater", "less"] = "two_sided"
    """The side the test looks at."""
    expects: Literal["greater", "less"] | None = None
    """The side that the hypothesis states, in a two-sided test: a significant result on the other
    side does not meet it.
    """
    criterion: Criterion = "significant"
    """When it counts as supported: p after the multiplicity rule is below alpha; the interval
    `contains` or `excludes` the `value`; the equivalence test is passed; the whole interval is
    `at_least` or `at_most` the `value`, and leaves the hypothesis open if it contains it.
    """
    value: float | None = None
    """The number that the criterion speaks of."""


class Outcomes(Record):
    """Which outcomes decide, and which add to the picture."""

    primary: tuple[Id, ...] = ()
    """Outcomes that the study is about."""
    secondary: tuple[Id, ...] = ()
    """Further outcomes, declared beforehand as well."""


class ExclusionRule(Record):
    """The sessions to exclude. Incomplete, screened-out, rejected and withdrawn sessions always
    are.
    """

    rule: Literal["failed_check", "unanswered", "too_fast", "reviewed", "unreliable", "answer"]
    """`failed_check`: a check answered wrongly; `unanswered`: more than the share `over` left open;
    `too_fast`: total time under `below` times the median; `reviewed`: free text excluded by a
    reviewer; `unreliable`: failed the quality tests' gate; `answer`: a certain answer.
    """
    check: Id | None = None
    """For `failed_check`: id of the check, or of the trial with a row that checks attention; else
    every check.
    """
    over: float | None = Field(default=None, ge=0, lt=1)
    """For `unanswered`: the share of shown questions; half by default."""
    below: float | None = Field(default=None, gt=0, lt=1)
    """For `too_fast`: the share of the median; a third by default."""
    drops: Literal["session", "trial", "answer"] | None = None
    """For `reviewed`: what goes with an excluded text: the session, its trial, or only the text;
    else the session.
    """
    answer: str | None = None
    """For `answer`: which one, as `trial.question`; a row of a matrix or an option to tick as
    `trial.question.row`.
    """
    is_: tuple[Any, ...] | None = Field(default=None, alias="is", min_length=1)
    """For `answer`: the values that lead to exclusion, as a list; of an option to tick, 1 if it is
    ticked, else 0.
    """

    @property
    def answer_parts(self) -> tuple[str, str, str]:
        """Trial, question and row of `answer`; empty if they are not named."""
        parts = (self.answer or "").split(".", 2)
        trial, question, row = ["", *parts, ""] if len(parts) == 1 else [*parts, ""][:3]
        return trial, question, row


#: The answer that ends collecting under the rule `sequential`.
Until: TypeAlias = Literal["difference", "equivalence", "both"]


class Stopping(Record):
    """When collecting ends."""

    rule: Literal["complete", "after_exclusions", "experience", "sequential"] = "complete"
    """`complete`: this number of complete sessions; `after_exclusions`: this number after
    exclusions; `experience`: the respondents' mean experience reaches `at_least` (with at least `n`
    of them, if given); `sequential`: the evidence, weighed after every complete session, answers
    the question in `until` (or there are `n` judges, if given).
    """
    n: int | None = Field(default=None, ge=1)
    """How many sessions; for `sequential` the largest number of judges."""
    at_least: float | None = None
    """For `experience`: the mean to reach; 3 by default."""
    until: Until | None = None
    """For `sequential`: the question that is answered. `difference`: is the agent distinguishable?
    `equivalence`: is it inside the margin? `both`: whichever is answered first, by default.
    """
    margin: float | None = Field(default=None, gt=0, lt=0.5)
    """For `sequential`: a share nearer to one half than this counts as equivalent; 0.1 by
    default.
    """
    alpha: float | None = Field(default=None, gt=0.01, lt=0.5)
    """For `sequential`: the share of studies that may end with a false answer; the level of the
    plan by default.
    """
    clip_sd: float | None = Field(default=None, ge=0, le=0.5)
    """For `sequential` with clips of a pool: the assumed standard deviation of shares between
    clips; 0.15 by default.
    """
    outcome: Id | None = None
    """For `sequential` in a custom design: the measure that is weighed; the first that can be, by
    default.
    """
    assign: Literal["even", "aimed"] | None = None
    """For `sequential` with several agents. `even`: each agent is shown equally often, by default;
    `aimed`: agents without an answer are shown, and with a chance of .1 any agent.
    """


class DeclaredPlan(Record):
    """The declared analysis. `believable preregister` turns it into documents and a hash; results
    are marked against that.
    """

    protocol: str | None = None
    """Which analysis runs: the name of a protocol. Without one, that of the `measures` below."""
    measures: dict[Id, DeclaredMeasure] = Field(default_factory=dict)
    """For a custom design: its measures, by name. Hypotheses and outcomes use these names."""
    roles: dict[Id, Annotated[RoleValue, Field(union_mode="left_to_right")]] = Field(
        default_factory=dict
    )
    """The parts of this study in their roles: `role: question`, `role: trial.question`, or the name
    of a trial, arm or condition. The roles of each protocol and their defaults are listed below.
    """
    hypotheses: tuple[Hypothesis, ...] = ()
    """The expectations."""
    outcomes: Outcomes = Outcomes()
    """Primary and secondary outcomes."""
    tests: dict[Id, dict[Id, Any]] = Field(default_factory=dict)
    """Options of an outcome's test: `outcome: {option: value}`, such as the margin of an
    equivalence test.
    """
    exclusions: tuple[ExclusionRule, ...] = ()
    """Who is left out, beyond incomplete and rejected sessions."""
    about: About = "agent"
    """Whom verdicts are about. `agent`: the agent (or condition), so that an interval over judges
    and clips decides, and other clips of the same kind would give the same verdict in most studies.
    `these clips`: only the clips that were shown; the interval is over judges, and every verdict
    says so. Only for studies whose stimuli are chosen from many.
    """
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

"""What an analysis needs and offers, declared: the roles it looks for, its outcomes, its options.
One record per protocol.

The study layer checks plans against these; the analysis reads its own roles, outcomes and options
from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Protocol, TypeAlias, TypeVar

from pydantic import Field

from believable.core.errors import NotFound
from believable.core.registry import Lookup, Registry, did_you_mean
from believable.study.bases import Id, Record
from believable.study.measures import DeclaredMeasure

_R = TypeVar("_R", "Role", "Option", "Outcome")

#: What a role names: a question (`question` or `trial.question`), a trial, an arm, or one or more
#: conditions.
RoleOf = Literal["question", "trial", "arm", "condition"]
#: Stands for every condition of the study.
CONDITIONS = ("*",)
OptionType = Literal["number", "integer", "numbers", "flag", "word", "words"]


@dataclass(frozen=True, slots=True)
class Role:
    """A part that something of the study plays in the analysis.

    defaults   where the plan does not say: the first of these that the study has
    required   without it there is nothing to analyse
    several    whether more than one may be named
    kinds      for a question: the instruments whose answers can be used; empty: any
    stimuli    for a question: how many stimuli it has to be asked about at once; None: any number
    beside     for a question about two: the role that conditions of one of them play, and of the
               other do not
    """

    name: str
    about: str
    of: RoleOf = "question"
    defaults: tuple[str, ...] = ()
    required: bool = False
    several: bool = False
    kinds: tuple[str, ...] = ()
    stimuli: int | None = None
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Option:
    """A parameter of an analysis or of an outcome's test. `one_of` lists the words it may be."""

    name: str
    about: str
    type: OptionType
    default: Any
    least: float | None = None
    most: float | None = None
    one_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """Something the analysis estimates or tests. `tests` are the options that `tests: {outcome:
    {…}}` may set.

    tested     whether it comes with a p value
    equivalence  whether it comes with an equivalence test, so that `criterion: equivalent` can be
                 judged
    needs      what the data must have for it, in words, where a study of the protocol may do
               without
    unit       what its estimates are in, as one says it: share of trials, points of 7, r
    parts      what a hypothesis may be `about`, where it is found for several; CONDITIONS: any
               condition
    no_effect  the value without an effect, where a hypothesis may expect the estimate on one side
               of it
    part_unit  what estimates of one group are in, where those of pairs of groups are in `unit`
    """

    name: str
    title: str
    about: str
    tested: bool = False
    equivalence: bool = False
    tests: tuple[Option, ...] = ()
    parts: tuple[str, ...] = ()
    needs: str = ""
    unit: str = ""
    no_effect: float | None = None
    part_unit: str = ""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What one protocol's analysis declares.

    compares  roles of conditions of which at least two have to be played, since the analysis sets
              them side by side
    alike   roles that the analysis only compares with each other: exchanging them changes signs and
            nothing else
    t_test  whether its main test is a t test over participants, so that a detectable effect follows
            from the sample size alone
    sampled one of the stimuli that were chosen from many, such as `clip`; verdicts then are about
    the agent, or about these
            clips (`about` in the plan). Empty: nothing is sampled
    """

    name: str
    about: str
    roles: tuple[Role, ...]
    outcomes: tuple[Outcome, ...]
    options: tuple[Option, ...]
    compares: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    t_test: bool = False
    sampled: str = ""

    def role(self, name: str) -> Role:
        return _named(self.roles, name)

    def outcome(self, name: str) -> Outcome:
        return _named(self.outcomes, name)

    def option(self, name: str) -> Option:
        return _named(self.options, name)


class DeclaredProtocol(Protocol):
    """What the study package needs to know of a protocol; see `believable.protocols.contract`.
    Protocols are handed in.
    """

    @property
    def name(self) -> str: ...
    @property
    def declaration(self) -> Declaration: ...


DeclaredProtocols: TypeAlias = Lookup[DeclaredProtocol]
#: For studies that declare no analysis: any protocol that one names is unknown.
NO_PROTOCOLS: DeclaredProtocols = Registry("protocol")


def problem_of(option: Option, value: Any) -> str | None:
    """What a value should be, where it is not; None for a value that can be used."""
    if option.type == "flag":
        return None if isinstance(value, bool) else "true or false"
    if option.type in ("numbers", "words"):
        return _list_problem(option, value)
    return _single_problem(option, value)


def _list_problem(option: Option, value: Any) -> str | None:
    single = replace(option, type="number" if option.type == "numbers" else "word")
    # An empty list says "none" where that is the default; elsewhere it says nothing.
    listed = isinstance(value, list | tuple) and (len(value) > 0 or option.default == ())
    if listed and all(_single_problem(single, item) is None for item in value):
        return None
    return f"a list of values, each {_single_words(single)}"


def _single_problem(option: Option, value: Any) -> str | None:
    if option.type == "word":
        sound = isinstance(value, str) and (not option.one_of or value in option.one_of)
    else:
        sound = (
            isinstance(value, int if option.type == "integer" else int | float)
            and not isinstance(value, bool)
            and (option.least is None or value >= option.least)
            and (option.most is None or value <= option.most)
        )
    return None if sound else _single_words(option)


def _single_words(option: Option) -> str:
    if option.type == "word":
        return " or ".join(option.one_of) or "a word"
    what = "a whole number" if option.type == "integer" else "a number"
    if option.least is not None and option.most is not None:
        return f"{what} from {option.least:g} to {option.most:g}"
    if option.least is not None:
        return f"{what} of at least {option.least:g}"
    return what if option.most is None else f"{what} of at most {option.most:g}"


def _named(records: Sequence[_R], name: str) -> _R:
    match = next((record for record in records if record.name == name), None)
    if match is None:
        raise NotFound(
            f"unknown name {name!r}. {did_you_mean(name, [record.name for record in records])}"
        )
    return match


#: A role's value: one name, or a list of them.
RoleValue: TypeAlias = str | tuple[str, ...]

#: Whom verdicts are about.
About: TypeAlias = Literal["agent", "these clips"]

Criterion: TypeAlias = Literal[
    "significant", "contains", "excludes", "equivalent", "at_least", "at_most"
]


class Hypothesis(Record):
    """What is expected of one outcome, and when the data count as agreeing with it."""

    id: Id
    """Name of the hypothesis, such as H1."""
    text: str = Field(min_length=1)
    """The hypothesis in words."""
    outcome: Id
    """The outcome it is about: one of the protocol's, or of the plan's own measures."""
    about: str | None = None
    """Which one, where the outcome is found for several: a condition, or the protocol's word; all
    where it is left out. Of one's own measures: a group (`human`), or the first group minus the
    second (`human-scripted`).
    """
    direction: Literal["two_sided", "greater", "less"] = "two_sided"
    """The side the test looks at."""
    expects: Literal["greater", "less"] | None = None
    """What the words say of the estimate, beside a test of both sides: significant on the other
    side, they are not met.
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
    """Who or what is left out. Incomplete, screened-out, rejected and withdrawn sessions always
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
    """For `unanswered`: the share of shown questions; half where it is left out."""
    below: float | None = Field(default=None, gt=0, lt=1)
    """For `too_fast`: the share of the median; a third where it is left out."""
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


class Stopping(Record):
    """When collecting ends."""

    rule: Literal["complete", "after_exclusions", "experience"] = "complete"
    """`complete`: so many complete sessions; `after_exclusions`: so many after exclusions;
    `experience`: the respondents' mean experience reaches `at_least` (with at least `n` of them,
    where given).
    """
    n: int | None = Field(default=None, ge=1)
    """How many sessions."""
    at_least: float | None = None
    """For `experience`: the mean to reach; 3 where it is left out."""


class DeclaredPlan(Record):
    """The declared analysis. `believable preregister` turns it into documents and a hash; results
    are marked against that.
    """

    protocol: str | None = None
    """Which analysis runs: the name of a protocol. Without one, that of the `measures` below."""
    measures: dict[Id, DeclaredMeasure] = Field(default_factory=dict)
    """For a design of one's own: what is measured, by name. Hypotheses and outcomes speak of these
    names.
    """
    roles: dict[Id, Annotated[RoleValue, Field(union_mode="left_to_right")]] = Field(
        default_factory=dict
    )
    """What in this study plays which part: `role: question`, `role: trial.question`, or the name of
    a trial, arm or condition. The roles of each protocol, and what they are where they are left
    out, are listed below.
    """
    hypotheses: tuple[Hypothesis, ...] = ()
    """What is expected."""
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

"""A study as frozen records: what `study.yaml` says, and nothing else. Parsed once by `study.load`."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    RootModel,
    SerializeAsAny,
    Tag,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

ID_PATTERN = r"^[A-Za-z][A-Za-z0-9_]{0,63}$"
LANGUAGE_PATTERN = r"^[a-z]{2,3}(-[A-Z]{2})?$"
Id: TypeAlias = Annotated[str, Field(pattern=ID_PATTERN)]
Language: TypeAlias = Annotated[str, Field(pattern=LANGUAGE_PATTERN)]

#: The language key of a text that was given once, without naming a language.
ANY_LANGUAGE = ""


class Record(BaseModel):
    """Base of every record: unknown keys are errors, and nothing changes after parsing."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Text(RootModel[dict[str, str]]):
    """Words shown to participants: one string, or one per language."""

    model_config = ConfigDict(frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _from_plain(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {ANY_LANGUAGE: value}
        if not isinstance(value, dict):
            raise PydanticCustomError("text_type", "text")
        return value

    def in_language(self, language: str) -> str:
        """The words in `language`. The checker has made sure that they exist."""
        return self.root[language] if language in self.root else self.root[ANY_LANGUAGE]


def _shape(value: Any) -> str:
    return (
        "mapping" if isinstance(value, dict | BaseModel) else "list" if isinstance(value, tuple) else "word"
    )


#: Chooses between a word, a list and a mapping by how it is written, so that an error speaks of what was meant.
BY_SHAPE = Discriminator(_shape)


# ---------------------------------------------------------------------------------------------- rules


class Rule(Record):
    """A condition on an earlier answer (`answer: trial.question`) or on an arm (`arm: name`), with exactly one test.

    `answer: trial.question.item` looks at one row of a matrix. Where several options were ticked, `is` and `in` ask whether
    the value is among them. Without an answer only `is_not` and `answered: false` hold.
    """

    answer: str | None = None
    arm: str | None = None
    is_: Any = Field(default=None, alias="is")
    is_not: Any = None
    in_: tuple[Any, ...] | None = Field(default=None, alias="in")
    at_least: int | float | None = None
    at_most: int | float | None = None
    answered: bool | None = None

    @property
    def test(self) -> tuple[str, Any]:
        """The name of the test in the file (`is`, `in`, …) and its value."""
        (field,) = self.model_fields_set - RULE_SUBJECTS
        return field.rstrip("_"), getattr(self, field)

    @model_validator(mode="after")
    def _one_subject_one_test(self) -> Rule:
        given = self.model_fields_set
        if len(given & RULE_SUBJECTS) != 1:
            raise PydanticCustomError("rule_subject", "a rule looks at either an answer or an arm")
        if len(given - RULE_SUBJECTS) != 1:
            raise PydanticCustomError("rule_test", "a rule has exactly one test")
        return self


RULE_SUBJECTS = frozenset({"answer", "arm"})


# ---------------------------------------------------------------------------------------------- questions


class Question(Record):
    """One question. In the file its kind is a key: `{id: experience, prompt: …, likert: {points: 5}}`."""

    id: Id
    kind: str
    params: SerializeAsAny[Record]
    prompt: Text | None = None
    help: Text | None = None
    required: bool = True
    show_if: Rule | None = None


# ---------------------------------------------------------------------------------------------- trials


class TrialBase(Record):
    id: Id
    skip_if: Rule | None = None


class ConsentItem(Record):
    """A box that must be ticked. `adult` and `agree` have built-in labels (`texts: consent.adult`)."""

    id: Id
    label: Text | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_plain(cls, value: Any) -> Any:
        return {"id": value} if isinstance(value, str) else value


class Consent(TrialBase):
    """What participants agree to: a `page` or a `text`, and the boxes to tick."""

    kind: Literal["consent"] = "consent"
    page: Text | None = None
    text: Text | None = None
    require: tuple[ConsentItem, ...] = (ConsentItem(id="agree"),)


class TextPage(TrialBase):
    """Words to read: a `page` (a Markdown file) or a `text` (Markdown in place)."""

    kind: Literal["text"] = "text"
    page: Text | None = None
    text: Text | None = None


class Form(TrialBase):
    """Questions on one page."""

    kind: Literal["form"] = "form"
    title: Text | None = None
    text: Text | None = None
    questions: tuple[Question, ...] = Field(min_length=1)


class Check(TrialBase):
    """A question with a right answer.

    Wrong `attempts` times: `screen_out` and `fail` end the session (each with its own code), `continue` records it and goes on.
    """

    kind: Literal["check"] = "check"
    title: Text | None = None
    text: Text | None = None
    question: Question
    correct: Any
    attempts: int = Field(default=1, ge=1, le=10)
    on_fail: Literal["screen_out", "fail", "continue"] = "continue"


class Controls(Record):
    """What the participant may do with the video."""

    pause: bool = True
    seek: bool = False
    replay: bool = False
    max_views: int | None = Field(default=None, ge=1)
    must_finish: bool = True
    volume: bool = True


class StimulusFilter(Record):
    """Any stimulus of this condition, this scenario, or both."""

    condition: Id | None = None
    scenario: Id | None = None


class Watch(TrialBase):
    """One stimulus, then its questions. `any` takes one that fits the enclosing blocks, never the same twice in a session."""

    kind: Literal["watch"] = "watch"
    title: Text | None = None
    text: Text | None = None
    stimulus: Annotated[Annotated[str, Tag("word")] | Annotated[StimulusFilter, Tag("mapping")], BY_SHAPE] = (
        "any"
    )
    controls: Controls = Controls()
    ask: tuple[Question, ...] = ()


class Rate(TrialBase):
    """Questions about stimuli watched earlier (`of`: ids of watch trials, or `all`), without showing them again."""

    kind: Literal["rate"] = "rate"
    title: Text | None = None
    text: Text | None = None
    of: Annotated[
        Annotated[Literal["all"], Tag("word")] | Annotated[tuple[Id, ...], Tag("list")], BY_SHAPE
    ] = "all"
    questions: tuple[Question, ...] = Field(min_length=1)


class Break(TrialBase):
    """A pause the participant ends, at the earliest after `at_least_s`."""

    kind: Literal["break"] = "break"
    text: Text | None = None
    at_least_s: int = Field(default=0, ge=0, le=3600)


class Codes(Record):
    """Completion codes. `auto` mints one per study and outcome; anything else is used as it stands."""

    complete: str = "auto"
    screened_out: str = "auto"
    failed_checks: str = "auto"


class Redirects(Record):
    """Where to send people at the end. `{code}` and the recruiter's id parameters may be used in the address."""

    complete: str | None = None
    screened_out: str | None = None
    failed_checks: str | None = None


class Finish(TrialBase):
    """The end, last in the timeline and exactly once: words, completion codes, and where to go next."""

    kind: Literal["finish"] = "finish"
    page: Text | None = None
    text: Text | None = None
    codes: Codes = Codes()
    redirect: Annotated[
        Annotated[Literal["none", "prolific", "connect", "sona", "mturk"], Tag("word")]
        | Annotated[Redirects, Tag("mapping")],
        BY_SHAPE,
    ] = "none"


# ---------------------------------------------------------------------------------------------- order


class Pauses(Record):
    """A break after every `every` passes of a block (never after the last)."""

    every: int = Field(ge=1)
    text: Text | None = None
    at_least_s: int = Field(default=0, ge=0, le=3600)


class Block(TrialBase):
    """Part of the timeline with an order of its own.

    With `over`, `each` is run once per level of that factor (`condition`, `scenario`, `stimulus`), the level holding for
    everything inside. Without it, the items of `each` are themselves what is ordered and sampled. `sample` takes that many
    levels (or items); `repeat` runs the whole block again, drawing anew.
    """

    kind: Literal["block"] = "block"
    order: Literal["fixed", "random", "latin_square"] = "fixed"
    over: Literal["condition", "scenario", "stimulus"] | None = None
    levels: tuple[str, ...] | None = None
    sample: int | None = Field(default=None, ge=1)
    repeat: int = Field(default=1, ge=1, le=1000)
    breaks: Pauses | None = None
    each: tuple[TimelineItem, ...] = Field(min_length=1)


Trial: TypeAlias = Consent | TextPage | Form | Check | Watch | Rate | Break | Finish
TimelineItem: TypeAlias = Annotated[
    Consent | TextPage | Form | Check | Watch | Rate | Break | Finish | Block, Field(discriminator="kind")
]
Block.model_rebuild()


# ---------------------------------------------------------------------------------------------- recruiting


_MOMENT_SCHEMA = {"type": "string", "examples": ["2027-01-31T18:00:00Z"]}


def _moment(value: Any) -> Any:
    """A date (its first moment) or a date and time; UTC unless it says otherwise."""
    if isinstance(value, datetime.datetime):
        return value
    try:
        moment = datetime.datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise PydanticCustomError("moment", "a date and time") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)


class Recruit(Record):
    """Where participants come from, who may take part, and for how long."""

    platform: Literal["none", "prolific", "connect", "sona", "mturk", "custom"] = "none"
    id_parameter: str | None = None
    extra_parameters: tuple[str, ...] = ()
    repeats: Literal["refuse", "resume"] = "resume"
    desktop_only: bool = False
    limit: int | None = Field(default=None, ge=1)
    closes: Annotated[datetime.datetime, BeforeValidator(_moment), WithJsonSchema(_MOMENT_SCHEMA)] | None = (
        None
    )


class Stimulus(Record):
    """What is watched: a file of the study folder, and what it stands for."""

    id: Id
    file: str = Field(min_length=1)
    condition: Id | None = None
    scenario: Id | None = None
    duration_ms: int | None = Field(default=None, ge=1)


class Study(Record):
    """The whole study file."""

    believable: Literal[1]
    title: Text
    seed: int
    languages: tuple[Language, ...] = Field(default=("en",), min_length=1)
    conditions: tuple[Id, ...] = ()
    stimuli: tuple[Stimulus, ...] = ()
    arms: dict[Id, tuple[Id, ...]] = Field(default_factory=dict)
    resume: Literal["trial", "restart", "forbid"] = "trial"
    reservation_minutes: int = Field(default=120, ge=1)
    recruit: Recruit = Recruit()
    texts: dict[Language, dict[str, str]] = Field(default_factory=dict)
    timeline: tuple[TimelineItem, ...] = Field(min_length=1)

    @property
    def scenarios(self) -> tuple[str, ...]:
        """The scenarios of the stimuli, in the order of the file."""
        return tuple(dict.fromkeys(one.scenario for one in self.stimuli if one.scenario is not None))

    @property
    def finish(self) -> Finish:
        return next(item for item in self.timeline if isinstance(item, Finish))

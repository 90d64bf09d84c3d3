"""A study as frozen records: what `study.yaml` says, and nothing else. Parsed once by `study.load`."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, RootModel, SerializeAsAny, model_validator

Id: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")]
Language: TypeAlias = Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Z]{2})?$")]

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
        return {ANY_LANGUAGE: value} if isinstance(value, str) else value

    def in_language(self, language: str) -> str:
        """The words in `language`. The checker has made sure that they exist."""
        return self.root.get(language) or self.root[ANY_LANGUAGE]


# ---------------------------------------------------------------------------------------------- rules


class Rule(Record):
    """A condition on an earlier answer (`answer: trial_id.question_id`) or on an arm (`arm: name`). Exactly one test."""

    answer: str | None = None
    arm: Id | None = None
    is_: Any = Field(default=None, alias="is")
    is_not: Any = None
    in_: tuple[Any, ...] | None = Field(default=None, alias="in")
    at_least: float | None = None
    at_most: float | None = None
    answered: bool | None = None


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


class Consent(TrialBase):
    kind: Literal["consent"] = "consent"
    page: Text
    require: tuple[ConsentItem, ...] = (ConsentItem(id="agree"),)


class TextPage(TrialBase):
    kind: Literal["text"] = "text"
    page: Text | None = None
    text: Text | None = None


class Form(TrialBase):
    kind: Literal["form"] = "form"
    title: Text | None = None
    text: Text | None = None
    questions: tuple[Question, ...]


class Check(TrialBase):
    """A question with a right answer. Wrong `attempts` times: `screen_out`, `fail` (both end the session) or `continue` (recorded)."""

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
    condition: Id | None = None
    scenario: Id | None = None


class Watch(TrialBase):
    """One stimulus, then its questions. `any` takes one that fits the enclosing blocks, never the same twice in a session."""

    kind: Literal["watch"] = "watch"
    title: Text | None = None
    text: Text | None = None
    stimulus: Literal["any"] | Id | StimulusFilter = "any"
    controls: Controls = Controls()
    ask: tuple[Question, ...] = ()


class Rate(TrialBase):
    """Questions about stimuli watched earlier in the session (`of`: ids of watch trials, or `all`), without showing them again."""

    kind: Literal["rate"] = "rate"
    title: Text | None = None
    text: Text | None = None
    of: Literal["all"] | tuple[Id, ...] = "all"
    questions: tuple[Question, ...]


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
    kind: Literal["finish"] = "finish"
    page: Text | None = None
    text: Text | None = None
    codes: Codes = Codes()
    redirect: Literal["none", "prolific", "connect", "sona", "mturk"] | Redirects = "none"


# ---------------------------------------------------------------------------------------------- order


class Pauses(Record):
    """A break after every `every` passes of a block (never after the last)."""

    every: int = Field(ge=1)
    text: Text | None = None
    at_least_s: int = Field(default=0, ge=0, le=3600)


class Block(TrialBase):
    """Part of the timeline with an order of its own.

    With `over`, `each` is run once per level of that factor (`condition`, `scenario`, `stimulus`), the level holding for
    everything inside. Without it, the items of `each` are themselves what is ordered and sampled.
    """

    kind: Literal["block"] = "block"
    order: Literal["fixed", "random", "latin_square"] = "fixed"
    over: Literal["condition", "scenario", "stimulus"] | None = None
    levels: tuple[str, ...] | None = None
    sample: int | None = Field(default=None, ge=1)
    repeat: int = Field(default=1, ge=1, le=1000)
    breaks: Pauses | None = None
    each: tuple[TimelineItem, ...]


Trial: TypeAlias = Consent | TextPage | Form | Check | Watch | Rate | Break | Finish
TimelineItem: TypeAlias = Annotated[
    Consent | TextPage | Form | Check | Watch | Rate | Break | Finish | Block, Field(discriminator="kind")
]
Block.model_rebuild()


# ---------------------------------------------------------------------------------------------- recruiting


class Recruit(Record):
    """Where participants come from, who may take part, and for how long."""

    platform: Literal["none", "prolific", "connect", "sona", "mturk", "custom"] = "none"
    id_parameter: str | None = None
    extra_parameters: tuple[str, ...] = ()
    repeats: Literal["refuse", "resume"] = "resume"
    desktop_only: bool = False
    limit: int | None = Field(default=None, ge=1)
    closes: datetime.datetime | None = None


class Stimulus(Record):
    id: Id
    file: str
    condition: Id | None = None
    scenario: Id | None = None
    duration_ms: int | None = Field(default=None, ge=1)


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


class Study(Record):
    """The whole study file."""

    believable: Literal[1]
    title: Text
    seed: int
    languages: Annotated[tuple[Language, ...], BeforeValidator(_as_tuple)] = ("en",)
    conditions: tuple[Id, ...] = ()
    stimuli: tuple[Stimulus, ...] = ()
    arms: dict[Id, tuple[Id, ...]] = Field(default_factory=dict)
    resume: Literal["trial", "restart", "forbid"] = "trial"
    reservation_minutes: int = Field(default=120, ge=1)
    recruit: Recruit = Recruit()
    texts: dict[Language, dict[str, str]] = Field(default_factory=dict)
    timeline: tuple[TimelineItem, ...]

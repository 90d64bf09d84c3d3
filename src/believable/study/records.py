"""A study as frozen records: what `study.yaml` says, and nothing else. Parsed once by `study.load`."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    RootModel,
    SerializeAsAny,
    Tag,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

ID_PATTERN = r"^[A-Za-z][A-Za-z0-9_]{0,63}$"
LANGUAGE_PATTERN = r"^[a-z]{2,3}(-[A-Z]{2})?$"
Id: TypeAlias = Annotated[str, Field(pattern=ID_PATTERN)]
Language: TypeAlias = Annotated[str, Field(pattern=LANGUAGE_PATTERN)]

#: The language key of a text that was given once, without naming a language.
ANY_LANGUAGE = ""


class Record(BaseModel):
    """Base of every record: unknown keys are errors, and nothing changes after parsing."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


def word_or(
    core_schema: CoreSchema,
    handler: GetJsonSchemaHandler,
    word: JsonSchemaValue,
    *,
    required: Sequence[str] = (),
) -> JsonSchemaValue:
    """The JSON Schema of a record that may also be written as a single word."""
    reference = handler(core_schema)
    written_out = handler.resolve_ref_schema(reference)
    mapping = dict(written_out)
    if required:
        mapping["required"] = list(required)
    written_out.clear()
    written_out["anyOf"] = [word, mapping]
    return reference


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

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return word_or(core_schema, handler, {"type": "string", "minLength": 1})

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
    """The answer to look at: `trial.question`, or `trial.question.row` of a matrix. Without a dot: on this page."""
    arm: str | None = None
    """The arm to look at."""
    is_: Any = Field(default=None, alias="is")
    """Holds when the answer is this."""
    is_not: Any = None
    """Holds when the answer is anything else, or there is none."""
    in_: tuple[Any, ...] | None = Field(default=None, alias="in")
    """Holds when the answer is one of these."""
    at_least: int | float | None = None
    """Holds when the answer is this number or more."""
    at_most: int | float | None = None
    """Holds when the answer is this number or less."""
    answered: bool | None = None
    """Holds when there is an answer (`true`) or none (`false`)."""

    @property
    def test(self) -> tuple[str, Any]:
        """The name of the test in the file (`is`, `in`, …) and its value."""
        (field,) = self._given() - RULE_SUBJECTS
        return field.rstrip("_"), getattr(self, field)

    def _given(self) -> set[str]:
        return {name for name in self.model_fields_set if getattr(self, name) is not None}

    @model_validator(mode="after")
    def _one_subject_one_test(self) -> Rule:
        given = self._given()
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
    """Name of the question in the data; unique on its page. May be left out in a check."""
    kind: str
    params: SerializeAsAny[Record]
    prompt: Text | None = None
    """What is asked."""
    help: Text | None = None
    """Small print below."""
    required: bool = True
    """Whether the page waits for an answer."""
    show_if: Rule | None = None
    """Shown only when this rule holds."""


# ---------------------------------------------------------------------------------------------- trials


class TrialBase(Record):
    id: Id
    """Name of the trial in the data and in rules. Made from the kind where it is left out; forms and checks need one."""
    skip_if: Rule | None = None
    """Passed over when this rule holds."""


class ConsentItem(Record):
    """A box that must be ticked. `adult` and `agree` have built-in labels (`texts: consent.adult`)."""

    id: Id
    """Name of the box in the data."""
    label: Text | None = None
    """The words beside the box."""

    @model_validator(mode="before")
    @classmethod
    def _from_plain(cls, value: Any) -> Any:
        return {"id": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return word_or(core_schema, handler, {"type": "string", "pattern": ID_PATTERN})


class Consent(TrialBase):
    """What participants agree to: a `page` or a `text`, and the boxes to tick."""

    kind: Literal["consent"] = "consent"
    page: Text | None = None
    """Markdown file to show."""
    text: Text | None = None
    """Markdown to show, in place."""
    require: tuple[ConsentItem, ...] = (ConsentItem(id="agree"),)
    """Boxes to tick; `adult` and `agree` have words of their own."""


class TextPage(TrialBase):
    """Words to read: a `page` (a Markdown file) or a `text` (Markdown in place)."""

    kind: Literal["text"] = "text"
    page: Text | None = None
    """Markdown file to show."""
    text: Text | None = None
    """Markdown to show, in place."""


class Form(TrialBase):
    """Questions on one page."""

    kind: Literal["form"] = "form"
    title: Text | None = None
    """Heading."""
    text: Text | None = None
    """Markdown above the questions."""
    questions: tuple[Question, ...] = Field(min_length=1)
    """The questions, in order."""


class Check(TrialBase):
    """A question with a right answer.

    Wrong `attempts` times: `screen_out` and `fail` end the session (each with its own code), `continue` records it and goes on.
    """

    kind: Literal["check"] = "check"
    title: Text | None = None
    """Heading."""
    text: Text | None = None
    """Markdown above the question."""
    question: Question
    """The question."""
    correct: Any
    """The right answer."""
    attempts: int = Field(default=1, ge=1, le=10)
    """How often people may try."""
    on_fail: Literal["screen_out", "fail", "continue"] = "continue"
    """What follows when the last attempt is wrong."""


class Controls(Record):
    """What the participant may do with the player."""

    pause: bool = True
    """People may pause."""
    seek: bool = False
    """People may jump."""
    replay: bool = False
    """People may watch again."""
    max_views: int | None = Field(default=None, ge=1)
    """How often at most, with `replay`."""
    must_finish: bool = True
    """The questions come only when it was watched to the end."""
    volume: bool = True
    """People may change the volume."""
    speeds: tuple[Annotated[float, Field(ge=0.25, le=600)], ...] = Field(default=(1,), min_length=1)
    """The speeds people may choose from; videos go up to 16."""
    speed: float | None = None
    """The speed it begins with, one of `speeds`; the first where it is left out."""
    zoom: bool = False
    """People may zoom into a recording and follow one of its figures."""

    @property
    def first_speed(self) -> float:
        return self.speeds[0] if self.speed is None else self.speed


class Overlay(Record):
    """What people may open beside a recording, or beside a video with an action log."""

    plan: bool = False
    """The plans of its figures, as a tree."""
    log: bool = False
    """What its figures did, line by line."""


class StimulusFilter(Record):
    """Any stimulus of this condition, this scenario, or both."""

    condition: Id | None = None
    """Of this condition."""
    scenario: Id | None = None
    """Of this scenario."""


class Annotation(Record):
    """What people do all the time while they watch. In the file its kind is a key: `annotate: {ranktrace: {}}`."""

    kind: str
    params: SerializeAsAny[Record]
    prompt: Text | None = None
    """What is to be judged from moment to moment, shown while watching."""
    min_inputs: int = Field(default=0, ge=0)
    """How many inputs there must be before the page can be left; needs `controls: {replay: true}`."""


class Watch(TrialBase):
    """One stimulus, then its questions. `any` takes one that fits the enclosing blocks, never the same twice in a session."""

    kind: Literal["watch"] = "watch"
    title: Text | None = None
    """Heading."""
    text: Text | None = None
    """Markdown above the player."""
    stimulus: Annotated[Annotated[str, Tag("word")] | Annotated[StimulusFilter, Tag("mapping")], BY_SHAPE] = (
        "any"
    )
    """`any` that fits, the id of one, or `{condition: …, scenario: …}`."""
    controls: Controls = Controls()
    """What people may do with the player."""
    annotate: Annotation | None = None
    """Continuous annotation while watching: `{ranktrace: {…}}`, or another annotating kind."""
    practice: bool = True
    """Whether a short practice comes before the first use of the annotating kind in a session."""
    overlay: Overlay = Overlay()
    """Plan and log beside the player, each to be opened by the person."""
    ask: tuple[Question, ...] = ()
    """Questions after watching."""


class Practice(TrialBase):
    """Getting to know an annotating kind on a neutral picture. Never in the file: the plan puts it before the first use."""

    kind: Literal["practice"] = "practice"
    annotate: Annotation


class Compare(TrialBase):
    """Two or more stimuli side by side (A, B, …), then questions about them. Who stands where is drawn for each session.

    What an entry of `of` leaves open is settled by the blocks around. No stimulus is shown twice in a session.
    """

    kind: Literal["compare"] = "compare"
    title: Text | None = None
    """Heading."""
    text: Text | None = None
    """Markdown above the players."""
    of: tuple[
        Annotated[Annotated[str, Tag("word")] | Annotated[StimulusFilter, Tag("mapping")], BY_SHAPE], ...
    ] = Field(min_length=2, max_length=4)
    """What is compared: for each player `{condition: …, scenario: …}`, or the id of a stimulus."""
    match: Literal["scenario", "none"] = "scenario"
    """Whether all show the same scenario."""
    playback: Literal["independent", "together"] = "independent"
    """Each with controls of its own, one playing at a time; or all at the same time with common controls."""
    watch: Literal["all", "any"] = "all"
    """What has to be watched to the end before the questions come (with `controls: {must_finish: true}`)."""
    controls: Controls = Controls()
    """What people may do with the players."""
    ask: tuple[Question, ...] = ()
    """Questions after watching."""


class Group(TrialBase):
    """Several stimuli on one page, in an order drawn for each session, each with the same questions beside it."""

    kind: Literal["group"] = "group"
    title: Text | None = None
    """Heading."""
    text: Text | None = None
    """Markdown above the clips."""
    clips: Annotated[
        Annotated[Annotated[int, Field(ge=1, le=24)], Tag("word")] | Annotated[tuple[Id, ...], Tag("list")],
        BY_SHAPE,
    ]
    """How many, or the ids of the stimuli."""
    from_: StimulusFilter = Field(default=StimulusFilter(), alias="from")
    """Which stimuli to draw from; what it leaves open is settled by the blocks around."""
    rate: tuple[Question, ...] = ()
    """Questions about each clip."""
    controls: Controls = Controls()
    """What people may do with each player."""
    ask: tuple[Question, ...] = ()
    """Questions about the whole page, at its end."""

    @property
    def size(self) -> int:
        return self.clips if isinstance(self.clips, int) else len(self.clips)


class Rate(TrialBase):
    """Questions about stimuli watched earlier (`of`: ids of watch trials, or `all`), without showing them again."""

    kind: Literal["rate"] = "rate"
    title: Text | None = None
    """Heading."""
    text: Text | None = None
    """Markdown above the questions."""
    of: Annotated[
        Annotated[Literal["all"], Tag("word")] | Annotated[tuple[Id, ...], Tag("list")], BY_SHAPE
    ] = "all"
    """Ids of the watch trials it is about, or `all`."""
    questions: tuple[Question, ...] = Field(min_length=1)
    """The questions, in order."""


class Break(TrialBase):
    """A pause the participant ends, at the earliest after `at_least_s`."""

    kind: Literal["break"] = "break"
    text: Text | None = None
    """Markdown to show."""
    at_least_s: int = Field(default=0, ge=0, le=3600)
    """Seconds before people can go on."""


class Codes(Record):
    """Completion codes. `auto` mints one per study and outcome; anything else is used as it stands."""

    complete: str = "auto"
    """For those who got to the end."""
    screened_out: str = "auto"
    """For those a check screened out."""
    failed_checks: str = "auto"
    """For those who failed a check."""


class Redirects(Record):
    """Where to send people at the end. `{code}` and the recruiter's id parameters may be used in the address."""

    complete: str | None = None
    """For those who got to the end."""
    screened_out: str | None = None
    """For those a check screened out."""
    failed_checks: str | None = None
    """For those who failed a check."""


class Finish(TrialBase):
    """The end, last in the timeline and exactly once: words, completion codes, and where to go next."""

    kind: Literal["finish"] = "finish"
    page: Text | None = None
    """Markdown file to show."""
    text: Text | None = None
    """Markdown to show, in place."""
    codes: Codes = Codes()
    """Completion codes."""
    redirect: Annotated[
        Annotated[Literal["none", "prolific", "connect", "sona", "mturk"], Tag("word")]
        | Annotated[Redirects, Tag("mapping")],
        BY_SHAPE,
    ] = "none"
    """The platform to go back to, or `{complete: https://…, …}`."""


# ---------------------------------------------------------------------------------------------- order


class Pauses(Record):
    """A break after every `every` passes of a block (never after the last)."""

    every: int = Field(ge=1)
    """After so many passes."""
    text: Text | None = None
    """Markdown to show."""
    at_least_s: int = Field(default=0, ge=0, le=3600)
    """Seconds before people can go on."""


class Block(TrialBase):
    """Part of the timeline with an order of its own.

    With `over`, `each` is run once per level of that factor (`condition`, `scenario`, `stimulus`), the level holding for
    everything inside. Without it, the items of `each` are themselves what is ordered and sampled. `sample` takes that many
    levels (or items); `repeat` runs the whole block again, drawing anew.
    """

    kind: Literal["block"] = "block"
    order: Literal["fixed", "random", "latin_square"] = "fixed"
    """`fixed` as written, `random` anew for each session, `latin_square` balanced over sessions (a Williams design)."""
    over: Literal["condition", "scenario", "stimulus"] | None = None
    """What to run over; without it the entries of `each` are ordered."""
    levels: tuple[str, ...] | None = None
    """Only these levels, in this order; all without it."""
    sample: int | None = Field(default=None, ge=1)
    """Take only so many."""
    repeat: int = Field(default=1, ge=1, le=1000)
    """How often the whole block runs."""
    breaks: Pauses | None = None
    """Pauses between passes."""
    each: tuple[TimelineItem, ...] = Field(min_length=1)
    """The trials and blocks inside."""


Trial: TypeAlias = (
    Consent | TextPage | Form | Check | Practice | Watch | Compare | Group | Rate | Break | Finish
)
TimelineItem: TypeAlias = Annotated[
    Consent | TextPage | Form | Check | Watch | Compare | Group | Rate | Break | Finish | Block,
    Field(discriminator="kind"),
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
    """Where people come from; settled by `finish.redirect` where it is left out."""
    id_parameter: str | None = None
    """Link parameter with the participant id, for `platform: custom`."""
    extra_parameters: tuple[str, ...] = ()
    """More link parameters to keep, as keyed hashes."""
    repeats: Literal["refuse", "resume"] = "resume"
    """Whether somebody who comes again goes on or is refused."""
    desktop_only: bool = False
    """Whether phones and tablets are turned away."""
    limit: int | None = Field(default=None, ge=1)
    """How many participants at most."""
    closes: Annotated[datetime.datetime, BeforeValidator(_moment), WithJsonSchema(_MOMENT_SCHEMA)] | None = (
        None
    )
    """When the study closes; UTC unless it says otherwise."""


class Stimulus(Record):
    """What is watched: a file of the study folder, and what it stands for."""

    id: Id
    """Name of the stimulus in the data."""
    file: str = Field(min_length=1)
    """Path in the study folder."""
    condition: Id | None = None
    """One of `conditions`."""
    scenario: Id | None = None
    """The situation it shows."""
    duration_ms: int | None = Field(default=None, ge=1)
    """Expected length in milliseconds; `believable check` compares."""

    @property
    def player(self) -> Literal["video", "replay"]:
        """What shows it: recordings are told by the ending of their name."""
        return "replay" if self.file.endswith(".replay.json.gz") else "video"


class Study(Record):
    """The whole study file."""

    believable: Literal[1]
    """Version of the format."""
    title: Text
    """Shown to participants."""
    seed: int
    """Everything left to chance follows from it."""
    languages: tuple[Language, ...] = Field(default=("en",), min_length=1)
    """The first one is the default. Every text has to be there in each."""
    conditions: tuple[Id, ...] = ()
    """What differs between stimuli."""
    stimuli: tuple[Stimulus, ...] = ()
    """What is watched."""
    arms: dict[Id, tuple[Id, ...]] = Field(default_factory=dict)
    """What differs between participants: `name: [level, level]`, balanced."""
    resume: Literal["trial", "restart", "forbid"] = "trial"
    """What happens to a session that was left: go on at the same `trial`, `restart`, or `forbid`."""
    reservation_minutes: int = Field(default=120, ge=1)
    """How long a session that was left keeps its place in the balance."""
    recruit: Recruit = Recruit()
    """Where participants come from."""
    texts: dict[Language, dict[str, str]] = Field(default_factory=dict)
    """Built-in words to replace, or a whole new language: `language: {key: words}`."""
    timeline: tuple[TimelineItem, ...] = Field(min_length=1)
    """What participants go through, in order."""

    @property
    def scenarios(self) -> tuple[str, ...]:
        """The scenarios of the stimuli, in the order of the file."""
        return tuple(dict.fromkeys(one.scenario for one in self.stimuli if one.scenario is not None))

    @property
    def finish(self) -> Finish:
        return next(item for item in self.timeline if isinstance(item, Finish))

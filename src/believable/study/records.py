"""A study as frozen records: what `study.yaml` says, and nothing else. Parsed once by `study.load`."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    Field,
    GetJsonSchemaHandler,
    SerializeAsAny,
    Tag,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from believable.study.bases import ANY_LANGUAGE as ANY_LANGUAGE
from believable.study.bases import BY_SHAPE as BY_SHAPE
from believable.study.bases import ID_PATTERN as ID_PATTERN
from believable.study.bases import LANGUAGE_PATTERN as LANGUAGE_PATTERN
from believable.study.bases import RULE_SUBJECTS as RULE_SUBJECTS
from believable.study.bases import Id as Id
from believable.study.bases import Language as Language
from believable.study.bases import Record as Record
from believable.study.bases import Rule as Rule
from believable.study.bases import Text as Text
from believable.study.bases import TrialBase as TrialBase
from believable.study.bases import word_or as word_or
from believable.study.codebook import Codebook as Codebook
from believable.study.declared import Plan
from believable.study.playing import Play as Play
from believable.study.recruiting import Recruit as Recruit

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


class WatchedStimulus(StimulusFilter):
    """Any stimulus of this condition, this scenario, or both; or the round this participant played just before."""

    round: Id | None = None
    """Id of the play trial whose round is shown; then neither `condition` nor `scenario`."""


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
    stimulus: Annotated[
        Annotated[str, Tag("word")] | Annotated[WatchedStimulus, Tag("mapping")], BY_SHAPE
    ] = "any"
    """`any` that fits, the id of one, `{condition: …, scenario: …}`, or `{round: …}`: the participant's own round."""
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


class Device(TrialBase):
    """Whether the sound and the mouse wheel work: people type how many tones they hear, and turn the wheel.

    Wrong `attempts` times: as in `check`.
    """

    kind: Literal["device"] = "device"
    title: Text | None = None
    """Heading."""
    text: Text | None = None
    """Markdown above the tests."""
    wheel: bool = True
    """Whether a mouse wheel is needed."""
    headphones: bool = True
    """Whether sound is needed."""
    attempts: int = Field(default=3, ge=1, le=10)
    """How often people may try."""
    on_fail: Literal["screen_out", "fail", "continue"] = "screen_out"
    """What follows when the last attempt is wrong."""


class Qa(TrialBase):
    """A quality test of the annotator: a known signal, followed with RankTrace and scored by the server (SDA, −1 to 1).

    The score is an answer of the trial (`sda`). The gate is applied at the last quality test of a session, to the mean of all of
    its scores (`mean_sda`; `reliable` where it is not below `threshold`), with the `gate` and the `threshold` of that last test.
    """

    kind: Literal["qa"] = "qa"
    title: Text | None = None
    """Heading."""
    text: Text | None = None
    """Markdown above the test, in place of the built-in words."""
    test: Literal["visual", "auditory"]
    """A green surface that gets brighter and darker, or a tone that gets higher and lower."""
    signal_seed: int = 1
    """The signal follows from it, as in `believable stimuli qa`."""
    duration_s: int = Field(default=60, ge=10, le=600)
    """How long it takes, in seconds."""
    gate: Literal["screen_out", "warn", "record"] = "record"
    """Who is below the threshold is screened out, is told so and goes on, or just goes on."""
    threshold: float = Field(default=0.0, ge=-1, le=1)
    """The mean score that is still good enough."""
    practice: bool = True
    """Whether a short practice comes first, unless RankTrace was practised already."""
    annotate: Annotation

    @property
    def controls(self) -> Controls:
        """Once, without a stop."""
        return Controls(pause=False, volume=False)


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


#: Pages as a study file names them. Practice pages come in when the plan is made.
_Page: TypeAlias = (
    Consent
    | TextPage
    | Form
    | Check
    | Device
    | Qa
    | Play
    | Watch
    | Compare
    | Group
    | Rate
    | Break
    | Finish
)
Trial: TypeAlias = _Page | Practice
TimelineItem: TypeAlias = Annotated[_Page | Block, Field(discriminator="kind")]
Block.model_rebuild()


# ---------------------------------------------------------------------------------------------- the study


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
    codebooks: tuple[Codebook, ...] = ()
    """Categories for free texts, for the coder's desk."""
    texts: dict[Language, dict[str, str]] = Field(default_factory=dict)
    """Built-in words to replace, or a whole new language: `language: {key: words}`."""
    timeline: tuple[TimelineItem, ...] = Field(min_length=1)
    """What participants go through, in order."""
    demonstration: bool = False
    """The stimuli are stand-ins made by code: every page and every report says so."""
    analysis: Plan | None = None
    """The declared analysis."""

    @property
    def scenarios(self) -> tuple[str, ...]:
        """The scenarios of the stimuli, in the order of the file."""
        return tuple(dict.fromkeys(one.scenario for one in self.stimuli if one.scenario is not None))

    @property
    def finish(self) -> Finish:
        return next(item for item in self.timeline if isinstance(item, Finish))

"""A study as frozen records: what `study.yaml` says, and nothing else. Parsed once by
`study.load`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Protocol, TypeAlias

from pydantic import Field, SerializeAsAny

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
from believable.study.bases import word_or as word_or
from believable.study.codebook import Codebook as Codebook
from believable.study.declaration import DeclaredPlan
from believable.study.nodes import Node
from believable.study.platforms import Recruit as Recruit
from believable.study.stimulus_draw import MatchedSlots, Slot

# ----------------------------------------------------------------------------------------------
# questions


class Question(Record):
    """One question. In the file its kind is a key: `{id: experience, prompt: …, likert: {points:
    5}}`.
    """

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
    """The questions come only when it was watched: to the end and, where people may jump, at least
    `watched_share` of it.
    """
    watched_share: float = Field(default=0.9, gt=0, le=1)
    """How much of it has to be seen, with `must_finish` and `seek`."""
    volume: bool = True
    """People may change the volume."""
    speeds: tuple[Annotated[float, Field(ge=0.25, le=600)], ...] = Field(default=(1,), min_length=1)
    """The speeds people may choose from; videos go up to 16."""
    speed: float | None = None
    """The speed it begins with, one of `speeds`; the first where it is left out."""
    first_speed_limit: float | None = Field(default=None, ge=0.25, le=600)
    """The fastest speed of the first viewing. Faster ones can be chosen once it was watched: to the
    end, and at least `watched_share` of it.
    """
    zoom: bool = False
    """People may zoom into a recording and follow one of its figures."""
    follow: bool = False
    """The picture of a recording begins near its first figure and goes with it."""

    @property
    def first_speed(self) -> float:
        return self.speeds[0] if self.speed is None else self.speed

    @property
    def fastest_first(self) -> float:
        """The fastest speed that people can choose in the first viewing."""
        fastest = max(self.speeds)
        return fastest if self.first_speed_limit is None else min(fastest, self.first_speed_limit)


class StimulusFilter(Record):
    """Any stimulus of this condition, this scenario, or both."""

    condition: Id | None = None
    """Of this condition."""
    scenario: Id | None = None
    """Of this scenario."""


class Annotation(Record):
    """What people do all the time while they watch. In the file its kind is a key: `annotate:
    {ranktrace: {}}`.
    """

    kind: str
    params: SerializeAsAny[Record]
    prompt: Text | None = None
    """What is to be judged from moment to moment, shown while watching."""
    min_inputs: int = Field(default=0, ge=0)
    """How many inputs there must be before the page can be left; needs `controls: {replay:
    true}`.
    """


# ----------------------------------------------------------------------------------------------
# trials

Outcome: TypeAlias = Literal["complete", "screened_out", "failed_checks", "declined"]


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """An answer that no question of the page asks for: a consent box, a score. `values` where they
    can be listed.
    """

    name: str
    about: str
    type: Literal["number", "string"]
    values: str | None = None
    prompt: Text | None = None


@dataclass(frozen=True, slots=True)
class WantedStimuli:
    """What a page wants to show: one `stimulus`, or `several`; each settled, or a slot that waits
    for the draw.
    """

    stimulus: str | Slot | None
    several: tuple[str | Slot, ...] | MatchedSlots = ()


class StimulusChoice(Protocol):
    """What a page may choose from while a plan is made."""

    @property
    def key(self) -> str:
        """The key of the page in the plan."""

    @property
    def settled(self) -> str | Slot | None:
        """The stimulus that the blocks around have settled."""

    @property
    def scenarios(self) -> Mapping[str, frozenset[str]]:
        """Scenario → its stimuli."""

    def fitting(self, condition: str | None, scenario: str | None) -> tuple[str, ...]:
        """The stimuli that fit this and the blocks around."""

    def open_to(self, wanted: StimulusFilter) -> tuple[str, ...]:
        """The stimuli that fit a filter; what it leaves open the blocks around settle."""


class TrialBase(Record):
    """A page of the timeline, or a block of them. What one kind of page knows about itself, the
    others have by default.
    """

    #: Fields that are no keys of the file.
    hidden_keys: ClassVar[frozenset[str]] = frozenset({"kind"})
    #: Key that holds the right answer to the question in another key: read as that question's
    #: instrument keeps it.
    answer_keys: ClassVar[Mapping[str, str]] = {}
    #: The instrument it is annotated with, where the author does not choose.
    annotates_with: ClassVar[str | None] = None
    #: Keys that say which stimuli are wanted; the first that is written is where a shortage is
    #: reported.
    stimulus_keys: ClassVar[tuple[str, ...]] = ()
    #: Whether it plays stimuli of the study.
    plays_stimuli: ClassVar[bool] = False
    #: Whether a later page can be about what was watched here.
    can_be_rated: ClassVar[bool] = False
    #: Whether it is the end of the study.
    is_end: ClassVar[bool] = False
    #: Whether authors write it into the timeline.
    in_file: ClassVar[bool] = True
    #: Whether the author has to choose its id, because answers are filed under it.
    named: ClassVar[bool] = False
    #: Whether participants may decline it, which ends their session.
    can_decline: ClassVar[bool] = False

    id: Id
    """Name of the trial in the data and in rules. Made from the kind where it is left out; forms
    and checks need one.
    """
    skip_if: Rule | None = None
    """Passed over when this rule holds."""
    kind: str

    @classmethod
    def form_for(cls, written: Node | None) -> type[TrialBase]:
        """The record that an entry of the file is read into: a kind may have further keys,
        depending on one of them. Nothing written: with all that there are.
        """
        return cls

    @property
    def stands_for(self) -> tuple[TrialBase, ...]:
        """The trials that one entry of the file means."""
        return (self,)

    @property
    def all_questions(self) -> tuple[Question, ...]:
        """All questions as the author wrote them, shown or not, in order."""
        return ()

    @property
    def page_questions(self) -> tuple[Question, ...]:
        """The questions as they stand on the page."""
        return self.all_questions

    @property
    def repeated_questions(self) -> tuple[Question, ...]:
        """Those that are asked more than once on the page, under ids of their own."""
        return ()

    def question_and_player(self, name: str) -> tuple[str, int | None]:
        """The author's id of a question of the page, and which of its players it is about, if one
        alone.
        """
        return name, None

    @property
    def page_answers(self) -> tuple[PageAnswer, ...]:
        """What is answered beside the questions."""
        return ()

    @property
    def right_answers(self) -> Mapping[str, Any]:
        """Question id → right answer, where there is one."""
        return {}

    @property
    def tries(self) -> int:
        """How often people may try to get it right."""
        return 1

    def is_right(self, question: str, answer: Any) -> bool | None:
        """Whether an answer is right; None where nothing is right or wrong."""
        return None

    @property
    def annotation(self) -> Annotation | None:
        """What is annotated on this page, if anything."""
        return None

    @property
    def practice_page(self) -> TrialBase | None:
        """The practice that belongs before this page, should it be the first with its
        annotation.
        """
        return None

    @property
    def practises(self) -> str | None:
        """The annotating instrument that this page is the practice of."""
        return None

    @property
    def player_controls(self) -> Controls | None:
        """What people may do with the players of this page; None where it has none."""
        return None

    @property
    def player_labels(self) -> tuple[str, ...]:
        """The names of its players, where they have some (A, B, …)."""
        return ()

    @property
    def opens_beside(self) -> tuple[str, ...]:
        """What may be opened beside its player: `plan`, `log`."""
        return ()

    @property
    def rated_turn(self) -> int | None:
        """Which of those that it is about, by the order of watching, where it is about one of
        several.
        """
        return None

    @property
    def medium_ms(self) -> int:
        """Length of what it plays that is no stimulus of the study."""
        return 0

    @property
    def plays_round(self) -> Literal["round", "practice"] | None:
        """Whether a game is played here: a round, which a later page can show, or a practice of
        it.
        """
        return None

    @property
    def shown_round(self) -> str | None:
        """The id of the play trial whose round this page shows, if it shows one."""
        return None

    @property
    def shown_turn(self) -> int | None:
        """Which of the rounds of that trial; None for the latest."""
        return None

    @property
    def takes_any(self) -> bool:
        """Whether it leaves the choice of its stimulus to the blocks around."""
        return False

    def wanted(self, choice: StimulusChoice) -> WantedStimuli:
        """The stimuli this page shows; a page without any is about what the blocks around have
        settled.
        """
        return WantedStimuli(choice.settled)

    def is_about(self, other: TrialBase) -> bool:
        """Whether this page asks about what was watched on the other."""
        return False

    @property
    def reminds_of(self) -> str | None:
        """The id of an earlier page whose words are at hand here once an answer was wrong."""
        return None

    def about_watched(self, stimuli: Sequence[str]) -> TrialBase:
        """This page, given the stimuli of the pages it is about, in order: what it asks may depend
        on them.
        """
        return self

    @property
    def ending(self) -> Outcome | None:
        """How a session ends that fails here; None: it goes on."""
        return None

    @property
    def completion_codes(self) -> Mapping[str, str]:
        """Outcome → what the last page shows as a code, `auto` for one that is made."""
        return {}

    def own_address(self, outcome: str) -> str | None:
        """The author's own address to send people to who end like this."""
        return None

    @property
    def platform(self) -> str | None:
        """The recruiting platform that people are sent back to."""
        return None


class WordedPage(TrialBase):
    """A page that begins with words of the author's."""

    title: Text | None = None
    """Heading."""
    text: Text | None = None
    """Markdown above what is shown or asked."""


# ----------------------------------------------------------------------------------------------
# order


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

    With `over`, `each` is run once per level of that factor (`condition`, `scenario`, `stimulus`),
    the level holding for everything inside. Without it, the items of `each` are themselves what is
    ordered and sampled. `sample` takes that many levels (or items); `repeat` runs the whole block
    again, drawing anew.
    """

    hidden_keys = frozenset({"kind", "pause"})

    kind: Literal["block"] = "block"
    order: Literal["fixed", "random", "latin_square"] = "fixed"
    """`fixed` as written, `random` anew for each session, `latin_square` balanced over sessions (a
    Williams design).
    """
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
    each: tuple[SerializeAsAny[TrialBase], ...] = Field(min_length=1)
    """The trials and blocks inside."""
    pause: SerializeAsAny[TrialBase] | None = None
    """The page that `breaks` stands for, put in when the file is read."""


# ---------------------------------------------------------------------------------------------- the
# study


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
    measures: dict[Id, float] = Field(default_factory=dict)
    """What was measured in what it shows, by name: how smoothly somebody moves, say. Analyses put
    it beside judgements.
    """

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
    """What happens to a session that was left: go on at the same `trial`, `restart`, or
    `forbid`.
    """
    reservation_minutes: int = Field(default=120, ge=1)
    """How long a session that was left keeps its place in the balance."""
    recruit: Recruit = Recruit()
    """Where participants come from."""
    codebooks: tuple[Codebook, ...] = ()
    """Categories for free texts, for the coder's desk."""
    texts: dict[Language, dict[str, str]] = Field(default_factory=dict)
    """Built-in words to replace, or a whole new language: `language: {key: words}`."""
    timeline: tuple[SerializeAsAny[TrialBase], ...] = Field(min_length=1)
    """What participants go through, in order."""
    demonstration: bool = False
    """The stimuli were made for demonstration, not as material of a study: every page and every
    report says so.
    """
    analysis: DeclaredPlan | None = None
    """The declared analysis."""

    @property
    def scenarios(self) -> tuple[str, ...]:
        """The scenarios of the stimuli, in the order of the file."""
        return tuple(
            dict.fromkeys(
                stimulus.scenario for stimulus in self.stimuli if stimulus.scenario is not None
            )
        )


# ----------------------------------------------------------------------------------------------
# timeline in order


@dataclass(frozen=True, slots=True)
class Entry:
    """`blocks` are the blocks around the item, outermost first."""

    item: TrialBase
    blocks: tuple[Block, ...]


def outline(items: Sequence[TrialBase], around: tuple[Block, ...] = ()) -> Iterator[Entry]:
    for item in items:
        yield Entry(item, around)
        if isinstance(item, Block):
            yield from outline(item.each, (*around, item))


# ----------------------------------------------------------------------------------------------
# questions about clips

#: Between the author's id and the number of the clip. No id of the file has it.
_CLIP_MARK = "-"


def clip_id(question: str, clip: int) -> str:
    """`rating`, 1 → `rating-1`. Clips count from 0, in the order of the page."""
    return f"{question}{_CLIP_MARK}{clip}"


def clip_of(question: str) -> tuple[str, int | None]:
    """`rating-1` → `rating`, 1; a question about the whole page has no clip.

    >>> clip_of("rating-1"), clip_of("favourite")
    (('rating', 1), ('favourite', None))
    """
    name, mark, clip = question.rpartition(_CLIP_MARK)
    return (name, int(clip)) if mark and clip.isdecimal() else (question, None)

"""A page of the timeline as the study file has it, and as it is planned for one session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Protocol, TypeAlias

from pydantic import Field, SerializeAsAny

from believable.contracts.page_parts import Closing, OwnRound, PagePlayer, Quiz
from believable.contracts.record import Id, Record, Rule, Text
from believable.core.nodes import Node


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a plan that waits for a stimulus.

    `owner` is the id of the trial or block that asked for it; `in_order` groups slots whose stimuli
    are in file order. `again`: without an unused stimulus, it takes one that the session has shown.
    """

    key: str
    owner: str
    allowed: tuple[str, ...]
    in_order: str | None = None
    again: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class MatchedSlots:
    """Slots that are filled from one scenario together. `options` holds them narrowed to each
    scenario that has enough.
    """

    key: str
    owner: str
    options: tuple[tuple[Slot, ...], ...]


class Question(Record):
    """One question. In the file its kind is a key: `{id: experience, prompt: …, likert: {points:
    5}}`.
    """

    id: Id
    """Name of the question in the data; unique on its page. May be left out in a check."""
    kind: str
    params: SerializeAsAny[Record]
    prompt: Text | None = None
    """The questions."""
    help: Text | None = None
    """Small print below."""
    required: bool = True
    """Whether the page waits for an answer."""
    show_if: Rule | None = None
    """Shown only when this rule holds."""


class StimulusFilter(Record):
    """Any stimulus of this condition, this scenario, or both."""

    condition: Id | None = None
    """Of this condition."""
    pair: Literal["first", "second"] | None = None
    """Of the first or the second condition of the pair that a block `over: pair` has settled."""
    scenario: Id | None = None
    """Of this scenario."""


class Annotation(Record):
    """The annotation while watching. In the file its kind is a key: `annotate: {ranktrace: {}}`."""

    kind: str
    params: SerializeAsAny[Record]
    prompt: Text | None = None
    """The quality to judge from moment to moment, shown while watching."""
    min_inputs: int = Field(default=0, ge=0)
    """How many inputs there must be before the page can be left; needs `controls: {replay:
    true}`.
    """


Outcome: TypeAlias = Literal["complete", "screened_out", "failed_checks", "declined"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAnswer:
    """An answer that no question of the page asks for: a consent box, a score. `values` if they can
    be listed.
    """

    name: str
    about: str
    type: Literal["number", "string"]
    values: str | None = None
    prompt: Text | None = None


@dataclass(frozen=True, slots=True)
class WantedStimuli:
    """The stimuli that a page shows: one `stimulus`, or `several`; each chosen, or a slot that
    waits for the draw.
    """

    stimulus: str | Slot | None
    several: tuple[str | Slot, ...] | MatchedSlots = ()


class StimulusChoice(Protocol):
    """The stimuli that a page may choose from while a plan is made."""

    @property
    def key(self) -> str:
        """The key of the page in the plan."""

    @property
    def settled_stimulus(self) -> str | Slot | None:
        """The stimulus that the blocks around have settled."""

    @property
    def scenarios(self) -> Mapping[str, frozenset[str]]:
        """Scenario, or pair of one if its stimuli have pairs → its stimuli."""

    def fitting(self, condition: str | None, scenario: str | None) -> tuple[str, ...]:
        """The stimuli that fit this and the blocks around."""

    def open_to(self, wanted: StimulusFilter) -> tuple[str, ...]:
        """The stimuli that fit a filter; the enclosing blocks decide everything it leaves open, and
        name the conditions of a pair.
        """


class TrialBase(Record):
    """A page of the timeline, or a block of them. Properties of one kind of page have a default in
    the others.
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
    #: Whether a later page can ask about stimuli that were watched here.
    can_be_rated: ClassVar[bool] = False
    #: Whether authors write it into the timeline.
    in_file: ClassVar[bool] = True
    #: Whether the author has to choose its id, because answers are filed under it.
    named: ClassVar[bool] = False

    id: Id
    """Name of the trial in the data and in rules. Made from the kind by default; forms and checks
    need one.
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
    def arms_read(self) -> frozenset[str]:
        """The arms on which its keys depend; rules are not counted."""
        return frozenset()

    @property
    def all_questions(self) -> tuple[Question, ...]:
        """All questions as the author wrote them, shown or not, in order."""
        return ()

    @property
    def page_questions(self) -> tuple[Question, ...]:
        """The questions in the order of the page."""
        return self.all_questions

    @property
    def repeated_questions(self) -> tuple[Question, ...]:
        """Questions that occur more than once on the page, under separate ids."""
        return ()

    def question_and_player(self, name: str) -> tuple[str, int | None]:
        """The author's id of a question of the page, and which of its players it is about, if one
        alone.
        """
        return name, None

    @property
    def page_answers(self) -> tuple[PageAnswer, ...]:
        """The answers in addition to the questions."""
        return ()

    @property
    def annotation(self) -> Annotation | None:
        """The annotation of this page, if any."""
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
    def rated_turn(self) -> int | None:
        """Which of several earlier pages it asks about, by the order of watching."""
        return None

    @property
    def plays_round(self) -> Literal["round", "practice"] | None:
        """Whether a game is played here: a round, which a later page can show, or a practice of
        it.
        """
        return None

    @property
    def takes_any(self) -> bool:
        """Whether it leaves the choice of its stimulus to the blocks around."""
        return False

    @property
    def player(self) -> PagePlayer:
        """The player of this page, or its players."""
        return PagePlayer()

    @property
    def quiz(self) -> Quiz:
        """The right answers of this page, if its questions have some."""
        return Quiz()

    @property
    def own_round(self) -> OwnRound | None:
        """The participant's own round that this page shows."""
        return None

    @property
    def closing(self) -> Closing | None:
        """The end of the study, if this is its last page."""
        return None

    def request_stimuli(self, choice: StimulusChoice) -> WantedStimuli:
        """The stimuli this page shows; a page without any uses those of the enclosing blocks."""
        return WantedStimuli(choice.settled_stimulus)

    def is_about(self, other: TrialBase) -> bool:
        """Whether this page asks about stimuli that were watched on the other."""
        return False

    def about_watched(self, stimuli: Sequence[str]) -> TrialBase:
        """This page, given the stimuli of the pages it asks about, in order: its questions may
        depend on them.
        """
        return self

    @property
    def ending(self) -> Outcome | None:
        """The end of a session that fails here; None: it continues."""
        return None


class WordedPage(TrialBase):
    """A page that begins with words of the author's."""

    title: Text | None = None
    """Heading."""
    text: Text | None = None
    """Markdown above the content of the page."""


class Pauses(Record):
    """A break after every `every` passes of a block (never after the last)."""

    every: int = Field(ge=1)
    """The number of passes before each one."""
    text: Text | None = None
    """Markdown to show."""
    at_least_s: int = Field(default=0, ge=0, le=3600)
    """Seconds before people can continue."""


class Block(TrialBase):
    """Part of the timeline with a separate order.

    With `over`, `each` is run once per level of that factor (`condition`, `scenario`, `stimulus`,
    or `pair` of conditions), the level holding for everything inside. Without it, the items of
    `each` are themselves ordered and sampled. `sample` takes that many levels (or items); `repeat`
    runs the whole block again, with a new draw.
    """

    hidden_keys = frozenset({"kind", "pause"})

    kind: Literal["block"] = "block"
    order: Literal["fixed", "random", "latin_square"] = "fixed"
    """`fixed` as written, `random` for each session, `latin_square` balanced over sessions (a
    Williams design).
    """
    over: Literal["condition", "scenario", "stimulus", "pair"] | None = None
    """What to run over; without it the entries of `each` are ordered. Inside a block over pairs,
    `{pair: first}` and `{pair: second}` mean the two conditions.
    """
    pairs: Literal["all", "star", "listed"] = "all"
    """Over pairs: all pairs of conditions; a `star`, the `center` with each other one; or those
    that `levels` lists. With `order: latin_square` and `sample`, each pair is shown equally often.
    """
    center: Id | None = None
    """The condition that a star compares with each other one, such as people."""
    levels: tuple[str, ...] | None = None
    """Only these levels, in this order; all without it. Pairs are written `first-second`."""
    sample: int | None = Field(default=None, ge=1)
    """The number to take."""
    repeat: int = Field(default=1, ge=1, le=1000)
    """How often the whole block runs."""
    breaks: Pauses | None = None
    """Pauses between passes."""
    each: tuple[SerializeAsAny[TrialBase], ...] = Field(min_length=1)
    """The trials and blocks inside."""
    pause: SerializeAsAny[TrialBase] | None = None
    """The page behind `breaks`, inserted when the file is read."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTrial:
    """One page of one participant's session. `key` is unique in the plan, e.g. `pairs.2.watch`;
    `position` counts from 0.

    `condition`, `scenario` and `stimulus_id` are the choices of the enclosing blocks and the draw;
    they never reach the browser. `stimulus_ids` are the stimuli of a page with several players, in
    the order of the page (A, B, …). `skip_if` holds the rules of the trial and of all enclosing
    blocks: one that holds skips the trial.
    """

    position: int
    key: str
    trial: TrialBase
    condition: str | None
    scenario: str | None
    stimulus_id: str | None
    skip_if: tuple[Rule, ...]
    stimulus_ids: tuple[str, ...] = ()

    @property
    def turn(self) -> int:
        """The repetition of the innermost enclosing block that the page belongs to, from 1; 1
        outside blocks.
        """
        return turn_of(self.key)

    @property
    def played_stimuli(self) -> tuple[str, ...]:
        """The stimuli that the page plays, in the order of its players."""
        if self.stimulus_ids or not self.trial.plays_stimuli or self.stimulus_id is None:
            return self.stimulus_ids
        return (self.stimulus_id,)


def turn_of(key: str) -> int:
    """The number before the page's own name in its key: 2 of `rounds.2.round`."""
    numbers = [part for part in key.split(".")[:-1] if part.isdecimal()]
    return int(numbers[-1]) if numbers else 1

"""Two or more stimuli side by side, then questions about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Annotated, Any, Literal

from pydantic import Field, Tag

from believable.contracts.controls import Controls
from believable.contracts.instrument import InvalidAnswer
from believable.contracts.page import (
    PageJudging,
    PageKind,
    PageLooks,
    ShownPage,
    SimulatedVisit,
    StudyChecks,
)
from believable.contracts.page_parts import PagePlayer
from believable.contracts.record import BY_SHAPE, Rule, Text
from believable.contracts.submission import OpenPage, unseen_reason, watched_enough
from believable.contracts.trial import (
    Entry,
    MatchedSlots,
    Question,
    Slot,
    StimulusChoice,
    StimulusFilter,
    WantedStimuli,
    WordedPage,
)
from believable.pages.message import seen_part
from believable.pages.player_checks import check_several
from believable.pages.rate import TWO_SIDED
from believable.study.reading import Reading
from believable.study.records import clip_id, clip_of

STYLE = "/static/pages/compare/page.css"


class ClipsPage(WordedPage):
    """A page with several players, questions about each of their clips, and about the whole
    page.
    """

    rate: tuple[Question, ...] = ()
    """Questions about each clip."""
    ask: tuple[Question, ...] = ()
    """Questions about the whole page, at its end."""

    @property
    def size(self) -> int:
        """The number of players."""
        raise NotImplementedError

    @property
    def all_questions(self) -> tuple[Question, ...]:
        return (*self.rate, *self.ask)

    @property
    def repeated_questions(self) -> tuple[Question, ...]:
        return self.rate

    @property
    def page_questions(self) -> tuple[Question, ...]:
        """Clip by clip, each question under a separate id; then those about the whole page."""
        about_clips = [
            self._about_clip(question, clip) for clip in range(self.size) for question in self.rate
        ]
        return (*about_clips, *self.ask)

    def _about_clip(self, question: Question, clip: int) -> Question:
        rule = question.show_if and self._rule_of_clip(question.show_if, clip)
        return question.model_copy(update={"id": clip_id(question.id, clip), "show_if": rule})

    def _rule_of_clip(self, rule: Rule, clip: int) -> Rule:
        """A rule on another question about the clip looks at the answer for the same clip."""
        trial, _, rest = (rule.answer or "").partition(".")
        question, dot, item = rest.partition(".")
        if trial != self.id or question not in [rating.id for rating in self.rate]:
            return rule
        return rule.model_copy(update={"answer": f"{trial}.{clip_id(question, clip)}{dot}{item}"})

    def question_and_player(self, name: str) -> tuple[str, int | None]:
        return clip_of(name)


class Compare(ClipsPage):
    """Two or more stimuli side by side (A, B, …), then questions about them. Positions are drawn
    for each session.

    What an entry of `of` leaves open is settled by the blocks around. No stimulus is shown twice in
    a session, unless `repeats` allows it.
    """

    stimulus_keys = ("of", "match")
    plays_stimuli = True

    kind: Literal["compare"] = "compare"
    of: tuple[
        Annotated[
            Annotated[str, Tag("word")] | Annotated[StimulusFilter, Tag("mapping")], BY_SHAPE
        ],
        ...,
    ] = Field(min_length=2, max_length=4)
    """The stimuli to compare: for each player `{condition: …, scenario: …}`, or the id of a
    stimulus."""
    match: Literal["scenario", "none"] = "scenario"
    """Whether all show the same scenario; of stimuli with a `pair`, the same pair of it."""
    playback: Literal["independent", "together"] = "independent"
    """Each with separate controls, one playing at a time; or all at the same time with common
    controls.
    """
    watch: Literal["all", "any"] = "all"
    """The players to watch before the questions appear (with `controls: {must_finish: true}`)."""
    controls: Controls = Controls()
    """The controls of the players."""
    watermark: Text | None = None
    """A text on every picture, such as a restriction of its use."""
    repeats: bool = False
    """Whether a stimulus may be shown again in a session once no other is left for its player."""

    @property
    def size(self) -> int:
        return len(self.of)

    @property
    def player(self) -> PagePlayer:
        labels = tuple(ascii_uppercase[: len(self.of)])
        return PagePlayer(controls=self.controls, labels=labels)

    def request_stimuli(self, choice: StimulusChoice) -> WantedStimuli:
        """In the order of the file: settled, drawn freely, or drawn from one scenario."""
        pools = [
            (stimulus,) if isinstance(stimulus, str) else choice.open_to(stimulus)
            for stimulus in self.of
        ]
        if self.match == "none" or all(isinstance(stimulus, str) for stimulus in self.of):
            slots = (
                Slot(f"{choice.key}.{number}", self.id, names, again=self.repeats)
                for number, names in enumerate(pools)
            )
            places = zip(self.of, slots, strict=True)
            return WantedStimuli(
                None,
                tuple(stimulus if isinstance(stimulus, str) else slot for stimulus, slot in places),
            )
        options = [
            tuple(
                Slot(f"{choice.key}.{number}", self.id, tuple(names), again=self.repeats)
                for number, names in enumerate(fitting)
            )
            for fitting in _by_group(pools, choice.scenarios)
        ]
        full = tuple(option for option in options if all(slot.allowed for slot in option))
        return WantedStimuli(None, MatchedSlots(choice.key, self.id, full))


def _by_group(
    pools: Sequence[Sequence[str]], groups: Mapping[str, frozenset[str]]
) -> list[list[list[str]]]:
    """The stimuli of each pool that belong to each group."""
    group_of = {name: number for number, names in enumerate(groups.values()) for name in names}
    fitting: list[list[list[str]]] = [[[] for _ in pools] for _ in groups]
    for number, names in enumerate(pools):
        for name in names:
            if name in group_of:
                fitting[group_of[name]][number].append(name)
    return fitting


def _check(reading: Reading, entry: Entry, entries: Sequence[Entry]) -> None:
    compare, place = entry.item, reading.place(entry.item)
    assert isinstance(compare, Compare)
    check_several(reading, entry, list(zip(compare.of, place.get("of") or (), strict=False)))
    if reading.is_broken(place.path):
        return
    _check_scenarios(reading, compare)
    for question in compare.rate:
        if question.kind == TWO_SIDED:
            reading.report(
                reading.place(question),
                "a preference is between two, not about one.",
                "Put it in `ask`.",
            )
    for question in compare.ask:
        if question.kind == TWO_SIDED and len(compare.of) != 2:
            message = f"a preference is between two, here are {len(compare.of)}."
            reading.report(
                reading.place(question), message, "Use `choice` with an option for each."
            )


def _check_scenarios(reading: Reading, compare: Compare) -> None:
    """Where one scenario has to be common to all, stimuli need to have one."""
    if compare.match == "none":
        return
    place = reading.place(compare)
    by_id = {stimulus.id: stimulus.scenario for stimulus in reading.study.stimuli}
    named = {
        by_id[stimulus]
        for stimulus in compare.of
        if isinstance(stimulus, str) and stimulus in by_id
    }
    asked = {
        stimulus.scenario
        for stimulus in compare.of
        if isinstance(stimulus, StimulusFilter) and stimulus.scenario
    }
    if len(named | asked) > 1:
        message = "the players show different scenarios, but `match: scenario` wants the same."
        reading.report(
            place.get("of") or place,
            message,
            "Choose stimuli of one scenario, or write `match: none`.",
        )
    elif not reading.study.scenarios and not all(
        isinstance(stimulus, str) for stimulus in compare.of
    ):
        message = "`match: scenario`, but no stimulus has a scenario."
        reading.report(
            place.get("match") or place,
            message,
            "Give stimuli a `scenario`, or write `match: none`.",
        )


def _missing(compare: Compare, page: OpenPage) -> InvalidAnswer | None:
    if compare.watch == "all":
        return unseen_reason(compare, page)
    watched = any(watched_enough(compare.controls, seen) for seen in page.seen_players)
    return None if watched else InvalidAnswer("error.watch")


def layout(page: ShownPage, *, together: bool = False, watch: str = "all") -> dict[str, Any]:
    """`watch` says after which views the questions appear, `each` which parts of each player were
    seen before a reload.
    """
    each = [seen_part(player).model_dump() for player in page.seen]
    return {"several": {"together": together, "watch": watch, "each": each}}


COMPARE = PageKind(
    name="compare",
    record=Compare,
    folder=Path(__file__).parent,
    checks=StudyChecks(entry=_check),
    judging=PageJudging(missing=_missing),
    looks=PageLooks(
        title=lambda compare: "compare.title",
        message=lambda compare, page: layout(
            page, together=compare.playback == "together", watch=compare.watch
        ),
        styles=lambda compare: (STYLE,),
        script_texts=("compare.",),
    ),
    visit=SimulatedVisit(go_through=lambda person, message: person.watch(message)),
    typical_ms=24_000,
)

"""One stimulus, then its questions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, Tag

from believable.contracts.controls import Controls
from believable.contracts.page import PageKind, PageLooks, SimulatedVisit, StudyChecks
from believable.contracts.page_parts import OwnRound, PagePlayer
from believable.contracts.record import BY_SHAPE, Id, Record
from believable.contracts.trial import (
    Annotation,
    Entry,
    Question,
    Slot,
    StimulusChoice,
    StimulusFilter,
    WantedStimuli,
    WordedPage,
)
from believable.pages.player_checks import ANY, check_controls, check_filter, has_stimuli
from believable.pages.practice import Practice, practice_before
from believable.study.checks.names import known_stimulus
from believable.study.reading import Reading
from believable.study.wording import unknown


class Overlay(Record):
    """The overlays that people may open next to a recording, or next to a video with an action
    log.
    """

    plan: bool = False
    """The plans of its figures, as a tree."""
    log: bool = False
    """What its figures did, line by line."""


class WatchedStimulus(StimulusFilter):
    """Any stimulus of this condition, this scenario, or both; or the round this participant played
    just before.
    """

    round: Id | None = None
    """Id of the play trial whose round is shown; then neither `condition` nor `scenario`."""
    turn: Annotated[int, Field(ge=1)] | None = None
    """With `round`: which of its rounds, where a block has it played several times; else the
    latest.
    """


class Watch(WordedPage):
    """One stimulus, then its questions. `any` takes one that fits the enclosing blocks, never the
    same twice in a session.
    """

    stimulus_keys = ("stimulus",)
    plays_stimuli = True
    can_be_rated = True

    kind: Literal["watch"] = "watch"
    stimulus: Annotated[
        Annotated[str, Tag("word")] | Annotated[WatchedStimulus, Tag("mapping")], BY_SHAPE
    ] = "any"
    """`any` that fits, the id of one, `{condition: …, scenario: …}`, or `{round: …}`: the
    participant's own round.
    """
    controls: Controls = Controls()
    """The controls of the player."""
    annotate: Annotation | None = None
    """Continuous annotation while watching: `{ranktrace: {…}}`, or another annotating kind."""
    practice: bool = True
    """Whether a short practice precedes the first use of the annotating kind in a session."""
    overlay: Overlay = Overlay()
    """Plan and log next to the player, each opened by the participant."""
    ask: tuple[Question, ...] = ()
    """Questions after watching."""

    @property
    def all_questions(self) -> tuple[Question, ...]:
        return self.ask

    @property
    def annotation(self) -> Annotation | None:
        return self.annotate

    @property
    def practice_page(self) -> Practice | None:
        return practice_before(self.annotate, self.practice)

    @property
    def player(self) -> PagePlayer:
        overlays = (which for which, there in self.overlay.model_dump().items() if there)
        return PagePlayer(controls=self.controls, overlays=tuple(overlays))

    @property
    def own_round(self) -> OwnRound | None:
        if not isinstance(self.stimulus, WatchedStimulus) or self.stimulus.round is None:
            return None
        return OwnRound(self.stimulus.round, self.stimulus.turn)

    @property
    def takes_any(self) -> bool:
        return self.stimulus == ANY

    def request_stimuli(self, choice: StimulusChoice) -> WantedStimuli:
        if self.own_round is not None:
            return WantedStimuli(None)  # the participant's own round, which does not exist yet
        if isinstance(self.stimulus, WatchedStimulus):
            allowed = choice.fitting(self.stimulus.condition, self.stimulus.scenario)
        elif not self.takes_any or choice.settled_stimulus is not None:
            return WantedStimuli(choice.settled_stimulus if self.takes_any else self.stimulus)
        else:
            allowed = choice.fitting(None, None)
        return WantedStimuli(Slot(choice.key, self.id, allowed))


def _check(reading: Reading, entry: Entry, entries: Sequence[Entry]) -> None:
    watch = entry.item
    assert isinstance(watch, Watch)
    _check_inputs(reading, watch)
    _check_stimulus(reading, watch)
    check_controls(reading, watch, (watch.stimulus,))
    if watch.own_round is not None and not reading.is_broken(reading.place(watch).path):
        _check_round(reading, entry, watch, watch.own_round.trial, entries)


def _check_stimulus(reading: Reading, watch: Watch) -> None:
    node = reading.place(watch).get("stimulus")
    if watch.own_round is not None:
        return
    if isinstance(watch.stimulus, StimulusFilter):
        check_filter(reading, watch.stimulus, node or reading.place(watch))
    elif not watch.takes_any and node is not None:
        known_stimulus(reading, watch.stimulus, node)
    else:
        has_stimuli(reading, node or reading.place(watch))


def _check_inputs(reading: Reading, watch: Watch) -> None:
    """A participant with too few annotations must be able to watch again."""
    needed = 0 if watch.annotate is None else watch.annotate.min_inputs
    place = reading.place(watch).get("annotate")
    if needed == 0 or watch.controls.replay or place is None or reading.is_broken(place.path):
        return
    message = f"min_inputs of {needed}, but who made too few cannot watch again."
    reading.report(place.get("min_inputs") or place, message, "Add `controls: {replay: true}`.")


def _check_round(
    reading: Reading, entry: Entry, watch: Watch, name: str, entries: Sequence[Entry]
) -> None:
    """A page that shows a round shows one that was played."""
    chosen, place = watch.stimulus, reading.place(watch)
    assert isinstance(chosen, WatchedStimulus)
    node = place.get("stimulus") or place
    where = node.get("round") or node
    if chosen.condition is not None or chosen.scenario is not None:
        reading.report(
            node, "a round has no other condition or scenario than its own.", "Keep `round` alone."
        )
    earlier = {other.item.id for other in takewhile(lambda other: other is not entry, entries)}
    everywhere = {other.item.id: other.item for other in entries if other.item.plays_round}
    if name not in everywhere:
        if name not in reading.doubtful and "*" not in reading.doubtful:
            reading.report(where, *unknown("play trial", name, everywhere))
    elif name not in earlier:
        reading.report(
            where, f"the round {name!r} is played later.", "Move the watch trial behind it."
        )
    elif everywhere[name].plays_round == "practice":
        cure = "Name a play trial without `practice`."
        reading.report(where, f"{name!r} is a practice, which is not recorded for watching.", cure)
    elif everywhere[name].skip_if is not None and watch.skip_if != everywhere[name].skip_if:
        cure = "Give the watch trial the same `skip_if`."
        reading.report(
            where, f"the round {name!r} may be skipped; then there is nothing to watch.", cure
        )
    if watch.player.overlays:
        message = "plan and log of one's own round are not shown."
        reading.report(place.get("overlay") or place, message, "Remove `overlay`.")


WATCH = PageKind(
    name="watch",
    record=Watch,
    folder=Path(__file__).parent,
    checks=StudyChecks(entry=_check),
    looks=PageLooks(
        title=lambda watch: "watch.title",
        message=lambda watch, page: {"overlay": watch.overlay.model_dump()},
        styles=lambda watch: ("/static/participant/overlay.css",) if watch.player.overlays else (),
    ),
    visit=SimulatedVisit(go_through=lambda person, message: person.watch(message)),
    typical_ms=14_000,
)

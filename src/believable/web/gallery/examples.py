"""What the gallery shows: an example per registered instrument and player, made from their records, and whole pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from believable.core.errors import NotFound
from believable.core.event_chain import EventKind
from believable.core.registry import did_you_mean
from believable.instruments import INSTRUMENTS
from believable.instruments.contract import AnswerColumn, Instrument
from believable.pages import PAGES
from believable.players import PLAYERS, SIGNAL
from believable.players.contract import Player
from believable.study.fields import as_yaml
from believable.study.records import Controls, Record

#: What is recorded where players stand; each event also carries the player's number.
_WATCHED = PLAYERS["replay"].records
_COMPARE = """\
of: [left, right]
match: none
controls: {must_finish: false, replay: true}
ask:
  - {id: which, prompt: Which looked more human?, preference: {}}
  - {id: why, prompt: Why?, long_text: {min_length: 10}}
  - {id: sure, prompt: How certain are you?, certainty: {}}
"""
_TOGETHER = """\
of: [left, right]
match: none
playback: together
ask:
  - {id: which, prompt: Which looked more human?, preference: {forced: true}}
"""
_GROUP = """\
clips: 2
controls: {must_finish: false, replay: true, max_views: 3}
rate:
  - {id: rating, prompt: Human or artificial?, clip_rating: {}}
  - {id: strength, prompt: How artificial?, likert: {points: 10}, show_if: {answer: rating, at_least: 4}}
  - {id: views, prompt: How often did you watch it?, number: {min: 1, max: 3}}
  - {id: comment, prompt: Comment, required: false, text: {}}
"""


@dataclass(frozen=True, slots=True)
class PageExample:
    """A kind of trial that is shown as it is."""

    name: str
    about: str
    params: type[Record]
    examples: tuple[str, ...]
    events: tuple[EventKind, ...]
    n_stimuli: int = 0


PAGE_EXAMPLES = (
    PageExample(
        "compare",
        "Two or more players side by side, then questions. Who stands where is drawn for each session.",
        PAGES["compare"].record,
        (_COMPARE, _TOGETHER),
        _WATCHED,
        n_stimuli=2,
    ),
    PageExample(
        "group",
        "Several clips on one page, each with the same questions beside it; views are counted.",
        PAGES["group"].record,
        (_GROUP,),
        _WATCHED,
        n_stimuli=2,
    ),
    PageExample(
        "device",
        "Whether sound and mouse wheel work: tones to count, a wheel to turn.",
        PAGES["device"].record,
        ("{}\n", "wheel: false\n"),
        (EventKind("device.tones", ("state",), "the tones were played; `state` of the browser's sound"),),
    ),
    PageExample(
        "qa",
        "A quality test of the annotator: a known signal, followed with RankTrace and scored by the server.",
        PAGES["qa"].record,
        ("test: visual\nduration_s: 20\npractice: false\n", "test: auditory\nduration_s: 20\npractice: false\n"),
        (*SIGNAL.records, *INSTRUMENTS["ranktrace"].streams),
    ),
)


ExampleGroup = Literal["instruments", "players", "pages"]

#: What people may do with a player while it is tried.
FREE = Controls(seek=True, replay=True, must_finish=False, speeds=(0.5, 1, 2, 8), speed=1, zoom=True, volume=True)

#: The instrument that reminds of what was watched: it stands on a page with players.
REMINDING = "preference"


@dataclass(frozen=True, slots=True)
class Example:
    """One page of the gallery. `examples` are parameters as an author would write them (YAML)."""

    group: ExampleGroup
    name: str
    version: int
    about: str
    params: type[Record]
    examples: tuple[str, ...]
    columns: tuple[AnswerColumn, ...]
    events: tuple[EventKind, ...]
    annotates: bool = False
    practises: bool = False
    #: So many stimuli are shown side by side.
    n_stimuli: int = 0

    @property
    def path(self) -> str:
        return f"/gallery/{self.group}/{self.name}"

    @property
    def use(self) -> str:
        if self.group != "instruments":
            return "player" if self.group == "players" else "page"
        return "annotates while watching" if self.annotates else "answers a question"


def example(group: str, name: str) -> Example:
    """By name, or NotFound with what is near."""
    shown = EXAMPLES.get((group, name))
    if shown is None:
        known = [known_name for other, known_name in EXAMPLES if other == group]
        raise NotFound(f"the gallery has no {group} {name!r}. {did_you_mean(name, known)}")
    return shown


def _instrument(instrument: Instrument[Any]) -> Example:
    return Example(
        group="instruments",
        name=instrument.name,
        version=instrument.version,
        about=instrument.about,
        params=instrument.params,
        examples=tuple(as_yaml(params) for params in instrument.examples),
        columns=instrument.records,
        events=instrument.streams,
        annotates=instrument.use == "annotate",
        practises=instrument.practice is not None,
        n_stimuli=1 if instrument.use == "annotate" else 2 if instrument.name == REMINDING else 0,
    )


def _player(player: Player) -> Example:
    strict = Controls(pause=False, volume=False)
    return Example(
        group="players",
        name=player.name,
        version=player.version,
        about=player.about,
        params=Controls,
        examples=(as_yaml(FREE), as_yaml(strict)),
        columns=(),
        events=player.records,
        n_stimuli=1,
    )


def _page(page: PageExample) -> Example:
    return Example(
        group="pages",
        name=page.name,
        version=1,
        about=page.about,
        params=page.params,
        examples=page.examples,
        columns=(),
        events=page.events,
        n_stimuli=page.n_stimuli,
    )


EXAMPLES: Mapping[tuple[str, str], Example] = {
    (shown.group, shown.name): shown
    for shown in (
        *(_instrument(instrument) for instrument in INSTRUMENTS),
        *(_player(player) for player in PLAYERS),
        *(_page(page) for page in PAGE_EXAMPLES),
    )
}

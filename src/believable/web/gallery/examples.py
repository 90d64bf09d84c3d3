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
    examples = as_yaml(FREE), as_yaml(Controls(pause=False, volume=False))
    return Example(
        "players", player.name, player.version, player.about, Controls, examples, (), player.records, n_stimuli=1
    )


def _page(
    name: str, about: str, examples: tuple[str, ...], events: tuple[EventKind, ...], n_stimuli: int = 0
) -> Example:
    """A kind of page that is shown as it is."""
    return Example("pages", name, 1, about, PAGES[name].record, examples, (), events, n_stimuli=n_stimuli)


PAGE_EXAMPLES = (
    _page(
        "compare",
        "Two or more players side by side, then questions. Who stands where is drawn for each session.",
        (_COMPARE, _TOGETHER),
        _WATCHED,
        2,
    ),
    _page(
        "group",
        "Several clips on one page, each with the same questions beside it; views are counted.",
        (_GROUP,),
        _WATCHED,
        2,
    ),
    _page(
        "device",
        "Whether sound and mouse wheel work: tones to count, a wheel to turn.",
        ("{}\n", "wheel: false\n"),
        (EventKind("device.tones", ("state",), "the tones were played; `state` of the browser's sound"),),
    ),
    _page(
        "qa",
        "A quality test of the annotator: a known signal, followed with RankTrace and scored by the server.",
        ("test: visual\nduration_s: 20\npractice: false\n", "test: auditory\nduration_s: 20\npractice: false\n"),
        (*SIGNAL.records, *INSTRUMENTS["ranktrace"].streams),
    ),
)

EXAMPLES: Mapping[tuple[str, str], Example] = {
    (shown.group, shown.name): shown
    for shown in (
        *(_instrument(instrument) for instrument in INSTRUMENTS),
        *(_player(player) for player in PLAYERS),
        *PAGE_EXAMPLES,
    )
}

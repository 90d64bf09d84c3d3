"""The content of the gallery: an example per registered instrument and player, made from their
records, and whole pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ruamel.yaml import YAML

from believable.contracts.controls import Controls
from believable.contracts.fields import as_yaml
from believable.contracts.instrument import AnswerColumn, Instrument
from believable.contracts.player import Player
from believable.contracts.record import Record
from believable.contracts.registries import INSTRUMENTS, PAGES, PLAYERS
from believable.core.errors import NotFound
from believable.core.event_chain import EventKind
from believable.core.registry import did_you_mean
from believable.players import SIGNAL

#: Events on a page with players; each event also carries the player's number.
_WATCHED = PLAYERS["replay"].records

ExampleGroup = Literal["instruments", "players", "pages"]

#: The controls of a player in the gallery.
FREE = Controls(
    seek=True,
    replay=True,
    must_finish=False,
    speeds=(0.5, 1, 2, 8),
    speed=1,
    zoom=True,
    volume=True,
)


@dataclass(frozen=True, slots=True, kw_only=True)
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
    #: The number of stimuli shown side by side.
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
    """Look up an example by name; raises NotFound with the nearest name."""
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
        n_stimuli=1 if instrument.use == "annotate" else 2 if instrument.reminds else 0,
    )


def _player(player: Player) -> Example:
    examples = as_yaml(FREE), as_yaml(Controls(pause=False, volume=False))
    return Example(
        group="players",
        name=player.name,
        version=player.version,
        about=player.about,
        params=Controls,
        examples=examples,
        columns=(),
        events=player.records,
        n_stimuli=1,
    )


#: Events on each kind of page that is shown unchanged.
_PAGE_EVENTS: Mapping[str, tuple[EventKind, ...]] = {
    "compare": _WATCHED,
    "group": _WATCHED,
    "device": (
        EventKind(
            "device.tones",
            ("state", "row", "attempt"),
            "a row of tones was played; `state` of the browser's sound",
        ),
    ),
    "qa": (*SIGNAL.records, *INSTRUMENTS[PAGES["qa"].record.annotates_with].streams),
}


def _pages() -> Iterator[Example]:
    for name, page in (
        YAML(typ="safe", pure=True).load(Path(__file__).with_name("page_examples.yaml")).items()
    ):
        record, examples, count = PAGES[name].record, tuple(page["examples"]), page["stimuli"]
        yield Example(
            group="pages",
            name=name,
            version=1,
            about=page["about"],
            params=record,
            examples=examples,
            columns=(),
            events=_PAGE_EVENTS[name],
            n_stimuli=count,
        )


EXAMPLES: Mapping[tuple[str, str], Example] = {
    (shown.group, shown.name): shown
    for shown in (
        *(_instrument(instrument) for instrument in INSTRUMENTS),
        *(_player(player) for player in PLAYERS),
        *_pages(),
    )
}

"""What the gallery shows: one exhibit per registered instrument and player, made from their records, and whole pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from believable.core.errors import NotFound
from believable.core.recorded import Recorded
from believable.core.registry import did_you_mean
from believable.instruments import INSTRUMENTS
from believable.instruments.contract import Column, Instrument
from believable.players import PLAYERS
from believable.players.contract import Player
from believable.study.records import Controls, Record
from believable.study.written import as_yaml
from believable.web.gallery.whole import PAGES, WholePage

Group = Literal["instruments", "players", "pages"]

#: What people may do with a player while it is tried.
FREE = Controls(
    seek=True, replay=True, must_finish=False, speeds=(0.5, 1, 2, 8), speed=1, zoom=True, volume=True
)

#: The instrument that reminds of what was watched: it stands on a page with players.
REMINDING = "preference"


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One page of the gallery. `examples` are parameters as an author would write them (YAML)."""

    group: Group
    name: str
    version: int
    about: str
    params: type[Record]
    examples: tuple[str, ...]
    columns: tuple[Column, ...]
    events: tuple[Recorded, ...]
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


def exhibit(group: str, name: str) -> Exhibit:
    """By name, or NotFound with what is near."""
    found = EXHIBITS.get((group, name))
    if found is None:
        known = [one for other, one in EXHIBITS if other == group]
        raise NotFound(f"the gallery has no {group} {name!r}. {did_you_mean(name, known)}")
    return found


def _instrument(one: Instrument[Any]) -> Exhibit:
    return Exhibit(
        group="instruments",
        name=one.name,
        version=one.version,
        about=one.about,
        params=one.params,
        examples=tuple(as_yaml(params) for params in one.examples),
        columns=one.records,
        events=one.streams,
        annotates=one.use == "annotate",
        practises=one.practice is not None,
        n_stimuli=1 if one.use == "annotate" else 2 if one.name == REMINDING else 0,
    )


def _player(one: Player) -> Exhibit:
    strict = Controls(pause=False, volume=False)
    return Exhibit(
        group="players",
        name=one.name,
        version=one.version,
        about=one.about,
        params=Controls,
        examples=(as_yaml(FREE), as_yaml(strict)),
        columns=(),
        events=one.records,
        n_stimuli=1,
    )


def _page(one: WholePage) -> Exhibit:
    return Exhibit(
        group="pages",
        name=one.name,
        version=1,
        about=one.about,
        params=one.params,
        examples=one.examples,
        columns=(),
        events=one.events,
        n_stimuli=one.n_stimuli,
    )


EXHIBITS: Mapping[tuple[str, str], Exhibit] = {
    (one.group, one.name): one
    for one in (
        *(_instrument(one) for one in INSTRUMENTS),
        *(_player(one) for one in PLAYERS),
        *(_page(one) for one in PAGES),
    )
}

"""The tables of rounds that were played: their setup, every input that was applied, and telemetry
tick by tick.

Only bundles of studies with play trials have them. The recordings are next to it, as files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from believable.bundle.tables import BundleTable, Cell, Field, declare_table
from believable.contracts.inputs import InputChange, InputSchema
from believable.contracts.registries import WORLDS
from believable.contracts.trial import PlannedTrial, outline
from believable.contracts.world import Playable, WorldColumn
from believable.core.errors import InvalidInput
from believable.recordings import file
from believable.study.definition import Definition
from believable.worlds.play_trial import Play

Row = dict[str, Cell]


def tables_of(worlds: Sequence[Playable[Any, Any]]) -> tuple[BundleTable, ...]:
    """The tables of rounds in these worlds. A column that only some of them have is empty in the
    others.
    """
    pace = " or ".join(
        dict.fromkeys(
            "what its setup says" if callable(world.tick_hz) else str(world.tick_hz)
            for world in worlds
        )
    )
    return (
        declare_table("rounds", pace, setup=_join([world.tabular.setup for world in worlds])),
        declare_table(
            "round_inputs",
            inputs=_join(
                [_input_columns(schema) for world in worlds for schema in world.seats.values()]
            ),
        ),
        declare_table(
            "telemetry", pace, measured=_join([world.tabular.telemetry for world in worlds])
        ),
    )


#: Types of columns by the kind of a part; numbers otherwise.
_INPUT_TYPES: Mapping[str, Literal["boolean", "string"]] = {"trigger": "boolean", "text": "string"}


def _input_columns(schema: InputSchema) -> tuple[WorldColumn, ...]:
    return tuple(
        WorldColumn(part.name, _INPUT_TYPES.get(part.kind, "integer"), part.about)
        for part in schema.parts
    )


def _join(columns: Sequence[Sequence[WorldColumn]]) -> Iterator[Field]:
    """Every column once, in the order of the worlds."""
    by_name: dict[str, list[WorldColumn]] = {}
    for column in (column for world in columns for column in world):
        by_name.setdefault(column.name, []).append(column)
    for name, same in by_name.items():
        if len({column.type for column in same}) > 1:
            kinds = " and ".join(sorted({column.type for column in same}))
            raise InvalidInput(
                f"the column {name!r} is {kinds} in worlds of one bundle. Give it two names."
            )
        required = len(same) == len(columns) and all(column.required for column in same)
        yield Field(name=name, type=same[0].type, about=same[0].about, required=required)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRecord:
    """A stored round. `setup` is JSON; `recording` the bytes of its replay file if it was played to
    its end.
    """

    position: int
    run: int
    attempt: int
    setup: str
    state: str
    ticks: int
    losses: int
    score: int | None
    started_ms: int
    ended_ms: int | None
    changes: tuple[InputChange, ...]
    recording: bytes | None


def round_tables(definitions: Iterable[Definition]) -> tuple[BundleTable, ...]:
    """The tables of the worlds that any definition lets people play in."""
    entries = (entry for definition in definitions for entry in outline(definition.study.timeline))
    names = dict.fromkeys(entry.item.world for entry in entries if isinstance(entry.item, Play))
    return tables_of([WORLDS[name].game for name in names]) if names else ()


def recording_path(session: str, played: RoundRecord) -> str:
    name = f"{session}-{played.position}-{played.run}-{played.attempt}"
    return f"materials/replays/{name}.replay.json.gz"


def round_row(session: str, planned: PlannedTrial, played: RoundRecord, began_ms: int) -> Row:
    world = _world(planned)
    setup = world.load_setup(played.setup)
    assert isinstance(planned.trial, Play)
    return _place(session, played) | {
        "trial_key": planned.key,
        "trial": planned.trial.id,
        "condition": planned.condition,
        "practice": planned.trial.practice,
        "state": played.state,
        **world.tabular.setup_row(setup),
        "ticks": played.ticks,
        "losses": played.losses,
        "score": played.score,
        "started_ms": played.started_ms - began_ms,
        "ended_ms": None if played.ended_ms is None else played.ended_ms - began_ms,
        "recording": None if played.recording is None else recording_path(session, played),
    }


def input_rows(session: str, planned: PlannedTrial, played: RoundRecord) -> Iterator[Row]:
    seats = tuple(_world(planned).seats.items())
    for change in played.changes:
        seat, schema = seats[change.seat]
        values = {
            part.name: bool(value) if part.kind == "trigger" else value
            for part, value in zip(schema.parts, change.pressed, strict=True)
        }
        place: Row = {"tick": change.tick, "number": change.number, "seat": seat}
        yield _place(session, played) | place | values


def telemetry_rows(session: str, planned: PlannedTrial, played: RoundRecord) -> Iterator[Row]:
    """Empty if there is no recording."""
    if played.recording is None:
        return
    recording = file.from_bytes(played.recording, source=recording_path(session, played))
    place: Row = {"session": session, "position": played.position, "run": played.run}
    for tick, row in enumerate(_world(planned).tabular.telemetry_rows(recording)):
        yield place | {"tick": tick, "t_ms": round(tick * recording.timing.frame_ms)} | row


def _world(planned: PlannedTrial) -> Playable[Any, Any]:
    assert isinstance(planned.trial, Play)
    return WORLDS[planned.trial.world].game


def _place(session: str, played: RoundRecord) -> Row:
    return {
        "session": session,
        "position": played.position,
        "run": played.run,
        "attempt": played.attempt,
    }


def rows_of(
    session: str, plan: Sequence[PlannedTrial], rounds: Iterable[RoundRecord], began_ms: int
) -> Iterator[tuple[str, Row]]:
    """Everything about the rounds of a session, as rows of these tables."""
    for played in rounds:
        planned = plan[played.position]
        yield "rounds", round_row(session, planned, played, began_ms)
        for row in input_rows(session, planned, played):
            yield "round_inputs", row
        for row in telemetry_rows(session, planned, played):
            yield "telemetry", row

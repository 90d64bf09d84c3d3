"""The tables of rounds that were played: what they were, every input that was applied, and telemetry tick by tick.

Only bundles of studies with play trials have them. The recordings lie beside, as files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from believable.bundle.tables import CONDITION, POSITION, RUN, SESSION, TRIAL, TRIAL_KEY, Cell, Field, Table
from believable.replay import file
from believable.replay.records import UNITS_PER_TILE, Replay, Track
from believable.study.definition import Definition
from believable.study.outline import outline
from believable.study.plan import PlannedTrial
from believable.study.records import Play

Row = dict[str, Cell]

ATTEMPT = Field(
    "attempt",
    "integer",
    "Which attempt at the round, from 1: more where it began again after a lost connection.",
    required=True,
)

ROUNDS = Table(
    "rounds",
    "One row per round that was begun, also practice and rounds that were left.",
    (
        SESSION,
        POSITION,
        RUN,
        ATTEMPT,
        TRIAL_KEY,
        TRIAL,
        CONDITION,
        Field("practice", "boolean", "Played to learn the controls, for as long as wanted.", required=True),
        Field(
            "state",
            "string",
            "Played to its end, begun again or ended by the person, or not finished.",
            required=True,
            one_of=("over", "left", "live"),
        ),
        Field("opponent", "string", "Who was played against: a name, or a degree of frustration."),
        Field("maze_seed", "integer", "What maze and starting places follow from.", required=True),
        Field("agent_seed", "integer", "What the opponent's chance follows from.", required=True),
        Field("size", "integer", "Tiles on each side of the maze.", required=True),
        Field("ticks", "integer", "How many ticks were played, 30 in a second.", required=True),
        Field("losses", "integer", "How often the connection was lost on the way.", required=True),
        Field("score", "integer", "Points in the end; empty where there was no end."),
        Field("started_ms", "integer", "Since the session began, on the server's clock.", required=True),
        Field("ended_ms", "integer", "Since the session began, on the server's clock."),
        Field("recording", "string", "File with the recording; empty where there is none."),
    ),
    key=("session", "position", "run", "attempt"),
)

INPUTS = Table(
    "round_inputs",
    "Every change of the inputs as the server applied it. With the round's seeds they give the round again, tick by tick.",
    (
        SESSION,
        POSITION,
        RUN,
        ATTEMPT,
        Field("tick", "integer", "From this tick on it held.", required=True),
        Field("number", "integer", "Number that the browser gave to the input.", required=True),
        Field("move_x", "integer", "−1 left, 1 right.", required=True),
        Field("move_y", "integer", "−1 up, 1 down.", required=True),
        Field("aim_deg", "integer", "Where it looked, clockwise from the right.", required=True),
        Field("shoot", "boolean", "Trigger of the gun.", required=True),
        Field("bomb", "boolean", "Throwing a bomb.", required=True),
    ),
    key=("session", "position", "run", "attempt", "tick"),
)

_TILES = "in tiles from the upper left corner"
TELEMETRY = Table(
    "telemetry",
    "Rounds that were played to their end, tick by tick (practice left out).",
    (
        SESSION,
        POSITION,
        RUN,
        Field("tick", "integer", "Tick of the round, from 0; 30 in a second.", required=True),
        Field("t_ms", "integer", "The same moment in the recording, as traces count it.", required=True),
        Field("score", "integer", "Points so far.", required=True),
        Field("player_health", "integer", "0 to 100.", required=True),
        Field("opponent_health", "integer", "0 to 100.", required=True),
        Field("player_x", "number", f"The player's place, {_TILES}.", required=True),
        Field("player_y", "number", f"The player's place, {_TILES}.", required=True),
        Field("player_heading_deg", "integer", "Where the player looked and aimed.", required=True),
        Field("opponent_x", "number", f"The opponent's place, {_TILES}.", required=True),
        Field("opponent_y", "number", f"The opponent's place, {_TILES}.", required=True),
        Field("opponent_heading_deg", "integer", "Where the opponent headed.", required=True),
        Field("distance", "number", "Between the two, in tiles, through walls.", required=True),
        Field("move_x", "integer", "Buttons: −1 left, 1 right.", required=True),
        Field("move_y", "integer", "Buttons: −1 up, 1 down.", required=True),
        Field("shoot", "boolean", "Button of the gun.", required=True),
        Field("bomb", "boolean", "Button of bombs.", required=True),
        Field("frustration", "number", "The opponent's frustration, 0 to 1; empty where it has none."),
        Field("intent", "string", "What the opponent was doing."),
        Field("events", "string", "What happened in this tick, separated by spaces."),
    ),
    key=("session", "position", "run", "tick"),
)

TABLES = (ROUNDS, INPUTS, TELEMETRY)


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """A stored round. `setup` is JSON; `recording` the bytes of its replay file where it was played to its end."""

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
    changes: tuple[tuple[int, ...], ...]
    recording: bytes | None


def round_tables(definitions: Iterable[Definition]) -> tuple[Table, ...]:
    """The tables, where any definition has rounds."""
    entries = (entry for one in definitions for entry in outline(one.study.timeline))
    return TABLES if any(isinstance(entry.item, Play) for entry in entries) else ()


def recording_path(session: str, one: RoundRecord) -> str:
    return f"materials/replays/{session}-{one.position}-{one.run}-{one.attempt}.replay.json.gz"


def round_row(session: str, planned: PlannedTrial, one: RoundRecord, began_ms: int) -> Row:
    setup = json.loads(one.setup)
    return _place(session, one) | {
        "trial_key": planned.key,
        "trial": planned.trial.id,
        "condition": planned.condition,
        "practice": setup["practice"],
        "state": one.state,
        "opponent": str(setup["opponent"]),
        "maze_seed": setup["maze_seed"],
        "agent_seed": setup["agent_seed"],
        "size": setup["size"],
        "ticks": one.ticks,
        "losses": one.losses,
        "score": one.score,
        "started_ms": one.started_ms - began_ms,
        "ended_ms": None if one.ended_ms is None else one.ended_ms - began_ms,
        "recording": None if one.recording is None else recording_path(session, one),
    }


def input_rows(session: str, one: RoundRecord) -> Iterator[Row]:
    for tick, number, move_x, move_y, aim_deg, shoot, bomb in one.changes:
        yield _place(session, one) | {
            "tick": tick, "number": number, "move_x": move_x, "move_y": move_y, "aim_deg": aim_deg, "shoot": bool(shoot),
            "bomb": bool(bomb),
        }  # fmt: skip


def telemetry_rows(session: str, one: RoundRecord) -> Iterator[Row]:
    """Nothing where there is no recording."""
    if one.recording is None:
        return
    replay = file.from_bytes(one.recording, source=recording_path(session, one))
    tracks = {track.actor: track for track in replay.tracks}
    player, opponent = tracks["player"], tracks["opponent"]
    frustration, intent = _held(replay, opponent, "frustration"), _held(replay, opponent, "intent")
    place: Row = {"session": session, "position": one.position, "run": one.run}
    columns = replay.telemetry
    for tick in range(replay.timing.frames):
        away = (player.x[tick] - opponent.x[tick], player.y[tick] - opponent.y[tick])
        yield place | {
            "tick": tick,
            "t_ms": tick * replay.timing.frame_ms,
            "player_x": player.x[tick] / UNITS_PER_TILE,
            "player_y": player.y[tick] / UNITS_PER_TILE,
            "player_heading_deg": player.heading[tick],
            "opponent_x": opponent.x[tick] / UNITS_PER_TILE,
            "opponent_y": opponent.y[tick] / UNITS_PER_TILE,
            "opponent_heading_deg": opponent.heading[tick],
            "distance": round((away[0] ** 2 + away[1] ** 2) ** 0.5) / UNITS_PER_TILE,
            "frustration": frustration[tick],
            "intent": intent[tick],
            **{name: columns[name][tick] for name in columns},
        }


def _held(replay: Replay, track: Track, key: str) -> list[Cell]:
    """A state frame by frame: it holds until it changes."""
    changes = {state.frame: state.value for state in track.states if state.key == key}
    values: list[Cell] = []
    for frame in range(replay.timing.frames):
        values.append(changes.get(frame, values[-1] if values else None))
    return values


def _place(session: str, one: RoundRecord) -> Row:
    return {"session": session, "position": one.position, "run": one.run, "attempt": one.attempt}


def rows_of(
    session: str, plan: Sequence[PlannedTrial], rounds: Iterable[RoundRecord], began_ms: int
) -> Iterator[tuple[str, Row]]:
    """Everything about the rounds of a session, as rows of these tables."""
    for one in rounds:
        yield "rounds", round_row(session, plan[one.position], one, began_ms)
        for row in input_rows(session, one):
            yield "round_inputs", row
        for row in telemetry_rows(session, one):
            yield "telemetry", row

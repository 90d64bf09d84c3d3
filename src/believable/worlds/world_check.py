"""The contract of every world. Authors run `check_world(MINE)` in a test."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from believable.contracts.film import View
from believable.contracts.game import Pixels, RoundContext
from believable.contracts.inputs import Input, InputChange, InputSchema
from believable.contracts.record import ID_PATTERN, Record
from believable.contracts.world import Playable, Row, World, WorldColumn
from believable.core.errors import InvalidInput
from believable.core.registry import must_keep_contract
from believable.recordings.file import from_bytes, to_bytes
from believable.recordings.recording import Recording, Scalar
from believable.recordings.scene import display_list
from believable.worlds.live_round import LiveRound, NumberedInput, record_round, welcome_of
from believable.worlds.seat_check import seat_problems

#: Messages of a broken or hostile page in the role of an input.
JUNK: tuple[Any, ...] = (
    None,
    True,
    0,
    "x",
    {},
    [],
    [None],
    [[]],
    [1.5],
    [True],
    [2**80],
    [0] * 1000,
)
#: A round is tried for this number of seconds, by two players of different seeds.
TRIED_S = 6
_SEEDS = (1, 2)
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}


def check_world(world: World) -> None:
    """Raises InvalidInput with everything that breaks the contract; returns quietly otherwise."""
    must_keep_contract("world", world.name, _problems(world))


def _problems(world: World) -> Iterator[str]:
    if not re.match(ID_PATTERN, world.name):
        yield f"its name does not match {ID_PATTERN}; it is a value in study files."
    if world.draw is None and (world.playing is None or world.playing.filmable is None):
        yield "it has neither `draw` nor `filmable`, so its recordings cannot be shown."
    if world.version < 1:
        yield "its version must be 1 or more."
    if not world.about:
        yield "it must describe itself (`about`)."
    if world.playing is None:
        return
    form = [*_page_problems(world), *_form_problems(world.playing), *_input_problems(world.playing)]
    yield from form
    if form:
        return  # a round would only show the same again
    level: list[str | float] = [0.5] if world.playing.trial.opponents.level else []
    for opponent in [*world.playing.trial.opponents.named, *level] or [""]:
        # Every round of a rendered game starts a separate engine, which takes long.
        for seed in _SEEDS[:1] if world.playing.filmable else _SEEDS:
            for problem in _round_problems(world, opponent, seed):
                yield f"opponent {opponent!r}, seed {seed}: {problem}"


def _page_problems(world: World) -> Iterator[str]:
    if world.game.filmable:
        return  # the page of rendered worlds is one for all
    script = world.folder / "static" / "page.js"
    if not script.is_file():
        yield f"there is no static/page.js in {world.folder.name}/."
    elif not re.search(r"export (async )?function begin\b", script.read_text(encoding="utf-8")):
        yield "static/page.js does not export `begin`."


def _form_problems(playing: Playable[Any, Any]) -> Iterator[str]:
    for name, record in (("options", playing.trial.options), ("setup", playing.setup)):
        if not issubclass(record, Record):
            yield f"its {name} must be a study Record: frozen, unknown keys forbidden."
    if playing.filmable:
        yield from _control_problems(playing)
    if list(playing.trial.check(playing.trial.options())):
        yield "its usual options have problems; an author who writes none must get a round."
    if not playing.seats:
        yield "it needs a seat."
    if playing.stand_in.draw is None:
        yield "its `stand_in` needs `draw`, so that simulated participants differ."
    if playing.hz(playing.trial.resolve(playing.trial.options(), _context("", 1))) < 1:
        yield "`tick_hz` must be 1 or more."


def _control_problems(playing: Playable[Any, Any]) -> Iterator[str]:
    assert playing.filmable is not None
    controls = playing.filmable.controls(
        playing.trial.resolve(playing.trial.options(), _context("", 1))
    )
    parts = {part.name: part for part in playing.inputs.parts}
    mouse = (
        []
        if controls.mouse is None
        else [(controls.mouse.sideways, 0), (controls.mouse.upwards, 0)]
    )
    for name, value in [*controls.keys.values(), *controls.buttons.values(), *mouse]:
        part = parts.get(name)
        if part is None:
            yield (
                f"a key or the mouse sets {name!r}, which is no part of an input"
                f" ({', '.join(parts)})."
            )
        elif part.kind != "moved" and part.within(value) != value:
            yield f"a key sets {name!r} to {value}, outside of {part.low} to {part.high}."
    for name, _ in mouse:
        if name in parts and parts[name].kind != "moved":
            yield f"the mouse moves {name!r}, which is {parts[name].kind!r}, not 'moved'."


def _input_problems(playing: Playable[Any, Any]) -> Iterator[str]:
    for seat, schema in playing.seats.items():
        for problem in _schema_problems(schema):
            yield f"seat {seat!r}: {problem}"


def _schema_problems(schema: InputSchema) -> Iterator[str]:
    if not schema.parts:
        yield "an input has no parts."
    for part in schema.parts:
        if not part.low <= 0 <= part.high or (
            part.kind == "trigger" and (part.low, part.high) != (0, 1)
        ):
            yield f"the input {part.name!r} must be able to be 0, and a trigger 0 or 1."
    nothing = list(schema.nothing)
    outside = [
        [*nothing[:index], value, *nothing[index + 1 :]]
        for index, part in enumerate(schema.parts)
        for value in (part.low - 1, part.high + 1, "x" * (part.high % 10**6 + 1), "\ud800", "\0")
    ]
    for junk in (*JUNK, *outside, [*nothing, 0]):
        if schema.values_in(junk) is not None:
            yield f"the input {str(junk)[:40]!a} was taken."


def _context(opponent: str | float, seed: int, *, practice: bool = False) -> RoundContext:
    return RoundContext(
        session_seed=seed,
        trial_key="trial",
        opponent=opponent,
        duration_s=TRIED_S,
        practice=practice,
    )


def _round_problems(world: World, opponent: str | float, seed: int) -> Iterator[str]:
    playing = world.game
    setup = playing.trial.resolve(playing.trial.options(), _context(opponent, seed))
    if setup != playing.load_setup(playing.dump_setup(setup)):
        yield "a setup is not the same after it was stored as JSON."
    practice = playing.new(
        playing.trial.resolve(playing.trial.options(), _context(opponent, seed, practice=True))
    )
    if practice.over() is not None:
        yield "a practice is over before it began."
    practice.close()
    try:
        shown, changes, welcome = play_views(playing, setup, seed)
    except (InvalidInput, TypeError, ValueError) as error:
        yield f"it cannot be played: {error}"
        return
    if not shown or not changes:
        yield f"{playing.stand_in.name!r} did nothing in {TRIED_S} seconds."
        return
    yield from _repeats(playing, setup, shown, changes)
    yield from seat_problems(playing, setup, seed)
    if playing.recorded is None:
        return
    yield from record_twice(world, setup, changes, shown, welcome)


def play_views(
    playing: Playable[Any, Any], setup: Any, seed: int
) -> tuple[list[bytes], list[InputChange], Mapping[str, Any]]:
    """The views after each tick of a round of the first player, its inputs, and its welcome."""
    live, agent = LiveRound(playing, setup), playing.stand_in
    shown: list[bytes] = []
    try:
        welcome = _welcome_message(playing, setup, live)
        assert agent.draw is not None, "checked before"
        act = agent.new(agent.draw(random.Random(seed)), seed)
        while not live.over:
            tick = live.tick
            pressed: Input = playing.inputs.read(act({**live.message(), "welcome": welcome}))
            live.receive(NumberedInput(tick + 1, tick, pressed))
            live.step()
            shown.append(_shown(live))
    finally:
        live.game.close()
    return shown, live.take_changes(), welcome


def _welcome_message(playing: Playable[Any, Any], setup: Any, live: LiveRound) -> Mapping[str, Any]:
    read: Mapping[str, Any] = json.loads(json.dumps(welcome_of(live, playing, setup)))
    return read


def _shown(live: LiveRound) -> bytes:
    """The page's view, without the numbers of inputs."""
    picture = live.picture()
    message = json.dumps(live.message() | {"n": 0}, allow_nan=False).encode()
    return message if picture is None else message + _digest(picture)


def _digest(picture: Pixels) -> bytes:
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != "uint8":
        raise InvalidInput(
            f"a picture is {picture.dtype} {picture.shape}, expected uint8 of height × width × 3."
        )
    return hashlib.sha256(repr(picture.shape).encode() + picture.tobytes()).digest()


def _repeats(
    playing: Playable[Any, Any], setup: Any, shown: list[bytes], changes: list[InputChange]
) -> Iterator[str]:
    """The same again from the start, and from wherever it is taken up."""
    last = len(shown)
    # To begin a game that draws itself takes long, and the film of its recording shows it again
    # from the start.
    for tick in (
        (max(1, last // 3),) if playing.filmable else sorted({1, last // 3, last - 1, last})
    ):
        live = LiveRound.rebuilt(playing, setup, changes, tick)
        try:
            problem = _differs(live, tick, shown, {change.tick: change for change in changes})
        finally:
            live.game.close()
        if problem:
            yield problem
            return


def _differs(
    live: LiveRound, tick: int, shown: list[bytes], by_tick: Mapping[int, InputChange]
) -> str | None:
    if _shown(live) != shown[tick - 1]:
        return f"made again from setup and inputs, it differs at tick {tick}."
    while not live.over:
        change = by_tick.get(live.tick)
        if change is not None:
            live.receive(
                NumberedInput(live.last_received + change.number, live.tick, change.pressed)
            )
        live.step()
        if _shown(live) != shown[live.tick - 1]:
            return f"taken up at tick {tick}, it goes on differently at tick {live.tick}."
    return None


def record_twice(
    world: World,
    setup: Any,
    changes: list[InputChange],
    shown: list[bytes],
    welcome: Mapping[str, Any],
) -> Iterator[str]:
    playing = world.game
    recording, score = record_round(playing, setup, changes)
    if recording.world.kind != world.name:
        yield f"its recordings call themselves {recording.world.kind!r}."
    if from_bytes(to_bytes(recording), source="recording") != recording:
        yield "a recording is not the same after it was written and read."
    if recording.timing.frames != len(shown):
        yield f"the recording has {recording.timing.frames} frames of {len(shown)} ticks."
    if not isinstance(score, int):
        yield f"its score is {score!r}, expected a whole number."
    if any(f'"{name}"'.encode() in shown[-1] for name in recording.hidden_states):
        yield (
            f"the page gets facts that judges must not know ({', '.join(recording.hidden_states)})."
        )
    if world.draw is not None:
        blind = recording.for_judging()
        scene = world.draw(blind)
        display_list(scene, blind, recording.timing.duration_ms / 2)
        if not scene.sprites:
            yield "a drawing of its recording has no figures; leave `draw` out if it can show none."
        try:
            world.motion(recording, None)
        except InvalidInput as error:
            yield f"the motion in its recording cannot be read: {error} Write a `motion` for it."
    yield from _column_problems(playing, setup, recording)
    yield from _film_problems(playing, recording, shown, welcome)


def _film_problems(
    playing: Playable[Any, Any],
    recording: Recording,
    shown: list[bytes],
    welcome: Mapping[str, Any],
) -> Iterator[str]:
    """A film from the recording alone shows the pictures of the round."""
    if playing.filmable is None:
        return
    view = View(width_px=welcome["width_px"], height_px=welcome["height_px"])
    read = from_bytes(to_bytes(recording), source="recording")
    for tick, (picture, was) in enumerate(
        zip_longest(playing.filmable.pictures(read, view), shown), 1
    ):
        if picture is None or was is None:
            yield f"a film of its recording has not one picture for each of {len(shown)} ticks."
            return
        if not was.endswith(_digest(picture)):
            yield f"a film of its recording differs from what was seen at tick {tick}."
            return
    first = len(shown) // 2
    later = next(playing.filmable.pictures(read, replace(view, first_frame=first)), None)
    if later is None or not shown[first].endswith(_digest(later)):
        yield (
            f"a film of its recording that is to begin with frame {first} (`View.first_frame`)"
            " begins with another."
        )


def _column_problems(
    playing: Playable[Any, Any], setup: Any, recording: Recording
) -> Iterator[str]:
    columns = playing.tabular
    yield from _row_problems("setup", columns.setup, [columns.setup_row(setup)])
    rows = columns.telemetry_rows(recording)
    if len(rows) != recording.timing.frames:
        yield f"telemetry has {len(rows)} rows for {recording.timing.frames} frames."
    yield from _row_problems("telemetry", columns.telemetry, rows)


def _row_problems(table: str, columns: Sequence[WorldColumn], rows: Sequence[Row]) -> Iterator[str]:
    declared = {column.name: column for column in columns}
    for row in rows:
        if row.keys() != declared.keys():
            yield f"{table} declares {sorted(declared)}, a row has {sorted(row)}."
            return
        for name, value in row.items():
            if not _fits(declared[name], value):
                yield f"{table}.{name} is declared {declared[name].type}, got {value!r}."
                return


def _fits(column: WorldColumn, value: Scalar) -> bool:
    if value is None:
        return not column.required
    return isinstance(value, _TYPES[column.type]) and (column.type == "boolean") == isinstance(
        value, bool
    )

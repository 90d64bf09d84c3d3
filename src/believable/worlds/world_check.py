"""What every world must keep to. Authors run `check_world(MINE)` in a test of their own."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from believable.core.errors import InvalidInput
from believable.core.registry import must_keep_contract
from believable.recordings.file import from_bytes, to_bytes
from believable.recordings.recording import Recording, Scalar
from believable.recordings.scene import display_list
from believable.study.bases import ID_PATTERN, Record
from believable.worlds.contract import (
    Input,
    Pixels,
    Playing,
    RoundPlace,
    Row,
    View,
    World,
    WorldColumn,
)
from believable.worlds.live_round import Change, LiveRound, NumberedInput, record_round

#: What a broken or hostile page may send in place of an input.
JUNK: tuple[Any, ...] = (
    None,
    True,
    0,
    "x",
    {},
    [],
    [None],
    [[]],
    ["x"],
    [1.5],
    [True],
    [2**80],
    [0] * 1000,
)
#: A round is tried for so many seconds, by two players of different seeds.
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
    if not world.drawn and (world.playing is None or world.playing.rendering is None):
        yield "it is neither drawn nor rendered: nobody could see it."
    if world.version < 1:
        yield "its version must be 1 or more."
    if not world.about:
        yield "it must say what it is (`about`)."
    if world.playing is None:
        return
    form = [*_page_problems(world), *_form_problems(world.playing), *_input_problems(world.playing)]
    yield from form
    if form:
        return  # a round would only show the same again
    level: list[str | float] = [0.5] if world.playing.opponents.level else []
    for opponent in [*world.playing.opponents.named, *level] or [""]:
        # Every round of a game that draws itself begins an engine of its own, which takes long.
        for seed in _SEEDS[:1] if world.playing.rendering else _SEEDS:
            for problem in _round_problems(world, opponent, seed):
                yield f"opponent {opponent!r}, seed {seed}: {problem}"


def _page_problems(world: World) -> Iterator[str]:
    if world.game.rendering:
        return  # the page of rendered worlds is one for all
    script = world.folder / "static" / "page.js"
    if not script.is_file():
        yield f"there is no static/page.js in {world.folder.name}/."
    elif not re.search(r"export (async )?function begin\b", script.read_text(encoding="utf-8")):
        yield "static/page.js does not export `begin`."


def _form_problems(playing: Playing[Any, Any]) -> Iterator[str]:
    for name, record in (("options", playing.options), ("setup", playing.setup)):
        if not issubclass(record, Record):
            yield f"its {name} must be a study Record: frozen, unknown keys forbidden."
    if playing.rendering:
        yield from _control_problems(playing)
    if list(playing.check(playing.options())):
        yield "its usual options have problems; an author who writes none must get a round."
    if not playing.seats or not playing.players:
        yield (
            "it needs a seat, and somebody who can play it by itself (`players`), for simulated"
            " people."
        )
    if playing.tick_hz < 1:
        yield "`tick_hz` must be 1 or more."


def _control_problems(playing: Playing[Any, Any]) -> Iterator[str]:
    assert playing.rendering is not None
    controls = playing.rendering.controls(playing.settle(playing.options(), _place("", 1)))
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


def _input_problems(playing: Playing[Any, Any]) -> Iterator[str]:
    schema = playing.inputs
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
        for value in (part.low - 1, part.high + 1)
    ]
    for junk in (*JUNK, *outside, [*nothing, 0]):
        try:
            schema.read(junk)
        except InvalidInput:
            continue
        yield f"the input {str(junk)[:40]} was taken."


def _place(opponent: str | float, seed: int, *, practice: bool = False) -> RoundPlace:
    return RoundPlace(seed, "trial", None, opponent, TRIED_S, practice)


def _round_problems(world: World, opponent: str | float, seed: int) -> Iterator[str]:
    playing = world.game
    setup = playing.settle(playing.options(), _place(opponent, seed))
    if setup != playing.setup_from(playing.stored(setup)):
        yield "a setup is not the same after it was stored as JSON."
    practice = playing.new(
        playing.settle(playing.options(), _place(opponent, seed, practice=True)), False
    )
    if practice.over:
        yield "a practice is over before it began."
    practice.close()
    try:
        shown, changes, welcome = _played(playing, setup, seed)
    except (InvalidInput, TypeError, ValueError) as error:
        yield f"it cannot be played: {error}"
        return
    if not shown or not changes:
        yield f"{playing.player().name!r} did nothing in {TRIED_S} seconds."
        return
    yield from _repeats(playing, setup, shown, changes)
    yield from _recorded(world, setup, changes, shown, welcome)


def _played(
    playing: Playing[Any, Any], setup: Any, seed: int
) -> tuple[list[bytes], list[Change], Mapping[str, Any]]:
    """What was shown after each tick of a round of the first player, what it did, and what it was
    told at the start.
    """
    live, agent = LiveRound(playing, setup), playing.player()
    shown: list[bytes] = []
    try:
        welcome = _welcome_message(playing, setup, live)
        driver = agent.new(agent.draw(random.Random(seed)), seed, welcome)
        while not live.over:
            tick = live.game.tick
            pressed: Input = playing.inputs.read(driver.act(live.message()))
            live.receive(NumberedInput(tick + 1, tick, pressed))
            live.step()
            shown.append(_shown(live))
            if live.game.tick != tick + 1:
                raise InvalidInput(f"a step went from tick {tick} to {live.game.tick}.")
    finally:
        live.game.close()
    return shown, live.take_changes(), welcome


def _welcome_message(playing: Playing[Any, Any], setup: Any, live: LiveRound) -> Mapping[str, Any]:
    welcome = {**live.game.welcome(), "ticks": live.game.ticks, "known": playing.known(setup)}
    read: Mapping[str, Any] = json.loads(json.dumps(welcome))
    return read


def _shown(live: LiveRound) -> bytes:
    """What the page is shown, the numbers of inputs left out."""
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
    playing: Playing[Any, Any], setup: Any, shown: list[bytes], changes: list[Change]
) -> Iterator[str]:
    """The same again from the start, and from wherever it is taken up."""
    last = len(shown)
    # To begin a game that draws itself takes long, and the film of its recording shows it again
    # from the start.
    for tick in (
        (max(1, last // 3),) if playing.rendering else sorted({1, last // 3, last - 1, last})
    ):
        live = LiveRound.rebuilt(playing, setup, changes, tick)
        try:
            problem = _differs(live, tick, shown, {change[0]: change for change in changes})
        finally:
            live.game.close()
        if problem:
            yield problem
            return


def _differs(
    live: LiveRound, tick: int, shown: list[bytes], by_tick: Mapping[int, Change]
) -> str | None:
    if _shown(live) != shown[tick - 1]:
        return f"made again from setup and inputs, it differs at tick {tick}."
    while not live.over:
        change = by_tick.get(live.game.tick)
        if change is not None:
            live.receive(
                NumberedInput(live.received + change[1], live.game.tick, tuple(change[2:]))
            )
        live.step()
        if _shown(live) != shown[live.game.tick - 1]:
            return f"taken up at tick {tick}, it goes on differently at tick {live.game.tick}."
    return None


def _recorded(
    world: World, setup: Any, changes: list[Change], shown: list[bytes], welcome: Mapping[str, Any]
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
            f"the page is told of what judges may not know ({', '.join(recording.hidden_states)})."
        )
    blind = recording.for_judging()
    scene = world.draw(blind)
    display_list(scene, blind, recording.timing.duration_ms / 2)
    if world.drawn and not scene.sprites:
        yield (
            "a drawing of its recording has no figures; say `drawn=False` where only pictures show"
            " what happened."
        )
    yield from _column_problems(playing, setup, recording)
    yield from _film_problems(playing, recording, shown, welcome)


def _film_problems(
    playing: Playing[Any, Any], recording: Recording, shown: list[bytes], welcome: Mapping[str, Any]
) -> Iterator[str]:
    """A film from the recording alone shows what was seen while it was played."""
    if playing.rendering is None:
        return
    view = View(welcome["width_px"], welcome["height_px"])
    read = from_bytes(to_bytes(recording), source="recording")
    for tick, (picture, was) in enumerate(
        zip_longest(playing.rendering.pictures(read, view), shown), 1
    ):
        if picture is None or was is None:
            yield f"a film of its recording has not one picture for each of {len(shown)} ticks."
            return
        if not was.endswith(_digest(picture)):
            yield f"a film of its recording differs from what was seen at tick {tick}."
            return
    first = len(shown) // 2
    later = next(playing.rendering.pictures(read, replace(view, first_frame=first)), None)
    if later is None or not shown[first].endswith(_digest(later)):
        yield (
            f"a film of its recording that is to begin with frame {first} (`View.first_frame`)"
            " begins with another."
        )


def _column_problems(playing: Playing[Any, Any], setup: Any, recording: Recording) -> Iterator[str]:
    columns = playing.columns
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

"""A round as a recording: positions, items, and the setup and inputs from which it is filmed."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

from believable.contracts.film import View
from believable.contracts.game import Pixels
from believable.contracts.inputs import Input
from believable.core.errors import InvalidInput
from believable.recordings.recording import (
    Action,
    Actor,
    RecordedWorld,
    Recording,
    Scalar,
    State,
    Timing,
    Track,
)
from believable.worlds.doom.doom_engine import (
    TICS_PER_S,
    DoomEngine,
    SeenObject,
    engine_size,
    scale_picture,
)
from believable.worlds.doom.doom_round import (
    FIGURE,
    INPUTS,
    PLAYER,
    TELEMETRY,
    DoomSetup,
    FigureState,
    action_of,
    tenths,
)
from believable.worlds.doom.floor_plan import TILE_UNITS
from believable.worlds.doom.game_map import GameMap
from believable.worlds.doom.items import NAMES

FRAME_MS = 1000 / TICS_PER_S
#: Events that are acts of the player, with verb and words.
ACTS = {
    "shot": ("shoot", "fires"),
    "pickup": ("pick-up", "picks something up"),
    "jumped": ("jump", "jumps"),
    "died": ("die", "dies"),
    "frag": ("kill", "kills somebody"),
    "goal": ("arrive", "reaches the goal"),
}


#: Variables of the player only, not of a watched bot.
_OWN_ONLY = frozenset(
    (
        "health",
        "armour",
        "weapon_in_hand",
        "ammunition",
        "bullets",
        "shells",
        "rockets",
        "cells",
        "weapons",
        "frags",
        "deaths",
        "damage",
        "damage_taken",
    )
)


class _Path:
    """A track while it grows. Frames without the figure repeat the last position, with the state
    `there` off.
    """

    def __init__(self, frame: int) -> None:
        self.first_frame = frame
        self.columns: dict[str, list[int]] = {
            name: [] for name in ("x", "y", "heading", "height", "pitch", "camera")
        }
        self.states: list[State] = []

    def add(self, **values: int) -> None:
        for name, value in values.items():
            self.columns[name].append(value)

    def stay(self) -> None:
        for column in self.columns.values():
            if column:
                column.append(column[-1])

    def state(self, frame: int, key: str, value: Scalar) -> None:
        last = next((state.value for state in reversed(self.states) if state.key == key), None)
        if last != value:
            self.states.append(State(frame, key, value))

    def track(self, name: str) -> Track:
        columns = {key: tuple(column) for key, column in self.columns.items()}
        return Track(actor=name, first_frame=self.first_frame, states=tuple(self.states), **columns)


class DoomRecorder:
    """Watches a game tic by tic."""

    def __init__(self, place: GameMap, setup: DoomSetup) -> None:
        self._place, self._setup = place, setup
        self._paths: dict[str, _Path] = {PLAYER: _Path(0)}
        self._roles: dict[str, str] = {PLAYER: PLAYER}
        self._present: dict[tuple[str, int, int], str] = {}
        self._acts: list[tuple[int, str]] = []
        self._telemetry: dict[str, list[Scalar]] = {column.name: [] for column in TELEMETRY}
        self._bots: dict[int, str] = {}
        self._lying = 0
        self._frame = 0

    def see(
        self,
        pressed: Input,
        body: FigureState,
        objects: Sequence[SeenObject],
        happened: Sequence[str],
    ) -> None:
        """Keep one tic: the inputs, the current positions, and the events."""
        x, y = self._place.units_of(body.x, body.y)
        self._paths[PLAYER].add(
            x=x,
            y=y,
            heading=_heading(body.angle_deg),
            height=_height(body.z),
            pitch=round(10 * body.pitch_deg),
            camera=-tenths(body.camera[3]) % 3600,
        )
        if not self._setup.watched:
            self._paths[PLAYER].state(self._frame, "health", body.health)
        self._see_others([thing for thing in objects if thing.name == FIGURE])
        taken = self._see_items(
            [thing for thing in objects if thing.name in NAMES and not thing.hidden]
        )
        self._acts += [(self._frame, name) for name in happened if name in ACTS]
        self._see_telemetry(pressed, body, happened, taken)
        self._frame += 1

    def _see_others(self, figures: list[SeenObject]) -> None:
        for figure in sorted(figures):
            name = self._bot(figure.number, {other.number for other in figures})
            path = self._paths.setdefault(name, _Path(self._frame))
            self._roles[name] = "opponent"
            x, y = self._place.units_of(figure.x, figure.y)
            path.add(x=x, y=y, heading=_heading(figure.angle_deg), height=_height(figure.z))
        for name, path in self._paths.items():
            if (
                self._roles[name] == "opponent"
                and len(path.columns["x"]) + path.first_frame == self._frame
            ):
                path.stay()

    def _bot(self, number: int, present: set[int]) -> str:
        """A respawned figure is another thing to the engine; it is the missing one of them."""
        if number not in self._bots:
            gone = next((known for known in self._bots if known not in present), None)
            self._bots[number] = (
                f"bot-{len(self._bots) + 1}" if gone is None else self._bots.pop(gone)
            )
        return self._bots[number]

    def _see_items(self, items: list[SeenObject]) -> list[str]:
        """Keep the positions of items, and return the names of those that disappeared since the
        last tic."""
        there = {(item.name, round(item.x), round(item.y)) for item in items}
        taken: list[str] = []
        for key in sorted(there - self._present.keys()):
            name = f"{key[0]}-{len(self._present) + 1}"
            self._present[key] = name
            self._roles[name] = "item"
            self._paths[name] = _Path(self._frame)
        for key, name in self._present.items():
            path = self._paths[name]
            x, y = self._place.units_of(key[1], key[2])
            path.add(x=x, y=y)
            if key not in there and path.states and path.states[-1].value is True:
                taken.append(key[0])
            path.state(self._frame, "there", key in there)
        self._lying = len(there)
        return taken

    def _see_telemetry(
        self, pressed: Input, body: FigureState, happened: Sequence[str], taken: Sequence[str]
    ) -> None:
        goal = self._place.goal
        names = [part.name for part in INPUTS.parts]
        away = (
            None
            if goal is None
            else round(((body.x - goal[0]) ** 2 + (body.y - goal[1]) ** 2) ** 0.5, 2)
        )
        bullets, shells, rockets, cells = body.stock
        row: dict[str, Scalar] = {
            **dict(zip(names, pressed, strict=True)),
            "x": round(body.x, 3),
            "y": round(body.y, 3),
            "z": round(body.z, 3),
            "angle_deg": round(body.angle_deg, 3),
            "pitch_deg": round(body.pitch_deg, 3),
            "velocity_x": round(body.velocity[0], 4),
            "velocity_y": round(body.velocity[1], 4),
            "velocity_z": round(body.velocity[2], 4),
            "camera_x": round(body.camera[0], 2),
            "camera_y": round(body.camera[1], 2),
            "camera_z": round(body.camera[2], 2),
            "on_ground": body.on_ground,
            "health": body.health,
            "armour": body.armour,
            "dead": body.dead,
            "weapon_in_hand": body.weapon,
            "ammunition": body.ammunition,
            "bullets": bullets,
            "shells": shells,
            "rockets": rockets,
            "cells": cells,
            "weapons": " ".join(map(str, body.weapons)),
            "frags": body.frags,
            "deaths": body.deaths,
            "damage": body.damage,
            "damage_taken": body.damage_taken,
            "items": self._lying,
            "picked_up": " ".join(taken) or None,
            "goal_distance": away,
            "events": " ".join(happened) or None,
        }
        unknown = _OWN_ONLY if self._setup.watched else ()
        for name, value in row.items():
            self._telemetry[name].append(None if name in unknown else value)

    def finish(self) -> Recording:
        setup, place = self._setup, self._place
        return Recording(
            world=RecordedWorld(
                kind="doom", width=len(place.walls[0]), height=len(place.walls), walls=place.walls
            ),
            actors=tuple(
                Actor(name, _NAMES.get(role, name.partition("-")[0]), role)
                for name, role in self._roles.items()
            ),
            timing=Timing(frame_ms=FRAME_MS, frames=self._frame),
            tracks=tuple(path.track(name) for name, path in self._paths.items()),
            actions=tuple(
                Action(
                    id=f"a{number}",
                    actor=PLAYER,
                    t0_ms=round(frame * FRAME_MS),
                    t1_ms=round((frame + 1) * FRAME_MS),
                    verb=ACTS[name][0],
                    text=ACTS[name][1],
                )
                for number, (frame, name) in enumerate(self._acts, 1)
            ),
            telemetry={name: tuple(column) for name, column in self._telemetry.items()},
            seed=setup.engine_seed,
            agent=setup.opponent,
            provenance={"world": "doom", "setup": setup.model_dump_json()},
        )


_NAMES = {PLAYER: "You", "opponent": "Opponent"}


def _heading(angle_deg: float) -> int:
    """Clockwise, as rows grow downwards in a recording."""
    return round(-angle_deg) % 360


def _height(z: float) -> int:
    return round(z * 1000 / TILE_UNITS)


# ----------------------------------------------------------------------------------------------
# films


def setup_in(recording: Recording) -> DoomSetup:
    """The setup of a recording."""
    written = recording.provenance.get("setup")
    if recording.world.kind != "doom" or not isinstance(written, str):
        raise InvalidInput(
            "the recording holds no setup of a round of Doom; it cannot be filmed. Record it again."
        )
    return DoomSetup.model_validate_json(written)


def size_px(recording: Recording) -> tuple[int, int]:
    setup = setup_in(recording)
    return setup.width_px, setup.height_px


def inputs_in_recording(recording: Recording) -> list[Input]:
    """The inputs, tic by tic."""
    columns = [recording.telemetry[part.name] for part in INPUTS.parts]
    return [tuple(int(value or 0) for value in row) for row in zip(*columns, strict=True)]


def pictures(recording: Recording, view: View) -> Generator[Pixels, None, None]:
    """The round played again, one picture for each tic."""
    setup = setup_in(recording)
    settings = setup.engine(
        size_px=engine_size(view.width_px, view.height_px),
        camera=view.camera or setup.camera,
        overlay=view.overlay,
        objects=False,
    )
    if view.plain:
        settings = replace(settings, weapon=False, crosshair=False, flashes=False)
    engine = DoomEngine(settings)
    try:
        for tic, pressed in enumerate(inputs_in_recording(recording)):
            engine.advance(action_of(pressed), look=tic >= view.first_frame)
            if tic < view.first_frame:
                continue
            yield scale_picture(engine.picture, view.width_px, view.height_px)
    finally:
        engine.close()

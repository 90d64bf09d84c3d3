"""The setup of a round of Doom, its inputs, its state after each tic, and its columns of the
bundle.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from believable.contracts.film import GameControls, MouseLook
from believable.contracts.game import RoundContext
from believable.contracts.inputs import Input, InputPart, InputSchema
from believable.contracts.record import Record
from believable.contracts.world import Opponents, Row, Tabular, WorldColumn
from believable.core.errors import InvalidInput
from believable.recordings.recording import Recording
from believable.worlds.doom.body import BodyName
from believable.worlds.doom.doom_engine import (
    CAMERAS,
    SIZES_PX,
    TICS_PER_S,
    VARIABLES,
    EngineSettings,
)
from believable.worlds.doom.game_map import DESIGNS, NAVIGATION, GameMap, game_map
from believable.worlds.doom.items import RESPAWN_S
from believable.worlds.doom.navigation_map import GOALS, far_goals
from believable.worlds.doom.people_map import walking_map

PLAYER = "player"
#: The engine's forward and sideways speed when running, and how far the keys turn in a tic.
RUN, STRAFE, KEY_TURN_TENTHS = 50, 40, 50
#: On level ground the engine's figure moves exactly so: push of running straight on, and friction,
#: of each tic.
PUSH_UNITS, FRICTION = 1.5625, 0.90625
#: Blocked: moving faster than this, and getting less than this share of the way.
BLOCKED_SPEED, BLOCKED_SHARE = 3.0, 0.6
FIGURE = "DoomPlayer"


class DoomOptions(Record):
    """The options of a play trial."""

    map: str = NAVIGATION
    """`navigation` (reach the mark), `deathmatch`, or a map of a file: FILE.wad:map06 (a
    deathmatch, too).
    """
    map_seed: int = Field(default=7, ge=0)
    """The seed of a generated map: the same for all people unless another number is written. A
    practice has the next one.
    """
    goal: Literal["round", "far"] | int = "round"
    """Navigation: another goal place for each `round`, one `far` from the start for each, or the
    one of this number, 0 to 15.
    """
    camera: Literal["task", "first", "third"] = "task"
    """From the figure's eyes or from behind it. `task`: from behind in navigation, from its eyes in
    a deathmatch.
    """
    picture: str = "640x360"
    """Size of the picture in pixels."""
    body: BodyName = "people"
    """How decisions of agents become turns: by strokes like `people`'s, or `raw`. People's own
    inputs are not changed.
    """


def problems_of(options: DoomOptions) -> Sequence[tuple[str, str, str]]:
    problems: list[tuple[str, str, str]] = []
    if isinstance(options.goal, int) and not 0 <= options.goal < GOALS:
        problems.append(
            (
                "goal",
                f"there is no goal place {options.goal}.",
                f"Use 0 to {GOALS - 1}, round, or far.",
            )
        )
    if _size(options.picture) not in SIZES_PX:
        sizes = ", ".join(f"{width}x{height}" for width, height in SIZES_PX)
        problems.append(
            (
                "picture",
                f"the engine has no pictures of {options.picture!r}.",
                f"Use one of {sizes}.",
            )
        )
    if options.map not in DESIGNS:
        try:
            game_map(options.map, options.map_seed)
        except InvalidInput as error:
            problems.append(("map", str(error), ""))
    return problems


def _size(written: str) -> tuple[int, int]:
    width, _, height = written.partition("x")
    return (int(width), int(height)) if width.isdecimal() and height.isdecimal() else (0, 0)


NOBODY = "nobody"
OPPONENTS = Opponents(
    {
        NOBODY: "Nobody else is there.",
        "bot": "One of the engine's own bots.",
        "bots": "Three of the engine's own bots.",
    }
)
_BOTS = {NOBODY: 0, "": 0, "bot": 1, "bots": 3}


class DoomSetup(Record):
    """Everything that determines a round, together with its inputs."""

    map: str
    map_seed: int
    engine_seed: int
    goal: int | None = None
    opponent: str = NOBODY
    camera: Literal["first", "third"] = "third"
    width_px: int = 640
    height_px: int = 360
    ticks: int = 60 * TICS_PER_S
    practice: bool = False
    watched: bool = False
    """One of the engine's bots plays, alone, and the round shows its view."""
    led: bool = False
    """The figure is led along the recorded positions; the recording has no inputs."""
    body: BodyName = "people"
    """The body of agents."""
    tour: tuple[int, ...] = ()
    """On a map of people's demos: the numbers of the places to pass in turn, without fights."""
    start: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Where a tour begins: position in the engine's units, and heading in degrees."""
    ends_at_death: bool = True
    """Navigation by an agent ends if the figure dies. A person's figure begins again at the start,
    and the clock runs on.
    """
    crosshair: bool = True
    """In a deathmatch through a figure's eyes."""

    @property
    def place(self) -> GameMap:
        if self.tour:
            return walking_map(self.map, self.start)
        return game_map(self.map, self.map_seed, self.goal)

    def engine(self, **changed: Any) -> EngineSettings:
        """The arguments of the engine."""
        place = self.place
        settings: dict[str, Any] = {
            "seed": self.engine_seed,
            "map_name": place.map_name,
            "wad": place.wad,
            "game_data": place.game_data,
            "deathmatch": place.deathmatch,
            "bots": 1 if self.watched else _BOTS[self.opponent] if place.deathmatch else 0,
            "watched": self.watched,
            "led": self.led,
            "unharmed": self.led or bool(self.tour),
            "crosshair": self.crosshair,
            "size_px": (self.width_px, self.height_px),
            "camera": self.camera,
        }
        return EngineSettings(**(settings | changed))


def resolve(options: DoomOptions, context: RoundContext) -> DoomSetup:
    """Return the setup of one round."""
    navigates = options.map == NAVIGATION
    width_px, height_px = _size(options.picture)
    # After a practice the controls are known, the map is not.
    map_seed = options.map_seed + context.practice
    goal = (
        options.goal
        if isinstance(options.goal, int)
        else _drawn_goal(options, map_seed, context)
        if navigates
        else 0
    )
    task_camera: Literal["first", "third"] = "third" if navigates else "first"
    return DoomSetup(
        map=options.map,
        map_seed=map_seed,
        engine_seed=context.seed("engine", context.trial_key) % 2**31,
        goal=goal if navigates else None,
        opponent=str(context.opponent) or NOBODY,
        camera=task_camera if options.camera == "task" else options.camera,
        width_px=width_px,
        height_px=height_px,
        body=options.body,
        ticks=context.duration_s * TICS_PER_S,
        practice=context.practice,
        ends_at_death=False,
    )


def _drawn_goal(options: DoomOptions, map_seed: int, context: RoundContext) -> int:
    """With the same chance for each of them."""
    drawn = context.seed("goal", context.trial_key)
    if options.goal == "round":
        return drawn % GOALS
    goals = far_goals(map_seed)
    return goals[drawn % len(goals)]


INPUTS = InputSchema(
    (
        InputPart(name="forward", low=-1, high=1, about="1 forwards, −1 backwards."),
        InputPart(
            name="side", low=-1, high=1, about="1 to the right, −1 to the left, without turning."
        ),
        InputPart(
            name="turn_keys",
            low=-1,
            high=1,
            about="Turning by keys: 1 to the right, −1 to the left.",
        ),
        InputPart(
            name="turn",
            low=-1800,
            high=1800,
            about="Turning by mouse, in tenths of a degree to the right.",
            kind="moved",
        ),
        InputPart(
            name="look",
            low=-900,
            high=900,
            about="Looking up by mouse, in tenths of a degree.",
            kind="moved",
        ),
        InputPart(name="attack", low=0, high=1, about="Trigger of the weapon.", kind="trigger"),
        InputPart(name="jump", low=0, high=1, about="Jumping.", kind="trigger"),
        InputPart(
            name="use", low=0, high=1, about="Opening doors, pressing switches.", kind="trigger"
        ),
        InputPart(
            name="weapon",
            low=0,
            high=7,
            about="Taking the weapon of this number; 0 keeps the one in hand.",
            kind="tapped",
        ),
    )
)


CONTROLS = GameControls(
    keys={
        "KeyW": ("forward", 1),
        "ArrowUp": ("forward", 1),
        "KeyS": ("forward", -1),
        "ArrowDown": ("forward", -1),
        "KeyD": ("side", 1),
        "KeyA": ("side", -1),
        "ArrowRight": ("turn_keys", 1),
        "ArrowLeft": ("turn_keys", -1),
        "PageUp": ("look", 450),
        "KeyR": ("look", 450),
        "PageDown": ("look", -450),
        "KeyV": ("look", -450),
        "KeyF": ("attack", 1),
        "Enter": ("attack", 1),
        "Space": ("jump", 1),
        "KeyE": ("use", 1),
        **{f"Digit{number}": ("weapon", number) for number in range(1, 8)},
    },
    buttons={0: ("attack", 1), 2: ("jump", 1)},
    mouse=MouseLook("turn", "look", per_px=1.5),
)


def text_key(options: DoomOptions) -> str:
    """Return the beginning of the keys of the texts: one for each task."""
    return "play.navigate" if options.map == NAVIGATION else "play.deathmatch"


def known_of(setup: DoomSetup) -> Mapping[str, Any]:
    """The map, the goal, the items, and the upper left corner by which a
    recording counts tiles.
    """
    place = setup.place
    goal = place.goal
    return {
        "corner": [place.left, place.top],
        "map": [setup.map, setup.map_seed],
        "goal": None if goal is None else list(goal),
        "items": [list(item) for item in place.items],
        "body": setup.body,
    }


def action_of(pressed: Input) -> list[float]:
    """The engine's buttons."""
    forward, side, turn_keys, turn, look, attack, jump, use, weapon = pressed
    turned = (turn + turn_keys * KEY_TURN_TENTHS) / 10
    weapons = [float(number == weapon) for number in range(1, 8)]
    return [forward * RUN, side * STRAFE, turned, look / 10, attack, jump, use, *weapons]


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureState:
    """The player's figure after a tic, as the engine has it: units, degrees counterclockwise from
    the east, pitch upwards.
    """

    x: float
    y: float
    z: float
    angle_deg: float
    pitch_deg: float
    velocity: tuple[float, float, float]
    camera: tuple[float, float, float, float, float]
    on_ground: bool
    health: int
    armour: int
    dead: bool
    weapon: int
    ammunition: int
    ready: bool
    frags: int
    deaths: int
    hits: int
    hits_taken: int
    damage: int
    damage_taken: int
    stock: tuple[int, int, int, int]
    weapons: tuple[int, ...]


def body_of(values: Sequence[float]) -> FigureState:
    """From the engine's variables."""
    x, y, z, angle, pitch, vx, vy, vz, cx, cy, cz, camera, tilt, ground, *rest = values
    (
        health,
        armour,
        dead,
        weapon,
        ammunition,
        ready,
        frags,
        deaths,
        hits,
        hurt,
        damage,
        taken,
        *stock,
    ) = map(int, rest)
    return FigureState(
        x=x,
        y=y,
        z=z,
        angle_deg=angle,
        pitch_deg=-pitch,
        velocity=(vx, vy, vz),
        camera=(cx, cy, cz, camera, -tilt),
        on_ground=bool(ground),
        health=max(health, 0),
        armour=armour,
        dead=bool(dead),
        weapon=weapon,
        ammunition=max(ammunition, 0),
        ready=bool(ready),
        frags=frags,
        deaths=deaths,
        hits=hits,
        hits_taken=hurt,
        damage=damage,
        damage_taken=taken,
        stock=(stock[0], stock[1], stock[2], stock[3]),
        weapons=tuple(n for n, owned in enumerate(stock[4:], 1) if owned),
    )


assert len(VARIABLES) == 37, "body_of unpacks them"


def tenths(angle_deg: float) -> int:
    """Tenths of a degree, 0 to 3599."""
    return round(10 * angle_deg) % 3600


def happened_between(before: FigureState, after: FigureState) -> list[str]:
    """The events of a tic, seen or heard by the player."""
    moved = math.dist((before.x, before.y), (after.x, after.y))
    speed = math.hypot(*before.velocity[:2])
    stock = sum(after.stock) > sum(before.stock)
    gained = (
        after.health > before.health
        or after.armour > before.armour
        or stock
        or after.weapons > before.weapons
    )
    alive = not before.dead and not after.dead
    signs = {
        "shot": alive and after.ammunition < before.ammunition and after.weapon == before.weapon,
        "hit": after.hits > before.hits,
        "hurt": after.hits_taken > before.hits_taken or after.damage_taken > before.damage_taken,
        "pickup": alive and gained,
        "frag": after.frags > before.frags,
        "died": after.dead and not before.dead,
        "jumped": alive and before.on_ground and after.velocity[2] >= 6,
        "blocked": alive and speed > BLOCKED_SPEED and moved < BLOCKED_SHARE * speed,
    }
    return [name for name, happened in signs.items() if happened]


# ---------------------------------------------------------------------------------------------- the
# bundle


def _setup_row(setup: DoomSetup) -> Row:
    return {
        "opponent": setup.opponent,
        "map": setup.map,
        "map_seed": setup.map_seed,
        "engine_seed": setup.engine_seed,
        "goal": setup.goal,
        "camera": setup.camera,
    }


def _telemetry_rows(recording: Recording) -> Sequence[Row]:
    columns = recording.telemetry
    return [
        {name: columns[name][frame] for name in columns} for frame in range(recording.timing.frames)
    ]


_UNITS = "in the engine's units"
TELEMETRY = (
    *(WorldColumn(part.name, "integer", f"Input. {part.about}") for part in INPUTS.parts),
    WorldColumn("x", "number", f"The figure's place towards the east, {_UNITS}."),
    WorldColumn("y", "number", f"The figure's place towards the north, {_UNITS}."),
    WorldColumn("z", "number", f"Height of its feet, {_UNITS}."),
    WorldColumn("angle_deg", "number", "Where it looks, counterclockwise from the east."),
    WorldColumn("pitch_deg", "number", "How far it looks up."),
    WorldColumn("velocity_x", "number", f"Towards the east, {_UNITS} per tic."),
    WorldColumn("velocity_y", "number", f"Towards the north, {_UNITS} per tic."),
    WorldColumn("velocity_z", "number", f"Upwards, {_UNITS} per tic."),
    WorldColumn("camera_x", "number", f"Where the camera is, {_UNITS}."),
    WorldColumn("camera_y", "number", f"Where the camera is, {_UNITS}."),
    WorldColumn("camera_z", "number", f"Where the camera is, {_UNITS}."),
    WorldColumn("on_ground", "boolean", "It has ground under its feet."),
    WorldColumn("health", "integer", "0 to 200."),
    WorldColumn("armour", "integer", "0 to 200."),
    WorldColumn("dead", "boolean", "It is dead."),
    WorldColumn("weapon_in_hand", "integer", "Number of the weapon."),
    WorldColumn("ammunition", "integer", "For the weapon in hand."),
    WorldColumn("bullets", "integer", "Owned."),
    WorldColumn("shells", "integer", "Owned."),
    WorldColumn("rockets", "integer", "Owned."),
    WorldColumn("cells", "integer", "Owned."),
    WorldColumn("weapons", "string", "Numbers of the weapons owned, separated by spaces."),
    WorldColumn("frags", "integer", "Kills until this tic, less suicides."),
    WorldColumn("deaths", "integer", "Deaths until this tic."),
    WorldColumn("damage", "integer", "Damage done to others until this tic."),
    WorldColumn("damage_taken", "integer", "Damage taken until this tic."),
    WorldColumn(
        "items",
        "integer",
        f"Items on the ground; in a deathmatch, taken ones appear again after {RESPAWN_S} s.",
    ),
    WorldColumn("picked_up", "string", "Items that were taken in this tic.", required=False),
    WorldColumn("goal_distance", "number", f"To the goal through walls, {_UNITS}.", required=False),
    WorldColumn(
        "events", "string", "What happened in this tic, separated by spaces.", required=False
    ),
)

TABULAR = Tabular(
    setup=(
        WorldColumn("opponent", "string", "Who else was there."),
        WorldColumn("map", "string", "Design or file of the map."),
        WorldColumn("map_seed", "integer", "Seed of a generated map."),
        WorldColumn("engine_seed", "integer", "Seed of the engine."),
        WorldColumn(
            "goal", "integer", "Number of the goal place; empty without one.", required=False
        ),
        WorldColumn("camera", "string", f"{' or '.join(CAMERAS)} person."),
    ),
    setup_row=_setup_row,
    telemetry=TELEMETRY,
    telemetry_rows=_telemetry_rows,
)

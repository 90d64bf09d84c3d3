"""The maze as a world that people play: the setup of a round, the game behind the contract, the
columns of the bundle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from believable.contracts.game import RoundContext, RoundOutcome, SeatInputs
from believable.contracts.inputs import Input, InputPart, InputSchema
from believable.contracts.record import Record
from believable.contracts.world import Row, Tabular, WorldColumn
from believable.recordings.recording import UNITS_PER_TILE, Recording, Scalar, Track
from believable.recordings.scene import scene_tree
from believable.worlds.maze.agent_opponent import AgentOpponent
from believable.worlds.maze.draw import live_scene
from believable.worlds.maze.flashes import Effects
from believable.worlds.maze.opponents import (
    OPPONENTS,
    FrustratedOpponent,
    ShortestPathChaser,
    new_opponent,
)
from believable.worlds.maze.record import FIGURE_REACH, FIRE_REACH, Recorder
from believable.worlds.maze.rules import (
    TICKS_PER_S,
    MazeEvent,
    MazeRules,
    OpponentInput,
    PlayerInput,
    in_view,
    new_round,
    player_sees,
)
from believable.worlds.maze.temper import CALM, expression

PLAYER, OPPONENT = "player", "opponent"
#: A practice has no fixed end; after an hour it would have one.
PRACTICE_TICKS = 3600 * TICKS_PER_S
#: The length of a step; farther away than this it cannot be heard. As on the page
#: (`static/sounds.js`).
STRIDE, HEARD_TILES = 950, 9
#: The events that the player can see or hear.
NOTICED = frozenset(
    [
        "shot",
        "throw",
        "hit",
        "blast",
        "blast_hit",
        "burn",
        "hurt",
        "caught",
        "opponent_killed",
        "player_killed",
        "reset",
    ]
)
#: The numbers that the page needs to predict the player's own moves.
_PREDICTED = (
    "player_speed",
    "body_radius",
    "health",
    "bullet_speed",
    "bullet_pause",
    "bullet_life",
    "bomb_speed",
    "bomb_pause",
    "bomb_fuse",
    "player_view_deg",
    "player_view_tiles",
)


#: The level of an arm at which the opponent shows its mood.
SHOWN = "shown"


class MazeOptions(Record):
    """The choices of a play trial's author about the maze."""

    size: int = Field(default=21, ge=9, le=41)
    """Tiles on each side of the maze, an odd number."""
    maze: Literal["round", "session"] | Annotated[int, Field(ge=0)] = "round"
    """Another maze for each `round`, for each `session`, or the one of this number for all
    participants.
    """
    fog: bool = False
    """Opponent and fire are seen only inside the player's field of vision. The page does not
    receive the parts hidden by fog, and the recording that is watched later shows only the visible
    ones; footsteps are heard from their side.
    """
    mood: bool | str = False
    """The opponent's face shows its mood (at ease, tense, furious). Off, as published, only its
    actions show the mood. The name of an arm: as that arm says, `shown` or not.
    """


def problems_of(options: MazeOptions) -> Sequence[tuple[str, str, str]]:
    if options.size % 2:
        return ()
    message = f"a maze has an odd number of tiles on each side, got {options.size}."
    return (("size", message, f"Use {options.size - 1} or {options.size + 1}."),)


def arms_of(options: MazeOptions) -> Mapping[str, tuple[str, str]]:
    return {"mood": (options.mood, SHOWN)} if isinstance(options.mood, str) else {}


class MazeSetup(Record):
    """Maze, opponent, length. `opponent` is a name, or a level of frustration that never moves."""

    maze_seed: int
    agent_seed: int
    opponent: str | int | float
    size: int = 21
    ticks: int = 60 * TICKS_PER_S
    practice: bool = False
    fog: bool = False
    mood: bool = False

    @property
    def agent(self) -> str:
        """The opponent's name in recordings."""
        return self.opponent if isinstance(self.opponent, str) else f"frustration-{self.opponent:g}"


def resolve(options: MazeOptions, context: RoundContext) -> MazeSetup:
    """Return the setup of one round."""
    mazes = {"round": context.seed("maze", context.trial_key), "session": context.seed("maze")}
    return MazeSetup(
        maze_seed=options.maze if isinstance(options.maze, int) else mazes[options.maze],
        agent_seed=context.seed("opponent", context.trial_key),
        opponent=context.opponent,
        size=options.size,
        ticks=context.duration_s * TICKS_PER_S,
        practice=context.practice,
        fog=options.fog,
        mood=(
            context.arms.get(options.mood) == SHOWN
            if isinstance(options.mood, str)
            else options.mood
        ),
    )


INPUTS = InputSchema(
    (
        InputPart(name="move_x", low=-1, high=1, about="−1 left, 1 right."),
        InputPart(name="move_y", low=-1, high=1, about="−1 up, 1 down."),
        InputPart(
            name="aim_deg",
            low=0,
            high=359,
            about="Where it looked, clockwise from the right.",
            kind="kept",
        ),
        InputPart(name="shoot", low=0, high=1, about="Trigger of the gun.", kind="trigger"),
        InputPart(name="bomb", low=0, high=1, about="Throwing a bomb.", kind="trigger"),
    )
)


OPPONENT_INPUTS = InputSchema(
    (
        InputPart(
            name="heading_deg",
            low=0,
            high=359,
            about="Where it walks, clockwise from the right.",
            kind="kept",
        ),
        InputPart(name="walk", low=0, high=1, about="1: it walks."),
    )
)


def pressed_of(keys: PlayerInput) -> Input:
    """The keys of the rules as an input of the contract."""
    return keys.dx, keys.dy, keys.aim_deg, int(keys.shoot), int(keys.bomb)


class MazeGame:
    """A round against the opponent of its setup."""

    def __init__(self, setup: MazeSetup, *, recorded: bool = False) -> None:
        rules = MazeRules(
            size=setup.size, round_ticks=PRACTICE_TICKS if setup.practice else setup.ticks
        )
        self.setup = setup
        self.round = new_round(setup.maze_seed, rules)
        self._rival: FrustratedOpponent | ShortestPathChaser | AgentOpponent
        if isinstance(setup.opponent, str) and setup.opponent not in OPPONENTS:
            self._rival = AgentOpponent(setup.opponent, setup.agent_seed, OPPONENT_INPUTS)
        else:
            self._rival = new_opponent(setup.opponent, setup.agent_seed)
        self._mood: float | None = self._rival.mood
        self._driven = False
        self._events: Sequence[MazeEvent] = ()
        self._effects = Effects()
        self._tread: tuple[float, float] | None = None
        self._walked = 0.0
        self._recorder = (
            Recorder(self.round, scored=True, fog=setup.fog, mood=setup.mood) if recorded else None
        )

    @property
    def ticks(self) -> int:
        return self.round.settings.round_ticks

    def over(self) -> RoundOutcome | None:
        return RoundOutcome(self.round.score) if self.round.over else None

    def step(self, inputs: SeatInputs) -> Sequence[str]:
        dx, dy, aim_deg, shoot, bomb = inputs[PLAYER]
        keys = PlayerInput(dx=dx, dy=dy, aim_deg=aim_deg, shoot=bool(shoot), bomb=bool(bomb))
        intent = self._intent(inputs.get(OPPONENT))
        was = self.round.opponent.x, self.round.opponent.y
        self._events = self.round.step(keys, intent)
        if self.setup.fog:
            self._listen(*was)
        self._effects.see(self.round.tick, self._events, aim_deg)
        if self._recorder is not None:
            self._recorder.see(keys, intent, self._events, self._mood)
        return [event.kind for event in self._events if event.kind in NOTICED]

    def _intent(self, driven: Input | None) -> OpponentInput:
        """Return the opponent's move: from outside, or by the opponent of the setup."""
        self._driven = self._driven or driven is not None
        if driven is None and isinstance(self._rival, AgentOpponent):
            driven = self._rival.drive(self._agent_view())
        if driven is None:
            assert not isinstance(self._rival, AgentOpponent)
            intent: OpponentInput = self._rival.decide(self.round, self._events)
            self._mood = self._rival.mood
            return intent
        self._mood = None
        heading_deg, walk = driven
        return OpponentInput(
            heading_deg=heading_deg, walk=bool(walk), intent="walk" if walk else "wait"
        )

    def view(self, seat: str) -> Mapping[str, Any]:
        """Return everything that a page draws, and for the player the data needed to predict the
        own figure.

        Nothing of the opponent's inside but its face, if the study shows that. In fog, each seat
        gets what lies in its own field of vision, and the player hears steps besides.
        """
        game, sees = self.round, self._sees(seat)
        player, rival = game.player, game.opponent
        face = (expression(self._mood),) if self.setup.mood else ()
        views_player = sees(player.x, player.y) or seat == PLAYER
        views_rival = sees(rival.x, rival.y) or seat == OPPONENT
        view = {
            "p": (player.x, player.y, player.heading_deg, player.health) if views_player else None,
            "o": (rival.x, rival.y, rival.heading_deg, rival.health, *face)
            if views_rival
            else None,
            "m": [
                (m.id, m.kind == "bomb", m.x, m.y, m.vx, m.vy, m.ticks_left)
                for m in game.missiles
                if seat == PLAYER or sees(m.x, m.y)
            ],
            "f": [tile for tile in game.fires if sees(*game.grid.centre(tile), FIRE_REACH)],
            "x": [
                (e.number, e.role, e.x, e.y, e.heading_deg)
                for e in self._effects.shown
                if sees(e.x, e.y)
            ],
        }
        if seat == PLAYER:
            view["r"] = (game.bullet_ready, game.bomb_ready, game.missiles_made)
            if self.setup.fog:
                view["h"] = None if views_rival else self._tread
        return {**view, "s": game.score}

    def _agent_view(self) -> Mapping[str, Any]:
        """All that an agent in the opponent's seat gets for one tick."""
        events = [event.kind for event in self._events if event.kind in NOTICED]
        welcome = {**self.welcome(OPPONENT), "ticks": self.ticks}
        return {"t": self.round.tick, **self.view(OPPONENT), "e": events, "welcome": welcome}

    def _sees(self, seat: str) -> Callable[..., bool]:
        """Return whether a seat sees a place. Without fog it sees all of them."""
        if not self.setup.fog:
            return lambda x, y, reach=FIGURE_REACH: True
        if seat == PLAYER:
            return lambda x, y, reach=FIGURE_REACH: player_sees(self.round, x, y, reach)
        return lambda x, y, reach=FIGURE_REACH: in_view(
            self.round.grid, self.round.opponent, x, y, CALM.view_tiles, CALM.view_deg
        )

    def _listen(self, x: int, y: int) -> None:
        """A footstep of the opponent: its side and loudness, as precisely as ears can hear."""
        player, rival = self.round.player, self.round.opponent
        moved = math.hypot(rival.x - x, rival.y - y)
        self._walked = 0.0 if moved > STRIDE else self._walked + moved
        self._tread = None
        away = math.hypot(rival.x - player.x, rival.y - player.y) / (HEARD_TILES * UNITS_PER_TILE)
        if self._walked >= STRIDE:
            self._walked -= STRIDE
            if away < 1:
                side = max(-1.0, min(1.0, (rival.x - player.x) / (6 * UNITS_PER_TILE)))
                self._tread = round(2 * side) / 2, max(0.25, round(4 * (1 - away) ** 1.5) / 4)

    def welcome(self, seat: str) -> Mapping[str, Any]:
        walls, rules = self.round.grid.walls, self.round.settings
        numbers = {name: getattr(rules, name) for name in _PREDICTED}
        scene = live_scene(walls, fog=self.setup.fog, mood=self.setup.mood)
        return {"walls": walls, "scene": scene_tree(scene), "rules": numbers}

    def record(self) -> Recording:
        assert self._recorder is not None, "made with `recorded`"
        whole = self._recorder.finish(agent=None if self._driven else self.setup.agent)
        about = self._rival.identity if isinstance(self._rival, AgentOpponent) else {}
        provenance = {**whole.provenance, "agent_seed": self.setup.agent_seed, **about}
        return replace(whole, provenance=provenance)

    def close(self) -> None:
        """Nothing is held."""


# ---------------------------------------------------------------------------------------------- the
# bundle


_TILES = "in tiles from the upper left corner"


def _setup_row(setup: MazeSetup) -> Row:
    return {
        "opponent": str(setup.opponent),
        "maze_seed": setup.maze_seed,
        "agent_seed": setup.agent_seed,
        "size": setup.size,
        "fog": setup.fog,
        "mood": setup.mood,
    }


def _telemetry_rows(recording: Recording) -> Sequence[Row]:
    tracks = {track.actor: track for track in recording.tracks}
    player, opponent = tracks[PLAYER], tracks[OPPONENT]
    frustration, intent = (
        _held(recording, opponent, "frustration"),
        _held(recording, opponent, "intent"),
    )
    columns = recording.telemetry
    rows: list[Row] = []
    for tick in range(recording.timing.frames):
        away = (player.x[tick] - opponent.x[tick], player.y[tick] - opponent.y[tick])
        rows.append(
            {
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
        )
    return rows


def _held(recording: Recording, track: Track, key: str) -> list[Scalar]:
    """A state frame by frame: it holds until it changes."""
    changes = {state.frame: state.value for state in track.states if state.key == key}
    values: list[Scalar] = []
    for frame in range(recording.timing.frames):
        values.append(changes.get(frame, values[-1] if values else None))
    return values


TABULAR = Tabular(
    setup=(
        WorldColumn(
            "opponent",
            "string",
            "Who was played against: a name, or a degree of frustration.",
            required=False,
        ),
        WorldColumn("maze_seed", "integer", "What maze and starting places follow from."),
        WorldColumn("agent_seed", "integer", "Seed of the opponent."),
        WorldColumn("size", "integer", "Tiles on each side of the maze."),
        WorldColumn(
            "fog",
            "boolean",
            "Whether the opponent could be seen in the player's field of vision only.",
        ),
        WorldColumn("mood", "boolean", "Whether the opponent's face showed its mood."),
    ),
    setup_row=_setup_row,
    telemetry=(
        WorldColumn("score", "integer", "Points until this tick."),
        WorldColumn("player_health", "integer", "0 to 100."),
        WorldColumn("opponent_health", "integer", "0 to 100."),
        WorldColumn("player_x", "number", f"The player's place, {_TILES}."),
        WorldColumn("player_y", "number", f"The player's place, {_TILES}."),
        WorldColumn("player_heading_deg", "integer", "Where the player looked and aimed."),
        WorldColumn("opponent_x", "number", f"The opponent's place, {_TILES}."),
        WorldColumn("opponent_y", "number", f"The opponent's place, {_TILES}."),
        WorldColumn("opponent_heading_deg", "integer", "Where the opponent headed."),
        WorldColumn("distance", "number", "Between the two, in tiles, through walls."),
        WorldColumn("move_x", "integer", "Buttons: −1 left, 1 right."),
        WorldColumn("move_y", "integer", "Buttons: −1 up, 1 down."),
        WorldColumn("shoot", "boolean", "Button of the gun."),
        WorldColumn("bomb", "boolean", "Button of bombs."),
        WorldColumn(
            "frustration",
            "number",
            "The opponent's frustration, 0 to 1; empty if it has none.",
            required=False,
        ),
        WorldColumn("intent", "string", "Intention of the opponent.", required=False),
        WorldColumn(
            "events", "string", "What happened in this tick, separated by spaces.", required=False
        ),
    ),
    telemetry_rows=_telemetry_rows,
)

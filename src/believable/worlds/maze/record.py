"""A round as a recording: tracks, atomic actions with verb and object, the opponent's plan,
telemetry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from believable.recordings.recording import (
    UNSEEN,
    Action,
    Actor,
    PlanStep,
    RecordedWorld,
    Recording,
    Scalar,
    State,
    Timing,
    Track,
)
from believable.worlds.maze.flashes import Effects
from believable.worlds.maze.rules import (
    TICKS_PER_S,
    MazeEvent,
    MazeRound,
    MazeRules,
    OpponentInput,
    PlayerInput,
    new_round,
    player_sees,
)
from believable.worlds.maze.temper import expression

#: A recording frame lasts as long as a step of the game.
FRAME_MS = 1000 / TICKS_PER_S

#: The opponent's activities, in words for the action log.
INTENTS = {
    "chase": "chases the player",
    "follow": "heads for where it last saw the player",
    "investigate": "goes to where it heard something",
    "search": "searches the maze",
    "avoid_fire": "keeps clear of the fire",
    "cross_fire": "walks through the fire",
    "wait": "waits",
    "walk": "walks",
}

#: Events that are actions of a figure, with verb, object and text.
ACTS = {
    "shot": ("shoot", "bullet", "fires a bullet"),
    "throw": ("throw", "bomb", "throws a bomb"),
    "caught": ("catch", "player", "catches the player"),
}

#: States that a judge must not receive: they would reveal the opponent's inside.
HIDDEN_STATES = ("intent", "frustration")
#: An object is in sight if its middle is, or a point at this distance from it: figures, and fire
#: that fills a tile.
FIGURE_REACH, FIRE_REACH = 250, 400


#: The player always knows the location of these.
_OWN = frozenset(["player", "bullet", "bomb"])


@dataclass(slots=True, kw_only=True)
class TrackBuilder:
    first_frame: int
    xs: list[int] = field(default_factory=list)
    ys: list[int] = field(default_factory=list)
    headings: list[int] = field(default_factory=list)
    states: list[State] = field(default_factory=list)

    def add(self, x: int, y: int, heading: int = 0) -> None:
        self.xs.append(x)
        self.ys.append(y)
        self.headings.append(heading)

    def state(self, frame: int, key: str, value: Scalar) -> None:
        """Keeps a state only when it changed."""
        last = next((state.value for state in reversed(self.states) if state.key == key), None)
        if last != value:
            self.states.append(State(frame, key, value))


class Recorder:
    """Watches a round tick by tick. Call `see` after every step, then `finish`. `scored`: judges
    see score and time, too. `fog`: they see of others the parts that the player saw. `mood`: they
    see the opponent's face.
    """

    def __init__(
        self, game: MazeRound, *, scored: bool = False, fog: bool = False, mood: bool = False
    ) -> None:
        self._game = game
        self._scored, self._fog, self._mood = scored, fog, mood
        self._effects = Effects()
        self._movers: dict[str, TrackBuilder] = {
            "player": TrackBuilder(first_frame=0),
            "opponent": TrackBuilder(first_frame=0),
        }
        self._roles: dict[str, str] = {"player": "player", "opponent": "opponent"}
        self._fire_ids: dict[int, str] = {}
        self._acts: list[tuple[int, int, str, str, str | None, str]] = []
        self._intents: list[tuple[int, str, str]] = []
        self._telemetry: dict[str, list[Scalar]] = {name: [] for name in _TELEMETRY}
        self._frame = 0

    def see(
        self,
        player: PlayerInput,
        opponent: OpponentInput,
        events: Sequence[MazeEvent],
        frustration: float | None,
    ) -> None:
        """Keep one tick: inputs, what happened, and where everything is now."""
        game, frame = self._game, self._frame
        for name, body in (("player", game.player), ("opponent", game.opponent)):
            self._movers[name].add(body.x, body.y, body.heading_deg)
            self._movers[name].state(frame, "health", body.health)
        self._see_missiles(frame)
        self._see_fires(frame)
        self._see_effects(frame, events)
        self._see_intent(frame, opponent)
        self._see_as_player(frame, frustration)
        if frustration is not None and frame % 5 == 0:
            self._movers["opponent"].state(frame, "frustration", round(frustration, 3))
        for event in events:
            if event.kind in ACTS:
                verb, thing, words = ACTS[event.kind]
                actor = "opponent" if event.kind == "caught" else "player"
                self._acts.append((frame, frame + 1, actor, verb, thing, words))
        self._see_telemetry(player, events)
        self._frame += 1

    def _mover(self, name: str, role: str, frame: int) -> TrackBuilder:
        """Whatever is seen for the first time begins a track."""
        if name not in self._movers:
            self._movers[name], self._roles[name] = TrackBuilder(first_frame=frame), role
        return self._movers[name]

    def _see_missiles(self, frame: int) -> None:
        for missile in self._game.missiles:
            self._mover(f"{missile.kind}-{missile.id}", missile.kind, frame).add(
                missile.x, missile.y
            )

    def _see_fires(self, frame: int) -> None:
        for tile in self._game.fires:
            name = self._fire_ids.setdefault(tile, f"fire-{tile}-{frame}")
            self._mover(name, "fire", frame).add(*self._game.grid.centre(tile))
        for tile in [tile for tile in self._fire_ids if tile not in self._game.fires]:
            del self._fire_ids[tile]

    def _see_effects(self, frame: int, events: Sequence[MazeEvent]) -> None:
        self._effects.see(frame, events, self._game.player.heading_deg)
        for effect in self._effects.shown:
            mover = self._mover(f"{effect.role}-{effect.number}", effect.role, frame)
            mover.add(effect.x, effect.y, effect.heading_deg)
        player = self._movers["player"]
        player.state(frame, "news", self._effects.news or None)
        if self._scored:
            player.state(frame, "score", self._game.score)

    def _see_as_player(self, frame: int, frustration: float | None) -> None:
        """The parts hidden by fog in this frame, and the expression of the opponent's face."""
        game, rival = self._game, self._movers["opponent"]
        if self._mood:
            rival.state(frame, "tense", expression(frustration) == 1)
            rival.state(frame, "furious", expression(frustration) == 2)
        if self._fog:
            self._movers["player"].state(frame, "fog", True)
            for name, mover in self._movers.items():
                if self._roles[name] in _OWN or mover.first_frame + len(mover.xs) <= frame:
                    continue
                reach = FIRE_REACH if self._roles[name] == "fire" else FIGURE_REACH
                mover.state(frame, UNSEEN, not player_sees(game, mover.xs[-1], mover.ys[-1], reach))

    def _see_intent(self, frame: int, opponent: OpponentInput) -> None:
        if not self._intents or self._intents[-1][1] != opponent.intent:
            self._intents.append((frame, opponent.intent, opponent.goal))
            self._movers["opponent"].state(frame, "intent", opponent.intent)

    def _see_telemetry(self, player: PlayerInput, events: Sequence[MazeEvent]) -> None:
        game = self._game
        row: dict[str, Scalar] = {
            "score": game.score,
            "player_health": game.player.health,
            "opponent_health": game.opponent.health,
            "move_x": player.dx,
            "move_y": player.dy,
            "shoot": player.shoot,
            "bomb": player.bomb,
            "events": " ".join(event.kind for event in events) or None,
        }
        for name, value in row.items():
            self._telemetry[name].append(value)

    def finish(self, *, agent: str | None) -> Recording:
        """The whole recording."""
        game = self._game
        return Recording(
            world=RecordedWorld(
                kind="maze", width=game.grid.width, height=game.grid.height, walls=game.grid.walls
            ),
            actors=tuple(
                Actor(name, _NAMES.get(role, role), role) for name, role in self._roles.items()
            ),
            timing=Timing(frame_ms=FRAME_MS, frames=self._frame),
            tracks=tuple(_track(name, mover) for name, mover in self._movers.items()),
            actions=tuple(self._actions()),
            plans=tuple(self._plans()),
            telemetry={name: tuple(column) for name, column in self._telemetry.items()},
            hidden_states=HIDDEN_STATES,
            seed=game.seed,
            agent=agent,
            provenance={"world": "maze", "ticks_per_s": TICKS_PER_S},
        )

    def _spans(self) -> list[tuple[int, int, str, str]]:
        ends = [frame for frame, _, _ in self._intents[1:]] + [self._frame]
        return [
            (first, end, intent, goal)
            for (first, intent, goal), end in zip(self._intents, ends, strict=True)
        ]

    def _actions(self) -> list[Action]:
        spans = [
            (first, end, "opponent", intent, goal or None, INTENTS.get(intent, intent))
            for first, end, intent, goal in self._spans()
        ]
        ordered = sorted([*spans, *self._acts], key=lambda row: (row[0], row[2], row[3]))
        return [
            Action(
                id=f"a{number}",
                actor=actor,
                t0_ms=_ms(t0),
                t1_ms=_ms(t1),
                verb=verb,
                object=thing,
                place=None,
                text=words,
            )
            for number, (t0, t1, actor, verb, thing, words) in enumerate(ordered, 1)
        ]

    def _plans(self) -> list[PlanStep]:
        root = PlanStep(
            id="p0",
            actor="opponent",
            parent=None,
            level=0,
            t0_ms=0,
            t1_ms=_ms(self._frame),
            text="Catch the player",
        )
        steps = (
            PlanStep(
                id=f"p{number}",
                actor="opponent",
                parent="p0",
                level=1,
                t0_ms=_ms(first),
                t1_ms=_ms(end),
                text=INTENTS.get(intent, intent),
            )
            for number, (first, end, intent, _) in enumerate(self._spans(), 1)
        )
        return [root, *steps]


_TELEMETRY = (
    "score",
    "player_health",
    "opponent_health",
    "move_x",
    "move_y",
    "shoot",
    "bomb",
    "events",
)
_NAMES = {"player": "You", "opponent": "Opponent"}


def _ms(frames: int) -> int:
    return round(frames * FRAME_MS)


def _track(name: str, mover: TrackBuilder) -> Track:
    return Track(
        actor=name,
        x=tuple(mover.xs),
        y=tuple(mover.ys),
        heading=tuple(mover.headings),
        first_frame=mover.first_frame,
        states=tuple(mover.states),
    )


# ----------------------------------------------------------------------------------------------
# whole rounds


class MazePlayer(Protocol):
    def decide(self, game: MazeRound, events: Sequence[MazeEvent]) -> PlayerInput: ...


class MazeOpponent(Protocol):
    @property
    def mood(self) -> float | None:
        """Its frustration, from 0 to 1, if it has any."""

    def decide(self, game: MazeRound, events: Sequence[MazeEvent]) -> OpponentInput: ...


def play_round(
    seed: int,
    player: MazePlayer,
    opponent: MazeOpponent,
    *,
    agent: str,
    settings: MazeRules | None = None,
    watch: Callable[[MazeRound, OpponentInput, Sequence[MazeEvent]], None] | None = None,
) -> tuple[Recording, tuple[PlayerInput, ...]]:
    """A whole round of agents against each other: its recording, and the player's inputs from which
    it can be made again.
    """
    game = new_round(seed, settings)
    recorder = Recorder(game)
    inputs: list[PlayerInput] = []
    events: list[MazeEvent] = []
    while not game.over:
        keys, intent = player.decide(game, events), opponent.decide(game, events)
        events = game.step(keys, intent)
        inputs.append(keys)
        recorder.see(keys, intent, events, opponent.mood)
        if watch is not None:
            watch(game, intent, events)
    return recorder.finish(agent=agent), tuple(inputs)

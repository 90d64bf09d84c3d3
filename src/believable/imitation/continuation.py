"""A recording continued as the agent would play: it walks on the learned topology, without the
game.

There is no map and no other player in it, so nothing can be hit and the figure stays on ways that
were walked. It shows where the agent goes and how it turns, from above; the view of a player needs
the game's own data.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from believable.core.errors import InvalidInput
from believable.imitation.imitator import Imitation, Imitator, Sight
from believable.imitation.mixture import is_present
from believable.imitation.observations import observe
from believable.imitation.paths import Item
from believable.recordings.recording import UNITS_PER_TILE, Action, Recording, Timing, Track

#: So near an item is picked up, in tiles.
_REACH_TILES = 0.8


def continue_recording(
    model: Imitation, recording: Recording, seconds: int, seed: int
) -> Recording:
    """The continuation after the last frame in which the player lives, for this
    number of seconds.
    """
    seen = observe(recording)
    if not seen.alive.any():
        raise InvalidInput(
            "recording: the player is never alive in it, so there is no start to continue from."
        )
    start = int(np.flatnonzero(seen.alive)[-1])
    x, y, z = (float(value) for value in seen.position[start])
    yaw, pitch = float(seen.yaw[start]), float(seen.pitch[start])
    carried = seen.carried[start]
    quantities = {name: float(values[start]) for name, values in seen.quantities.items()}
    agent = Imitator(model, seed)
    taken_ms: dict[Item, float] = {}
    picked: tuple[str, ...] = ()
    xs, ys, headings = [], [], []
    actions: list[Action] = []
    frames = int(seconds * 1000 // model.frame_ms)
    for frame in range(frames):
        now_ms = round(frame * model.frame_ms)
        command = agent.act(
            Sight(
                now_ms=now_ms,
                position=(x, y, z),
                yaw=yaw,
                pitch=pitch,
                alive=True,
                carried=carried,
                quantities=quantities,
                picked_up=picked,
            )
        )
        if command.direction is not None and command.tiles_per_s is not None:
            step = min(command.tiles_per_s, model.top_speed_tiles_per_s) * model.frame_ms / 1000
            x += step * math.cos(math.radians(command.direction))
            y -= step * math.sin(math.radians(command.direction))
        node = int(model.topology.node_of(np.array([x, y, z]))[0])
        z = float(model.topology.nodes[node, 2])
        yaw = (yaw + command.turn + 180) % 360 - 180
        pitch = max(-89.0, min(89.0, pitch + command.pitch))
        picked = ()
        for item, place in model.item_places.items():
            if not is_present(item, taken_ms, now_ms, model.options.respawn_ms):
                continue
            if item.node == node and math.dist((x, y), place[:2]) < _REACH_TILES:
                taken_ms[item] = now_ms
                picked += (item.name,)
                carried |= {item.name}
                for name, gain in model.gains.get(item.name, {}).items():
                    quantities[name] = min(
                        model.scheme.most.get(name, 0.0), quantities.get(name, 0.0) + gain
                    )
                actions.append(
                    Action(
                        id=f"a{len(actions)}",
                        actor="player",
                        t0_ms=now_ms,
                        t1_ms=round((frame + 1) * model.frame_ms),
                        verb="pick-up",
                        object=item.name,
                        text=f"picks up {item.name}",
                    )
                )
        xs.append(round(x * UNITS_PER_TILE))
        ys.append(round(y * UNITS_PER_TILE))
        headings.append(round(-yaw) % 360)
    player = next(actor for actor in recording.actors if actor.id == "player")
    return replace(
        recording,
        actors=(player,),
        timing=Timing(frame_ms=model.frame_ms, frames=frames),
        tracks=(Track(actor="player", x=tuple(xs), y=tuple(ys), heading=tuple(headings)),),
        actions=tuple(actions),
        plans=(),
        telemetry={},
        seed=seed,
        agent="imitation",
        provenance={
            **recording.provenance,
            "continued": True,
            "learned_from": ", ".join(model.sources),
        },
    )

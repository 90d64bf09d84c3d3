"""Two simpler players to compare with the imitation: behaviour cloning, and playing back the
actions of the nearest moment.

Both have the inputs, outputs and primitives of the imitation, so their surprise at an action can be
compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from believable.core.seeds import derive
from believable.imitation.imitator import Imitation, MoveCommand, Sight
from believable.imitation.observations import Floats, Integers, Observations
from believable.imitation.primitives import moving_frames

#: Weight of the penalty on large coefficients.
_RIDGE = 1.0
#: How far a player may be from the moment that is played back before another one is sought, in
#: tiles.
_DRIFT_TILES = 2.0


# ----------------------------------------------------------------------------------------------
# behaviour cloning


@dataclass(frozen=True, slots=True, eq=False)
class BehaviourClone:
    """A softmax regression from the state to the primitive, and a linear one to the direction of
    walking relative to the view.
    """

    model: Imitation
    weights: Floats
    walking: Floats
    with_before: bool


def state_features(
    model: Imitation,
    position: Floats,
    yaw: Floats,
    pitch: Floats,
    vectors: Floats,
    before: Sequence[int] | None,
) -> Floats:
    """One row per moment: the node, the view direction, the carried items, and, if requested, the
    last action.
    """
    nodes = np.eye(len(model.topology.nodes))[model.topology.node_of(position)]
    angles = np.column_stack([np.cos(np.radians(yaw)), np.sin(np.radians(yaw)), pitch / 45.0])
    columns = [np.ones((len(nodes), 1)), nodes, angles, vectors]
    if before is not None:
        columns.append(np.eye(model.primitives.count + 1)[np.asarray(before)])
    return np.column_stack(columns)


def learn_clone(
    model: Imitation, recordings: Sequence[Observations], *, with_before: bool = False
) -> BehaviourClone:
    rows, actions, walks = [], [], []
    for seen in recordings:
        features, labels, frames = clone_examples(model, seen, with_before=with_before)
        rows.append(features)
        actions.append(labels)
        walks.append(_walk_directions(seen, frames))
    x, y, walk = np.concatenate(rows), np.concatenate(actions), np.concatenate(walks)
    count = model.primitives.count
    hot = np.eye(count)[y]

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(x.shape[1], count)
        scores = x @ weights
        scores -= scores.max(1, keepdims=True)
        logs = scores - np.log(np.exp(scores).sum(1, keepdims=True))
        gradient = x.T @ (np.exp(logs) - hot) + _RIDGE * weights
        return float(-(hot * logs).sum() + 0.5 * _RIDGE * (weights**2).sum()), gradient.ravel()

    fit = minimize(
        loss, np.zeros(x.shape[1] * count), jac=True, method="L-BFGS-B", options={"maxiter": 60}
    )
    walking = np.asarray(
        np.linalg.solve(x.T @ x + _RIDGE * np.eye(x.shape[1]), x.T @ walk), np.float64
    )
    return BehaviourClone(model, fit.x.reshape(x.shape[1], count), walking, with_before)


def clone_examples(
    model: Imitation, seen: Observations, *, with_before: bool
) -> tuple[Floats, Integers, Integers]:
    """Features and primitive of every frame in which a hand could move, and those frames."""
    frames = moving_frames(seen)
    labels = model.primitives.label(seen)
    vectors = np.array(
        [
            model.scheme.vector(
                seen.carried[frame],
                {name: float(values[frame]) for name, values in seen.quantities.items()},
            )
            for frame in frames
        ]
    )
    none = model.primitives.count
    before = [
        int(labels[frame - 1]) if frame and seen.alive[frame - 1] else none for frame in frames
    ]
    features = state_features(
        model,
        seen.position[frames],
        seen.yaw[frames],
        seen.pitch[frames],
        vectors,
        before if with_before else None,
    )
    return features, labels[frames], frames


def clone_chances(clone: BehaviourClone, features: Floats) -> Floats:
    scores = features @ clone.weights
    scores -= scores.max(1, keepdims=True)
    chances = np.exp(scores)
    return np.asarray(chances / chances.sum(1, keepdims=True))


def clone_bits(clone: BehaviourClone, seen: Observations) -> list[Floats]:
    """Surprise at each action, in bits, by lives."""
    features, labels, frames = clone_examples(clone.model, seen, with_before=clone.with_before)
    bits = -np.log2(clone_chances(clone, features)[np.arange(len(labels)), labels])
    return [bits[(frames >= first) & (frames < last)] for first, last in seen.lives()]


def _walk_directions(seen: Observations, frames: Integers) -> Floats:
    """Cosine and sine of the way relative to the view; zero while standing."""
    steps = seen.position[frames + 1, :2] - seen.position[frames, :2]
    angles = np.arctan2(-steps[:, 1], steps[:, 0]) - np.radians(seen.yaw[frames])
    moving = np.linalg.norm(steps, axis=1) > 0
    return np.column_stack([np.cos(angles) * moving, np.sin(angles) * moving])


class ClonePlayer:
    """Plays by behaviour cloning."""

    def __init__(self, clone: BehaviourClone, seed: int) -> None:
        self._clone = clone
        self._rng = np.random.default_rng(derive(seed, "clone"))
        self._before = clone.model.primitives.count

    def act(self, sight: Sight) -> MoveCommand:
        model = self._clone.model
        if not sight.alive:
            self._before = model.primitives.count
            return MoveCommand(
                turn=0.0, pitch=0.0, direction=None, jump=False, fire=True, weapon=""
            )
        features = state_features(
            model,
            np.array([sight.position]),
            np.array([sight.yaw]),
            np.array([sight.pitch]),
            model.scheme.vector(sight.carried, sight.quantities)[None],
            [self._before] if self._clone.with_before else None,
        )
        chances = clone_chances(self._clone, features)[0]
        primitive = int(self._rng.choice(len(chances), p=chances))
        self._before = primitive
        ahead, aside = features[0] @ self._clone.walking
        turn, pitch = model.primitives.turn(primitive, self._rng)
        still = float(np.hypot(ahead, aside)) < 0.1
        direction = None if still else sight.yaw + float(np.degrees(np.arctan2(aside, ahead)))
        return MoveCommand(
            turn=turn,
            pitch=pitch,
            direction=direction,
            jump=model.primitives.jumps(primitive),
            fire=model.primitives.fires(primitive),
            weapon=model.primitives.weapon(primitive),
        )


# ----------------------------------------------------------------------------------------------
# playback


class PlaybackPlayer:
    """Repeats the person's actions in the nearest recorded moment, and searches for another moment
    when it has drifted away.
    """

    def __init__(self, recordings: Sequence[Observations], seed: int) -> None:
        self._recordings = recordings
        self._rng = np.random.default_rng(derive(seed, "playback"))
        self._moments = [(number, moving_frames(seen)) for number, seen in enumerate(recordings)]
        self._near: tuple[int, int] | None = None

    def act(self, sight: Sight) -> MoveCommand:
        if not sight.alive:
            self._near = None
            return MoveCommand(
                turn=0.0, pitch=0.0, direction=None, jump=False, fire=True, weapon=""
            )
        place = np.array(sight.position)
        if self._near is None or not self._goes_on(place):
            self._near = self._nearest(place, sight.yaw)
        number, frame = self._near
        seen = self._recordings[number]
        self._near = (number, frame + 1)
        step = seen.position[frame + 1, :2] - seen.position[frame, :2]
        turned = (seen.yaw[frame + 1] - seen.yaw[frame] + 180) % 360 - 180
        walks = bool(np.linalg.norm(step) > 0)
        relative = np.degrees(np.arctan2(-step[1], step[0])) - seen.yaw[frame]
        return MoveCommand(
            turn=float(turned),
            pitch=float(seen.pitch[frame + 1] - seen.pitch[frame]),
            direction=float(sight.yaw + relative) if walks else None,
            jump=bool(seen.jumps[frame + 1]),
            fire=bool(seen.firing[frame + 1]),
            weapon=seen.weapon[frame + 1],
        )

    def _goes_on(self, place: Floats) -> bool:
        number, frame = self._near or (0, 0)
        seen = self._recordings[number]
        return (
            frame + 1 < seen.frames
            and bool(seen.alive[frame] and seen.alive[frame + 1])
            and float(np.linalg.norm(seen.position[frame] - place)) <= _DRIFT_TILES
        )

    def _nearest(self, place: Floats, yaw: float) -> tuple[int, int]:
        """By place and view, a turn of 90° as far as a tile; one of the ten nearest at random, so
        that two rounds differ.
        """
        candidates = []
        for number, frames in self._moments:
            seen = self._recordings[number]
            angles = np.abs((seen.yaw[frames] - yaw + 180) % 360 - 180) / 90
            distances = np.linalg.norm(seen.position[frames] - place, axis=1) + angles
            for index in np.argsort(distances, kind="stable")[:10]:
                candidates.append((float(distances[index]), number, int(frames[index])))
        nearest = sorted(candidates)[:10]
        _, number, frame = nearest[int(self._rng.integers(len(nearest)))]
        return number, frame

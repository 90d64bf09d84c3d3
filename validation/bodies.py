"""Do agents' bodies give them away? Matched rounds with and without people's hands.

    python -m validation.bodies [ROUNDS] [AGENT...]

Each navigation agent (or those named) and a scripted walker play ROUNDS (default 60) rounds twice:
raw, and through the hand of `believable.worlds.doom.body`; start, goal and seed are the same. Rows:
speeds of turning (degrees a second, percentiles 95 and 99), the share of tics in which the turn
changes by more than 2 degrees, the largest share of one phase of seven in these changes (.143 if
spread evenly), the share of tics without a turn, spectral arc length of the yaw, success. The last
columns test pairs: the median difference people − raw of each round and the p-value of a Wilcoxon
test. `people` are the thirteen tracks of FreeDM. Ends with 1 if any agent's changes are on the grid
(a phase above .2) or faster than people's (percentile 99 above theirs).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.stats import wilcoxon

from believable.contracts.agent import ActFunction
from believable.core.work import map_chunks
from believable.recordings.file import read
from believable.recordings.recording import Recording
from believable.worlds.doom import DOOM
from believable.worlds.doom.body import BodyName
from believable.worlds.doom.game_map import FREEDM_PEOPLE
from believable.worlds.doom.navigation.movement_measures import run_measures
from believable.worlds.doom.navigation.navigation_runs import PlannedRun, planned_runs, run_of
from believable.worlds.doom.scripted_players import WANDERER, MouseHand
from believable.worlds.live_round import play_through

PHASES = 7
LARGEST_PHASE, JUMP_DEG, TICS_PER_S = 0.2, 2.0, 35
WALKER = "wanderer"
AGENTS = ("symbolic", "hybrid", "reward_shaping", WALKER)
_FARTHEST_UNITS = 40.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Turning:
    """The turns of a round, in degrees for each tic (NaN between lives), and its outcome."""

    turns_deg: npt.NDArray[np.float64]
    success: float
    arc_length: float

    @property
    def jumps(self) -> npt.NDArray[np.bool_]:
        return np.abs(np.diff(self.turns_deg)) > JUMP_DEG

    @property
    def features(self) -> dict[str, float]:
        speeds = np.abs(self.turns_deg[~np.isnan(self.turns_deg)]) * TICS_PER_S
        return {
            "p95_deg_per_s": float(np.quantile(speeds, 0.95)),
            "p99_deg_per_s": float(np.quantile(speeds, 0.99)),
            "jump_share": float(self.jumps.mean()),
            "still_share": float((speeds == 0).mean()),
            "arc_length": self.arc_length,
            "success": self.success,
        }


def turning_of(recording: Recording) -> Turning:
    """Measure a recording."""
    columns = recording.telemetry
    angles, xs, ys = (np.array(columns[name], float) for name in ("angle_deg", "x", "y"))
    dead = np.array(columns["dead"], bool)
    turns = (np.diff(angles) + 180) % 360 - 180
    jumped = np.hypot(np.diff(xs), np.diff(ys)) > _FARTHEST_UNITS
    turns[dead[1:] | dead[:-1] | jumped] = np.nan
    measured = run_measures(recording) if "goal_distance" in columns else None
    return Turning(
        turns_deg=turns,
        success=_number(None if measured is None else measured.success),
        arc_length=_number(None if measured is None else measured.yaw_smoothness),
    )


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def largest_phase(rounds: Sequence[Turning]) -> float:
    """The share of the commonest phase among all changes."""
    counts = np.zeros(PHASES)
    for own in rounds:
        for phase in range(PHASES):
            counts[phase] += own.jumps[phase::PHASES].sum()
    return float(counts.max() / counts.sum()) if counts.sum() else 0.0


def play(agent: str, planned: PlannedRun) -> Turning:
    if agent != WALKER:
        return turning_of(run_of(planned))
    act: ActFunction = WANDERER.new(MouseHand(), planned.number)
    return turning_of(play_through(DOOM.game, planned.setup(), act))


def pair(planned: tuple[str, PlannedRun]) -> tuple[Turning, Turning]:
    """The same round raw and with people's hand."""
    agent, run = planned
    bodies: tuple[BodyName, BodyName] = ("raw", "people")
    raw, people = (play(agent, replace(run, body=body)) for body in bodies)
    return raw, people


def main(rounds: int, agents: Sequence[str]) -> int:
    people = [turning_of(read(file)) for file in sorted(FREEDM_PEOPLE.glob("*.replay.json.gz"))]
    fastest = row("people", people)["p99_deg_per_s"]
    failed = 0
    for agent in agents:
        source = agent if agent != WALKER else "hybrid"
        plans = [(agent, run) for run in planned_runs(source, rounds, 5, goals="far")]
        pairs = map_chunks(pair, plans, workers=2, pool="processes")
        row(f"{agent} raw", [raw for raw, _ in pairs])
        own = row(f"{agent} people", [people for _, people in pairs])
        for name in own:
            differences = [after.features[name] - before.features[name] for before, after in pairs]
            test(name, np.array(differences))
        failed += largest_phase([after for _, after in pairs]) > LARGEST_PHASE
        failed += own["p99_deg_per_s"] > fastest
    return int(failed > 0)


def row(name: str, rounds: Sequence[Turning]) -> dict[str, float]:
    features = [own.features for own in rounds]
    means = {key: float(np.mean([own[key] for own in features])) for key in features[0]}
    every = np.concatenate([own.turns_deg for own in rounds])
    speeds = np.abs(every[~np.isnan(every)]) * TICS_PER_S
    means["p95_deg_per_s"], means["p99_deg_per_s"] = np.quantile(speeds, (0.95, 0.99)).tolist()
    listed = "  ".join(f"{key} {value:.3g}" for key, value in means.items())
    report(f"{name:<22} n {len(rounds)}  phase {largest_phase(rounds):.3f}  {listed}")
    return means


def test(name: str, differences: npt.NDArray[np.float64]) -> None:
    known = differences[~np.isnan(differences)]
    if len(known) and np.any(known != 0):
        p_value = float(wilcoxon(known).pvalue)
        report(f"    {name:<16} median difference {np.median(known):8.3f}  p {p_value:.2g}")


def report(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    words = sys.argv[1:]
    sys.exit(main(int(words[0]) if words else 60, words[1:] or AGENTS))

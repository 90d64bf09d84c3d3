"""The maze as an environment to train in: steps per second of processor time, single, in
Gymnasium's own batch, and compiled.

    python bench/environments.py        needs the extras `worlds` and `fast`

Random actions; rounds that end begin anew meanwhile. Exit code 1: the compiled batch is less than
15 times the single one.
"""

from __future__ import annotations

import sys
import time

import gymnasium

from believable import environments

LEAST_RATIO = 15.0


def single(name: str, ticks: int) -> float:
    env = gymnasium.make(name)
    env.reset(seed=1)
    env.action_space.seed(1)
    actions = [env.action_space.sample() for _ in range(ticks)]
    begun_s = time.process_time()
    for action in actions:
        if env.step(action)[3]:
            env.reset()
    return ticks / (time.process_time() - begun_s)


def batch(name: str, n_envs: int, ticks: int, mode: str | None) -> float:
    envs = gymnasium.make_vec(name, num_envs=n_envs, vectorization_mode=mode)
    envs.reset(seed=1)
    envs.action_space.seed(1)
    actions = [envs.action_space.sample() for _ in range(50)]
    envs.step(actions[0])  # compiles, the first time on a machine
    begun_s = time.process_time()
    for tick in range(ticks):
        envs.step(actions[tick % 50])
    return n_envs * ticks / (time.process_time() - begun_s)


def main() -> int:
    least = float("inf")
    for name in environments.BATCHES:
        alone = single(name, 4000)
        theirs = batch(name, 16, 300, "sync")
        ours = [batch(name, n_envs, 2000, None) for n_envs in (64, 256)]
        least = min(least, *(rate / alone for rate in ours))
        sys.stdout.write(
            f"{name}: single {alone:,.0f} steps/s/core, SyncVectorEnv of 16 {theirs:,.0f}, compiled"
            f" batch of 64 {ours[0]:,.0f} ({ours[0] / alone:.1f}), of 256 {ours[1]:,.0f}"
            f" ({ours[1] / alone:.1f})\n"
        )
    return 0 if least >= LEAST_RATIO else 1


if __name__ == "__main__":
    sys.exit(main())

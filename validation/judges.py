"""How well do judges of motion know agents from people in real data?

    python -m validation.judges FOLDER…

A folder has `trajectories.csv.gz` (tracks of a game with people and bots; Rocket League). Prints
the AUC within matches, leave one match out, for each, and the AUC of 200 judges trained on labels
shuffled within matches; and how long training took. Exits with 1 unless the AUC is .85 or more and
above all shuffles.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from believable.judges.motion_judge import SHUFFLES, train_judge
from believable.judges.motion_samples import read_samples

TRACKS = "trajectories.csv.gz"
LEAST_AUC = 0.85


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def check_tracks(folder: Path) -> bool:
    """Print the numbers of one folder."""
    started, used = time.monotonic(), time.process_time()
    samples = read_samples(str(folder / TRACKS))
    judge = train_judge(samples, np.random.default_rng(1), shuffles=0)
    took, used = time.monotonic() - started, time.process_time() - used
    card = judge.card
    say(
        f"{folder.name}: {card.movers} movers ({card.agents} agents) in {card.matches} matches,"
        f" {len(card.too_short)} too short; reading and training {took:.1f} s ({used:.1f} s of"
        " processor)"
    )
    null = train_judge(samples, np.random.default_rng(2), shuffles=SHUFFLES).card
    if card.within_match is None or null.null_largest is None:
        say("no match has both people and agents")
        return False
    say(
        f"AUC within matches {card.within_match:.3f} ({card.pairs} pairs); {null.shuffles} shuffles"
        f" within matches: mean {null.null_mean:.3f}, 95 % below {null.null_95:.3f}, largest"
        f" {null.null_largest:.3f}; calibration slope {card.calibration:.2f}"
    )
    return card.within_match >= LEAST_AUC and card.within_match > null.null_largest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args()
    known = [folder for folder in options.folders if (folder / TRACKS).is_file()]
    for folder in options.folders:
        if folder not in known:
            say(f"{folder}: no {TRACKS} in it, so it was left out")
    passed = [check_tracks(folder) for folder in known]
    sys.exit(0 if passed and all(passed) else 1)


if __name__ == "__main__":
    main()

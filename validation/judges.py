"""How well do judges of motion know agents from people in real data?

    python -m validation.judges FOLDER…

A folder has `trajectories.csv.gz` (tracks of a game with people and bots; Rocket League), or
`stimuli.csv.gz` and `judgements.csv.gz` (texts of people and machines, and who people thought wrote
them): then identity and agreement are printed for each task, and nothing is required. Of tracks it prints
the AUC within matches, leave one match out, for each, and the AUC of 200 judges trained on labels
shuffled within matches; and how long training took. Exits with 1 unless the AUC is .85 or more and
above all shuffles.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from believable.judges.motion_judge import SHUFFLES, train_judge
from believable.judges.motion_samples import TEXT_COLUMNS, read_samples
from believable.worlds.town.language.sentence_embedding import SentenceModel

TRACKS = "trajectories.csv.gz"
TEXTS, JUDGEMENTS = "stimuli.csv.gz", "judgements.csv.gz"
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


def split_tasks(folder: Path, room: Path) -> Mapping[str, Path]:
    """Write one table of texts per task and return them."""
    tables: dict[str, list[Mapping[str, str]]] = {}
    with gzip.open(folder / TEXTS, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            tables.setdefault(row["task"], []).append(row)
    for task, rows in tables.items():
        with (room / f"{task}.csv").open("w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, list(TEXT_COLUMNS), extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)
    return {task: room / f"{task}.csv" for task in tables}


def people_of(folder: Path) -> Mapping[str, Mapping[str, float]]:
    """Return who thought of which text that a person wrote it (1) or a machine (0)."""
    found: dict[str, dict[str, float]] = {}
    with gzip.open(folder / JUDGEMENTS, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["analysed"] == "1" and row["phase"] == "test":
                judge = f"{row['study']}/{row['judge']}"
                found.setdefault(row["stimulus"], {})[judge] = float(row["answer"] == "human")
    return found


def check_texts(folder: Path, tasks: Sequence[str]) -> None:
    """Print identity and agreement of a judge of texts for each task."""
    people = people_of(folder)
    model = SentenceModel.load()
    with tempfile.TemporaryDirectory() as room:
        for task, table in split_tasks(folder, Path(room)).items():
            if tasks and task not in tasks:
                continue
            samples = read_samples(str(table), model.embed)
            used = time.process_time()
            rng = np.random.default_rng(1)
            card = train_judge(samples, rng, judgements=people, shuffles=0).card
            used = time.process_time() - used
            agreement = card.agreement
            say(
                f"{task}: {card.movers} texts ({card.agents} of machines) to {card.matches} prompts;"
                f" AUC within prompts {_number(card.within_match)} ({card.pairs} pairs); training"
                f" {used:.1f} s of processor"
            )
            if agreement is not None:
                say(
                    f"{task}: agreement with people per text {_number(agreement.per_clip)}"
                    f" ({agreement.clips} texts), per agent {_number(agreement.per_agent)}"
                    f" ({agreement.agents} agents); people's ceiling {_number(agreement.ceiling)}"
                )


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--task", action="append", default=[], help="texts: only this task")
    options = parser.parse_args()
    for folder in options.folders:
        if (folder / TEXTS).is_file():
            check_texts(folder, options.task)
    known = [folder for folder in options.folders if (folder / TRACKS).is_file()]
    for folder in options.folders:
        if folder not in known and not (folder / TEXTS).is_file():
            say(f"{folder}: neither {TRACKS} nor {TEXTS} in it, so it was left out")
    passed = [check_tracks(folder) for folder in known]
    sys.exit(0 if all(passed) else 1)


if __name__ == "__main__":
    main()

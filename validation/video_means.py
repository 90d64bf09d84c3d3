"""`python -m validation.video_means`: do reports find the means that were planted, on an author's
own videos?

Five players on 24 films. For each seed `simulate` sends 60 participants through the real pages,
with dropouts and careless people, and `report` analyses them. Printed is how often the 95 %
interval of a mean contains the planted one.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np

from believable.cli import group
from believable.stats.counts import proportion

#: The planted mean of each condition, on seven points.
MEANS = {"human": 5.5, "bot_a": 4.8, "bot_b": 4.2, "bot_c": 3.7, "bot_d": 3.2}
#: Conditions × scenarios; the last one has no clip of the last agent: 24 films.
CLIPS = [(condition, f"level_{number}") for number in range(5) for condition in MEANS][:-1]
MEASURES = ("humanness", "godspeed")
PARTICIPANTS = 60


def write_film(path: Path, shade: int) -> None:
    """Five frames of one shade."""
    import av  # noqa: PLC0415 - an optional extra

    with av.open(str(path), "w", format="mp4") as out:
        picture = out.add_stream("libx264", rate=10, options={"threads": "1"})
        picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
        for number in range(5):
            frame = av.VideoFrame.from_ndarray(
                np.full((48, 64, 3), shade, np.uint8), format="rgb24"
            )
            frame.pts = number
            out.mux(picture.encode(frame))
        out.mux(picture.encode(None))


def study_file() -> str:
    stimuli = "\n".join(
        f"  - {{id: {condition}_{scenario}, file: stimuli/{condition}-{scenario}.mp4,"
        f" condition: {condition}, scenario: {scenario}}}"
        for condition, scenario in CLIPS
    )
    return f"""
believable: 1
title: {{en: Five players, de: Fünf Spieler}}
seed: 3
languages: [en, de]
conditions: [{", ".join(MEANS)}]
stimuli:
{stimuli}
timeline:
  - consent: {{page: {{en: consent.md, de: consent.de.md}}}}
  - block:
      id: clips
      over: condition
      order: random
      each:
        - watch:
            id: clip
            stimulus: any
            ask:
              - id: humanness
                prompt: {{en: How human?, de: Wie menschlich?}}
                likert: {{points: 7}}
              - id: godspeed
                prompt: {{en: The player is …, de: Der Spieler ist …}}
                matrix:
                  points: 7
                  rows:
                    - {{value: natural, label: {{en: natural, de: natürlich}}}}
                    - {{value: alive, label: {{en: alive, de: lebendig}}}}
                    - {{value: attend, label: {{en: Please choose 2, de: Bitte wählen Sie 2}}, attention: 2}}
  - finish: {{}}
analysis:
  measures:
    humanness:
      question: clip.humanness
      assume: {{values: {json.dumps(MEANS)}, person_sd: 0.4, effect_sd: 0.2, residual_sd: 0.7}}
    godspeed:
      question: clip.godspeed
      assume: {{values: {json.dumps(MEANS)}, person_sd: 0.4, effect_sd: 0.2, residual_sd: 0.7}}
  hypotheses:
    - {{id: H1, text: People look more human., outcome: humanness, about: human-bot_d, direction: greater}}
  outcomes: {{primary: [humanness]}}
  exclusions:
    - {{rule: failed_check}}
    - {{rule: answer, answer: clip.godspeed.attend, is: [1, 3, 4, 5, 6, 7]}}
"""


def write_study(folder: Path) -> None:
    """The study with its films."""
    (folder / "stimuli").mkdir(parents=True)
    for number, (condition, scenario) in enumerate(CLIPS):
        write_film(folder / "stimuli" / f"{condition}-{scenario}.mp4", 10 * number)
    for name in ("consent.md", "consent.de.md"):
        (folder / name).write_text("I agree.", "utf-8")
    (folder / "study.yaml").write_text(study_file(), "utf-8")


def rows_of(table: Path) -> list[dict[str, str]]:
    with table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def measure(folder: Path, room: Path, seed: int) -> Counter[tuple[str, str]]:
    """The intervals that contain the planted mean, by measure and condition, in one simulated
    study.
    """
    data, report = ("--data", str(room / "data")), room / "report"
    run = ("simulate", str(folder), "--participants", str(PARTICIPANTS), "--seed", str(seed), *data)
    for command in (run, ("report", str(folder), "--out", str(report), "--formats", "", *data)):
        with redirect_stdout(io.StringIO()):
            group.main(args=list(command), standalone_mode=False)
    found: Counter[tuple[str, str]] = Counter()
    for name in MEASURES:
        for row in rows_of(report / "tables" / f"{name}_groups.csv"):
            inside = float(row["mean_low"]) <= MEANS[row["group"]] <= float(row["mean_high"])
            found[name, row["group"]] += inside
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m validation.video_means", description=__doc__)
    parser.add_argument("--studies", type=int, default=20)
    parser.add_argument(
        "--seed", type=int, default=1, help="the seed of the first study; the others follow"
    )
    wish = parser.parse_args(arguments)
    inside: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory(prefix="believable-video-means-") as place:
        folder = Path(place, "five")
        write_study(folder)
        for seed in range(wish.seed, wish.seed + wish.studies):
            room = Path(place, f"seed-{seed}")
            room.mkdir()
            inside.update(measure(folder, room, seed))
    for (name, condition), count in inside.items():
        sys.stdout.write(
            f"{name:<10} {condition:<6} planted {MEANS[condition]:.1f}: in {count} of"
            f" {wish.studies} intervals\n"
        )
    total = len(inside) * wish.studies
    share = proportion(inside.total(), total, interval="exact", level=0.99)
    sys.stdout.write(
        f"all: {inside.total()} of {total} ({share.value:.3f}; 99 % interval {share.low:.3f} to"
        f" {share.high:.3f})\n"
    )
    return 0 if share.high is not None and share.high >= 0.95 else 1


if __name__ == "__main__":
    sys.exit(main())

"""Make the three designs of the ordinal witness: `python generate.py`.

small   24 people × 8 clips, three answers, random intercepts of both
medium  50 people × 10 clips, five answers, a random slope of people
large   80 people × 12 clips, seven answers of which the outer ones are rare
"""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
DESIGNS = {
    "small": (24, 8, (-0.8, 1.1), 0.9, 0.6, 0.0, 11),
    "medium": (50, 10, (-2.0, -0.6, 0.5, 1.8), 1.1, 0.7, 1.3, 12),
    "large": (80, 12, (-5.0, -2.5, -0.7, 0.4, 2.4, 5.2), 1.0, 0.8, 0.0, 13),
}


def main() -> None:
    for name, (people, clips, thresholds, of_people, of_clips, slope, seed) in DESIGNS.items():
        rng = np.random.default_rng(seed)
        person, clip = (part.ravel() for part in np.mgrid[:people, :clips])
        condition, order = clip % 2, (person + clip) % 3 - 1
        latent = (
            (0.7 + rng.normal(0, slope, people)[person]) * condition
            - 0.2 * order
            + rng.normal(0, of_people, people)[person]
            + rng.normal(0, of_clips, clips)[clip]
            + rng.logistic(size=people * clips)
        )
        rating = np.digitize(latent, thresholds) + 1
        buffer = io.StringIO()
        rows = csv.writer(buffer, lineterminator="\n")
        rows.writerow(["participant", "clip", "condition", "order", "rating"])
        for row in zip(person, clip, condition, order, rating, strict=True):
            rows.writerow([f"p{row[0]:03}", f"c{row[1]:02}", *row[2:]])
        with gzip.GzipFile(HERE / f"{name}.csv.gz", "wb", mtime=0) as file:
            file.write(buffer.getvalue().encode())


if __name__ == "__main__":
    main()

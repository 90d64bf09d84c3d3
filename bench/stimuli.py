"""Standardising recordings, beside plain ffmpeg with the same filters and the same encoder settings
in the same run.

    python bench/stimuli.py [--quick]

Counted are pictures per second of processor time, all of it included (start, loudness measurement,
provenance, stripping), each in a process of its own on one core, in turn, several rounds; the
median counts. ffmpeg gets our measured gain for nothing. Exit code 1: below 0.7 of ffmpeg. Exit
code 3: ffmpeg is not installed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

from believable.core.clock import WallClock
from believable.stimuli import source_pool, standardise
from believable.stimuli.raster import watermark
from believable.stimuli.recipe import Mask, Recipe
from believable.stimuli.source_pool import StimulusSource

LEAST_RATIO = 0.7
RECIPE = Recipe(
    cut_start_ms=500,
    cut_end_ms=500,
    masks=(Mask(0, 0, 120, 40),),
    watermark="For Research Purposes Only",
)

OURS = """\
import json, sys
from pathlib import Path
from believable.stimuli import source_pool, standardise
sys.path.insert(0, sys.argv[2])
from stimuli import RECIPE
folder = Path(sys.argv[1])
for source in source_pool.sources(folder):
    standardise.make(folder, source, RECIPE, 0)
"""


def cpu_seconds(command: list[str]) -> float:
    """Run a command and return what it and its threads took of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ffmpeg_command(
    ffmpeg: str, given: Path, words: Path, out: Path, filters: dict[str, str]
) -> list[str]:
    """What `standardise.encode` does, in ffmpeg's words; the filters are those of the provenance
    record.
    """
    before, _, over = filters["picture"].rpartition(",overlay=")
    graph = f"[0:v]{before}[v];[v][1:v]overlay={over}[out];[0:a]{filters['sound']}[heard]"
    return [
        ffmpeg,
        "-loglevel",
        "error",
        "-y",
        "-threads",
        "1",
        "-filter_complex_threads",
        "1",
        "-i",
        str(given),
        "-i",
        str(words),
        "-filter_complex",
        graph,
        "-map",
        "[out]",
        "-map",
        "[heard]",
        "-c:v",
        "libx264",
        "-preset",
        standardise.PRESET,
        "-crf",
        str(RECIPE.crf),
        "-profile:v",
        "high",
        "-threads",
        "1",
        "-g",
        str(2 * RECIPE.frames_per_s),
        "-c:a",
        "aac",
        "-b:a",
        str(standardise.SOUND_BITS_PER_S),
        "-map_metadata",
        "-1",
        "-fflags",
        "+bitexact",
        "-movflags",
        "+faststart",
        str(out),
    ]


def pool_of(folder: Path, takes: int, duration_s: float) -> list[StimulusSource]:
    sys.path.append(str(Path(__file__).resolve().parents[1]))
    from tests.films import films  # noqa: PLC0415

    made = films(
        folder / "made", [f"film_{number}" for number in range(2 * takes)], duration_s=duration_s
    )
    about = source_pool.SourceDetails(condition="any", scenario="atrium")
    source_pool.add(folder, made, about, clock=WallClock(), new_name=iter("abcdefghijkl").__next__)
    return source_pool.sources(folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one short film, one round")
    quick = parser.parse_args().quick
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        sys.stderr.write(
            "ffmpeg is not installed, so there is nothing to compare with. Debian: apt install"
            " ffmpeg\n"
        )
        return 3
    ratios: list[float] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        sources = pool_of(folder, takes=1, duration_s=4 if quick else 20)
        words = folder / "words.png"
        Image.fromarray(watermark(RECIPE.watermark, RECIPE.width_px, RECIPE.height_px)).save(words)
        for number in range(1 if quick else 3):
            ours_s = cpu_seconds(
                [
                    sys.executable,
                    "-c",
                    OURS,
                    str(folder),
                    os.path.dirname(os.path.abspath(__file__)),
                ]
            )
            records = [standardise.provenance(folder, source.name) or {} for source in sources]
            frames = sum(record["output"]["frames"] for record in records)
            theirs_s = 0.0
            for source, record in zip(sources, records, strict=True):
                out = folder / f"{source.name}.mp4"
                given = folder / source_pool.FOLDER / source.file
                theirs_s += cpu_seconds(
                    ffmpeg_command(ffmpeg, given, words, out, record["filters"])
                )
            ratios.append(theirs_s / ours_s)
            print_line(number, frames, ours_s, theirs_s)
    ratio = statistics.median(ratios)
    result = {
        "ratio": round(ratio, 3),
        "least": LEAST_RATIO,
        "rounds": len(ratios),
        "machine": platform.machine(),
    }
    sys.stdout.write(json.dumps(result) + "\n")
    return 0 if ratio >= LEAST_RATIO else 1


def print_line(number: int, frames: int, ours_s: float, theirs_s: float) -> None:
    sys.stdout.write(
        f"round {number + 1}: {frames} pictures; ours {frames / ours_s:.1f} per second and core,"
        f" ffmpeg {frames / theirs_s:.1f}; ratio {theirs_s / ours_s:.2f}\n"
    )


if __name__ == "__main__":
    sys.exit(main())

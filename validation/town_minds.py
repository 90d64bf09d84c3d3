"""The minds of the town compared: violations per 100 actions by mind, variant and ablation over
seeds, with t intervals.

python -m validation.town_minds --seeds 10 --people 6 --days 2            the neuro-symbolic mind and its ablations
python -m validation.town_minds --embedded FOLDER --seeds 10              both minds with the embedded models, kept in FOLDER
python -m validation.town_minds --run RUN --run RUN …                     runs made before, by mind and options
python -m validation.town_minds --ship generative=RUN neurosymbolic=RUN   writes the checked runs that come with `replay`
python -m validation.town_minds --worst RUN --picture FILE                the three worst moments of a run as a picture
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from scipy import stats

from believable.protocols.replay.stimuli import RUNS
from believable.recordings import file
from believable.recordings.recording import UNITS_PER_TILE, Recording
from believable.stimuli.raster import Camera, Rasteriser
from believable.worlds import draw
from believable.worlds.town.clock import STEPS_PER_DAY
from believable.worlds.town.language.embedded import EmbeddedModel
from believable.worlds.town.language.sentence_embedding import SentenceModel
from believable.worlds.town.language.wording_engine import WordedText
from believable.worlds.town.minds import mind_kind
from believable.worlds.town.recording import record_run
from believable.worlds.town.rule_checker.checker import add_findings, check_town
from believable.worlds.town.rule_checker.rules import CATEGORIES, TownFindings, TownViolation
from believable.worlds.town.run import TownRun, TownSettings
from believable.worlds.town.run_folder import (
    CHECKPOINT_FILE,
    RECORDING_FILE,
    TRACE_FILE,
    read_settings,
    read_town,
    simulate,
)

#: What is switched off in each row.
ROWS = {
    "whole": {},
    "no planner": {"planner": "off"},
    "no schedule": {"schedule": "off"},
    "no checks": {"checks": "off"},
    "no check of preconditions": {"check_preconditions": "off"},
    "no check of time": {"check_time": "off"},
    "no check of goals": {"check_goal": "off"},
    "no social check": {"check_social": "off"},
    "no check of memory": {"check_memory": "off"},
    "no planner, no checks": {"planner": "off", "checks": "off"},
}
#: Minds with the same model, in the order in which a seed's runs are made.
MODEL_ROWS: tuple[tuple[str, dict[str, str]], ...] = (
    ("neurosymbolic", {"model": "on"}),
    ("generative", {"variant": "paper"}),
    ("generative", {"variant": "released"}),
)
HEADS = (
    "mind",
    "runs",
    "per 100 actions",
    "norms no mind knows",
    "fulfilled",
    "actions a person and day",
    "activities a person",
    "lines spoken",
    *(f"{category} per 100" for category in CATEGORIES),
)


def lived(seed: int, people: int, days: int, options: dict[str, str]) -> Recording:
    run = TownRun(
        TownSettings(seed=seed, people=people, days=days, mind="neurosymbolic", options=options),
        mind_kind("neurosymbolic").create,
    )
    while not run.over:
        run.advance()
    return record_run(run)


@dataclass(slots=True)
class FixedWords:
    """In place of the small language model, which decides nothing: every sentence ends alike, and a
    run takes minutes less.
    """

    def words(self, lead: str, *, grammar: str, seed: int, most_tokens: int) -> WordedText:
        return WordedText(" that is all?" if grammar.endswith("[?]") else " that is all.", 0, 0)

    def close(self) -> None:
        """Nothing is open."""


def live_embedded(
    folder: Path, seeds: Sequence[int], people: int, days: int, *, worded: bool
) -> None:
    """The runs of `MODEL_ROWS` that are not in the folder yet. One model for all: it reads the same
    text only once.
    """
    model = EmbeddedModel.load() if worded else EmbeddedModel(SentenceModel.load(), FixedWords())  # type: ignore[arg-type]
    try:
        for seed in seeds:
            for mind, options in MODEL_ROWS:
                out = folder / f"{mind}-{options.get('variant', 'model')}-{seed}"
                if not (out / RECORDING_FILE).is_file():
                    begun = time.process_time()
                    simulate(
                        out,
                        TownSettings(
                            seed=seed, people=people, days=days, mind=mind, options=options
                        ),
                        model,
                    )
                    (out / TRACE_FILE).unlink()
                    (out / CHECKPOINT_FILE).unlink()
                    seconds = time.process_time() - begun
                    spent = f"{out.name}: {seconds:.0f} s of processor without the engine"
                    print(spent, file=sys.stderr, flush=True)  # noqa: T201
    finally:
        model.close()


def interval(values: Sequence[float], digits: int = 2) -> str:
    mean = statistics.fmean(values)
    if len(values) < 2:
        return f"{mean:.{digits}f}"
    half = stats.t.ppf(0.975, len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return f"{mean:.{digits}f} [{mean - half:.{digits}f}, {mean + half:.{digits}f}]"


def row(name: str, recordings: Sequence[Recording]) -> str:
    runs = [check_town(recording) for recording in recordings]
    hidden = [100 * sum(run.by_category(hidden=True).values()) / run.actions for run in runs]
    cells = [
        str(len(runs)),
        interval([run.per_100 or 0.0 for run in runs]),
        interval(hidden),
        interval([run.intentions_fulfilled or 0.0 for run in runs]),
        interval(
            [_a_day(run, recording) for run, recording in zip(runs, recordings, strict=True)], 0
        ),
        interval([_variety(recording) for recording in recordings], 1),
        interval([run.talks for run in runs], 0),
        *(
            interval([100 * run.by_category()[name] / run.actions for run in runs])
            for name in CATEGORIES
        ),
    ]
    return f"| {name} | {' | '.join(cells)} |"


def _a_day(run: TownFindings, recording: Recording) -> float:
    return run.actions / len(recording.actors) / (recording.timing.frames / STEPS_PER_DAY)


def _variety(recording: Recording) -> float:
    kinds = {
        (action.actor, action.activity)
        for action in recording.actions
        if action.activity and action.refused is None
    }
    return len(kinds) / len(recording.actors)


def worst(recording: Recording, count: int = 3) -> list[TownViolation]:
    """Moments with the most violations within ten minutes of one person, apart from each other,
    other rules first.
    """
    violations = check_town(recording).violations
    near: dict[TownViolation, int] = {
        violation: sum(
            other.actor == violation.actor and abs(other.t_ms - violation.t_ms) <= 600_000
            for other in violations
        )
        for violation in violations
    }
    ranked = sorted(near, key=lambda violation: (-near[violation], violation.t_ms))
    chosen: list[TownViolation] = []
    for same_rule in (False, True):
        for violation in ranked:
            if all(
                _apart(violation, other) and (same_rule or violation.rule != other.rule)
                for other in chosen
            ):
                chosen.append(violation)
    return chosen[:count]


def _apart(violation: TownViolation, other: TownViolation) -> bool:
    return violation.actor != other.actor or abs(violation.t_ms - other.t_ms) > 3_600_000


def picture(recording: Recording, moments: Sequence[TownViolation], path: Path) -> None:
    """The moments side by side, near the person, with what is wrong in words."""
    scene = draw(recording)
    names = {actor.id: actor.name.partition(" ")[0] for actor in recording.actors}
    width, height, rim, gap = 420, 300, 50, 8
    sheet = Image.new("RGB", ((width + gap) * max(1, len(moments)) - gap, height + rim), "white")
    writer, font = ImageDraw.Draw(sheet), ImageFont.load_default(15)
    for number, moment in enumerate(moments):
        track = next(track for track in recording.tracks if track.actor == moment.actor)
        frame = min(round(moment.t_ms / recording.timing.frame_ms) + 1, len(track.x) - 1)
        camera = Camera(
            x=track.x[frame] / UNITS_PER_TILE,
            y=track.y[frame] / UNITS_PER_TILE,
            px_per_tile=22.0,
            width_px=width,
            height_px=height,
        )
        pixels = Rasteriser(scene, recording, camera).picture(frame * recording.timing.frame_ms)
        left = number * (width + gap)
        sheet.paste(Image.fromarray(np.asarray(pixels)), (left, 0))
        day, minute = divmod(moment.t_ms // 60_000, 1440)
        words = (
            f"Day {day + 1}, {minute // 60:02d}:{minute % 60:02d}, {names[moment.actor]}:"
            f" {moment.rule}"
        )
        writer.text((left + 4, height + 6), words, "black", font)
        writer.text((left + 4, height + 26), moment.reason[:58], "black", font)
    sheet.save(path, optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--people", type=int, default=6)
    parser.add_argument("--days", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--embedded", type=Path)
    parser.add_argument(
        "--fixed-words",
        action="store_true",
        help="with --embedded: without the small language model",
    )
    parser.add_argument("--run", action="append", type=Path, default=[])
    parser.add_argument("--ship", nargs=2, metavar="CONDITION=RUN")
    parser.add_argument("--worst", type=Path)
    parser.add_argument("--picture", type=Path)
    chosen = parser.parse_args()
    if chosen.worst:
        recording = read_town(chosen.worst)
        picture(recording, worst(recording), chosen.picture)
        return
    if chosen.ship:
        for condition, _, run in (written.partition("=") for written in chosen.ship):
            file.write(add_findings(read_town(Path(run))), RUNS / f"{condition}.replay.json.gz")
        return
    seeds = range(chosen.first_seed, chosen.first_seed + chosen.seeds)
    if chosen.embedded:
        live_embedded(
            chosen.embedded, seeds, chosen.people, chosen.days, worded=not chosen.fixed_words
        )
        chosen.run = sorted(path.parent for path in chosen.embedded.glob(f"*/{RECORDING_FILE}"))
    print(f"| {' | '.join(HEADS)} |")  # noqa: T201
    print("|---" * len(HEADS) + "|")  # noqa: T201
    if chosen.run:
        groups: dict[str, list[Recording]] = defaultdict(list)
        for folder in chosen.run:
            settings = read_settings(folder)
            words = ", ".join(f"{name} {value}" for name, value in settings.options.items())
            groups[f"{settings.mind}, {words}".removesuffix(", ")].append(read_town(folder))
        for name, recordings in groups.items():
            print(row(name, recordings), flush=True)  # noqa: T201
        return
    for name, options in ROWS.items():
        runs = [lived(seed, chosen.people, chosen.days, options) for seed in seeds]
        print(row(name, runs), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()

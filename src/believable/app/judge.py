"""Train an automatic judge, score recordings with it, and explain what gave a mover away."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from believable.app.options import AnyPath, Options, argument, option, options, setting, use_case
from believable.core.errors import InvalidInput, NotFound, WrongUsage
from believable.judges.motion_judge import SHUFFLES, JudgeCard, read_judge, train_judge, write_judge
from believable.judges.motion_samples import read_samples, sample_of_recording
from believable.worlds.town.language.sentence_embedding import SentenceModel

JUDGEMENT_COLUMNS = ("clip", "judge", "value")


@options
class TrainJudgeOptions(Options):
    datasets: Sequence[str] = argument(
        "A folder of recordings for each kind of mover (person=clips/people agent=clips/agent), or"
        " tables of tracks or texts (CSV).",
        metavar="DATASET…",
        kw_only=False,
    )
    out: AnyPath = setting("The judge's file.", default="judge.json", path="file")
    judgements: AnyPath | None = option(
        "People's judgements of the clips: CSV with clip, judge and value (larger: more like a"
        " person). Without them the judge prints no score.",
        default=None,
        path="known file",
    )
    shuffles: int = setting(
        "Trainings with labels shuffled within matches, for the null.",
        default=SHUFFLES,
        ge=0,
        le=10_000,
    )
    seed: int = setting("The shuffles follow from it.", default=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedJudge:
    """The card of the judge that was written."""

    file: Path
    card: JudgeCard


@use_case(TrainJudgeOptions)
def train(options: TrainJudgeOptions) -> TrainedJudge:
    """Train a judge of motion: is it an agent or a person?

    Logistic regression on features in the mover's own frame, of windows of 12 s; controls are left
    out, because they reveal the input device. Texts are judged by sentence embeddings (extra town).
    It is tested on matches that it was not trained on.
    The card states identity within matches with its null, agreement with people with their
    ceiling, calibration, the distance from which a mover is unlike the training data, and the uses
    that are not allowed.
    """
    if not options.datasets:
        raise WrongUsage("judge train: name a dataset, such as person=clips/people.")
    samples = []
    with options.counting_each("Reading motion", len(options.datasets)) as count:
        for dataset in options.datasets:
            samples += read_samples(dataset, _embed)
            count()
    judgements = None if options.judgements is None else read_judgements(Path(options.judgements))
    rng = np.random.default_rng(options.seed)
    judge = train_judge(samples, rng, judgements=judgements, shuffles=options.shuffles)
    write_judge(judge, Path(options.out))
    return TrainedJudge(file=Path(options.out), card=judge.card)


def _embed(texts: Sequence[str]) -> Sequence[Any]:
    return SentenceModel.load().embed(texts)


def read_judgements(path: Path) -> Mapping[str, Mapping[str, float]]:
    """Read people's judgements: clip → judge → value."""
    found: dict[str, dict[str, float]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        table = csv.DictReader(file)
        for name in JUDGEMENT_COLUMNS:
            if name not in (table.fieldnames or ()):
                raise InvalidInput(
                    f"{path}:1: column {name!r} is missing. Judgements have"
                    f" {', '.join(JUDGEMENT_COLUMNS)}."
                )
        for number, row in enumerate(table, start=2):
            try:
                value = float(row["value"])
            except ValueError:
                raise InvalidInput(
                    f"{path}:{number}: value: expected a number, got {row['value']!r}."
                ) from None
            found.setdefault(row["clip"], {})[row["judge"]] = value
    return found


@options
class ScoreOptions(Options):
    judge: AnyPath = argument("The judge's file.", path="known file", kw_only=False)
    recordings: Sequence[AnyPath] = argument(
        "Recordings of worlds that the judge knows.", metavar="RECORDING…", kw_only=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeScore:
    """One recording: log odds of being an agent, and the distance from the training data."""

    recording: Path
    log_odds: float
    distance: float
    is_unlike: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeScores:
    """The scores, with the card that says how far they can be trusted."""

    card: JudgeCard
    scores: tuple[JudgeScore, ...]


@use_case(ScoreOptions)
def score(options: ScoreOptions) -> JudgeScores:
    """Score recordings with a trained judge.

    Worlds that it was not trained on are refused, and so is any number from a judge without
    people's ceiling. A recording that is unlike the training data is marked.
    """
    judge = read_judge(Path(options.judge))
    scores = []
    for recording in map(Path, options.recordings):
        odds, away = judge.score(sample_of_recording(_known(recording)))
        scores.append(
            JudgeScore(
                recording=recording,
                log_odds=odds,
                distance=away,
                is_unlike=away > judge.card.unlike,
            )
        )
    return JudgeScores(card=judge.card, scores=tuple(scores))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedWindow:
    """A part of a recording and the features that speak for an agent (+) or a person (−) in it."""

    start_s: float
    log_odds: float
    features: tuple[tuple[str, float], ...]


@options
class ExplainOptions(Options):
    judge: AnyPath = argument("The judge's file.", path="known file", kw_only=False)
    recording: AnyPath = argument("A recording.", path="known file", kw_only=False)
    features: int = setting("Features named for each part.", default=3, ge=1, le=30)


@use_case(ExplainOptions)
def explain(options: ExplainOptions) -> tuple[ExplainedWindow, ...]:
    """Say what gave a mover away, part by part of 12 s.

    Shares are parts of the log odds: they explain this judge, not people.
    """
    judge = read_judge(Path(options.judge))
    return tuple(
        ExplainedWindow(start_s=start, log_odds=odds, features=tuple(shares[: options.features]))
        for start, odds, shares in judge.explain(sample_of_recording(Path(options.recording)))
    )


def _known(recording: Path) -> Path:
    if not recording.is_file():
        raise NotFound(f"{recording}: there is no such recording.")
    return recording

"""The judge of motion: trained across matches, tested on matches it has not seen, with its card."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from believable.core.errors import InvalidInput, Refused
from believable.core.whole_files import write_whole
from believable.judges.identity import shuffle_within, within_auc
from believable.judges.motion_samples import WINDOW_S, MotionSample
from believable.judges.ridge_logistic import LogisticFit, fit_logistic
from believable.motion.motion_track import Floats

FORMAT = "believable-judge/1"
#: Of standardized features. Chosen on the Rocket League matches, where ridges of 1 to 100 reach
#: areas of .86 to .97; so that area is not of unseen data.
RIDGE = 10.0
SHUFFLES = 200
#: Up to this number of matches each is left out alone; more are left out in this number of parts.
FOLDS = 20
#: With more features than this, distances ignore that features go together.
MANY_FEATURES = 100
#: A sample that is further from the training data than this share of them is unlike them.
UNLIKE_SHARE = 0.99
NOT_ALLOWED = (
    "a verdict that people believe, or do not believe, an agent",
    "a number for a world, or a table of tracks, that is not in its training data",
    "ranking agents by identity: which agent is easy to detect says nothing about whom people"
    " believe",
    "a decision about a person",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Agreement with people's judgments. `ceiling` is people's own split-half reliability."""

    clips: int
    per_clip: float | None
    agents: int
    per_agent: float | None
    ceiling: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCard:
    """The known quality of a judge, on matches that it was not trained on.

    within_match  AUC over (agent, person) pairs of one match; `null_*` the same after labels were
                  shuffled within matches and the judge was trained again
    calibration   slope of the true log odds on the judge's; 1 is calibrated
    unlike        distance beyond which a sample is unlike the training data
    agreement     with people; None if no judgments were given, and then no score is printed
    """

    worlds: tuple[str, ...]
    movers: int
    agents: int
    matches: int
    too_short: tuple[str, ...]
    features: tuple[str, ...]
    within_match: float | None
    pairs: int
    null_mean: float | None
    null_95: float | None
    null_largest: float | None
    shuffles: int
    calibration: float
    unlike: float
    agreement: Agreement | None
    not_allowed: tuple[str, ...] = NOT_ALLOWED


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MotionJudge:
    """A trained judge with its card."""

    card: JudgeCard
    fit: LogisticFit
    center: Floats
    inverse: Floats

    def check_world(self, sample: MotionSample) -> None:
        """Refuse a world that was not in the training data."""
        if sample.world not in self.card.worlds:
            raise Refused(
                f"{sample.name}: the judge has not seen the world {sample.world!r}, only"
                f" {', '.join(self.card.worlds)}. Train one with recordings of this world."
            )
        if not sample.windows:
            raise Refused(
                f"{sample.name}: there are no {WINDOW_S:g} s of motion without a cut. Give a longer"
                " recording."
            )

    def score(self, sample: MotionSample) -> tuple[float, float]:
        """Return the mean log odds of being an agent, and the distance from the training data.
        Refused without a ceiling of people.
        """
        self.check_world(sample)
        agreement = self.card.agreement
        if agreement is None or agreement.ceiling is None:
            raise Refused(
                "score: people's ceiling is unknown, so a number would look better than it is."
                " Train with --judgements TABLE (columns clip, judge, value) of two judges or more."
            )
        values = values_of(sample, self.card.features)
        return float(self.fit.log_odds(values).mean()), distance(values, self.center, self.inverse)

    def explain(self, sample: MotionSample) -> list[tuple[float, float, list[tuple[str, float]]]]:
        """Return, for each window, its start, its log odds, and the features by their share."""
        self.check_world(sample)
        values = values_of(sample, self.card.features)
        shares, odds = self.fit.contributions(values), self.fit.log_odds(values)
        return [
            (
                start,
                float(odds[number]),
                sorted(
                    zip(self.card.features, shares[number].tolist(), strict=True),
                    key=lambda part: -abs(part[1]),
                ),
            )
            for number, start in enumerate(sample.starts_s)
        ]


def values_of(sample: MotionSample, features: Sequence[str]) -> Floats:
    """Return a row per window; an error names a feature that the sample does not have."""
    for name in features:
        if any(name not in window for window in sample.windows):
            raise InvalidInput(
                f"{sample.name}: it has no {name!r}, which the judge was trained on. Record it in"
                " the same way as the training data."
            )
    return np.array([[window[name] for name in features] for window in sample.windows])


def distance(values: Floats, center: Floats, inverse: Floats) -> float:
    """Mahalanobis distance of the mean of the windows, per feature."""
    away = values.mean(axis=0) - center
    squared = away @ inverse @ away if inverse.ndim == 2 else away @ (inverse * away)
    return float(np.sqrt(squared / len(center)))


@dataclass(frozen=True, slots=True, eq=False)
class _WindowRows:
    """All windows of all samples, with the number of their sample."""

    values: Floats
    sample: np.ndarray[tuple[int], np.dtype[np.int64]]
    labels: Floats
    groups: list[str]

    def weights(self, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Floats:
        """Each mover weighs alike, and both classes do; 1 on average."""
        counts = np.bincount(self.sample, minlength=len(self.labels))
        weights = 1 / counts[self.sample[chosen]]
        ones = self.labels[self.sample[chosen]] == 1
        for side in (ones, ~ones):
            if side.any():
                weights[side] /= weights[side].sum()
        return np.asarray(weights / weights.mean())


def _cross_scores(rows: _WindowRows, labels: Floats) -> Floats:
    """Scores of every mover by a judge that was trained without its match."""
    scores = np.zeros(len(labels))
    of_rows = np.array(rows.groups)[rows.sample]
    trained = _WindowRows(rows.values, rows.sample, labels, rows.groups)
    names = list(dict.fromkeys(rows.groups))
    for first in range(min(FOLDS, len(names))):
        train = ~np.isin(of_rows, names[first::FOLDS])
        fit = fit_logistic(
            rows.values[train], labels[rows.sample[train]], trained.weights(train), ridge=RIDGE
        )
        odds = fit.log_odds(rows.values[~train])
        for number in np.unique(rows.sample[~train]):
            scores[number] = odds[rows.sample[~train] == number].mean()
    return scores


def train_judge(
    samples: Sequence[MotionSample],
    rng: np.random.Generator,
    *,
    judgements: Mapping[str, Mapping[str, float]] | None = None,
    shuffles: int = SHUFFLES,
) -> MotionJudge:
    """Train on identity. `judgements` maps clips to each person's value (larger: more human).

    Splits are by match, never by window; features that some window lacks are left out.
    """
    usable = [sample for sample in samples if sample.windows]
    labels = np.array([float(sample.is_agent) for sample in usable])
    groups = [sample.group for sample in usable]
    if len(set(labels.tolist())) < 2 or len(set(groups)) < 3:
        raise InvalidInput(
            f"judge: expected people and agents in three matches or more, got {int(labels.sum())}"
            f" agents of {len(usable)} movers in {len(set(groups))} matches."
        )
    features = tuple(
        name
        for name in usable[0].windows[0]
        if all(name in window for sample in usable for window in sample.windows)
    )
    rows = _WindowRows(
        np.vstack([values_of(sample, features) for sample in usable]),
        np.repeat(np.arange(len(usable)), [len(sample.windows) for sample in usable]),
        labels,
        groups,
    )
    scores = _cross_scores(rows, labels)
    reached = within_auc(scores, labels, groups)
    null = []
    for _ in range(shuffles if reached.pairs else 0):
        dealt = shuffle_within(labels, groups, rng)
        value = within_auc(_cross_scores(rows, dealt), dealt, groups).value
        null.append(np.nan if value is None else value)
    everything = np.ones(len(rows.values), bool)
    fit = fit_logistic(rows.values, labels[rows.sample], rows.weights(everything), ridge=RIDGE)
    center = rows.values.mean(axis=0)
    inverse = _inverse(rows.values)
    far = [distance(values_of(sample, features), center, inverse) for sample in usable]
    slope = fit_logistic(scores[:, None], labels, np.ones(len(labels)), ridge=1e-6)
    return MotionJudge(
        card=JudgeCard(
            worlds=tuple(sorted({sample.world for sample in usable})),
            movers=len(usable),
            agents=int(labels.sum()),
            matches=len(set(groups)),
            too_short=tuple(sample.name for sample in samples if not sample.windows),
            features=features,
            within_match=reached.value,
            pairs=reached.pairs,
            null_mean=float(np.mean(null)) if null else None,
            null_95=float(np.percentile(null, 95)) if null else None,
            null_largest=float(np.max(null)) if null else None,
            shuffles=len(null),
            calibration=float(slope.weights[0] / slope.spread[0]),
            unlike=float(np.percentile(far, 100 * UNLIKE_SHARE)),
            agreement=(
                None
                if judgements is None
                else agree(
                    {
                        sample.name: (sample.agent, -score)
                        for sample, score in zip(usable, scores, strict=True)
                    },
                    judgements,
                    rng,
                )
            ),
        ),
        fit=fit,
        center=center,
        inverse=inverse,
    )


def _inverse(values: Floats) -> Floats:
    """The inverse of the features' covariance; with many features, of its diagonal."""
    if values.shape[1] > MANY_FEATURES:
        return np.asarray(1 / np.maximum(values.var(axis=0), 1e-12))
    return np.asarray(np.linalg.pinv(np.cov(values.T) + 1e-9 * np.eye(values.shape[1])), float)


def agree(
    scores: Mapping[str, tuple[str, float]],
    judgements: Mapping[str, Mapping[str, float]],
    rng: np.random.Generator,
    halves: int = 200,
) -> Agreement:
    """Rank agreement of scores with people's mean values, per clip and per agent, and the ceiling:
    people's split-half rank correlation, stepped up by Spearman and Brown.
    """
    clips = sorted(scores.keys() & judgements.keys())
    people = np.array([np.mean(list(judgements[clip].values())) for clip in clips])
    own = np.array([scores[clip][1] for clip in clips])
    agents = sorted({scores[clip][0] for clip in clips})
    of = np.array([scores[clip][0] for clip in clips])
    means = [(own[of == agent].mean(), people[of == agent].mean()) for agent in agents]
    found = []
    for _ in range(halves):
        parts = []
        for clip in clips:
            values = rng.permutation(list(judgements[clip].values()))
            if len(values) < 2:
                continue
            half = len(values) // 2
            parts.append((values[:half].mean(), values[half:].mean()))
        found.append(_rank_correlation([part[0] for part in parts], [part[1] for part in parts]))
    known = [value for value in found if value is not None]
    mean = float(np.mean(known)) if known else None
    return Agreement(
        clips=len(clips),
        per_clip=_rank_correlation(own.tolist(), people.tolist()),
        agents=len(agents),
        per_agent=_rank_correlation([m[0] for m in means], [m[1] for m in means]),
        ceiling=None if mean is None else 2 * mean / (1 + mean),
    )


def _rank_correlation(left: Sequence[float], right: Sequence[float]) -> float | None:
    if len(left) < 3 or len(set(left)) < 2 or len(set(right)) < 2:
        return None
    return float(spearmanr(left, right).statistic)


def write_judge(judge: MotionJudge, path: Path) -> None:
    """Write the judge as JSON."""
    tree = {
        "format": FORMAT,
        "card": asdict(judge.card),
        "mean": judge.fit.mean.tolist(),
        "spread": judge.fit.spread.tolist(),
        "weights": judge.fit.weights.tolist(),
        "intercept": judge.fit.intercept,
        "center": judge.center.tolist(),
        "inverse": judge.inverse.tolist(),
    }
    write_whole(path, json.dumps(tree, indent=1) + "\n")


def read_judge(path: Path) -> MotionJudge:
    """Read a judge. A file that is not ours is refused."""
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
        if tree["format"] != FORMAT:
            raise KeyError("format")
        card = dict(tree["card"])
        agreement = card.pop("agreement")
        for name in ("worlds", "too_short", "features", "not_allowed"):
            card[name] = tuple(card[name])
        return MotionJudge(
            card=JudgeCard(**card, agreement=None if agreement is None else Agreement(**agreement)),
            fit=LogisticFit(
                mean=np.array(tree["mean"]),
                spread=np.array(tree["spread"]),
                weights=np.array(tree["weights"]),
                intercept=float(tree["intercept"]),
            ),
            center=np.array(tree["center"]),
            inverse=np.array(tree["inverse"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        raise InvalidInput(
            f"{path}: expected the file that `believable judge train` writes ({FORMAT})."
        ) from None

"""The sections of a clip survey: indices, contrasts, recall and precision, experience, detection, views and comments."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from believable.analysis.cells import (
    LOOSE_CELL,
    Undefined,
    estimate_cells,
    estimate_columns,
    number_or,
    table,
)
from believable.analysis.clips import measures
from believable.analysis.clips.ratings import Ratings, beside, times_played
from believable.analysis.data import Data
from believable.analysis.plan import Plan
from believable.analysis.records import Chart, Column, Finding, Section
from believable.analysis.words import counted, estimate_words, fixed, interval_words, p_words, test_words
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult

TYPE = Column("type", "Type", about="type of clip: human, imitation, artificial")
#: The contrast whose equivalence is of interest also where no hypothesis claims it.
CLOSEST = "human-imitation"
#: More comments than this are written as CSV only.
PRINTED_COMMENTS = 60


def index_section(found: Ratings, plan: Plan, rng: np.random.Generator) -> Section:
    """Believability and confidence indices, and differences between types."""
    data = measures.weighted(found)
    resamples = int(plan.option("resamples"))
    rows: list[tuple[LOOSE_CELL, ...]] = []
    findings = []
    for type_ in found.types:
        own = found.of(type_)
        b = measures.believability(data, type_, rng=rng, resamples=resamples, level=plan.level)
        clips = len(set(found.stimulus[own].tolist()))
        rows.append((type_, clips, int(own.sum()), *estimate_cells(b), float(found.rating[own].mean())))
        findings.append(
            Finding("believability", f"Believability, {type_}",
                    f"The believability index of {type_} clips is {estimate_words(b)}.", "exploratory", b, about=type_)
        )  # fmt: skip
    confidence = measures.confidence(
        found.experience,
        highest=float(plan.option("highest")),
        rng=rng,
        resamples=resamples,
        level=plan.level,
    )
    findings.append(_confidence(found, confidence, plan))
    contrasts = []
    for first, second in combinations(found.types, 2):
        about = f"{first}-{second}"
        test = measures.contrast(
            data, first, second, alternative=plan.alternative("contrast", about), level=plan.level
        )
        margin = float(plan.test_option("contrast", "margin"))
        same = measures.equivalent(test, margin=margin, alpha=plan.alpha)
        estimate = test.estimate
        none = test.reason or "undefined"
        contrasts.append(
            (about, *(estimate_cells(estimate) if estimate is not None else (Undefined(none),) * 3),
             number_or(test.statistic, none), number_or(test.p_value, none), number_or(same.p_value, none))
        )  # fmt: skip
        findings += _contrast_findings(
            about, first, second, test.estimate, test_words(test, "t"), test, same, margin, plan
        )
    return Section(
        "indices", "Believability and confidence",
        ("A rating r gives h = |r − 5| / 4, from 0 (certainly artificial) to 1 (certainly human); the index b is its mean,"
         " weighted by the respondents' experience.",),
        tuple(findings),
        (
            table(
                "indices", "Believability index by type of clip",
                (TYPE, Column("clips", "Clips", "integer"), Column("ratings", "Ratings", "integer"),
                 *estimate_columns("b", "b", about="believability index; bootstrap over respondents"),
                 Column("mean_rating", "Mean rating", "number", 2, "1 human to 5 artificial")),
                rows, status="exploratory",
                note=f"Confidence index c = {estimate_words(confidence)}. Intervals of b: expanded percentile bootstrap"
                f" over respondents, {resamples:,} resamples.",
            ),
            table(
                "contrasts", "Differences of indices",
                (Column("contrast", "Contrast"), *estimate_columns("difference", "Difference"), Column("t", "t", "number"),
                 Column("p", "p", "p"), Column("p_equivalence", "p equivalence", "p", about="TOST within the margin")),
                contrasts, status="exploratory",
            ),
        ),
        (
            Chart("indices", "Believability index by type of clip", "points", "indices",
                  {"category": "type", "value": "b", "low": "b_low", "high": "b_high"}, x_title="Believability index b",
                  caption="Bars: bootstrap intervals over respondents.", x_range=(0, 1)),
        ),
    )  # fmt: skip


def _confidence(found: Ratings, confidence: Estimate, plan: Plan) -> Finding:
    known = found.experience[~np.isnan(found.experience)]
    good, enough = float(plan.option("good_confidence")), float(plan.option("enough_experience"))
    mean = float(known.mean()) if len(known) else None
    reached = "is reached" if mean is not None and mean >= enough else "is not reached"
    quality = (
        "a good result by the published rule"
        if (confidence.value or 0) >= good
        else "below the published rule for a good result"
    )
    return Finding(
        "confidence", "Confidence",
        f"The confidence index is {estimate_words(confidence)}, {quality} (at least {good:g}). The mean experience is"
        f" {fixed(mean)}; the"
        f" stopping criterion of {enough:g} {reached}.",
        "exploratory", confidence,
    )  # fmt: skip


def _contrast_findings(
    about: str, first: str, second: str, estimate: Estimate | None, tested: str, test: TestResult,
    same: TestResult, margin: float, plan: Plan,
) -> list[Finding]:  # fmt: skip
    stated = "declared" if plan.test_declared("contrast", "margin") else "default, not declared"
    words = "undefined" if estimate is None else estimate_words(estimate)
    narrow = "" if same.estimate is None else f" ({interval_words(same.estimate)})"
    difference = Finding(
        "contrast", f"{first} against {second}",
        f"The index of {first} minus that of {second} clips is {words}; {tested}.", "exploratory", estimate, test, about=about,
    )  # fmt: skip
    claimed = any(one.criterion == "equivalent" for one in plan.hypotheses("contrast", about))
    if not claimed and about != CLOSEST:
        return [difference]
    equivalence = Finding(
        "contrast", f"Equivalence of {first} and {second}",
        f"Equivalence of {first} and {second} clips within a margin of {margin:g} ({stated}){narrow}: {p_words(same.p_value)};"
        f" {same.method}.", "exploratory",
        same.estimate, same, about=about, kind="equivalence",
    )  # fmt: skip
    return [difference, equivalence]


def recall_section(found: Ratings, plan: Plan) -> Section:
    """Who is called human, and how often rightly."""
    rows: list[tuple[LOOSE_CELL, ...]] = []
    findings = []
    for type_ in found.types:
        strict = measures.recall(found, type_, middle="not_human", level=plan.level)
        without = measures.recall(found, type_, middle="left_out", level=plan.level)
        rows.append((type_, *estimate_cells(strict), *estimate_cells(without)))
        findings.append(
            Finding("recall", f"Recall, {type_}",
                    f"{type_.capitalize()} clips were called human in a share of {estimate_words(strict)} of their"
                    " ratings, the answer"
                    f" 3 counted as not human; leaving it out, {estimate_words(without)}.",
                    "exploratory", strict, about=type_)
        )  # fmt: skip
    precise: list[tuple[LOOSE_CELL, ...]] = []
    for answer, right in (("human", "human or imitation"), ("artificial", "artificial")):
        if answer == "artificial" and "artificial" not in found.types:
            continue
        share = measures.precision(found, answer, level=plan.level)
        precise.append((f"called {answer}", right, *estimate_cells(share)))
        findings.append(
            Finding("precision", f"Precision, {answer}",
                    f"Of all clips called {answer}, a share of {estimate_words(share)} was {right}.",
                    "exploratory", share, about=answer)
        )  # fmt: skip
    counts = [
        (type_, rating, int((found.of(type_) & (found.rating == rating)).sum()),
         float((found.of(type_) & (found.rating == rating)).sum() / found.of(type_).sum()))
        for type_ in found.types for rating in range(1, 6)
    ]  # fmt: skip
    return Section(
        "recall", "Recall and precision", (), tuple(findings),
        (
            table(
                "recall", "Recall: share of a type's ratings that say human (1 or 2)",
                (TYPE, *estimate_columns("recall", "3 is not human", about="Wilson interval over respondents"),
                 *estimate_columns("recall_without", "3 left out", about="Wilson interval over respondents")),
                rows, status="exploratory",
            ),
            table(
                "precision", "Precision",
                (Column("answer", "Answer"), Column("right", "Right for"),
                 *estimate_columns("precision", "Precision", about="Wilson interval over respondents")),
                precise, status="exploratory",
            ),
            table(
                "answers", "Ratings by type",
                (TYPE, Column("rating", "Rating", "integer", about="1 human to 5 artificial"),
                 Column("count", "Count", "integer"), Column("share", "Share", "share", 1)),
                counts,
            ),
        ),
        (
            Chart("answers", "Ratings by type", "stacked", "answers",
                  {"category": "type", "value": "share", "colour": "rating"}, x_title="Share of the ratings",
                  caption="1 human, 2 probably human, 3 don't know, 4 probably artificial, 5 artificial."),
        ),
    )  # fmt: skip


def experience_section(found: Ratings, plan: Plan) -> Section:
    """The index against experience, level by level."""
    data = measures.weighted(found)
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for step in measures.levels(found.experience, float(plan.option("highest"))):
        for type_ in found.types:
            b = measures.by_experience(data, type_, step, level=plan.level)
            rows.append((int(step), type_, b.n, *estimate_cells(b)))
    steps = measures.levels(found.experience, float(plan.option("highest")))
    counts = ", ".join(f"{step:g}: n = {int((found.experience == step).sum())}" for step in steps)
    return Section(
        "experience", "Believability by experience",
        ("Within a level of experience the weights are equal, so that b is the mean of h.",),
        tables=(
            table(
                "experience", "Believability index by experience",
                (Column("experience", "Experience", "integer", about="1 never to 5 daily"), TYPE,
                 Column("n", "Respondents", "integer"), *estimate_columns("b", "b")),
                rows,
            ),
        ),
        charts=(
            Chart("experience", "Believability index by experience", "lines", "experience",
                  {"x": "experience", "y": "b", "low": "b_low", "high": "b_high", "colour": "type"},
                  x_title="Experience", y_title="Believability index b", y_range=(0, 1),
                  caption="Bands: Wilson intervals with the effective number of respondents. Respondents by level: "
                  f"{counts}."),
        ),
    )  # fmt: skip


def detection_section(found: Ratings, plan: Plan, rng: np.random.Generator) -> Section | None:
    """Signal detection beside the indices."""
    others = [type_ for type_ in found.types if type_ != "human"]
    if "human" not in found.types or not others:
        return None
    rows: list[tuple[LOOSE_CELL, ...]] = []
    findings = []
    middle = str(plan.option("middle"))
    for other in others:
        one = measures.detection(
            found, other, middle=middle, rng=rng, resamples=int(plan.option("resamples")), level=plan.level
        )
        rows.append((other, one.hits, one.misses, one.false_alarms, one.correct_rejections, *estimate_cells(one.d_prime),
                     *estimate_cells(one.criterion)))  # fmt: skip
        findings += [
            Finding("sensitivity", f"d′, human from {other}",
                    f"Human clips were told from {other} ones with d′ = {estimate_words(one.d_prime)}.", "exploratory",
                    one.d_prime, about=other),
            Finding("bias", f"Criterion, human from {other}",
                    f"The criterion of human against {other} was {estimate_words(one.criterion)}; positive values lean to saying"
                    " artificial.", "exploratory", one.criterion, about=other),
        ]  # fmt: skip
    treatment = "counts as not human" if middle == "not_human" else "is left out"
    return Section(
        "detection", "Signal detection", (f"Saying human (1 or 2) to a human clip is a hit; the answer 3 {treatment}.",),
        tuple(findings),
        (
            table(
                "detection", "Sensitivity and criterion",
                (Column("other", "Human against"), Column("hits", "Hits", "integer"), Column("misses", "Misses", "integer"),
                 Column("false_alarms", "False alarms", "integer"), Column("correct_rejections", "Correct rejections", "integer"),
                 *estimate_columns("d_prime", "d′"), *estimate_columns("criterion", "c")),
                rows, status="exploratory", note="Loglinear correction; bootstrap intervals over respondents.",
            ),
        ),
    )  # fmt: skip


def clips_section(data: Data, found: Ratings, plan: Plan) -> Section:
    """Clip by clip, how often clips were viewed, how human-like the artificial ones were, and what people wrote."""
    answered, played = beside(data, "viewed", found.place)[0], times_played(data, found.place)
    how_human = beside(data, "how_human", found.place)[0]
    comments = beside(data, "comment", found.place)[1]
    views: list[tuple[LOOSE_CELL, ...]] = []
    for type_ in found.types:
        own = found.of(type_)
        both = own & ~np.isnan(answered) & ~np.isnan(played)
        agree = float((answered[both] == played[both]).mean()) if both.any() else None
        views.append((type_, _mean(answered[own]), _mean(played[own]), number_or(agree, "not both known"),
                      int((~np.isnan(how_human[own])).sum()), _mean(how_human[own])))  # fmt: skip
    each: list[tuple[LOOSE_CELL, ...]] = []
    for stimulus in sorted(set(found.stimulus.tolist())):
        own = found.stimulus == stimulus
        type_ = found.types_of(own)
        h = np.abs(found.rating[own] - 5) / 4
        each.append((str(stimulus), type_, int(own.sum()), float(found.rating[own].mean()), float(h.mean()),
                     float(np.isin(found.rating[own], (1, 2)).mean())))  # fmt: skip
    written = [
        (
            found.types_of(np.array([place])),
            str(found.stimulus[place]),
            int(found.rating[place]),
            str(comments[place]).strip(),
        )
        for place in range(len(comments))
        if comments[place] is not None and str(comments[place]).strip()
    ]
    return Section(
        "clips", "Clips, views and comments",
        (f"{counted(len(written), 'comment')} on {counted(len(found.rating), 'rating')}.",),
        tables=(
            table(
                "clips", "Clip by clip",
                (Column("clip", "Clip"), TYPE, Column("ratings", "Ratings", "integer"),
                 Column("mean_rating", "Mean rating", "number"), Column("h", "Mean h", "number", 2, "not weighted"),
                 Column("called_human", "Called human", "share", 1)),
                each,
            ),
            table(
                "views", "Times viewed, and how human-like where rated artificial (1 to 10, not in the index)",
                (TYPE, Column("answered", "Views answered", "number"), Column("played", "Views played", "number"),
                 Column("agree", "Agree", "share", 1), Column("how_human_n", "Answers", "integer"),
                 Column("how_human", "How human-like", "number")),
                views,
            ),
            table(
                "comments", "Comments",
                (TYPE, Column("clip", "Clip"), Column("rating", "Rating", "integer"), Column("comment", "Comment")),
                sorted(written), data_only=len(written) > PRINTED_COMMENTS,
            ),
        ),
    )  # fmt: skip


def _mean(values: Sequence[float] | np.ndarray) -> LOOSE_CELL:
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    return float(known.mean()) if len(known) else Undefined("no answers")

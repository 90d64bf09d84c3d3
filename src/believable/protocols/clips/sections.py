"""The sections of the analysis of `clips`: what each table, chart and sentence contains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from believable.analysis.claims import Claim
from believable.analysis.data import Data
from believable.analysis.findings import (
    LOOSE_CELL,
    Direction,
    Finding,
    Section,
    Table,
    Undefined,
    estimate_cells,
    number_or,
)
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, estimate_words, integer, number
from believable.analysis.settled_plan import Plan
from believable.protocols.clips import clip_verdicts
from believable.protocols.clips.clip_ratings import (
    Ratings,
    beside,
    by_experience,
    confidence_index,
    detection,
    levels,
    times_played,
    weighted_means,
)
from believable.protocols.clips.indices import compare_types, index_of, precision_of, recall_of
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult

LAYOUTS = Layouts(__file__)


#: The contrast whose equivalence is of interest also where no hypothesis claims it.
CLOSEST = "human-imitation"
#: More comments than this are written as CSV only.
PRINTED_COMMENTS = 60


def index_section(survey: Ratings, plan: Plan, rng: np.random.Generator) -> Section:
    """Believability and confidence indices, and differences between types."""
    resamples = int(plan.option("resamples"))
    rows: list[tuple[LOOSE_CELL, ...]] = []
    findings = []
    for type_ in survey.types:
        own = survey.of(type_)
        b, parts = index_of(survey, type_, plan, rng)
        clips = len(set(survey.stimulus[own].tolist()))
        rows.append(
            (type_, clips, int(own.sum()), *estimate_cells(b), float(survey.rating[own].mean()))
        )
        findings.append(
            Finding(
                outcome="believability",
                title=f"Believability, {type_}",
                sentence=" ".join(
                    filter(
                        None,
                        (
                            f"The believability index of {type_} clips is {estimate_words(b)}.",
                            parts,
                        ),
                    )
                ),
                estimate=b,
                about=type_,
            )
        )
    confidence = confidence_index(
        survey.experience,
        highest=float(plan.option("highest")),
        rng=rng,
        resamples=resamples,
        level=plan.level,
    )
    findings.append(_confidence(survey, confidence, plan))
    contrasts = []
    for first, second in combinations(survey.types, 2):
        about = f"{first}-{second}"
        test, same, parts, claim = compare_types(survey, first, second, plan)
        estimate = test.estimate
        none = test.reason or "undefined"
        contrasts.append(
            (
                about,
                *(estimate_cells(estimate) if estimate is not None else (Undefined(none),) * 3),
                number_or(test.statistic, none),
                number_or(test.p_value, none),
                number_or(same.p_value, none),
            )
        )
        findings += _contrast_findings(about, test, same, parts, claim, plan)
    return LAYOUTS.section(
        "indices",
        findings=findings,
        tables=(
            LAYOUTS.table(
                "indices", rows, confidence=estimate_words(confidence), intervals=_intervals(plan)
            ),
            LAYOUTS.table("contrasts", contrasts),
        ),
        charts=(LAYOUTS.chart("indices"),),
    )


def _intervals(plan: Plan) -> str:
    if plan.over == "both":
        return "Wilson intervals for other respondents and other clips"
    return (
        f"expanded percentile bootstrap over respondents, {integer(int(plan.option('resamples')))}"
        " resamples"
    )


def published_table(survey: Ratings, indices: Table, plan: Plan) -> Table:
    """Believability, confidence, recall and precision side by side, in the form of the published
    table.
    """
    known = survey.experience[~np.isnan(survey.experience)]
    confidence = float(known.mean()) / float(plan.option("highest")) if len(known) else None
    by_type = dict(zip(indices.column("type"), indices.column("b"), strict=True))
    rows = []
    for type_ in survey.types:
        said = recall_of(survey, type_, plan)
        # One share covers human and imitation clips together, on the line of the first; imitation
        # has no separate one.
        answer = {"human": "human", "artificial": "artificial"}.get(type_)
        share = None if answer is None else precision_of(survey, answer, plan).value
        rows.append(
            (
                type_,
                by_type[type_],
                (
                    number_or(confidence, "nobody stated their experience")
                    if type_ == survey.types[0]
                    else ""
                ),
                number_or(said.value, said.reason or "no ratings"),
                "" if answer is None else number_or(share, "no clip was called so"),
            )
        )
    return LAYOUTS.table("published", rows)


def conditions_table(survey: Ratings, plan: Plan, rng: np.random.Generator) -> tuple[Table, ...]:
    """If several kinds of clips show a type, such as direct clones and other imitations, each
    separately.
    """
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for type_, condition in survey.conditions:
        own = survey.only(condition)
        b = index_of(own, type_, plan, rng)[0]
        said = recall_of(own, type_, plan)
        clips = len(set(own.stimulus.tolist()))
        rows.append(
            (type_, condition, clips, len(own.rating), *estimate_cells(b), *estimate_cells(said))
        )
    if not rows:
        return ()
    return (LAYOUTS.table("conditions", rows),)


def _confidence(survey: Ratings, confidence: Estimate, plan: Plan) -> Finding:
    known = survey.experience[~np.isnan(survey.experience)]
    good, enough = float(plan.option("good_confidence")), float(plan.option("enough_experience"))
    mean = float(known.mean()) if len(known) else None
    reached = "reaches" if mean is not None and mean >= enough else "does not reach"
    quality = "is good" if (confidence.value or 0) >= good else "is below that of a good result"
    return Finding(
        outcome="confidence",
        title="Confidence",
        sentence=f"The confidence index is {estimate_words(confidence)}, from a mean experience of"
        f" {number(mean)}.",
        estimate=confidence,
        conclusion=(
            f"By the published rule (at least {good:g}) it {quality}; the mean experience {reached}"
            f" {enough:g}, at which collecting may stop."
        ),
    )


def _contrast_findings(
    about: str, test: TestResult, same: TestResult, parts: str, claim: Claim, plan: Plan
) -> list[Finding]:
    first, second = about.split("-")
    margin = float(plan.test_option("contrast", "margin"))
    stated = (
        "set in the plan"
        if plan.test_declared("contrast", "margin")
        else "default, not set in the plan"
    )
    words = "undefined" if test.estimate is None else estimate_words(test.estimate)
    narrow = "" if same.estimate is None else f": difference {estimate_words(same.estimate)}"
    measured = f"The index of {first} minus that of {second} clips is {words}."
    difference = Finding(
        outcome="contrast",
        title=f"{first.capitalize()} against {second}",
        sentence=" ".join(claim.limit(sentence) for sentence in (measured, parts) if sentence),
        estimate=test.estimate,
        test=test,
        about=about,
        direction=Direction(
            0.0,
            f"{first} clips are taken for more human than {second} ones",
            f"{second} clips are taken for more human than {first} ones",
        ),
        scope=claim.scope,
    )
    claimed = any(
        hypothesis.criterion == "equivalent" for hypothesis in plan.hypotheses("contrast", about)
    )
    if not claimed and about != CLOSEST:
        return [difference]
    compared = (
        f"{first.capitalize()} and {second} clips were compared within a margin of {margin:g}"
        f" ({stated}){narrow}."
    )
    equivalence = Finding(
        outcome="contrast",
        title=f"Equivalence of {first} and {second}",
        sentence=" ".join(claim.limit(sentence) for sentence in (compared, parts) if sentence),
        estimate=same.estimate,
        test=same,
        about=about,
        kind="equivalence",
        scope=claim.scope,
    )
    return [difference, equivalence]


def recall_section(survey: Ratings, plan: Plan) -> Section:
    """Who is called human, and how often rightly."""
    rows: list[tuple[LOOSE_CELL, ...]] = []
    findings = []
    for type_ in survey.types:
        strict = recall_of(survey, type_, plan)
        without = recall_of(survey, type_, plan, middle="left_out")
        rows.append((type_, *estimate_cells(strict), *estimate_cells(without)))
        findings.append(
            Finding(
                outcome="recall",
                title=f"Recall, {type_}",
                sentence=f"{type_.capitalize()} clips were called human in a share of"
                f" {estimate_words(strict)} of their ratings, the answer 3 counted as not human;"
                f" leaving it out, {estimate_words(without)}.",
                estimate=strict,
                about=type_,
            )
        )
    precise: list[tuple[LOOSE_CELL, ...]] = []
    for answer, right in (("human", "human or imitation"), ("artificial", "artificial")):
        if answer == "artificial" and "artificial" not in survey.types:
            continue
        share = precision_of(survey, answer, plan)
        precise.append((f"called {answer}", right, *estimate_cells(share)))
        findings.append(
            Finding(
                outcome="precision",
                title=f"Precision, {answer}",
                sentence=f"Of all clips called {answer}, a share of {estimate_words(share)}"
                f" was {right}.",
                estimate=share,
                about=answer,
            )
        )
    counts = [
        (
            type_,
            rating,
            int((survey.of(type_) & (survey.rating == rating)).sum()),
            float((survey.of(type_) & (survey.rating == rating)).sum() / survey.of(type_).sum()),
        )
        for type_ in survey.types
        for rating in range(1, 6)
    ]
    return LAYOUTS.section(
        "recall",
        findings=findings,
        tables=(
            LAYOUTS.table("recall", rows),
            LAYOUTS.table("precision", precise),
            LAYOUTS.table("answers", counts),
        ),
        charts=(LAYOUTS.chart("answers"),),
    )


def experience_section(survey: Ratings, plan: Plan) -> Section:
    """The index against experience, level by level."""
    data = weighted_means(survey)
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for step in levels(survey.experience, float(plan.option("highest"))):
        for type_ in survey.types:
            b = by_experience(data, type_, step, level=plan.level)
            rows.append((int(step), type_, b.n, *estimate_cells(b)))
    steps = levels(survey.experience, float(plan.option("highest")))
    counts = ", ".join(f"{step:g}: n = {int((survey.experience == step).sum())}" for step in steps)
    return LAYOUTS.section(
        "experience",
        tables=(LAYOUTS.table("experience", rows),),
        charts=(LAYOUTS.chart("experience", counts=counts),),
    )


def detection_section(survey: Ratings, plan: Plan, rng: np.random.Generator) -> Section | None:
    """Signal detection in addition to the indices."""
    others = [type_ for type_ in survey.types if type_ != "human"]
    if "human" not in survey.types or not others:
        return None
    rows: list[tuple[LOOSE_CELL, ...]] = []
    findings = []
    middle = str(plan.option("middle"))
    for other in others:
        result = detection(
            survey,
            other,
            middle=middle,
            rng=rng,
            resamples=int(plan.option("resamples")),
            level=plan.level,
        )
        if plan.over == "both":
            d_prime, criterion = clip_verdicts.detection(
                survey, other, middle=middle, level=plan.level
            )
            result = replace(result, d_prime=d_prime, criterion=criterion)
        rows.append(
            (
                other,
                result.hits,
                result.misses,
                result.false_alarms,
                result.correct_rejections,
                *estimate_cells(result.d_prime),
                *estimate_cells(result.criterion),
            )
        )
        findings += [
            Finding(
                outcome="sensitivity",
                title=f"d′, human from {other}",
                sentence=f"Human clips were told from {other} ones with d′ ="
                f" {estimate_words(result.d_prime)}.",
                estimate=result.d_prime,
                about=other,
            ),
            Finding(
                outcome="bias",
                title=f"Criterion, human from {other}",
                sentence=f"The criterion of human against {other} was"
                f" {estimate_words(result.criterion)}; positive values lean to saying artificial.",
                estimate=result.criterion,
                about=other,
            ),
        ]
    treatment = "counts as not human" if middle == "not_human" else "is left out"
    intervals = (
        "t intervals for other respondents and clips"
        if plan.over == "both"
        else "bootstrap intervals over respondents"
    )
    detected = LAYOUTS.table("detection", rows, intervals=intervals)
    return LAYOUTS.section("detection", findings=findings, tables=(detected,), treatment=treatment)


def clips_section(data: Data, survey: Ratings, plan: Plan) -> Section:
    """Clip by clip: how often clips were viewed, how human-like the artificial ones were, and the
    comments.
    """
    answered, played = beside(data, "viewed", survey)[0], times_played(data, survey)
    how_human = beside(data, "how_human", survey)[0]
    comments = beside(data, "comment", survey)[1]
    views: list[tuple[LOOSE_CELL, ...]] = []
    for type_ in survey.types:
        own = survey.of(type_)
        both = own & ~np.isnan(answered) & ~np.isnan(played)
        agree = float((answered[both] == played[both]).mean()) if both.any() else None
        views.append(
            (
                type_,
                _mean(answered[own]),
                _mean(played[own]),
                number_or(agree, "not both known"),
                int((~np.isnan(how_human[own])).sum()),
                _mean(how_human[own]),
            )
        )
    each: list[tuple[LOOSE_CELL, ...]] = []
    for stimulus in sorted(set(survey.stimulus.tolist())):
        own = survey.stimulus == stimulus
        type_ = survey.types_of(own)
        h = np.abs(survey.rating[own] - 5) / 4
        each.append(
            (
                str(stimulus),
                type_,
                int(own.sum()),
                float(survey.rating[own].mean()),
                float(h.mean()),
                float(np.isin(survey.rating[own], (1, 2)).mean()),
            )
        )
    written = [
        (
            survey.types_of(np.array([place])),
            str(survey.stimulus[place]),
            int(survey.rating[place]),
            _of_respondent(survey, place),
            str(comments[place]).strip(),
        )
        for place in range(len(comments))
        if comments[place] is not None and str(comments[place]).strip()
    ]
    mistaken = sorted(
        ((row[3], row[4]) for row in written if row[0] == "imitation" and row[2] in (1, 2)),
        key=lambda row: (-float(row[0]) if isinstance(row[0], float) else 0.0, row[1]),
    )
    return LAYOUTS.section(
        "clips",
        tables=(
            LAYOUTS.table("clips", each),
            LAYOUTS.table("views", views),
            LAYOUTS.table(
                "comments_mistaken",
                mistaken[:PRINTED_COMMENTS],
                note="The most experienced respondents first." if mistaken else "There is none.",
            ),
            LAYOUTS.table(
                "comments", sorted(written, key=str), data_only=len(written) > PRINTED_COMMENTS
            ),
        ),
        comments=counted(len(written), "comment"),
        ratings=counted(len(survey.rating), "rating"),
    )


def _of_respondent(survey: Ratings, place: int) -> LOOSE_CELL:
    """The experience of the respondent of the rating at this index."""
    return number_or(float(survey.experience[survey.respondent[place]]), "not stated")


def _mean(values: Sequence[float] | np.ndarray) -> LOOSE_CELL:
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    return float(known.mean()) if len(known) else Undefined("no answers")

"""All conditions on one scale, from comparisons of two at a time."""

from __future__ import annotations

import numpy as np

from believable.analysis.cells import (
    estimate_cells,
    estimate_columns,
    table,
)
from believable.analysis.data import Data
from believable.analysis.hntt.judgements import Judgements
from believable.analysis.plan import Plan
from believable.analysis.records import Chart, Column, Finding, Section
from believable.analysis.words import (
    counted,
    estimate_words,
)
from believable.core.errors import InvalidInput
from believable.stats.pairs import bradley_terry, comparisons, win_rates


def strength_section(data: Data, judged: Judgements, plan: Plan, rng: np.random.Generator) -> Section | None:
    """All conditions on one scale, where more than one pairing was judged."""
    known = np.array(
        [
            a is not None and b is not None and a != b
            for a, b in zip(judged.first, judged.second, strict=True)
        ],
        dtype=bool,
    )
    own = judged.where(known)
    pairings = {tuple(sorted((str(a), str(b)))) for a, b in zip(own.first, own.second, strict=True)}
    if len(pairings) < 2:
        return None
    compared = comparisons(
        own.first.tolist(), own.second.tolist(), ["left" if won else "right" for won in own.chose_first],
        judges=own.judge.tolist(),
    )  # fmt: skip
    rates = {rate.item: rate for rate in win_rates(compared, rng=rng, level=plan.level)}
    try:
        fit = bradley_terry(compared, level=plan.level)
    except InvalidInput as error:
        return Section("strength", "Strengths", (f"No Bradley–Terry fit: {error}",))
    order = sorted(fit.items, key=lambda item: -(fit.of(item).value or 0.0))
    rows = []
    for item in order:
        strength, rate = fit.of(item), rates[item]
        rows.append((item, *estimate_cells(strength), rate.wins, rate.losses, *estimate_cells(rate.share)))
    findings = tuple(
        Finding(
            "strength", f"Strength, {item}",
            f"{item}: log strength {estimate_words(fit.of(item))}, relative to the mean of all conditions.",
            "exploratory", fit.of(item), about=item,
        )
        for item in order
    )  # fmt: skip
    paragraphs = (
        f"{counted(len(pairings), 'pairing')} of {counted(len(fit.items), 'condition')} were judged. {fit.method}.",
        *((fit.reason,) if fit.reason else ()),
        *fit.notes,
    )
    return Section(
        "strength", "All conditions on one scale (Bradley–Terry)", paragraphs, findings,
        (
            table(
                "strength", "How strongly each condition is chosen as the more human",
                (Column("condition", "Condition"),
                 *estimate_columns("strength", "Log strength", about="sum to 0; clustered by judge"),
                 Column("wins", "Chosen", "integer"), Column("losses", "Not chosen", "integer"),
                 *estimate_columns("share", "Share", about="share of its comparisons; bootstrap over judges")),
                rows, status="exploratory",
            ),
        ),
        (
            Chart("strength", "Log strength of each condition", "points", "strength",
                  {"category": "condition", "value": "strength", "low": "strength_low", "high": "strength_high"},
                  x_title="Log strength", rules=(("x", 0.0, "mean"),)),
        ),
    )  # fmt: skip

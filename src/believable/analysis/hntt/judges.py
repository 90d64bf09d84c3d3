"""The sections about judges: how uncertain they were, and whether those who know the game judge better."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from believable.analysis.cells import (
    LOOSE_CELL,
    Undefined,
    estimate_cells,
    estimate_columns,
    number_or,
    table,
)
from believable.analysis.data import Data
from believable.analysis.hntt import measures
from believable.analysis.hntt.judgements import Against
from believable.analysis.hntt.sections import AGENT
from believable.analysis.plan import Plan
from believable.analysis.records import Column, Finding, Section
from believable.analysis.words import (
    counted,
    estimate_words,
    fixed,
    listed,
    test_words,
)
from believable.stats.resample import median_interval


def uncertainty_section(found: Sequence[Against], plan: Plan) -> Section:
    """How uncertain judges were, and whether more so when they were wrong."""
    rows, findings = [], []
    for one in found:
        means = one.mean_uncertainty()
        median = median_interval(means, level=plan.level)
        quartiles = np.quantile(means, [0.25, 0.75]).tolist() if len(means) else [None, None]
        right, wrong = (one.uncertainty[one.correct == side] for side in (True, False))
        cells = [
            number_or(float(np.nanmean(part)) if (~np.isnan(part)).any() else None, "no such trial")
            for part in (right, wrong)
        ]
        spread = number_or(float(means.std(ddof=1)) if len(means) > 1 else None, "one judge has no spread")
        mean = number_or(float(means.mean()) if len(means) else None, "nobody said how certain they were")
        rows.append((one.agent, len(means), *estimate_cells(median),
                     *(number_or(value, "no values") for value in quartiles), mean, spread, *cells))  # fmt: skip
        findings.append(
            Finding(
                "uncertainty", f"Uncertainty, {one.agent}",
                f"Against {one.agent}, the judges' mean uncertainty (1 certain to 5 uncertain) had a median of"
                f" {estimate_words(median)}.",
                "exploratory", median, about=one.agent,
            )
        )  # fmt: skip
    return Section(
        "uncertainty", "Uncertainty", (), tuple(findings),
        (
            table(
                "uncertainty", "Uncertainty of the judges, 1 extremely certain to 5 extremely uncertain",
                (AGENT, Column("judges", "Judges", "integer"),
                 *estimate_columns("median", "Median", about="median of the judges' means; exact order-statistic interval"),
                 Column("q1", "Q1", "number"), Column("q3", "Q3", "number"), Column("mean", "Mean", "number"),
                 Column("sd", "SD", "number"),
                 Column("when_right", "when right", "number", 2, "mean over trials with a right choice"),
                 Column("when_wrong", "when wrong", "number", 2, "mean over trials with a wrong choice")),
                rows, status="exploratory",
            ),
        ),
    )  # fmt: skip


def familiarity_section(data: Data, found: Sequence[Against], plan: Plan) -> Section:
    """Do those who know the game or the genre judge better?"""
    words = plan.option("familiarity")
    predictors = {
        name: measures.coded_familiarity(data, role, words)
        for name, role in (("game", "familiarity_game"), ("genre", "familiarity_genre"))
        if data.has(role)
    }
    rows: list[tuple[LOOSE_CELL, ...]] = []
    fits: list[tuple[LOOSE_CELL, ...]] = []
    findings, paragraphs = [], []
    for one in found:
        own = {name: values[one.judges] for name, values in predictors.items()}
        fit, left_out = measures.familiarity_regression(one.accuracy(), own, level=plan.level)
        if left_out:
            paragraphs.append(
                f"{counted(left_out, 'judge')} of {one.agent} gave another answer about familiarity and are missing here."
            )
        if isinstance(fit, str):
            paragraphs.append(f"No regression for {one.agent}: {fit}")
            fits.append(
                (one.agent, Undefined(fit), Undefined(fit), Undefined(fit), Undefined(fit), Undefined(fit))
            )
            continue
        rows += [
            (
                one.agent,
                term.name,
                *estimate_cells(term.estimate),
                term.estimate.statistic,
                term.estimate.p_value,
            )
            for term in fit.terms
        ]
        test = fit.f_test
        none = test.reason or "undefined"
        fits.append((one.agent, fit.n, number_or(fit.r_squared, none), number_or(test.statistic, none),
                     ", ".join(f"{df:g}" for df in test.df), number_or(test.p_value, none)))  # fmt: skip
        findings.append(
            Finding(
                "familiarity", f"Familiarity, {one.agent}",
                f"Familiarity with {listed(list(own))} accounted for {fixed(fit.r_squared)} of the variance of accuracy against"
                f" {one.agent} ({test_words(test, 'F')}; {fit.method}).",
                "exploratory", None, test, about=one.agent,
            )
        )  # fmt: skip
    coding = ", ".join(f"{place} {word.replace('_', ' ')}" for place, word in enumerate(words, start=1))
    paragraphs.insert(0, f"Familiarity is coded {coding}; any other answer is missing.")
    return Section(
        "familiarity", "Familiarity", tuple(paragraphs), tuple(findings),
        (
            table(
                "familiarity", "Accuracy by familiarity: coefficients",
                (AGENT, Column("term", "Term"), *estimate_columns("beta", "β"), Column("t", "t", "number"),
                 Column("p", "p", "p")),
                rows, note="Ordinary least squares with an intercept; t intervals.", status="exploratory",
            ),
            table(
                "familiarity_fit", "Accuracy by familiarity: the fit",
                (AGENT, Column("judges", "Judges", "integer"), Column("r_squared", "R²", "number"), Column("f", "F", "number"),
                 Column("df", "df"), Column("p", "p", "p")),
                fits, status="exploratory",
            ),
        ),
    )  # fmt: skip

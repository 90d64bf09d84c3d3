"""Coded reasons of flags: which kinds of failure break belief, by condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from believable.analysis.data import Data
from believable.analysis.hntt.reasons import kappas
from believable.analysis.plan import Plan
from believable.analysis.records import Cell, Chart, Column, Section, Table
from believable.analysis.words import counted
from believable.coding.final import codebook_keys, codebooks, coded_responses, has_codes
from believable.coding.labels import CodedResponse
from believable.coding.proportions import by_condition, differences, proportions


def categories(data: Data, plan: Plan) -> Section | None:
    """Shares of coded reasons by condition, and tests of differences; None where nothing was coded."""
    if not has_codes(data.bundle):
        return None
    kept = set(data.sessions)
    book = codebooks(data.bundle)[0]
    responses = [one for one in coded_responses(data.bundle, book) if one.judge in kept]
    names = [one for one in codebook_keys(data.bundle, book) if not one.other]
    keys = [(one.code, one.direction) for one in names]
    labels = {(one.code, one.direction): one.short for one in names}
    shares = proportions(responses, by=by_condition, keys=keys, level=plan.level)
    rows: list[tuple[Cell, ...]] = [
        (
            labels[one.code, one.direction],
            one.group,
            one.count,
            one.total,
            one.share.value,
            one.share.low,
            one.share.high,
        )
        for one in shares
    ]
    undefined = {
        (number, name): one.share.reason or "undefined"
        for number, one in enumerate(shares)
        for name, cell in (("share", one.share.value), ("ci_low", one.share.low), ("ci_high", one.share.high))
        if cell is None
    }
    table = Table(
        "categories",
        "Reasons of flags by condition",
        (
            Column("category", "Category"),
            Column("condition", "Condition"),
            Column("n", "n", "integer"),
            Column("of", "of", "integer", about="All codes given in this condition."),
            Column("share", "Share", "share", 1),
            Column("ci_low", "low", "share", 1, "Lower bound, clustered by person."),
            Column("ci_high", "high", "share", 1, "Upper bound, clustered by person."),
        ),
        tuple(rows),
        "Shares of all codes given in a condition; intervals over people (Wilson with the effective number).",
        undefined=undefined,
    )
    tests = _tests(responses, labels, plan)
    chart = Chart(
        "categories",
        "Reasons of flags",
        "points",
        "categories",
        {"category": "category", "value": "share", "low": "ci_low", "high": "ci_high", "colour": "condition"},
        "share of reasons",
    )
    agreed = kappas(data, book)
    return Section(
        "categories",
        "Why actions are not believed",
        (_coverage(data, responses),),
        (),
        (table, *tests, *((agreed,) if agreed is not None else ())),
        (chart,),
    )


def _coverage(data: Data, responses: Sequence[CodedResponse]) -> str:
    """How many of the flags with a reason were coded; the protocol asks for at least 30 %."""
    flags = data.table("flags")
    given = int((~flags["reason"].missing & ~flags["undone"].values).sum())
    discarded = sum(one.discarded for one in responses)
    share = f" of {counted(given, 'flag')} with a reason ({len(responses) / given:.0%})" if given else ""
    return f"{len(responses)}{share} were coded, {discarded} of them discarded by the coders."


def _tests(
    responses: Sequence[CodedResponse], labels: Mapping[tuple[str, str | None], str], plan: Plan
) -> tuple[Table, ...]:
    """Whether a category is given more often in one condition than in another."""
    found = differences(responses, by_condition, keys=list(labels), level=plan.level)
    if not found:
        return ()
    rows: list[tuple[Cell, ...]] = []
    undefined: dict[tuple[int, str], str] = {}
    for one in found:
        counts = "; ".join(f"{count.group}: {count.present} of {count.n}" for count in one.counts)
        for name, cell in (
            ("statistic", one.test.statistic),
            ("p_value", one.test.p_value),
            ("p_adjusted", one.p_adjusted),
        ):
            if cell is None:
                undefined[len(rows), name] = one.test.reason or "undefined"
        rows.append(
            (
                labels[one.code, one.direction],
                counts,
                one.test.statistic,
                one.test.p_value,
                one.p_adjusted,
                one.test.method,
            )
        )
    table = Table(
        "category_tests",
        "Reasons of flags: differences between conditions",
        (
            Column("category", "Category"),
            Column("counts", "Flags with it"),
            Column("statistic", "Statistic", "number", 2),
            Column("p_value", "p", "p"),
            Column("p_adjusted", "p adjusted", "p", about="Holm, over all categories."),
            Column("method", "Method"),
        ),
        tuple(rows),
        status="exploratory",
        undefined=undefined,
    )
    return (table,)

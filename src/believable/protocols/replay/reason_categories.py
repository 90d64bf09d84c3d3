"""Coded reasons of flags: which kinds of failure break belief, by condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from believable.analysis.data import Data
from believable.analysis.findings import Chart, Column, Section, Table, reasoned, table
from believable.analysis.numbers import counted, share
from believable.analysis.settled_plan import Plan
from believable.coding.coded_bundle import codebook_keys, codebooks, coded_responses, has_codes
from believable.coding.labels import CodedResponse
from believable.coding.proportions import by_condition, differences, proportions
from believable.protocols.hntt.navigation_reasons import kappas


def categories(data: Data, plan: Plan) -> Section | None:
    """Shares of coded reasons by condition, and tests of differences; None where nothing was coded."""
    if not has_codes(data.bundle):
        return None
    kept = set(data.sessions)
    book = codebooks(data.bundle)[0]
    responses = [response for response in coded_responses(data.bundle, book) if response.judge in kept]
    names = [key for key in codebook_keys(data.bundle, book) if not key.other]
    keys = [(name.code, name.direction) for name in names]
    labels = {(name.code, name.direction): name.short for name in names}
    shares = proportions(responses, by=by_condition, keys=keys, level=plan.level)
    rows = [
        (
            labels[coded.code, coded.direction], coded.group, coded.count, coded.total,
            *reasoned(coded.share.reason, coded.share.value, coded.share.low, coded.share.high),
        )
        for coded in shares
    ]  # fmt: skip
    categories_table = table(
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
        rows,
        note="Shares of all codes given in a condition; intervals over people (Wilson with the effective number).",
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
        (categories_table, *tests, *((agreed,) if agreed is not None else ())),
        (chart,),
    )


def _coverage(data: Data, responses: Sequence[CodedResponse]) -> str:
    """How many of the flags with a reason were coded; the protocol asks for at least 30 %."""
    flags = data.table("flags")
    reasons = int((~flags["reason"].missing & ~flags["undone"].values).sum())
    discarded = sum(response.discarded for response in responses)
    coded = f" of {counted(reasons, 'flag')} with a reason ({share(len(responses) / reasons, 0)})" if reasons else ""
    return f"{len(responses)}{coded} were coded, {discarded} of them discarded by the coders."


def _tests(
    responses: Sequence[CodedResponse], labels: Mapping[tuple[str, str | None], str], plan: Plan
) -> tuple[Table, ...]:
    """Whether a category is given more often in one condition than in another."""
    results = differences(responses, by_condition, keys=list(labels), level=plan.level)
    if not results:
        return ()
    rows = [
        (
            labels[result.code, result.direction],
            "; ".join(f"{count.group}: {count.present} of {count.n}" for count in result.counts),
            *reasoned(result.test.reason, result.test.statistic, result.test.p_value, result.p_adjusted),
            result.test.method,
        )
        for result in results
    ]
    tests = table(
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
        rows,
        status="exploratory",
    )
    return (tests,)

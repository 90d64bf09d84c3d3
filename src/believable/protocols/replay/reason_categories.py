"""Coded reasons of flags: which kinds of failure break belief, by condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from believable.analysis.data import Data
from believable.analysis.findings import Section, Table, with_reason
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, share
from believable.analysis.settled_plan import Plan
from believable.coding.coded_bundle import codebook_keys, codebooks, coded_responses, has_codes
from believable.coding.labels import CodedResponse
from believable.coding.proportions import by_condition, differences, proportions
from believable.protocols.hntt.navigation_reasons import kappas

LAYOUTS = Layouts(__file__)


def categories(data: Data, plan: Plan) -> Section | None:
    """Shares of coded reasons by condition, and tests of differences; None without
    codes.
    """
    if not has_codes(data.bundle):
        return None
    kept = set(data.sessions)
    book = codebooks(data.bundle)[0]
    responses = [
        response for response in coded_responses(data.bundle, book) if response.judge in kept
    ]
    names = [key for key in codebook_keys(data.bundle, book) if not key.other]
    keys = [(name.code, name.direction) for name in names]
    labels = {(name.code, name.direction): name.short for name in names}
    shares = proportions(responses, by=by_condition, keys=keys, level=plan.level)
    rows = [
        (
            labels[coded.code, coded.direction],
            coded.group,
            coded.count,
            coded.total,
            *with_reason(coded.share.reason, coded.share.value, coded.share.low, coded.share.high),
        )
        for coded in shares
    ]
    categories_table = LAYOUTS.table("categories", rows)
    tests = _tests(responses, labels, plan)
    chart = LAYOUTS.chart("categories")
    return LAYOUTS.section(
        "categories",
        paragraphs=(_coverage(data, responses),),
        tables=(categories_table, *tests, kappas(data, book)),
        charts=(chart,),
    )


def _coverage(data: Data, responses: Sequence[CodedResponse]) -> str:
    """How many of the flags with a reason were coded; the protocol asks for at least 30 %."""
    flags = data.table("flags")
    reasons = int((~flags["reason"].missing & ~flags["undone"].values).sum())
    discarded = sum(response.discarded for response in responses)
    coded = (
        f" of {counted(reasons, 'flag')} with a reason ({share(len(responses) / reasons, 0)})"
        if reasons
        else ""
    )
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
            *with_reason(
                result.test.reason, result.test.statistic, result.test.p_value, result.p_adjusted
            ),
            result.test.method,
        )
        for result in results
    ]
    tests = LAYOUTS.table("category_tests", rows)
    return (tests,)

"""Coded reasons of judges: shares of codes overall, per agent, and of accurate against other judges."""

from __future__ import annotations

from collections.abc import Sequence

from believable.analysis.cells import LOOSE_CELL, estimate_cells, estimate_columns, number_or, table
from believable.analysis.data import Data
from believable.analysis.hntt.judgements import Against
from believable.analysis.plan import Plan
from believable.analysis.records import Chart, Column, Finding, Section, Table
from believable.analysis.words import counted, p_words
from believable.coding.agreement import agreement, by_sample, kappa_table
from believable.coding.final import (
    TOGETHER,
    CodeName,
    codebook_keys,
    codebooks,
    coded_responses,
    coder_marks,
    has_codes,
)
from believable.coding.labels import CodedResponse
from believable.coding.proportions import (
    Group,
    Proportion,
    by_accuracy,
    differences,
    proportions,
)
from believable.study.codebook import resolved

#: The group of all texts.
ALL = "all"


def reasons_sections(data: Data, found: Sequence[Against], plan: Plan) -> tuple[Section, ...]:
    """One section per codebook that texts of the kept sessions were coded with; none where nothing was coded."""
    if not has_codes(data.bundle):
        return ()
    sections = []
    for codebook in codebooks(data.bundle):
        responses = [one for one in coded_responses(data.bundle, codebook) if one.judge in data.codes]
        if responses:
            sections.append(
                _section(codebook, codebook_keys(data.bundle, codebook), responses, data, found, plan)
            )
    return tuple(sections)


def _section(
    codebook: str,
    names: Sequence[CodeName],
    responses: Sequence[CodedResponse],
    data: Data,
    found: Sequence[Against],
    plan: Plan,
) -> Section:
    words = {(one.code, one.direction): one.short for one in names}
    keys = [(one.code, one.direction) for one in names if not one.other]
    other = [one.code for one in names if one.other]
    accuracy = _accuracies(data, found)
    above = float(plan.option("high_accuracy"))
    groups: list[tuple[str, Group | None]] = [
        (ALL, None),
        ("agent", _by_agent(plan.roles["human"])),
        ("judges", by_accuracy(accuracy, above=above)),
    ]
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for kind, group in groups:
        for one in proportions(responses, by=group, keys=keys, leave_out=other, level=plan.level):
            rows.append(_row(kind, one, words))
    tests = differences(
        responses,
        by_accuracy(accuracy, above=above),
        adjust="bh",
        keys=keys,
        leave_out=other,
        level=plan.level,
    )
    tested = [
        (one.side or "", words[one.code, one.direction], _sign(one.direction), *_counts(one.counts),
         number_or(one.test.p_value, one.test.reason or ""), number_or(one.p_adjusted, one.test.reason or ""), one.test.method)
        for one in tests
    ]  # fmt: skip
    discarded = sum(one.discarded for one in responses)
    kept = len(responses) - discarded
    clear = [one for one in tests if one.p_adjusted is not None and one.p_adjusted < plan.alpha]
    told = (
        "; ".join(
            f"{words[one.code, one.direction]} {_sign(one.direction)} ({p_words(one.p_adjusted)})"
            for one in clear
        )
        if clear
        else "no code differed at the adjusted level"
    )
    finding = Finding(
        "reasons", f"Reasons, {codebook}",
        f"Of {counted(len(responses), 'coded text')}, {kept} gave codes. Accurate judges (above {above:g}) against the others,"
        f" adjusted by Benjamini and Hochberg over {counted(len(tests), 'test')}: {told}.",
        "exploratory",
    )  # fmt: skip
    name = f"reasons_{codebook}"
    agreed = kappas(data, codebook)
    return Section(
        name, f"Reasons: {codebook}",
        (f"A share is that of all codes applied to the same side. {counted(discarded, 'text')} were discarded by the coders.",),
        (finding,),
        (
            table(
                f"{name}_overall", "Shares of codes on each side",
                (Column("side", "Side"), Column("code", "Code"), Column("direction", "Direction"),
                 Column("count", "Count", "integer"), Column("total", "Of", "integer"),
                 *estimate_columns("share", "Share", about="share of all codes on that side; interval clustered by judge")),
                [row[2:] for row in rows if row[0] == ALL],
            ),
            table(
                f"{name}_groups", "Shares of codes on each side, by agent and by accuracy of the judges",
                (Column("by", "By"), Column("group", "Group"), Column("side", "Side"), Column("code", "Code"),
                 Column("direction", "Direction"), Column("count", "Count", "integer"), Column("total", "Of", "integer"),
                 *estimate_columns("share", "Share", about="share of all codes on that side; interval clustered by judge")),
                [row for row in rows if row[0] != ALL],
            ),
            table(
                f"{name}_accuracy", "Accurate against other judges: texts that hold a code",
                (Column("side", "Side"), Column("code", "Code"), Column("direction", "Direction"), Column("high", "High"),
                 Column("low", "Low"), Column("p", "p", "p"), Column("p_adjusted", "p adjusted", "p"), Column("method", "Test")),
                tested,
            ),
            *((agreed,) if agreed is not None else ()),
        ),
        (
            Chart(name, "Shares of codes", "bars", f"{name}_overall",
                  {"category": "code", "value": "share", "low": "share_low", "high": "share_high", "colour": "direction",
                   "facet": "side"},
                  x_title="Share of the codes on that side"),
        ) if any(row[0] == ALL for row in rows) else (),
    )  # fmt: skip


def kappas(data: Data, codebook: str) -> Table | None:
    """κ of each code × direction on the agreement and on the overlap sample; None where the codebook is not in the study file."""
    books = {} if data.study is None else {one.id: resolved(one) for one in data.study.codebooks}
    if codebook not in books:
        return None
    book = books[codebook]
    samples = by_sample(
        (one.sample, one.response, one.coder, one.mark) for one in coder_marks(data.bundle, codebook)
    )
    first, second = (
        agreement(book, samples[name]) if samples.get(name) else None for name in ("agreement", "overlap")
    )
    rows = []
    for one in kappa_table(book, first, second):
        why = [reason or "no text was coded by two" for reason in one.why_undefined]
        cells = number_or(one.agreement_sample, why[0]), number_or(one.overlap_sample, why[1])
        rows.append((one.label, _sign(one.direction), *cells))
    return table(
        f"reasons_{codebook}_kappa", "Agreement of the coders: Cohen's κ, (text, side) pooled over sides",
        (Column("code", "Code"), Column("direction", "Direction"), Column("agreement", "Agreement sample", "number"),
         Column("overlap", "Overlap sample", "number")),
        rows,
    )  # fmt: skip


def _row(kind: str, one: Proportion, words: dict[tuple[str, str | None], str]) -> tuple[LOOSE_CELL, ...]:
    code = words[one.code, one.direction]
    return (
        kind,
        one.group or ALL,
        one.side or "",
        code,
        _sign(one.direction),
        one.count,
        one.total,
        *estimate_cells(one.share),
    )


def _counts(counts: Sequence[object]) -> tuple[str, str]:
    told = {
        getattr(one, "group", ""): f"{getattr(one, 'present', 0)} of {getattr(one, 'n', 0)}" for one in counts
    }
    return told.get("high accuracy", "0 of 0"), told.get("low accuracy", "0 of 0")


def _sign(direction: str | None) -> str:
    return {"+": "more", "-": "less"}.get(direction or "", "")


def _by_agent(humans: Sequence[str]) -> Group:
    def group(response: CodedResponse) -> str | None:
        others = [one for one in (response.condition or "").split(TOGETHER) if one and one not in humans]
        return others[0] if len(others) == 1 else None

    return group


def _accuracies(data: Data, found: Sequence[Against]) -> dict[str, float]:
    """Each judge's share of right choices over all agents judged."""
    right: dict[int, list[bool]] = {}
    for one in found:
        for judge, correct in zip(one.judge.tolist(), one.correct.tolist(), strict=True):
            right.setdefault(judge, []).append(correct)
    return {data.sessions[judge]: sum(values) / len(values) for judge, values in right.items()}

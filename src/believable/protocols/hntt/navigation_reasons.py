"""Coded reasons of judges: shares of codes overall, per agent, and of accurate against other
judges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from believable.analysis.data import Data
from believable.analysis.findings import (
    LOOSE_CELL,
    Finding,
    Section,
    Table,
    estimate_cells,
    number_or,
)
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, integer, p_equals
from believable.analysis.settled_plan import Plan
from believable.coding.coded_bundle import (
    TOGETHER,
    CodeName,
    codebook_keys,
    codebooks,
    coded_responses,
    coder_marks,
    has_codes,
    latest_codes,
)
from believable.coding.coder_agreement import agreement, by_sample, kappa_table
from believable.coding.labels import CodedResponse
from believable.coding.proportions import (
    Difference,
    Group,
    Proportion,
    by_accuracy,
    differences,
    proportions,
)
from believable.protocols.hntt.navigation_judgements import AgentContest
from believable.study.codebook import resolve_codebook

LAYOUTS = Layouts(__file__)

#: The codebook that the study's own reasons are coded with, so called in the ready study.
REASONS = "reasons"
#: Which of the two a code was applied to.
SIDES = {"more": "more human-like", "less": "less human-like"}
#: The group of all texts.
ALL = "all"


def reasons_sections(
    data: Data, contests: Sequence[AgentContest], plan: Plan
) -> tuple[Section, ...]:
    """One section per codebook that texts of the kept sessions were coded with; none without
    codings.
    """
    if not has_codes(data.bundle):
        return ()
    sections = []
    for codebook in codebooks(data.bundle):
        responses = [
            response
            for response in coded_responses(data.bundle, codebook)
            if response.judge in data.codes
        ]
        if responses:
            sections.append(
                _section(
                    codebook, codebook_keys(data.bundle, codebook), responses, data, contests, plan
                )
            )
    return tuple(sections)


def _tested_row(
    test: Difference, words: Mapping[tuple[str, str | None], str]
) -> tuple[LOOSE_CELL, ...]:
    reason = test.test.reason or ""
    return (
        SIDES.get(test.side or "", test.side or ""),
        words[test.code, test.direction],
        _sign(test.direction),
        *_counts(test.counts),
        number_or(test.test.p_value, reason),
        number_or(test.p_adjusted, reason),
        test.test.method,
    )


def _label(row: tuple[LOOSE_CELL, ...]) -> str:
    """A code with its direction, for a figure."""
    return f"{row[3]}, {row[4]}" if row[4] else str(row[3])


def _clear_words(
    tests: Sequence[Difference], words: Mapping[tuple[str, str | None], str], alpha: float
) -> str:
    """The codes that differ at the adjusted level."""
    clear = [test for test in tests if test.p_adjusted is not None and test.p_adjusted < alpha]
    listed = (
        f"{words[test.code, test.direction]} {_sign(test.direction)} ({p_equals(test.p_adjusted)})"
        for test in clear
    )
    return "; ".join(listed) or "no code differed at the adjusted level"


def _section(
    codebook: str,
    names: Sequence[CodeName],
    responses: Sequence[CodedResponse],
    data: Data,
    contests: Sequence[AgentContest],
    plan: Plan,
) -> Section:
    words = {(name.code, name.direction): name.short for name in names}
    keys = [(name.code, name.direction) for name in names if not name.other]
    other = [name.code for name in names if name.other]
    accuracy = _accuracies(data, contests)
    above = float(plan.option("high_accuracy"))
    groups: list[tuple[str, Group | None]] = [
        (ALL, None),
        ("agent", _by_agent(plan.roles["human"])),
        ("judges", by_accuracy(accuracy, above=above)),
    ]
    rows = [
        _row(kind, proportion, words)
        for kind, group in groups
        for proportion in proportions(
            responses, by=group, keys=keys, leave_out=other, level=plan.level
        )
    ]
    tests = differences(
        responses,
        by_accuracy(accuracy, above=above),
        adjust="bh",
        keys=keys,
        leave_out=other,
        level=plan.level,
    )
    discarded = sum(response.discarded for response in responses)
    finding = Finding(
        outcome="reasons",
        title="Coded reasons" if codebook == REASONS else f"Coded reasons, {codebook}",
        sentence=f"Of {counted(len(responses), 'coded text')},"
        f" {integer(len(responses) - discarded)} gave codes.",
        conclusion=(
            f"Accurate judges (above {above:g}) against the others, adjusted by Benjamini and"
            f" Hochberg over {counted(len(tests), 'test')}:"
            f" {_clear_words(tests, words, plan.alpha)}."
        ),
    )
    name = f"reasons_{codebook}"
    agreed = kappas(data, codebook)
    return Section(
        name=name,
        title="Coded reasons" if codebook == REASONS else f"Coded reasons: {codebook}",
        paragraphs=(
            (
                "A share is that of all codes applied to the same side. The coders discarded"
                f" {counted(discarded, 'text')}."
            ),
        ),
        findings=(finding,),
        tables=(
            LAYOUTS.table(
                "{name}_overall",
                [(*row[2:], _label(row)) for row in rows if row[0] == ALL],
                name=name,
            ),
            LAYOUTS.table("{name}_groups", [row for row in rows if row[0] != ALL], name=name),
            LAYOUTS.table(
                "{name}_judges",
                [(row[1], row[2], _label(row), *row[7:]) for row in rows if row[0] == "judges"],
                name=name,
            ),
            LAYOUTS.table(
                "{name}_accuracy", [_tested_row(test, words) for test in tests], name=name
            ),
            *((agreed,) if agreed is not None else ()),
            LAYOUTS.table("{name}_codes", definitions(data, codebook), name=name),
        ),
        charts=(
            (
                LAYOUTS.chart("{name}", name=name),
                *(
                    (LAYOUTS.chart("{name}_judges", name=name, above=above),)
                    if any(row[0] == "judges" for row in rows)
                    else ()
                ),
            )
            if any(row[0] == ALL for row in rows)
            else ()
        ),
    )


def kappas(data: Data, codebook: str) -> Table | None:
    """κ of each code × direction on the agreement and on the overlap sample; None where the
    codebook is not in the study file.
    """
    books = (
        {}
        if data.study is None
        else {codebook.id: resolve_codebook(codebook) for codebook in data.study.codebooks}
    )
    if codebook not in books:
        return None
    book = books[codebook]
    samples = by_sample(
        (mark.sample, mark.response, mark.coder, mark.mark)
        for mark in coder_marks(data.bundle, codebook)
    )
    first, second = (
        agreement(book, samples[name]) if samples.get(name) else None
        for name in ("agreement", "overlap")
    )
    rows = []
    for row in kappa_table(book, first, second):
        why = [reason or "no text was coded by two" for reason in row.why_undefined]
        cells = number_or(row.agreement_sample, why[0]), number_or(row.overlap_sample, why[1])
        rows.append((row.label, _sign(row.direction), *cells))
    return LAYOUTS.table("reasons_{codebook}_kappa", rows, codebook=codebook)


def definitions(data: Data, codebook: str) -> list[tuple[LOOSE_CELL, ...]]:
    """The meaning of the codes of the latest version; examples are those of the codebook in the
    study file.
    """
    books = (
        {}
        if data.study is None
        else {book.id: resolve_codebook(book) for book in data.study.codebooks}
    )
    examples = (
        {code.id: code.examples for code in books[codebook].codes} if codebook in books else {}
    )
    return [
        (
            *(str(row[column] or "") for column in ("label", "short", "definition", "keywords")),
            " / ".join(f"“{example}”" for example in examples.get(str(row["code"]), ())),
        )
        for row in latest_codes(data.bundle, codebook)
    ]


def _row(
    kind: str, share: Proportion, words: dict[tuple[str, str | None], str]
) -> tuple[LOOSE_CELL, ...]:
    code = words[share.code, share.direction]
    return (
        kind,
        share.group or ALL,
        SIDES.get(share.side or "", share.side or ""),
        code,
        _sign(share.direction),
        share.count,
        share.total,
        *estimate_cells(share.share),
    )


def _counts(counts: Sequence[object]) -> tuple[str, str]:
    by_code = {
        getattr(count, "group", ""): f"{getattr(count, 'present', 0)} of {getattr(count, 'n', 0)}"
        for count in counts
    }
    return by_code.get("high accuracy", "0 of 0"), by_code.get("low accuracy", "0 of 0")


def _sign(direction: str | None) -> str:
    return {"+": "more", "-": "less"}.get(direction or "", "")


def _by_agent(humans: Sequence[str]) -> Group:
    def group(response: CodedResponse) -> str | None:
        others = [
            condition
            for condition in (response.condition or "").split(TOGETHER)
            if condition and condition not in humans
        ]
        return others[0] if len(others) == 1 else None

    return group


def _accuracies(data: Data, contests: Sequence[AgentContest]) -> dict[str, float]:
    """Each judge's share of right choices over all agents judged."""
    right: dict[int, list[bool]] = {}
    for contest in contests:
        for judge, correct in zip(contest.judge.tolist(), contest.correct.tolist(), strict=True):
            right.setdefault(judge, []).append(correct)
    return {data.sessions[judge]: sum(values) / len(values) for judge, values in right.items()}

"""Every statistic that any of the five reports prints is that of a record: its symbol, value,
degrees of freedom, p, interval.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from believable.analysis.findings import Analysis, Cell, Column, Finding, Section, Source, Table
from believable.analysis.preregistration import osf
from believable.analysis.registered import register
from believable.analysis.resolution import resolve
from believable.analysis.run import run
from believable.contracts.registries import PROTOCOLS
from believable.report.latex import latex_table, shown_columns
from believable.report.page import page
from believable.simulate import straight
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult
from believable.study.load import load

SOURCE = Source(
    study="",
    protocol="",
    definition="",
    data="",
    plan="",
    seeds={},
    versions={},
    simulated=True,
    demonstration=False,
)
FIVE = ("trace", "replay", "clips", "hntt", "qa")
#: A statistic with its p, as sentences and cards write it.
TESTED = re.compile(
    r"(?<![\w.])([A-Za-zχρ]²?)(\([\d., ]+\))? = (−?[\d.,]*\d), p ((?:= |< |> )\.\d{3})"
)
P = re.compile(r"(?<![\w.])p ((?:= |< |> )?\.\d{3})")
INTERVAL = re.compile(r"CI (\[[^\]]+\])")
EFFECT = re.compile(r"(?<![\w.])([rd]) = (−?[\d.]*\d)")


@cache
def analysed(protocol: str) -> Analysis:
    definition = load(PROTOCOLS[protocol].folder)
    assert definition.study.analysis is not None
    # Without a stopping rule every test is shown.
    plan = definition.study.analysis.model_copy(update={"stopping": None})
    return run(straight.bundle(definition, 24, np.random.default_rng(8)), plan=plan)


def text_of(analysis: Analysis) -> str:
    """The report's words without marks: page, methods and results as one text with plain spaces."""
    document = page(analysis, draw=lambda spec: "<svg></svg>", script=lambda: "").html
    bare = re.sub(r"<(script|style|svg|code)\b.*?</\1>", " ", document, flags=re.DOTALL)
    words = unescape(re.sub(r"<[^>]+>", " ", re.sub(r"</?(?:i|b|sup|span)\b[^>]*>", "", bare)))
    return re.sub(r"[\s\u00a0\u202f]+", " ", words)


@cache
def printed(protocol: str) -> str:
    return text_of(analysed(protocol))


def results_of(analysis: Analysis) -> Iterator[TestResult]:
    return (finding.test for finding in analysis.findings if finding.test is not None)


def estimates_of(analysis: Analysis) -> Iterator[Estimate]:
    for finding in analysis.findings:
        test = finding.test
        yield from (
            each
            for each in (finding.estimate, test and test.estimate, test and test.effect)
            if each
        )


def plain(text: str) -> str:
    return re.sub(r"[\s\u00a0\u202f]+", " ", text)


@pytest.mark.parametrize("protocol", FIVE)
def test_every_printed_statistic_is_that_of_a_record(protocol: str) -> None:
    check_statistics(analysed(protocol), printed(protocol), some=True)
    check_own_records(analysed(protocol))
    check_cells(analysed(protocol))


def check_own_records(analysis: Analysis) -> None:
    """Each sentence against the record of its own finding, not against that of any other. What it
    quotes beside, such as the two correlations or means that are compared, stands in a table.
    """
    for finding in analysis.findings:
        own, sentence = alone(finding), plain(finding.sentence)
        check_tests(own, sentence)
        check_p(own, sentence)
        with_tables = replace(
            own, sections=(*own.sections, Section(name="all", title="All", tables=analysis.tables))
        )
        check_intervals(with_tables, sentence)
        check_effects(with_tables, sentence)
        if finding.estimate is not None and finding.estimate.low is not None and "CI [" in sentence:
            assert any(is_own(finding, words) for words in INTERVAL.findall(sentence)), sentence
        sizes = {estimate.n for estimate in estimates_of(own)} | {
            test.n for test in results_of(own)
        }
        for n in re.findall(r"\bn = (\d+)", sentence):
            assert not sizes or int(n) in sizes, sentence


def alone(finding: Finding) -> Analysis:
    return Analysis(
        title="",
        source=SOURCE,
        funnel=(),
        drops=(),
        sections=(Section(name="own", title="Own", findings=(finding,)),),
    )


def is_own(finding: Finding, interval: str) -> bool:
    """Whether a printed interval is one of the finding's own record."""
    try:
        return bool(check_intervals(alone(finding), f"CI {interval}"))
    except AssertionError:
        return False


def check_cells(analysis: Analysis) -> None:
    """Every cell of every table, and every number at a glance, as the page prints them."""
    document = page(analysis, draw=lambda spec: "<svg></svg>", script=lambda: "").html
    for table in analysis.tables:
        if table.data_only:
            continue
        body = (
            document.split(f'id="t-{table.name}"', 1)[1]
            .split("<tbody>", 1)[1]
            .split("</tbody>", 1)[0]
        )
        rows = [
            re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL) for row in body.split("<tr>")[1:]
        ]
        assert len(rows) == len(table.rows), table.name
        for cells, row in zip(rows, table.rows, strict=True):
            for words, (place, column) in zip(cells, shown_columns(table), strict=False):
                check_cell(
                    table,
                    column,
                    unescape(re.sub(r"<sup>.*?</sup>|<[^>]+>", "", words)),
                    row[place],
                )
    (glance,) = re.findall(r'id="hypotheses".*?</table>', document, re.DOTALL) or [""]
    shown = glance.split("<tr>")[2:]
    assert len(shown) == len(analysis.hypotheses)
    for words, hypothesis in zip(shown, analysis.hypotheses, strict=True):
        numbers = {
            f"{value.value:.2f}"
            for each in hypothesis.findings
            if (value := each.estimate) and value.value is not None
        }
        bold = re.findall(r"<b>(−?[\d.,]+)</b>", words)
        assert {number.replace("−", "-").replace(",", "") for number in bold} <= numbers | {
            "0.00"
        }, words
        check_p(
            Analysis(
                title="",
                source=SOURCE,
                funnel=(),
                drops=(),
                sections=(Section(name="own", title="Own", findings=hypothesis.findings),),
            ),
            words,
        )


def check_cell(table: Table, column: Column, words: str, value: Cell) -> None:
    where = f"{table.name}.{column.name}: {words!r} for {value!r}"
    if value is None:
        assert words.strip() == "–", where
    elif isinstance(value, bool):
        assert words.strip() == ("yes" if value else "no"), where
    elif isinstance(value, str):
        assert plain(words).strip() == plain(value).replace("_", " ").strip() or "`" in value, where
    elif column.form == "p":
        assert says_p(words.strip(), value), where
    elif math.isfinite(value):
        number = re.sub(r"[\s%\u202f\u00a0]", "", words)
        assert rounds_to(number, value * (100 if column.form == "share" else 1)), where


@pytest.mark.parametrize("protocol", FIVE)
def test_another_digit_in_any_statistic_of_any_sentence_is_noticed(protocol: str) -> None:
    """The last digit of each number of each printed test (statistic, df, p) and of each interval is
    written wrongly once.
    """
    tried = 0
    for finding in analysed(protocol).findings:
        sentence = plain(finding.sentence)
        for match in TESTED.finditer(sentence):
            for wrong in misprints(match.group()):
                with pytest.raises(AssertionError):
                    check_tests(alone(finding), wrong)
                tried += 1
        for interval in filter(partial(is_own, finding), INTERVAL.findall(sentence)):
            assert not [wrong for wrong in misprints(interval) if is_own(finding, wrong)]
            tried += 2
    assert tried >= 10


def misprints(words: str) -> Iterator[str]:
    """The same words with another last digit in one of their numbers."""
    for number in re.finditer(r"[\d.,]*\d", words):
        last = number.end() - 1
        yield f"{words[:last]}{(int(words[last]) + 5) % 10}{words[last + 1 :]}"


def check_statistics(analysis: Analysis, text: str, *, some: bool) -> None:
    """Tests, p values, intervals and effects of a report's text. `some`: there must be tests and
    intervals at all.
    """
    found = [*check_tests(analysis, text), *check_intervals(analysis, text)]
    assert found or not some
    check_p(analysis, text)
    check_effects(analysis, text)


def check_tests(analysis: Analysis, text: str) -> list[str]:
    """Symbol, degrees of freedom, value and p of one record, read back from the words and not from
    what wrote them.
    """
    found = list(TESTED.finditer(text))
    for match in found:
        symbol, df, value, p = match.groups()
        printed_df = re.findall(r"[\d.]+", df or "")
        assert any(
            test.symbol == symbol
            and rounds_to(value, test.statistic)
            and (not printed_df or len(printed_df) == len(test.df))
            and all(
                rounds_to(words, number) for words, number in zip(printed_df, test.df, strict=False)
            )
            and says_p(p, test.p_value)
            for test in results_of(analysis)
        ), match.group()
    return [match.group() for match in found]


def rounds_to(words: str, value: float | None) -> bool:
    """Whether a printed number is that value, to the digits it is printed with."""
    if value is None:
        return False
    plain_words = words.replace("−", "-").replace(",", "")
    digits = len(plain_words.partition(".")[2])
    return abs(float(plain_words) - value) <= 0.5 * 10**-digits + 1e-9


def says_p(words: str, value: float | None) -> bool:
    """`= .123`, `< .001` or `> .999` of a p value."""
    if value is None:
        return False
    sign, number = words.split() if " " in words else ("=", words)
    if sign == "=":
        return rounds_to(number, value)
    limits = {("<", ".001"): value < 0.001, (">", ".999"): value > 0.999}
    return limits.get((sign, number), False)


def check_p(analysis: Analysis, text: str) -> None:
    values = [test.p_value for test in results_of(analysis)] + [
        each.p_value for each in estimates_of(analysis)
    ]
    values += [finding.p_adjusted for finding in analysis.findings]
    values += [
        value
        for table in analysis.tables
        for column in table.columns
        if column.form == "p"
        for value in table.column(column.name)
        if isinstance(value, float)
    ]
    for match in P.finditer(text):
        assert any(says_p(match.group(1), value) for value in values), text[
            max(0, match.start() - 120) : match.end() + 20
        ]


def check_intervals(analysis: Analysis, text: str) -> list[str]:
    pairs = [(each.low, each.high) for each in estimates_of(analysis) if each.low is not None]
    for table in analysis.tables:
        names = [column.name for column in table.columns]
        for low in (name for name in names if name.endswith("low") and f"{name[:-3]}high" in names):
            pairs += zip(table.column(low), table.column(f"{low[:-3]}high"), strict=True)
    records = [
        (low, high) for low, high in pairs if isinstance(low, float) and isinstance(high, float)
    ]
    found: list[str] = INTERVAL.findall(text)
    for words in found:
        ends = re.findall(r"−?[\d.,]*\d", words)
        assert len(ends) == 2, words
        assert any(
            rounds_to(ends[0], scale * low) and rounds_to(ends[1], scale * high)
            for low, high in records
            for scale in (1, 100)
        ), words
    return found


def check_effects(analysis: Analysis, text: str) -> None:
    values = [each.value for each in estimates_of(analysis) if each.value is not None]
    values += [
        value
        for table in analysis.tables
        for row in table.rows
        for value in row
        if isinstance(value, float)
    ]
    for match in EFFECT.finditer(text):
        assert any(rounds_to(match.group(2), value) for value in values), text[
            max(0, match.start() - 120) : match.end() + 20
        ]


def test_the_check_notices_a_wrong_letter_and_a_wrong_digit() -> None:
    """A t under the letter r, another value, another p: what a report once printed is not taken for
    its record.
    """
    analysis = analysed("qa")
    right = next(
        match
        for match in TESTED.finditer(printed("qa"))
        if match.group(1) == "t" and match.group(2)
    )
    _, df, value, p = right.groups()
    check_tests(analysis, right.group())
    for wrong in (
        f"r{df} = {value}, p {p}",
        f"t{df} = 9{value}, p {p}",
        f"t{df} = {value}, p = .777",
        f"t(9999) = {value}, p {p}",
    ):
        with pytest.raises(AssertionError):
            check_tests(analysis, wrong)


@pytest.mark.parametrize("protocol", FIVE)
def test_a_correlations_t_is_that_of_its_r(protocol: str) -> None:
    for test in results_of(analysed(protocol)):
        if test.symbol in ("r", "ρ"):
            assert test.statistic is not None
            assert abs(test.statistic) <= 1
        elif test.method == "Pearson correlation" and test.symbol and test.estimate is not None:
            r, df = test.estimate.value, test.df[0]
            assert r is not None
            assert test.symbol == "t"
            assert test.statistic == pytest.approx(r * math.sqrt(df / (1 - r * r)))


@pytest.mark.parametrize("protocol", FIVE)
def test_each_source_stands_in_report_bibtex_preregistration_and_readme(
    protocol: str, tmp_path: Path
) -> None:
    """Each with its title, its first author and its year, where it has them."""
    cites = PROTOCOLS[protocol].cites
    assert cites
    analysis, text = analysed(protocol), printed(protocol)
    definition = load(PROTOCOLS[protocol].folder)
    study = definition.study
    assert study.analysis is not None
    plan = resolve(study.analysis, study)
    record = register(plan, tmp_path, registered_on="2027-02-01T00:00:00+00:00")
    registration = osf(definition, plan, record, collected=0)
    readme = (PROTOCOLS[protocol].folder / "README.md").read_text("utf-8")
    for source in cites:
        for place in (text, registration, readme):
            assert plain(source.title) in plain(place)
            assert not source.authors or source.authors[0].partition(",")[0] in place
            assert source.year is None or str(source.year) in place
        assert plain(source.words) in text
        assert f"{{{source.key}," in analysis.bibtex
        assert source.title in analysis.bibtex
        assert all(author in analysis.bibtex for author in source.authors)


def test_what_people_wrote_about_their_preference_stands_in_the_report_of_replay() -> None:
    analysis, text = analysed("replay"), printed("replay")
    (reasons,) = (table for table in analysis.tables if table.name == "why")
    assert len(reasons.rows) >= 12
    for preferred, reason in reasons.rows:
        assert preferred in ("none", *load(PROTOCOLS["replay"].folder).study.conditions)
        assert plain(str(reason)) in text


@pytest.mark.parametrize("protocol", FIVE)
def test_no_sentence_holds_an_unfilled_place(protocol: str) -> None:
    assert re.findall(r"\{\w+\}", printed(protocol)) == []


def test_a_test_is_named_once_and_traces_are_not_counted_as_sessions() -> None:
    """Ten correlations name their method once; sessions that were left out add up, traces stand
    apart.
    """
    results = plain(analysed("trace").results)
    assert results.count("jackknife t test on the Fisher z scale") == 1
    assert results.count("two-sided (paired t test)") == 1
    before, left, reasons = re.search(
        r"Of (\d+) simulated sessions, (\d+) were analysed \(([^)]*)\)", results
    ).groups()  # type: ignore[union-attr]
    assert int(before) - int(left) == sum(int(n) for n in re.findall(r"\d+", reasons))
    assert re.search(r"Left out beforehand: \d+ of \d+ (RankTrace|BTrace) traces \(", results)


def test_marks_do_not_claim_more_than_their_p_values() -> None:
    """Marked cells have a p below alpha that is not adjusted. Of dozens of correlations none is
    marked, small as its p may be.
    """
    text = printed("replay")
    assert (
        "Marked cells: p below alpha, each test on its own, not adjusted for their number." in text
    )
    assert "p below alpha" in latex_table(
        next(table for table in analysed("replay").tables if table.marked)
    )
    assert "are significant" not in printed("trace")
    tables = analysed("trace").tables
    columns = [
        (table, column.name)
        for table in tables
        for column in table.columns
        if column.name.endswith("_p")
    ]
    small = [cell for table, name in columns for cell in table.column(name)]
    assert len(small) >= 72
    assert any(isinstance(p, float) and p < 0.05 for p in small)
    assert not any(table.marked for table in tables)
    assert re.search(r"\d+ correlations, not adjusted for their number", printed("trace"))


def test_the_spread_of_an_effect_is_told_from_that_of_the_intercept() -> None:
    (model,) = (table for table in analysed("replay").tables if table.name == "flag_model")
    assert "SD of intercept between" in model.note
    assert re.search(r"SD of condition: \w+ between \d+ levels of participant", model.note)

"""Every statistic that any of the five reports prints is that of a record: its symbol, value, degrees of freedom, p, interval."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from believable.analysis.findings import Analysis
from believable.analysis.preregistration import osf
from believable.analysis.registered import register
from believable.analysis.resolution import resolve
from believable.analysis.run import run
from believable.pages import KINDS
from believable.protocols import PROTOCOLS
from believable.report.page import page
from believable.simulate import straight
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult
from believable.study.load import load

FIVE = ("trace", "replay", "clips", "hntt", "qa")
#: A statistic with its p, as sentences and cards write it.
TESTED = re.compile(r"(?<![\w.])([A-Za-zχρ]²?)(\([\d., ]+\))? = (−?[\d.,]*\d), p ((?:= |< |> )\.\d{3})")
P = re.compile(r"(?<![\w.])p ((?:= |< |> )?\.\d{3})")
INTERVAL = re.compile(r"CI (\[[^\]]+\])")
EFFECT = re.compile(r"(?<![\w.])([rd]) = (−?[\d.]*\d)")


@cache
def analysed(protocol: str) -> Analysis:
    definition = load(PROTOCOLS[protocol].folder, kinds=KINDS, protocols=PROTOCOLS)
    return run(straight.bundle(definition, 24, np.random.default_rng(8), protocols=PROTOCOLS), protocols=PROTOCOLS)


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
        yield from (each for each in (finding.estimate, test and test.estimate, test and test.effect) if each)


def plain(text: str) -> str:
    return re.sub(r"[\s\u00a0\u202f]+", " ", text)


@pytest.mark.parametrize("protocol", FIVE)
def test_every_printed_statistic_is_that_of_a_record(protocol: str) -> None:
    check_statistics(analysed(protocol), printed(protocol), some=True)


def check_statistics(analysis: Analysis, text: str, *, some: bool) -> None:
    """Tests, p values, intervals and effects of a report's text. `some`: there must be tests and intervals at all."""
    found = [*check_tests(analysis, text), *check_intervals(analysis, text)]
    assert found or not some
    check_p(analysis, text)
    check_effects(analysis, text)


def check_tests(analysis: Analysis, text: str) -> list[str]:
    """Symbol, degrees of freedom, value and p of one record, read back from the words and not from what wrote them."""
    found = list(TESTED.finditer(text))
    for match in found:
        symbol, df, value, p = match.groups()
        printed_df = re.findall(r"[\d.]+", df or "")
        assert any(
            test.symbol == symbol
            and rounds_to(value, test.statistic)
            and (not printed_df or len(printed_df) == len(test.df))
            and all(rounds_to(words, number) for words, number in zip(printed_df, test.df, strict=False))
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
    return value < float(number) if sign == "<" else value > float(number)


def check_p(analysis: Analysis, text: str) -> None:
    values = [test.p_value for test in results_of(analysis)] + [each.p_value for each in estimates_of(analysis)]
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
    records = [(low, high) for low, high in pairs if isinstance(low, float) and isinstance(high, float)]
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
    values += [value for table in analysis.tables for row in table.rows for value in row if isinstance(value, float)]
    for match in EFFECT.finditer(text):
        assert any(rounds_to(match.group(2), value) for value in values), text[
            max(0, match.start() - 120) : match.end() + 20
        ]


def test_the_check_notices_a_wrong_letter_and_a_wrong_digit() -> None:
    """A t under the letter r, another value, another p: what a report once printed is not taken for its record."""
    analysis = analysed("qa")
    right = next(match for match in TESTED.finditer(printed("qa")) if match.group(1) == "t" and match.group(2))
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
def test_each_source_stands_in_report_bibtex_preregistration_and_readme(protocol: str, tmp_path: Path) -> None:
    """Each with its title, its first author and its year, where it has them."""
    cites = PROTOCOLS[protocol].cites
    assert cites
    analysis, text = analysed(protocol), printed(protocol)
    definition = load(PROTOCOLS[protocol].folder, kinds=KINDS, protocols=PROTOCOLS)
    study = definition.study
    assert study.analysis is not None
    plan = resolve(study.analysis, study, PROTOCOLS)
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
        assert preferred in (
            "none",
            *load(PROTOCOLS["replay"].folder, kinds=KINDS, protocols=PROTOCOLS).study.conditions,
        )
        assert plain(str(reason)) in text


@pytest.mark.parametrize("protocol", FIVE)
def test_no_sentence_holds_an_unfilled_place(protocol: str) -> None:
    assert re.findall(r"\{\w+\}", printed(protocol)) == []

"""The report as one document: self-contained, honest about its data, the same every time."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from believable.analysis.findings import Analysis, Rank
from believable.report.chart_rows import moments
from believable.report.layout import DROPS_SHOWN
from believable.report.page import DEMONSTRATION, SIMULATED, page

#: Drawing is tested with the figures.
STILL = "<svg></svg>"


class Reader(HTMLParser):
    """Elements, ids, addresses and visible text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "src", "action", "xlink:href"):
                self.addresses.append(value or "")
        if tag not in ("meta", "br", "path", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.open):
            self.text.append(data)


@pytest.fixture(scope="module")
def html(analysis: Analysis) -> str:
    return page(analysis, draw=lambda spec: STILL).html


def test_it_is_well_formed_and_every_address_stays_inside(html: str) -> None:
    reader = Reader(html)
    assert reader.open == []
    assert len(reader.ids) == len(set(reader.ids))
    assert {address for address in reader.addresses if not address.startswith("#")} == set()
    assert {address[1:] for address in reader.addresses} <= set(reader.ids)


def test_the_policy_allows_exactly_what_is_inside(html: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    assert policy is not None
    assert "default-src &#39;none&#39;" in policy.group(1)
    assert "unsafe" not in policy.group(1)
    inside = re.findall(r'<script type="module">(.*?)</script>', html, re.S)
    inside += re.findall(r"<style>(.*?)</style>", html, re.S)
    assert len(inside) == 3
    for text in inside:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert digest in policy.group(1)
    assert not re.search(r"\sstyle=", re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.S))


def test_the_same_records_give_the_same_bytes(analysis: Analysis) -> None:
    assert page(analysis).html == page(analysis).html


def test_simulated_and_demonstration_cannot_be_missed(html: str, people: Analysis) -> None:
    text = " ".join(Reader(html).text)
    assert SIMULATED[1] in text
    assert DEMONSTRATION[1] in text
    assert "<title>SIMULATED · " in html
    assert '@top-left { content: "SIMULATED DATA · DEMONSTRATION STIMULI"' in html
    of_people = page(people, draw=lambda spec: STILL).html
    assert SIMULATED[0] not in of_people
    assert "@top-left" not in of_people


def test_the_cover_holds_what_one_needs_to_repeat_it(html: str, analysis: Analysis) -> None:
    source = analysis.source
    for value in (source.definition, source.data, source.plan):
        assert f'title="{value}"' in html
    text = " ".join(" ".join(Reader(html).text).split())
    for name, version in source.versions.items():
        assert f"{name} {version}" in text
    assert "study 7 , analysis 1" in text


def test_results_carry_their_status_and_verdict(html: str) -> None:
    assert html.count('class="finding confirmatory"') == 2
    assert html.count('class="finding exploratory"') == 1
    assert html.count("✗ not met: interval contains 0.5") == 1
    assert html.count("✓ met: p below alpha") == 1
    assert html.count('class="badge secondary"') == 0
    assert "undefined: all judges gave the same answer" in " ".join(Reader(html).text)


def test_a_section_of_secondary_outcomes_is_not_called_confirmatory(analysis: Analysis) -> None:
    def ranked(rank: Rank) -> str:
        sections = [
            replace(
                section, findings=tuple(replace(finding, rank=rank) for finding in section.findings)
            )
            for section in analysis.sections
        ]
        document = page(replace(analysis, sections=tuple(sections)), draw=lambda spec: STILL).html
        return "".join(
            re.findall(r"<h2>.*?</h2>|<figcaption>.*?</figcaption>", document, re.DOTALL)
        )

    assert "Confirmatory" in ranked("primary")
    assert "Confirmatory" not in ranked("secondary")
    assert "Secondary" in ranked("secondary")


def test_what_is_undefined_says_why(html: str) -> None:
    assert "undefined: all judges gave the same answer" in " ".join(Reader(html).text)


def test_deviations_are_listed_or_said_to_be_none(html: str, analysis: Analysis) -> None:
    assert "Tests.accuracy.margin: registered 0.1, analysed with 0.15." in html
    none = page(replace(analysis, deviations=()), draw=lambda spec: STILL).html
    assert "the analysis follows the registered plan" in none
    unregistered = replace(analysis, deviations=(), source=replace(analysis.source, registered=""))
    assert "No plan was registered" in page(unregistered, draw=lambda spec: STILL).html


def test_undefined_cells_have_footnotes(html: str) -> None:
    table = html[html.index('id="t-accuracy"') :]
    assert '<td class="num undefined" title="fewer than 5 judges">–<sup>a</sup></td>' in table
    assert "<sup>a</sup> fewer than 5 judges." in table


def test_what_people_wrote_is_text(html: str) -> None:
    assert "<td>copied &lt;b&gt;text&lt;/b&gt;</td>" in html
    assert "<b>text</b>" not in html


def test_data_cannot_end_the_script_that_holds_them(analysis: Analysis) -> None:
    section = analysis.sections[0]
    evil = replace(section.tables[0], title="</script><script>alert(1)</script>")
    changed = replace(
        analysis,
        sections=(replace(section, tables=(evil, *section.tables[1:])), *analysis.sections[1:]),
    )
    html = page(changed, draw=lambda spec: STILL).html
    assert "<script>alert(1)" not in html
    assert len(re.findall(r"<script\b", html)) == 4


def test_every_exclusion_is_a_row_with_a_reason(html: str, analysis: Analysis) -> None:
    every = html[html.index("Every exclusion (13)") : html.index("<footer>")]
    assert every.count("<tr>") == 1 + len(analysis.drops)


def test_long_lists_of_exclusions_say_where_the_rest_is(analysis: Analysis) -> None:
    many = replace(analysis, drops=analysis.drops * 30)
    html = page(many, draw=lambda spec: STILL).html
    assert f"{13 * 30 - DROPS_SHOWN} more are in results.json." in html


def test_moments_are_linked_where_there_is_an_address(analysis: Analysis) -> None:
    linked = page(analysis, links=lambda cell: f"#{cell}", draw=lambda spec: STILL).html
    assert '<a href="#stimulus:day_a@12000" class="watch">' in linked
    assert (
        "stimulus:day_a"
        not in page(analysis, draw=lambda spec: STILL).html.split('id="figures"')[0]
    )


def test_a_moment_is_an_address_of_the_console() -> None:
    links = moments("/console/studies/x/watch/real")
    assert links("stimulus:day_a@12000") == "/console/studies/x/watch/real/day_a?at_ms=12000"
    assert links("something else") is None


def test_blinded_reports_say_so(analysis: Analysis) -> None:
    assert (
        "Conditions are shown as letters"
        in page(analysis, blinded=True, draw=lambda spec: STILL).html
    )

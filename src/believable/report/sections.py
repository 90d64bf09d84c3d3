"""The parts of a report as markup: findings, tables, figures, sections. The page and the console lay out the same parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from believable.analysis.records import Analysis, Chart, Finding, Section, Status, Table
from believable.report import numbers
from believable.report.colours import PAGE
from believable.report.drawn import Links, hues, no_links
from believable.report.figures import specification, still
from believable.report.marks import Spec
from believable.report.markup import Html, join, prose, tag
from believable.report.tables import TALL_ROWS, html_notes, html_table
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult

STATUS_WORDS: Mapping[Status, str] = {
    "confirmatory": "Confirmatory",
    "exploratory": "Exploratory",
    "descriptive": "Descriptive",
}
STATUS_ABOUT: Mapping[Status, str] = {
    "confirmatory": "Declared in the registered plan before the data were seen.",
    "exploratory": "Not declared beforehand: read it as a question for the next study.",
    "descriptive": "Describes this sample; no claim beyond it.",
}

#: Draws a specification as SVG markup; `pictures.inline_svg`, or a stand-in where figures come later.
Drawing = Callable[[Spec], str]


@dataclass(slots=True)
class Layout:
    """Laying out one report: numbers of tables and figures, and what the page's script needs of each figure."""

    analysis: Analysis
    draw: Drawing
    links: Links = no_links
    figures: dict[str, Spec] = field(default_factory=dict)
    drawings: dict[str, str] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    _hues: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._hues = hues(self.analysis)

    # ------------------------------------------------------------------------------------------ pieces

    def table(self, table: Table) -> Html:
        self.tables[table.name] = table
        title = join([tag("b", f"Table {len(self.tables)}"), ". ", prose(table.title)])
        save = tag(
            "span",
            _button("CSV", "csv", table.name),
            _button("LaTeX", "tex", table.name),
            class_="save",
        )
        caption = tag("figcaption", tag("span", title, badge(table.status, quiet=True)), save)
        long = " long" if len(table.rows) > TALL_ROWS else ""
        inside = (caption, html_table(table, self.links), html_notes(table))
        return tag("figure", *inside, class_=f"table{long}", id=f"t-{table.name}")

    def figure(self, chart: Chart, section: Section) -> Html:
        tables = (*section.tables, *self.analysis.tables)
        spec = specification(chart, tables, PAGE, self._hues, self.links)
        self.figures[chart.name] = spec
        self.drawings[chart.name] = own_ids(self.draw(still(spec)), chart.name)
        drawing, about = Html(self.drawings[chart.name]), spec["description"]
        picture = tag("div", drawing, class_="plot", data_figure=chart.name, role="img", aria_label=about)
        words = [
            tag("b", f"Figure {len(self.figures)}"),
            ". ",
            tag("span", prose(chart.title), class_="title"),
        ]
        stop = "" if chart.title.endswith(("?", "!")) else "."
        words += [f"{stop} ", prose(chart.caption)] if chart.caption else [stop]
        save = tag("span", _button("SVG", "svg", chart.name), class_="save")
        caption = tag("figcaption", tag("span", *words), save)
        return tag("figure", picture, caption, class_="chart", id=f"f-{chart.name}")

    def section(self, section: Section, heading: str) -> Html:
        return tag(
            "section",
            tag("h2", heading, badge(section.status, quiet=True)),
            *(tag("p", prose(text)) for text in section.paragraphs),
            *(finding(one) for one in section.findings),
            *(self.figure(chart, section) for chart in section.charts),
            *(self.table(table) for table in section.tables if not table.data_only),
            id=f"s-{section.name}",
        )


def own_ids(drawing: str, name: str) -> str:
    """The drawing with ids of its own: the renderer counts them on from figure to figure and from run to run."""
    order: dict[str, str] = {}

    def renamed(found: re.Match[str]) -> str:
        return order.setdefault(found.group(), f"{name}-{len(order)}")

    return _RENDERERS_ID.sub(renamed, drawing)


_RENDERERS_ID = re.compile(r"\b(?:clip|gradient_)\d+\b")


def _button(words: str, what: str, name: str) -> Html:
    return tag("button", words, type="button", data_save=what, data_name=name, title=f"Save as {words}")


def badge(status: Status, *, quiet: bool = False) -> Html:
    """What a result may be used for. Descriptive ones need no badge in running text."""
    if quiet and status == "descriptive":
        return Html("")
    return tag("span", STATUS_WORDS[status], class_=f"badge {status}", title=STATUS_ABOUT[status])


def verdict(found: Finding) -> Html:
    if found.supported is None:
        return Html("")
    words = "criterion met" if found.supported else "criterion not met"
    sign = "✓" if found.supported else "✗"
    return tag("span", f"{sign} {words}", class_=f"verdict {'met' if found.supported else 'unmet'}")


def finding(found: Finding) -> Html:
    """One result: what it may be used for, in words, and its numbers with their methods."""
    hypothesis = tag("span", found.hypothesis, class_="hypothesis") if found.hypothesis else None
    head = tag("p", badge(found.status), hypothesis, verdict(found), headline(found), class_="marks")
    return tag(
        "article",
        head,
        tag("h3", prose(found.title)),
        tag("p", prose(found.sentence)),
        _details(found),
        class_=f"finding {found.status}",
    )


def headline(found: Finding) -> Html:
    """The number a reader looks for first."""
    if found.estimate is not None:
        return tag("span", estimate_words(found.estimate), class_="headline")
    if found.test is not None:
        return tag("span", words_of_test(found.test), class_="headline")
    return Html("")


def estimate_words(estimate: Estimate) -> Html:
    """`0.69, 95 % CI [0.62, 0.75]`, or why there is none."""
    if estimate.value is None:
        return undefined(estimate.reason)
    interval = numbers.interval(estimate)
    after = join([", ", interval]) if interval else join([", no interval: ", undefined(estimate.reason)])
    return join([tag("b", numbers.number(estimate.value)), after])


def words_of_test(test: TestResult) -> Html:
    words = numbers.words_of_test(test)
    return prose(words) if words else undefined(test.reason)


def _details(found: Finding) -> Html:
    """Methods, effect size and adjusted p in small print."""
    parts: list[Html] = []
    if found.estimate is not None and found.estimate.value is not None:
        parts.append(_method("Estimate", found.estimate))
    if found.test is not None:
        if found.estimate is not None:
            parts.append(
                join(
                    [tag("dt", "Test"), tag("dd", words_of_test(found.test), ": ", prose(found.test.method))]
                )
            )
        else:
            parts.append(join([tag("dt", "Test"), tag("dd", prose(found.test.method))]))
        if found.test.effect is not None:
            effect = found.test.effect
            words = join([estimate_words(effect), ": ", prose(effect.method)])
            parts.append(join([tag("dt", "Effect"), tag("dd", words)]))
    if found.p_adjusted is not None:
        parts.append(join([tag("dt", "Adjusted"), tag("dd", prose(numbers.p_words(found.p_adjusted)))]))
    notes = (*(found.estimate.notes if found.estimate else ()), *(found.test.notes if found.test else ()))
    parts += [join([tag("dt", "Note"), tag("dd", prose(note))]) for note in dict.fromkeys(notes)]
    return tag("dl", *parts, class_="numbers") if parts else Html("")


def _method(name: str, estimate: Estimate) -> Html:
    words = join([prose(estimate.method), ", ", tag("i", "n"), f" = {numbers.integer(estimate.n)}"])
    return join([tag("dt", name), tag("dd", words)])


def undefined(reason: str | None) -> Html:
    return tag("span", "undefined: ", prose(reason or "no reason given"), class_="undefined")

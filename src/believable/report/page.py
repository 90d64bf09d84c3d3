"""One self-contained page: no request leaves it, it works from a file, on paper, in light and dark, and without scripts."""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from believable.analysis.records import Analysis, Drop
from believable.analysis.write import table_csv
from believable.report import cover, numbers, pictures
from believable.report.colours import PAGE
from believable.report.drawn import Links, no_links
from believable.report.funnel import funnel_svg
from believable.report.latex import latex_table
from believable.report.markup import Html, join, prose, tag
from believable.report.page_files import static, stylesheet
from believable.report.sections import Drawing, Layout

#: Longer lists of exclusions are in the tables folder; the page shows their beginning.
DROPS_SHOWN = 200


FLOW = "flow"


@dataclass(frozen=True, slots=True)
class Page:
    """The document, and its drawings by name as they stand in it."""

    html: str
    drawings: Mapping[str, str]


def page(
    analysis: Analysis,
    *,
    links: Links = no_links,
    blinded: bool = False,
    draw: Drawing = pictures.inline_svg,
    script: Callable[[], str] = pictures.script,
) -> Page:
    """The whole report as one HTML document. Same records, same bytes."""
    layout = Layout(analysis, draw, links)
    body = _body(analysis, layout, blinded=blinded)
    data = join([island("figures", layout.figures), island("files", table_files(layout))])
    scripts = [static("report.js"), script().replace("</script", "<\\/script")]
    style = f"{stylesheet()}\n{_paper(analysis, blinded=blinded)}"
    policy = (
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"style-src {_digest(style)}; script-src {' '.join(_digest(text) for text in scripts)}"
    )
    head = join(
        [
            tag("meta", charset="utf-8"),
            tag("meta", http_equiv="Content-Security-Policy", content=policy),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="generator", content="believable"),
            tag("title", f"{_mark(analysis)}{analysis.title}"),
            Html(f"<style>{style}</style>"),
        ]
    )
    run = [Html(f'<script type="module">{text}</script>') for text in (scripts[1], scripts[0])]
    document = tag("html", tag("head", head), tag("body", body, data, *run, class_="report"), lang="en")
    flow = {FLOW: funnel_svg(analysis.funnel, PAGE)} if analysis.funnel else {}
    return Page(f"<!doctype html>\n{document}\n", flow | layout.drawings)


def _mark(analysis: Analysis) -> str:
    return "SIMULATED · " if analysis.source.simulated else ""


def _body(analysis: Analysis, layout: Layout, *, blinded: bool) -> Html:
    found = parts(analysis, layout)
    entries = [tag("li", tag("a", part.title, href=f"#s-{part.name}")) for part in found]
    contents = tag(
        "nav",
        tag("p", "Contents"),
        tag("ol", *entries),
        tag("button", "Light or dark", type="button", id="scheme", class_="quiet"),
        tag("button", "Print", type="button", id="print", class_="quiet"),
        class_="contents",
        aria_label="Contents",
    )
    main = tag("main", cover.cover(analysis), *(part.html for part in found), _end())
    return join([cover.banner(analysis, blinded=blinded), tag("div", contents, main, class_="sheet")])


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the report, with its own heading and the anchor `s-name`."""

    name: str
    title: str
    html: Html


def parts(analysis: Analysis, layout: Layout) -> tuple[Part, ...]:
    """All parts in order; what there is nothing to say about is left out."""
    declared = [one for one in analysis.findings if one.status == "confirmatory" or one.hypothesis]
    glance = join([cover.legend(), cover.at_a_glance(declared)]) if declared else cover.legend()
    made = [
        _part("glance", "At a glance", glance),
        _part("deviations", "Deviations from the plan", cover.deviations(analysis)),
        _part("warnings", "Warnings", _list(analysis.warnings)),
        _part("flow", "Flow of participants", _funnel(analysis)),
        _part("methods", "Methods", tag("p", prose(analysis.methods)) if analysis.methods else Html("")),
        _part(
            "results", "Results in words", tag("p", prose(analysis.results)) if analysis.results else Html("")
        ),
        *(Part(one.name, one.title, layout.section(one, one.title)) for one in analysis.sections),
        _part("exclusions", "Exclusions", exclusions(analysis.drops)),
    ]
    return tuple(part for part in made if part.html)


def _part(name: str, title: str, inside: Html) -> Part:
    return Part(name, title, tag("section", tag("h2", title), inside, id=f"s-{name}") if inside else Html(""))


def _list(lines: tuple[str, ...]) -> Html:
    return tag("ul", *(tag("li", prose(line)) for line in lines), class_="warnings") if lines else Html("")


def _funnel(analysis: Analysis) -> Html:
    if not analysis.funnel:
        return Html("")
    caption = tag("figcaption", tag("span", "Who came, who was left out and why, who is analysed."))
    drawing = tag("div", Html(funnel_svg(analysis.funnel, PAGE)), class_="plot")
    return tag("figure", drawing, caption, class_="chart", id="f-flow")


def exclusions(drops: tuple[Drop, ...]) -> Html:
    """Counts by reason, then every exclusion as a row."""
    if not drops:
        return tag("p", "Nothing was left out.", class_="remark")
    counted = Counter((drop.level, drop.reason) for drop in drops)
    head = [
        tag("th", words, scope="col", class_=side)
        for words, side in (("What", None), ("Reason", None), ("Count", "num"))
    ]
    rows = [
        tag(
            "tr",
            tag("td", level),
            tag("td", prose(_plain(reason))),
            tag("td", numbers.integer(count), class_="num"),
        )
        for (level, reason), count in counted.items()
    ]
    table = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *rows), class_="data")
    return join([tag("div", table, class_="scroll"), _every_drop(drops)])


def _plain(reason: str) -> str:
    """A reason as words; in the files it is a name."""
    return reason.replace("_", " ")


def _every_drop(drops: tuple[Drop, ...]) -> Html:
    head = [
        tag("th", words, scope="col")
        for words in ("Session", "What", "Reason", "Detail", "Trial", "Question")
    ]
    rows = [
        tag(
            "tr",
            tag("td", tag("code", drop.session)),
            *(
                tag("td", text)
                for text in (drop.level, _plain(drop.reason), drop.detail, drop.trial_key, drop.question)
            ),
        )
        for drop in drops[:DROPS_SHOWN]
    ]
    more = len(drops) - DROPS_SHOWN
    rest = tag("p", f"{numbers.integer(more)} more are in results.json.", class_="note") if more > 0 else None
    table = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *rows), class_="data small")
    title = tag("summary", f"Every exclusion ({numbers.integer(len(drops))})")
    return tag("details", title, tag("div", table, class_="scroll tall", tabindex="0"), rest)


def _end() -> Html:
    return tag(
        "footer",
        tag(
            "p",
            "Made by believable from the records of the analysis; the same data, plan and seeds give the same page.",
        ),
    )


# ---------------------------------------------------------------------------------------------- the document


def table_files(layout: Layout) -> dict[str, dict[str, str]]:
    """What the save buttons of tables hand out."""
    return {
        name: {"csv": table_csv(table), "tex": latex_table(table)} for name, table in layout.tables.items()
    }


def island(name: str, value: object) -> Html:
    """Data for the page's script. `<` is escaped so that no text can end the element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace(
        "<", "\\u003c"
    )
    return Html(f'<script type="application/json" id="{name}">{text}</script>')


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _paper(analysis: Analysis, *, blinded: bool) -> str:
    """What stands in the margin of every printed page."""
    words = " · ".join(word for word, _ in cover.warnings_of(analysis.source, blinded=blinded))
    face = "font: 8.5pt sans-serif; color: #5a6370;"
    top = (
        f'@top-left {{ content: "{words.upper()}"; {face} font-weight: 700; color: #a14408; }}'
        if words
        else ""
    )
    return f'@page {{ {top} @bottom-right {{ content: counter(page) " / " counter(pages); {face} }} }}'

"""Several studies of one protocol in one report: their tables under each other, nothing pooled."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from believable.analysis.findings import Analysis, Cell, Chart, Column, Section, Source, Table
from believable.analysis.numbers import counted, listed
from believable.core.errors import InvalidInput

STUDY = Column(name="study", title="Study", about="which of the studies")
#: Charts that can show studies as further rows.
_ROWS = ("points", "bars")


def side_by_side(analyses: Sequence[Analysis]) -> Analysis:
    """Each analysis stays unchanged: a row names the study to which it belongs. Studies of
    different protocols are refused.
    """
    protocols = sorted({analysis.source.protocol for analysis in analyses})
    if len(analyses) < 2 or len(protocols) > 1:
        raise InvalidInput(
            f"studies: expected two or more of one protocol, got {len(analyses)} of"
            f" {listed(protocols)}. Report others apart."
        )
    names = study_names(analyses)
    sections = [_studies(analyses, names)]
    for section in analyses[0].sections:
        same = [
            next((own for own in analysis.sections if own.name == section.name), None)
            for analysis in analyses
        ]
        tables = [_merge(table, same, names) for table in section.tables if not table.data_only]
        merged = {table.name: table for table in tables if table is not None}
        if merged:
            charts = tuple(
                _of_studies(chart, merged[chart.table], names)
                for chart in section.charts
                if _fits(chart, merged)
            )
            sections.append(
                Section(
                    name=section.name,
                    title=section.title,
                    tables=tuple(merged.values()),
                    charts=charts,
                    status=section.status,
                )
            )
    return Analysis(
        title=f"{counted(len(analyses), 'study', 'studies')} side by side",
        source=_source(analyses, names),
        funnel=(),
        drops=(),
        sections=tuple(sections),
        hypotheses=tuple(
            replace(hypothesis, id=f"{hypothesis.id}, {name}")
            for name, analysis in zip(names, analyses, strict=True)
            for hypothesis in analysis.hypotheses
        ),
        units=analyses[0].units,
        deviations=tuple(
            f"{name}: {words}"
            for name, analysis in zip(names, analyses, strict=True)
            for words in analysis.deviations
        ),
        methods=(
            f"Shown beside each other are {listed(names)}. Each was analysed by its own plan and on"
            " its own data, as its own report tells; nothing is pooled, and no test compares the"
            " studies."
        ),
        results="\n\n".join(
            f"{name}. {' '.join(analysis.results.split(chr(10) + chr(10))[:1])}"
            for name, analysis in zip(names, analyses, strict=True)
        ),
        warnings=tuple(
            f"{name}: {words}"
            for name, analysis in zip(names, analyses, strict=True)
            for words in analysis.warnings
        ),
        sources=analyses[0].sources,
        bibtex=analyses[0].bibtex,
    )


def study_names(analyses: Sequence[Analysis]) -> list[str]:
    """Titles, numbered where two are called alike."""
    titles = [analysis.title for analysis in analyses]
    counts = Counter(titles)
    return [
        title if counts[title] == 1 else f"{title} ({titles[: place + 1].count(title)})"
        for place, title in enumerate(titles)
    ]


def _studies(analyses: Sequence[Analysis], names: Sequence[str]) -> Section:
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            analysis.funnel[0].before if analysis.funnel else 0,
            analysis.funnel[-1].after if analysis.funnel else 0,
            "yes" if analysis.source.registered else "no",
            analysis.source.data[:12],
        )
        for name, analysis in zip(names, analyses, strict=True)
    ]
    columns = (
        STUDY,
        Column(name="came", title="Came in", form="integer"),
        Column(name="analysed", title="Analysed", form="integer"),
        Column(name="registered", title="Plan registered"),
        Column(name="data", title="Data", about="beginning of the hash of its data"),
    )
    return Section(
        name="studies",
        title="The studies",
        tables=(Table(name="studies", title="The studies", columns=columns, rows=tuple(rows)),),
    )


def _merge(table: Table, sections: Sequence[Section | None], names: Sequence[str]) -> Table | None:
    """The same table of all studies that have it with the same columns; None where fewer than two
    do.
    """
    rows: list[tuple[Cell, ...]] = []
    undefined: dict[tuple[int, str], str] = {}
    marked: set[tuple[int, str]] = set()
    having = 0
    for name, section in zip(names, sections, strict=True):
        own = next(
            (other for other in (section.tables if section else ()) if other.name == table.name),
            None,
        )
        if own is None or [column.name for column in own.columns] != [
            column.name for column in table.columns
        ]:
            continue
        having += 1
        undefined |= {
            (len(rows) + row, column): reason for (row, column), reason in own.undefined.items()
        }
        marked |= {(len(rows) + row, column) for row, column in own.marked}
        rows += [(name, *row) for row in own.rows]
    if having < 2:
        return None
    columns = (STUDY, *table.columns)
    return replace(
        table, columns=columns, rows=tuple(rows), undefined=undefined, marked=frozenset(marked)
    )


def _fits(chart: Chart, tables: dict[str, Table]) -> bool:
    return chart.table in tables and chart.kind in _ROWS


def _of_studies(chart: Chart, table: Table, names: Sequence[str]) -> Chart:
    """Studies as rows where each has one, else a panel for each."""
    single = len(table.rows) == len(names)
    use = dict(chart.use) | ({"category": STUDY.name} if single else {"facet": STUDY.name})
    if single:
        use.pop("facet", None)
    return replace(chart, use=use)


def _source(analyses: Sequence[Analysis], names: Sequence[str]) -> Source:
    def together(values: Sequence[str]) -> str:
        return hashlib.sha256("\n".join(values).encode()).hexdigest() if all(values) else ""

    sources = [analysis.source for analysis in analyses]
    return replace(
        sources[0],
        study=listed(names),
        definition=together([source.definition for source in sources]),
        data=together([source.data for source in sources]),
        plan=together([source.plan for source in sources]),
        registered=together([source.registered for source in sources]),
        simulated=any(source.simulated for source in sources),
        demonstration=any(source.demonstration for source in sources),
    )

"""Blinding analyses that speak of conditions by their roles, such as human, imitation and artificial clips.

Names in tables become the letters of the conditions and rows are put in the letters' order. Sentences and verdicts on hypotheses
would give the roles away, so they wait until the study is unblinded; their numbers stay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from believable.analysis.plan import Plan
from believable.analysis.records import Analysis, Cell, Chart, Finding, Section, Table

WITHHELD = "In words after unblinding: the sentence names the conditions by their roles."


def role_letters(plan: Plan, names: Mapping[str, str]) -> dict[str, str]:
    """The letter of each role that conditions play, where there are several such roles; else nothing."""
    played = [
        role.name for role in plan.declaration.roles if role.of == "condition" and plan.roles[role.name]
    ]
    if len(played) < 2:
        return {}
    return {role: "/".join(sorted(names.get(one, one) for one in plan.roles[role])) for role in played}


def unnamed(analysis: Analysis, roles: Mapping[str, str]) -> Analysis:
    """The analysis with roles shown as letters."""
    return replace(
        analysis,
        sections=tuple(_section(section, roles) for section in analysis.sections),
        methods=WITHHELD if analysis.methods else "",
        results=WITHHELD if analysis.results else "",
    )


def _section(section: Section, roles: Mapping[str, str]) -> Section:
    return replace(
        section,
        paragraphs=(),
        findings=tuple(_finding(one, roles) for one in section.findings),
        tables=tuple(_table(one, roles) for one in section.tables),
        charts=tuple(_chart(one, roles) for one in section.charts),
    )


def _finding(finding: Finding, roles: Mapping[str, str]) -> Finding:
    return replace(finding, title=in_words(finding.title, roles), sentence=WITHHELD, supported=None)


def _chart(chart: Chart, roles: Mapping[str, str]) -> Chart:
    return replace(chart, title=in_words(chart.title, roles))


def in_words(text: str, roles: Mapping[str, str]) -> str:
    """Whole words that are roles, also with a capital, as letters."""
    known = "|".join(re.escape(role) for role in sorted(roles, key=len, reverse=True))
    return re.sub(rf"\b(?:{known})\b", lambda found: roles[found.group().lower()], text, flags=re.IGNORECASE)


def _table(table: Table, roles: Mapping[str, str]) -> Table:
    columns = tuple(
        replace(column, title=roles.get(column.title.lower(), column.title)) for column in table.columns
    )
    order = _order(table, roles)
    place = {old: new for new, old in enumerate(order)}
    rows = tuple(tuple(_cell(cell, roles) for cell in table.rows[old]) for old in order)
    undefined = {(place[row], name): reason for (row, name), reason in table.undefined.items()}
    marked = frozenset((place[row], name) for row, name in table.marked)
    return replace(table, columns=columns, rows=rows, undefined=undefined, marked=marked, note="")


def _order(table: Table, roles: Mapping[str, str]) -> list[int]:
    """Rows in the order they would have if roles came in the order of their letters."""
    letters = {**roles, **{letter: letter for letter in roles.values()}}
    keys = [
        next((cell for cell in row if isinstance(cell, str) and cell in letters), None) for row in table.rows
    ]
    first = list(dict.fromkeys(key for key in keys if key is not None))
    wanted = dict(zip(first, sorted(first, key=lambda role: letters[role]), strict=True))
    by_key: dict[str, list[int]] = {}
    for number, key in enumerate(keys):
        if key is not None:
            by_key.setdefault(key, []).append(number)
    if len({len(numbers) for numbers in by_key.values()}) > 1:
        return sorted(range(len(keys)), key=lambda number: letters.get(keys[number] or "", ""))
    taken = {key: iter(numbers) for key, numbers in by_key.items()}
    return [number if key is None else next(taken[wanted[key]]) for number, key in enumerate(keys)]


def _cell(cell: Cell, roles: Mapping[str, str]) -> Cell:
    """A role, or a pair of them, as letters; other text is an answer or a method and stays."""
    if not isinstance(cell, str):
        return cell
    parts = re.split(r"(\s*[-–/]\s*)", cell)
    if all(part in roles for part in parts[::2]):
        return "".join(roles.get(part, part) for part in parts)
    return cell

"""Tables as HTML. An undefined cell carries a footnote with its reason."""

from __future__ import annotations

from collections.abc import Mapping

from believable.analysis.records import Column, Table
from believable.report import numbers
from believable.report.drawn import Links, no_links
from believable.report.markup import Html, join, prose, tag

LINK = "link"
#: Longer tables are laid out in a box of their own that scrolls on screen and opens in print.
TALL_ROWS = 30
#: Wider tables are set smaller.
WIDE_COLUMNS = 9


def footnotes(table: Table) -> Mapping[str, int]:
    """The reasons of undefined cells, numbered in the order in which a reader meets them."""
    found: dict[str, int] = {}
    for row in range(len(table.rows)):
        for column in table.columns:
            reason = table.undefined.get((row, column.name))
            if reason is not None and reason not in found:
                found[reason] = len(found) + 1
    return found


def shown_columns(table: Table) -> list[tuple[int, Column]]:
    """What is laid out: all columns but the addresses of moments."""
    return [(place, column) for place, column in enumerate(table.columns) if column.name != LINK]


def html_table(table: Table, links: Links = no_links) -> Html:
    """The table without its caption."""
    notes = footnotes(table)
    shown = shown_columns(table)
    moments = _moments(table, links)
    head = [
        tag("th", _heading(column), scope="col", class_=_side(column), title=column.about or None)
        for _, column in shown
    ]
    if moments:
        head.append(tag("th", "Watch", scope="col"))
    body = []
    for number, row in enumerate(table.rows):
        cells = [_cell(table, number, column, row[place], notes) for place, column in shown]
        if moments:
            cells.append(tag("td", moments.get(number)))
        body.append(tag("tr", *cells))
    kind = "data wide" if len(head) > WIDE_COLUMNS else "data"
    made = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *body), class_=kind)
    tall = " tall" if len(table.rows) > TALL_ROWS else ""
    return tag("div", made, class_=f"scroll{tall}", tabindex="0" if tall else None)


def html_notes(table: Table) -> Html:
    """Footnotes of undefined cells, then the table's own note."""
    notes = [
        tag("span", tag("sup", mark(place)), " ", prose(reason), ". ")
        for reason, place in footnotes(table).items()
    ]
    marked = (
        tag("span", tag("span", "Marked", class_="marked"), " cells are significant. ")
        if table.marked
        else None
    )
    own = prose(table.note) if table.note else None
    return tag("p", *notes, marked, own, class_="note") if notes or own or marked else Html("")


def _cell(table: Table, number: int, column: Column, value: object, notes: Mapping[str, int]) -> Html:
    marked = "marked" if (number, column.name) in table.marked else ""
    classes = " ".join(part for part in (_side(column), marked) if part)
    if value is None:
        reason = table.undefined.get((number, column.name))
        footnote = tag("sup", mark(notes[reason])) if reason is not None else None
        return tag("td", numbers.NOTHING, footnote, class_=f"{classes} undefined".strip(), title=reason)
    return tag("td", numbers.cell(column, value), class_=classes or None)  # type: ignore[arg-type]


def mark(place: int) -> str:
    """Footnotes of tables are letters, as numbers would read as powers."""
    letters = ""
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


def _heading(column: Column) -> Html:
    return tag("i", column.title) if column.title in _SYMBOLS else join([column.title])


_SYMBOLS = frozenset(
    ("p", "n", "N", "t", "d", "r", "M", "SD", "SE", "z", "U", "W", "F", "b", "c", "k", "r²", "R²")
)


def _side(column: Column) -> str:
    return "" if column.form in ("text", "flag") else "num"


def _moments(table: Table, links: Links) -> Mapping[int, Html]:
    """By row: the way to the moment it speaks of."""
    if LINK not in [column.name for column in table.columns]:
        return {}
    found = {}
    for number, cell in enumerate(table.column(LINK)):
        address = links(str(cell)) if cell else None
        if address:
            found[number] = tag("a", "▶ Watch", href=address, class_="watch")
    return found

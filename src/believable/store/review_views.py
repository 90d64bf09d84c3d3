"""One look at the review queue: a few answers around the one that is read, and how many there
are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, case, func, or_, select, true

from believable.store.review_queue import QueuedAnswer, by_ids, rows_of, with_words
from believable.store.tables.collected import sessions
from believable.store.tables.review import review_answers


@dataclass(frozen=True, slots=True)
class QueueView:
    """Which part of the queue: `show` is hinted, undecided, decided or all; `hint` one kind of
    hint, or '' for any.
    """

    study: str
    pool: str
    show: str
    hint: str

    @property
    def mine(self) -> ColumnElement[bool]:
        return and_(review_answers.c.study == self.study, review_answers.c.pool == self.pool)

    @property
    def takes(self) -> ColumnElement[bool]:
        tests: list[ColumnElement[bool]] = []
        left_out = select(sessions.c.id).where(
            sessions.c.study == self.study,
            sessions.c.excluded.is_(True) | sessions.c.rejected.is_(True),
        )
        if self.show in ("hinted", "undecided"):
            tests += [
                review_answers.c.decision.is_(None),
                review_answers.c.session.not_in(left_out),
            ]
        if self.show == "hinted":
            tests.append(review_answers.c.n_kinds > 0)
        if self.show == "decided":
            tests.append(review_answers.c.decision.is_not(None))
        if self.hint:
            tests.append(review_answers.c.kinds.contains(f",{self.hint},"))
        return and_(true(), *tests)


#: More kinds of hints than these have no room in the column.
MOST_KINDS = 12
#: Within those with as many kinds of hints: by session and page.
_ORDER = (review_answers.c.number, review_answers.c.position, review_answers.c.ordinal)


def _earlier(answer: QueuedAnswer) -> ColumnElement[bool]:
    """Among those with as many kinds of hints."""
    columns = review_answers.c
    return or_(
        columns.number < answer.number,
        and_(columns.number == answer.number, columns.position < answer.position),
        and_(
            columns.number == answer.number,
            columns.position == answer.position,
            columns.ordinal < answer.ordinal,
        ),
    )


def find(conn: Connection, view: QueueView, name: str) -> QueuedAnswer | None:
    """The answer of this name in the pool, whether or not the view takes it."""
    parts = name.split("-")
    if len(parts) != 3 or any(
        not part.isascii() or not part.isdigit() or len(part) > 9 for part in parts
    ):
        return None
    number, page, ordinal = map(int, parts)
    columns = review_answers.c
    # All numbers of kinds there can be, so that the index of the queue leads to the one row.
    place = and_(
        columns.n_kinds.in_(range(MOST_KINDS + 1)),
        columns.number == number,
        columns.position == page - 1,
        columns.ordinal == ordinal,
    )
    rows = rows_of(conn, with_words().where(view.mine, place))
    return rows[0] if rows else None


def following(conn: Connection, view: QueueView, answer: QueuedAnswer) -> str:
    """The name of the next answer of the view after this one; '' at the end."""
    columns = review_answers.c
    later = and_(columns.n_kinds == answer.n_kinds, ~_earlier(answer), columns.id != answer.id)
    query = select(columns.number, columns.position, columns.ordinal).where(view.mine, view.takes)
    row = conn.execute(query.where(later).order_by(*_ORDER).limit(1)).first()
    if row is None:
        fewer = query.where(columns.n_kinds < answer.n_kinds).order_by(
            columns.n_kinds.desc(), *_ORDER
        )
        row = conn.execute(fewer.limit(1)).first()
    return "" if row is None else f"{row[0]}-{row[1] + 1}-{row[2]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePage:
    """The content of one page of the review: a few rows around the open one, and their number."""

    rows: tuple[QueuedAnswer, ...]
    item: QueuedAnswer | None
    at: int
    n_shown: int
    n_all: int
    n_decided: int
    n_excluded: int


def queue_page(
    conn: Connection, view: QueueView, name: str, *, before: int, limit: int
) -> QueuePage:
    """Rows with most kinds of hints are first; each such group is in the index in the order in
    which it is read.
    """
    columns = review_answers.c
    takes = case((view.takes, 1), else_=0)
    excluded = case((columns.decision == "exclude_text", 1), else_=0)
    counts = select(
        columns.n_kinds,
        func.count(),
        func.count(columns.decision),
        func.sum(excluded),
        func.sum(takes),
    )
    groups = [
        tuple(map(int, row))
        for row in conn.execute(counts.where(view.mine).group_by(columns.n_kinds))
        if row[1]
    ]
    groups.sort(reverse=True)
    at = _place(
        conn,
        view,
        find(conn, view, name) if name else None,
        {group[0]: group[4] for group in groups},
    )
    ids: list[int] = []
    skip = start = max(0, at - before)
    for n_kinds, _, _, _, n_taken in groups:
        if n_taken > skip and len(ids) < limit:
            query = (
                select(columns.id)
                .where(view.mine, view.takes, columns.n_kinds == n_kinds)
                .order_by(*_ORDER)
            )
            ids += conn.execute(query.offset(skip).limit(limit - len(ids))).scalars()
        skip = max(0, skip - n_taken)
    words = by_ids(conn, ids)
    rows = tuple(words[id_] for id_ in ids if id_ in words)
    n_all, n_decided, n_excluded, n_shown = (
        sum(group[column] for group in groups) for column in (1, 2, 3, 4)
    )
    item = rows[min(at - start, len(rows) - 1)] if rows else None
    return QueuePage(
        rows=rows,
        item=item,
        at=at,
        n_shown=n_shown,
        n_all=n_all,
        n_decided=n_decided,
        n_excluded=n_excluded,
    )


def _place(
    conn: Connection, view: QueueView, asked: QueuedAnswer | None, n_taken: Mapping[int, int]
) -> int:
    """How many answers of the view precede this one; 0 if the view does not include it."""
    if asked is None:
        return 0
    columns = review_answers.c
    mine = and_(view.mine, view.takes, columns.n_kinds == asked.n_kinds)
    same, earlier = case((columns.id == asked.id, 1), else_=0), case((_earlier(asked), 1), else_=0)
    upto = mine & (columns.number <= asked.number)
    row = conn.execute(select(func.sum(same), func.sum(earlier)).where(upto)).one()
    if not row[0]:
        return 0
    return int(row[1]) + sum(n for n_kinds, n in n_taken.items() if n_kinds > asked.n_kinds)

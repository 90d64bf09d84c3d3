"""The list of sessions with its search, and decisions about many of them."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from believable.collect.leave import code_hash
from believable.collect.recruiting import extra_hash, participant_hash
from believable.core import ids
from believable.core.errors import InvalidInput, Refused
from believable.core.ids import normalise_code
from believable.store import audit_log, overview
from believable.store import review as decided
from believable.store.engine import Connection
from believable.store.monitor import link_kinds
from believable.store.overview import PLACES, SessionFilter, SessionSearch
from believable.store.studies import StudyRow
from believable.study.platforms import parameters
from believable.web.console.console_page import RESEARCHERS, ConsoleVisit, Route
from believable.web.console.guard import PATH
from believable.web.console.monitor_page import POOL_WORDS
from believable.web.console.studies_page import the_study
from believable.web.form_numbers import is_whole_number, whole_number

SESSIONS_PER_PAGE = 100
#: The largest number that a session may have.
MOST_SESSIONS = 10**9 - 1
SEARCH_CHARACTERS = 256
#: Decided about in one step at most: bounds how long a commit takes.
MOST_AT_ONCE = 5_000
#: What can be done with many sessions at once, and how the buttons say it.
BULK_DEEDS: Mapping[str, str] = {
    "approve": "Approve",
    "reject": "Reject",
    "unreject": "Un-reject",
    "exclude": "Exclude",
    "include": "Take back in",
}
#: The columns of the list: title, sort key, whether it holds numbers.
COLUMNS: tuple[tuple[str, str, bool], ...] = (
    ("Session", "number", True),
    ("State", "state", False),
    ("Started (UTC)", "started", False),
    ("Last seen", "seen", True),
    ("Took", "took", True),
    ("At page", "page", True),
    ("Events", "events", True),
    ("Link", "link", False),
    ("Language", "language", False),
)


def page_number(text: str) -> int:
    """Pages count from 1 in addresses and from 0 inside."""
    if not text:
        return 0
    return whole_number(text, "page", most=10**8, cure="Use the links on the page.") - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ListView:
    """The list as its address says it, so that every link on the page leads to one like it."""

    pool: str
    place: str
    words: str
    arm: str
    conditions: str
    order: str
    descending: bool

    def address(self, **other: object) -> str:
        """The same list but for these."""
        fields = {
            "pool": self.pool,
            "place": self.place if self.place != "all" else "",
            "q": self.words,
            "arm": self.arm,
            "conditions": self.conditions,
            "sort": "" if (self.order, self.descending) == ("number", True) else self.order,
            "up": "" if self.descending else "1",
        } | other
        return "?" + urlencode(
            {name: value for name, value in fields.items() if value not in ("", None)}
        )

    def sorted_by(self, order: str) -> str:
        """The sort order after a click on a column's head: highest first, then lowest."""
        up = order == self.order and self.descending
        return self.address(sort=order, up="1" if up else "")


def list_view(fields: Mapping[str, str]) -> ListView:
    return ListView(
        pool=fields.get("pool") or "real",
        place=fields.get("place") or "all",
        words=(fields.get("q") or "").strip()[:SEARCH_CHARACTERS],
        arm=fields.get("arm") or "",
        conditions=fields.get("conditions") or "",
        order=fields.get("sort") or "number",
        descending=not fields.get("up"),
    )


def arms_key(visit: ConsoleVisit, study: str) -> str:
    """The query of the address after a search by arm: each such search is logged."""
    assert visit.login is not None
    return ids.keyed_hash(visit.console.key, "by arm", visit.login.token_hash, study)[:32]


async def session_filter(visit: ConsoleVisit, study: StudyRow, view: ListView) -> SessionFilter:
    """The data of the list. Codes and recruiters' ids are found by their hashes."""
    context, definition = visit.console.collect.context, await visit.definition(study.definition)
    recruit, key = definition.study.recruit, visit.console.key
    search = SessionSearch(
        view.words,
        code_hash=code_hash(context, normalise_code(view.words)),
        recruiter_hash=participant_hash(key, study.id, view.words),
        extra_hashes=tuple(
            extra_hash(key, study.id, name, view.words) for name in parameters(recruit)
        ),
    )
    arm = None
    if view.arm:
        if not hmac.compare_digest(view.conditions.encode(), arms_key(visit, study.id).encode()):
            raise Refused(
                "Sessions are searched by arm only after that was noted. Use the button below the"
                " list."
            )
        name, _, level = view.arm.partition(":")
        if level not in definition.study.arms.get(name, ()):
            raise InvalidInput(
                f"arm: expected name:level of an arm, got {view.arm[:60]!r}. Use the list on the"
                " page."
            )
        arm = (name, level)
    return SessionFilter(
        pool=view.pool,
        place=view.place,
        search=search,
        arm=arm,
        order=view.order,
        descending=view.descending,
    )


async def list_page(visit: ConsoleVisit) -> Response:
    study, view = await the_study(visit), list_view(visit.request.query_params)
    page, now_ms = page_number(visit.query("page")), visit.now_ms
    wanted = await session_filter(visit, study, view)
    await visit.log_look(f"looked at the list of {view.pool} sessions", study=study.id)
    lines, total = await visit.read(
        lambda conn: overview.session_lines(
            conn,
            study.id,
            wanted,
            now_ms=now_ms,
            offset=page * SESSIONS_PER_PAGE,
            limit=SESSIONS_PER_PAGE,
        )
    )
    arms = (await visit.definition(study.definition)).study.arms
    by_arm = hmac.compare_digest(view.conditions.encode(), arms_key(visit, study.id).encode())
    return visit.render(
        "sessions.html",
        study=study,
        view=view,
        pools=POOL_WORDS,
        places=PLACES,
        columns=COLUMNS,
        deeds=BULK_DEEDS,
        lines=lines,
        total=total,
        first=page * SESSIONS_PER_PAGE + 1,
        page=page,
        n_pages=-(-total // SESSIONS_PER_PAGE),
        now_ms=now_ms,
        dropped_out=overview.dropped_out,
        arms=[f"{name}:{level}" for name, levels in arms.items() for level in levels],
        by_arm=by_arm,
        done=visit.query("done"),
        most=MOST_AT_ONCE,
    )


async def search_by_arm(visit: ConsoleVisit) -> Response:
    """Notes who wants it before they can."""
    study, view = await the_study(visit), list_view(visit.form)
    link_kinds(view.pool)
    await visit.change(
        lambda conn: None, decided.searching(view.pool), study=study.id, kind="unblind"
    )
    address = view.address(conditions=arms_key(visit, study.id))
    return RedirectResponse(f"{PATH}/studies/{study.id}/sessions{address}", 303)


def marked_numbers(form: Mapping[str, str]) -> tuple[int, ...]:
    """The selected sessions: each is one field, `session-12`. Pure."""
    texts = [name.removeprefix("session-") for name in form if name.startswith("session-")]
    if not all(is_whole_number(text, least=0, most=MOST_SESSIONS) for text in texts):
        raise InvalidInput("sessions: expected numbers of sessions. Use the boxes on the page.")
    return tuple(sorted(map(int, texts)))


def numbers_in_words(numbers: Sequence[int]) -> str:
    """Numbers with runs drawn together, for the audit log.

    >>> numbers_in_words([1, 2, 3, 7, 9, 10])
    '1-3, 7, 9-10'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)


async def judge_many(visit: ConsoleVisit) -> Response:
    """One decision with one reason about all ticked sessions, or about everything the filter
    takes.
    """
    study, view = await the_study(visit), list_view(visit.form)
    deed, reason, at_ms = visit.form.get("deed", ""), visit.form.get("reason", ""), visit.now_ms
    if deed not in BULK_DEEDS:
        raise InvalidInput(
            f"deed: expected {' or '.join(BULK_DEEDS)}, got {deed[:20]!r}. Use the buttons."
        )
    decided.check_reason(deed, reason)
    if visit.form.get("everything") == "yes":
        wanted = await session_filter(visit, study, view)
        names = await visit.read(
            lambda conn: overview.chosen_sessions(
                conn, study.id, wanted, now_ms=at_ms, limit=MOST_AT_ONCE
            )
        )
    else:
        marked = marked_numbers(visit.form)
        names = await visit.read(
            lambda conn: overview.sessions_by_number(conn, study.id, view.pool, marked)
        )
    if not names:
        raise InvalidInput(
            "sessions: expected at least one, got none. Tick the boxes of those you mean."
        )

    def note(conn: Connection) -> tuple[int, ...]:
        numbers = decided.judge_all(
            conn, names, deed=deed, reason=reason, user=visit.user, at_ms=at_ms
        )
        if numbers:
            word = decided.DEED_WORDS[deed]
            # Without the reason, which may describe one person: it is stored with each decision,
            # and deleted with its session.
            what = f"{word} {view.pool} sessions {numbers_in_words(numbers)} ({len(numbers)})"
            audit_log.note_audit(conn, user=visit.user, what=what, at_ms=at_ms, study=study.id)
        return numbers

    changed = await visit.console.store.awrite(note)
    outcome = f"{len(changed)} of {len(names)}-{deed}"
    return RedirectResponse(f"{PATH}/studies/{study.id}/sessions{view.address(done=outcome)}", 303)


ROUTES = (
    Route(
        method="GET",
        path="/studies/{study}/sessions",
        access=RESEARCHERS,
        answer=list_page,
        tab="Sessions",
    ),
    Route(method="POST", path="/studies/{study}/sessions", access=RESEARCHERS, answer=judge_many),
    Route(
        method="POST",
        path="/studies/{study}/sessions/by-arm",
        access=RESEARCHERS,
        answer=search_by_arm,
    ),
)

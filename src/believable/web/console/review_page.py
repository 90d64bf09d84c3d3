"""The review queue: one free-text answer at a time, with hints, blind to condition and arm, decided
by keyboard.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from believable.collect.context import Definitions
from believable.collect.review_hints import HINT_KINDS, Hint, TextAnswer
from believable.collect.review_intake import KnownQuestions, hints_of, text_answer
from believable.core.errors import InvalidInput, NotFound
from believable.core.registry import did_you_mean
from believable.store import review, review_queue, review_views, sessions, view_checks
from believable.store.engine import Connection
from believable.store.monitor import link_kinds
from believable.store.review import Decision
from believable.store.review_queue import QueuedAnswer
from believable.store.review_views import QueuePage, QueueView
from believable.web.console.console_page import RESEARCHERS, ConsoleVisit, Route
from believable.web.console.guard import PATH
from believable.web.console.monitor_page import POOL_WORDS
from believable.web.console.studies_page import the_study

TEXT_CHARACTERS = 20_000
#: Items listed alongside the open one.
LISTED = 30
#: Sessions with impossible views that the page names; the list of sessions has all.
LISTED_SUSPECTS = 20


@dataclass(frozen=True, slots=True)
class Preset:
    """A decision with its reason, chosen by its number on the keyboard. Without words, the reason
    must be typed.
    """

    name: str
    kind: str
    words: str


PRESETS: tuple[Preset, ...] = (
    Preset("genuine", "keep", "reads as a genuine answer"),
    Preset("brief", "keep", "short but to the point"),
    Preset("keep_other", "keep", ""),
    Preset("copied", "exclude_text", "copied from elsewhere"),
    Preset("nonsense", "exclude_text", "nonsense"),
    Preset("off_topic", "exclude_text", "not about what was shown"),
    Preset("exclude_other", "exclude_text", ""),
    Preset("session_other", "exclude", ""),
)


@dataclass(frozen=True, slots=True)
class ReviewView:
    """Which part of the queue is looked at, as the address says it."""

    pool: str
    show: str
    hint: str

    def of(self, study: str) -> QueueView:
        return QueueView(study, self.pool, self.show, self.hint)

    def address(self, study: str, at: str = "") -> str:
        fields = {"pool": self.pool, "show": self.show, "hint": self.hint, "at": at}
        return f"{PATH}/studies/{study}/review?{urlencode({k: v for k, v in fields.items() if v})}"


SHOWS: Mapping[str, str] = {
    "hinted": "With hints, undecided",
    "undecided": "All undecided",
    "decided": "Decided",
    "all": "All",
}


def the_view(fields: Mapping[str, str]) -> ReviewView:
    view = ReviewView(
        fields.get("pool") or "real", fields.get("show") or "hinted", fields.get("hint") or ""
    )
    link_kinds(view.pool)
    if view.show not in SHOWS:
        raise InvalidInput(
            f"show: unknown part of the queue {view.show[:40]!r}. {did_you_mean(view.show, SHOWS)}"
        )
    if view.hint and view.hint not in HINT_KINDS:
        raise InvalidInput(
            f"hint: unknown hint {view.hint[:40]!r}. {did_you_mean(view.hint, HINT_KINDS)}"
        )
    return view


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAnswer:
    """The open answer: the question, the reason for a review, the decision."""

    answer: TextAnswer
    hints: tuple[Hint, ...]
    decision: Decision | None
    left_out: str
    n_impossible: int


def _read_answer(
    conn: Connection, definitions: Definitions, view: QueueView, row: QueuedAnswer
) -> ReadAnswer:
    answer = text_answer(row, KnownQuestions(definitions).of(conn, row.definition))
    state = review_queue.state(conn, view.study, view.pool)
    session = sessions.by_id(conn, row.session)
    left_out = (
        ""
        if session is None
        else "rejected"
        if session.rejected
        else "excluded"
        if session.excluded
        else ""
    )
    return ReadAnswer(
        answer=answer,
        hints=hints_of(conn, view.study, view.pool, row, answer, state.medians or {}),
        decision=review.decision_about(
            conn, row.session, review.target(row.trial_key, row.question)
        ),
        left_out=left_out,
        n_impossible=len(view_checks.impossible_views(conn, row.session)),
    )


def _shown(
    conn: Connection, definitions: Definitions, view: QueueView, at: str
) -> tuple[QueuePage, ReadAnswer | None]:
    page = review_views.queue_page(conn, view, at, before=LISTED // 3, limit=LISTED)
    return page, None if page.item is None else _read_answer(conn, definitions, view, page.item)


async def page(visit: ConsoleVisit) -> Response:
    study, view = await the_study(visit), the_view(visit.request.query_params)
    console = visit.console
    definitions, name = console.collect.context.definitions, visit.query("at")
    n_unread = await console.upkeep.refresh(console.store, definitions, study.id, view.pool)
    queue, read = await visit.read(lambda conn: _shown(conn, definitions, view.of(study.id), name))
    if queue.item is not None:
        what = f"read an answer of {view.pool} session {queue.item.number} in the review"
        await visit.log_look(what, study=study.id, session=queue.item.session)
    names = [row.name for row in queue.rows]
    place = names.index(queue.item.name) if queue.item else 0
    kinds = link_kinds(view.pool)
    n_suspect = await visit.read(lambda conn: view_checks.count_impossible(conn, study.id, kinds))
    suspects = await visit.read(
        lambda conn: view_checks.suspect_sessions(conn, study.id, kinds, limit=LISTED_SUSPECTS)
    )
    response = visit.render(
        "review.html",
        study=study,
        view=view,
        pools=POOL_WORDS,
        shows=SHOWS,
        hint_kinds=HINT_KINDS,
        presets=PRESETS,
        queue=queue,
        item=queue.item,
        read=read,
        before=names[place - 1] if place > 0 else "",
        after=names[place + 1] if place + 1 < len(names) else "",
        n_unread=n_unread,
        n_suspect=n_suspect,
        suspects=suspects,
        most=TEXT_CHARACTERS,
    )
    if n_unread and queue.item is None:
        response.headers["refresh"] = (
            "2"  # nothing to read yet: the page reloads by itself, without a script
        )
    return response


def reason_from(form: Mapping[str, str]) -> tuple[Preset, str]:
    """The decision and its reason in words. Pure."""
    chosen = next((preset for preset in PRESETS if preset.name == form.get("preset", "")), None)
    if chosen is None:
        raise InvalidInput(
            "decision: expected one of the listed ones, got none. Choose one with its number."
        )
    note = form.get("note", "").strip()
    if len(note) > review.REASON_CHARACTERS:
        raise InvalidInput(
            f"reason: expected at most {review.REASON_CHARACTERS} characters, got {len(note)}."
            " Shorten it."
        )
    reason = ": ".join(part for part in (chosen.words, note) if part)
    if not reason:
        raise InvalidInput(
            "reason: expected some words, got none. Say why in the field below the decision."
        )
    return chosen, reason


async def decide(visit: ConsoleVisit) -> Response:
    study, view = await the_study(visit), the_view(visit.form)
    chosen, reason = reason_from(visit.form)
    queue, console = view.of(study.id), visit.console
    await console.upkeep.refresh(
        console.store, console.collect.context.definitions, study.id, view.pool
    )
    row = await visit.read(lambda conn: review_views.find(conn, queue, visit.form.get("item", "")))
    if row is None:
        raise NotFound(
            "that answer is not there any more; its session may have been withdrawn. Open the queue"
            " again."
        )
    at_ms, user = visit.now_ms, visit.user
    if chosen.kind == "exclude":
        what = f"excluded {view.pool} session {row.number}: {reason}"
    else:
        what = (
            f"decided to {'keep' if chosen.kind == 'keep' else 'exclude'} answer {row.name}:"
            f" {reason}"
        )

    def apply(conn: Connection) -> str:
        if chosen.kind == "exclude":
            review.judge(
                conn, session=row.session, deed="exclude", reason=reason, user=user, at_ms=at_ms
            )
        else:
            target = review.target(row.trial_key, row.question)
            review.decide(
                conn,
                session=row.session,
                answer=target,
                kind=chosen.kind,
                reason=reason,
                user=user,
                at_ms=at_ms,
            )
        return review_views.following(conn, queue, row)

    name = await visit.change(apply, what, study=study.id, session=row.session)
    return RedirectResponse(view.address(study.id, name), 303)


ROUTES = (
    Route(
        method="GET", path="/studies/{study}/review", access=RESEARCHERS, answer=page, tab="Review"
    ),
    Route(method="POST", path="/studies/{study}/review", access=RESEARCHERS, answer=decide),
)

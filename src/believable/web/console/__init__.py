"""The researcher's console: log-in, studies, live monitor, session timelines, review, export."""

from __future__ import annotations

from fastapi import APIRouter

from believable.core.clock import Clock
from believable.store import accounts
from believable.store.engine import Store
from believable.web.console import (
    coding,
    entrance,
    export,
    monitor,
    results,
    review,
    sessions,
    studies,
    users,
    watching,
)
from believable.web.console.desk import Console, Page
from believable.web.console.guard import PATH, guarded

__all__ = ["PAGES", "Console", "first_link", "router"]

#: Every page, each with who may use it.
PAGES: tuple[Page, ...] = (
    *entrance.PAGES,
    *users.PAGES,
    *studies.PAGES,
    *monitor.PAGES,
    *sessions.PAGES,
    *review.PAGES,
    *results.PAGES,
    *watching.PAGES,
    *export.PAGES,
    *coding.PAGES,
)


def router(console: Console) -> APIRouter:
    """All routes of the console, under `/console`. Each runs behind the guard; there is no other way to add one."""
    made = APIRouter()
    for page in PAGES:
        made.add_route(
            f"{PATH}{page.path}", guarded(console, page), methods=[page.method], include_in_schema=False
        )
    return made


def first_link(store: Store, *, clock: Clock, base_url: str) -> str | None:
    """The address where the first owner chooses a password, or None once there is an owner who can log in.

    Call it once per start: each call makes the link before useless.
    """
    now_ms = clock.now_ms()
    token = store.write(lambda conn: accounts.first_link(conn, now_ms=now_ms))
    return None if token is None else users.link_address(base_url, token)

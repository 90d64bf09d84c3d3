"""The researcher's console: log-in, studies, live monitor, session timelines, review, export,
coding.

A page is a module `<name>_page.py` with its `ROUTES` and a template in `templates/console`; it is
added to `PAGES`.
"""

from __future__ import annotations

from fastapi import APIRouter

from believable.core.clock import Clock
from believable.store import accounts
from believable.store.engine import Store
from believable.web.console import (
    account_page,
    audit_page,
    codebook_page,
    coder_page,
    coding_page,
    export_page,
    launch_page,
    monitor_page,
    oidc_page,
    people_page,
    resolve_page,
    results_page,
    review_page,
    rounds_page,
    second_factor_page,
    session_page,
    sessions_page,
    studies_page,
    users_page,
    versions_page,
)
from believable.web.console.console_page import Console, Route
from believable.web.console.guard import PATH, guard_page
from believable.web.templating import templates

__all__ = ["PAGES", "ROUTES", "Console", "first_link", "router"]

#: Every page, in the order of the navigation.
PAGES = (
    account_page,
    second_factor_page,
    oidc_page,
    studies_page,
    launch_page,
    monitor_page,
    sessions_page,
    session_page,
    review_page,
    results_page,
    versions_page,
    export_page,
    people_page,
    coding_page,
    codebook_page,
    rounds_page,
    resolve_page,
    coder_page,
    users_page,
    audit_page,
)
#: Every route, each with who may use it.
ROUTES: tuple[Route, ...] = tuple(route for page in PAGES for route in page.ROUTES)

templates.globals["console_tabs"] = [route for route in ROUTES if route.tab and not route.of_study]
templates.globals["study_tabs"] = [route for route in ROUTES if route.tab and route.of_study]


def router(console: Console) -> APIRouter:
    """All routes of the console, under `/console`. Each runs behind the guard; there is no other
    way to add one.
    """
    routes = APIRouter()
    for route in ROUTES:
        routes.add_route(
            f"{PATH}{route.path}",
            guard_page(console, route),
            methods=[route.method],
            include_in_schema=False,
        )
    return routes


def first_link(store: Store, *, clock: Clock, base_url: str) -> str | None:
    """The address where the first owner chooses a password, or None once there is an owner who can
    log in.

    Call it once per start: each call makes the link before useless.
    """
    now_ms = clock.now_ms()
    token = store.write(lambda conn: accounts.first_link(conn, now_ms=now_ms))
    return None if token is None else users_page.link_address(base_url, token)

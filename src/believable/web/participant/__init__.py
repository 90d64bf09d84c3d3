"""The participant's side: coming in, the session's page and API, media."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.applications import Starlette

from believable.web.participant import landing_page, play, session
from believable.web.participant.events import HotRoutes, append_events

__all__ = ["HotRoutes", "add_events_route", "router"]

router = APIRouter()
router.include_router(landing_page.router)
router.include_router(session.router)
router.include_router(play.router)


def add_events_route(app: Starlette) -> None:
    """Beside the framework's routing of bodies and models, which costs more than the rest of the request."""
    app.add_route("/s/{token}/events", append_events, methods=["POST"])

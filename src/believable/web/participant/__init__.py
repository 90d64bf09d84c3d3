"""The participant's side: coming in, the session's page and API, media."""

from __future__ import annotations

from fastapi import APIRouter

from believable.web.participant import landing_page, play, session
from believable.web.participant.events import StudyServer, append_events

__all__ = ["StudyServer", "router"]

router = APIRouter()
router.include_router(landing_page.router)
router.include_router(session.router)
router.include_router(play.router)
router.add_route("/s/{token}/events", append_events, methods=["POST"], include_in_schema=False)

"""Whether the server lives and its database answers, for balancers and scripts."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.requests import Request

from believable.collect.desk import Collect

router = APIRouter()


class Health(BaseModel):
    status: Literal["ok"] = "ok"


@router.get("/health")
async def health(request: Request) -> Health:
    """Answers only when the database does."""
    collect: Collect = request.app.state.collect
    await collect.store.aread(lambda conn: None)
    return Health()

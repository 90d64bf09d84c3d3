"""A pause between pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from believable.contracts.instrument import InvalidAnswer
from believable.contracts.page import PageJudging, PageKind, PageLooks, ShownPage
from believable.contracts.record import Text
from believable.contracts.submission import OpenPage
from believable.contracts.trial import TrialBase


class Break(TrialBase):
    """A pause the participant ends, at the earliest after `at_least_s`."""

    kind: Literal["break"] = "break"
    text: Text | None = None
    """Markdown to show."""
    at_least_s: int = Field(default=0, ge=0, le=3600)
    """Seconds before people can continue."""


def _missing(pause: Break, page: OpenPage) -> InvalidAnswer | None:
    return (
        InvalidAnswer("error.wait")
        if page.now_ms < page.opened_ms + 1000 * pause.at_least_s
        else None
    )


def _message(pause: Break, page: ShownPage) -> dict[str, Any]:
    left_ms = page.opened_ms + 1000 * pause.at_least_s - page.now_ms
    return {"wait_s": max(0, -(-left_ms // 1000))}


BREAK = PageKind(
    name="break",
    record=Break,
    folder=Path(__file__).parent,
    judging=PageJudging(missing=_missing),
    looks=PageLooks(
        title=lambda pause: "break.title",
        words=lambda pause: "break.text",
        message=_message,
        script_texts=("break.wait",),
    ),
    typical_ms=10_000,
)

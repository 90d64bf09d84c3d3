"""Console pages from templates, and how numbers and times are written on them."""

from __future__ import annotations

import datetime
from typing import Any

from starlette.responses import HTMLResponse

from believable.store.accounts import Login
from believable.web.pages import templates


def utc(ms: int | None) -> str:
    """`2026-11-15 20:33:41`, in UTC."""
    if ms is None:
        return "–"
    return datetime.datetime.fromtimestamp(ms / 1000, datetime.UTC).strftime("%Y-%m-%d %H:%M:%S")


def duration(ms: float | None) -> str:
    """`850 ms`, `42 s`, `12 min 05 s`, `3 h 10 min`, `4 d 2 h`.

    >>> [duration(ms) for ms in (None, 850, 42_000, 725_000, 11_400_000, 353_000_000)]
    ['–', '850 ms', '42 s', '12 min 05 s', '3 h 10 min', '4 d 2 h']
    """
    if ms is None:
        return "–"
    if ms < 1000:
        return f"{ms:.0f} ms"
    seconds = round(ms / 1000)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    if seconds < 86_400:
        return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"
    return f"{seconds // 86_400} d {seconds % 86_400 // 3600} h"


def number(value: float) -> str:
    """Whole numbers with thin spaces between thousands.

    >>> number(1234567)
    '1\\u202f234\\u202f567'
    """
    return f"{value:,.0f}".replace(",", "\u202f")


FILTERS = {"utc": utc, "duration": duration, "number": number}


def render(name: str, /, login: Login | None, *, status: int = 200, **context: Any) -> HTMLResponse:
    """A template of the console. `me` is who is logged in; `csrf` must be in every form."""
    csrf = context.pop("csrf", login.csrf if login is not None else "")
    template = templates.get_template(f"console/{name}")
    html = template.render(me=login.user if login is not None else None, csrf=csrf, **FILTERS, **context)
    # Half an emoji, which a browser may send, has no place in UTF-8: it is shown as an escape.
    return HTMLResponse(html.encode("utf-8", "backslashreplace"), status_code=status)

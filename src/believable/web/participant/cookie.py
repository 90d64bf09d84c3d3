"""The recruiter's parameters, kept by the browser itself in a cookie of the session's own address.

The server stores only their hashes, and needs them once more, to send people back at the end.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import Response

from believable.web.settings import Settings

NAME = "recruiter"
LONGEST = 3000


def remember(response: Response, token: str, query: Mapping[str, str], settings: Settings) -> None:
    """Sets the cookie, if there is something to remember."""
    value = urlencode(dict(query))
    if not query or len(value) > LONGEST:
        return
    # Inside a platform's frame the cookie is a third party's, which browsers keep only when told so.
    framed = settings.secure and bool(settings.frame_ancestors)
    response.set_cookie(
        NAME,
        base64.urlsafe_b64encode(value.encode()).decode(),
        path=f"/s/{token}",
        max_age=30 * 86400,
        httponly=True,
        secure=settings.secure,
        samesite="none" if framed else "lax",
    )


def remembered(request: Request) -> dict[str, str]:
    """What the cookie holds; nothing if it is not ours."""
    try:
        value = base64.urlsafe_b64decode(request.cookies.get(NAME, "")[: 2 * LONGEST]).decode()
    except ValueError:
        return {}
    return dict(parse_qsl(value))

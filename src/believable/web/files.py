"""Scripts and styles: served from their folders, always checked for a newer version, nothing else from there."""

from __future__ import annotations

from pathlib import PurePath

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

SERVED = frozenset({".js", ".css", ".svg", ".png", ".ico", ".woff2"})


class CodeFiles(StaticFiles):
    """Static files of kinds a page may load. Python sources and templates beside them are not served."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        if PurePath(path).suffix not in SERVED:
            raise HTTPException(404)
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = "no-cache"
        return response

"""Scripts and styles: served from their folders, always checked for a newer version, nothing else from there."""

from __future__ import annotations

import gzip
import hashlib
import re
from functools import lru_cache
from pathlib import Path, PurePath

import anyio
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

SERVED = frozenset({".js", ".css", ".svg", ".png", ".ico", ".woff2"})

_BLOCK = re.compile(r"/\*\*.*?\*/ ?", re.DOTALL)
_LINE = re.compile(r"^\s*//.*\n", re.MULTILINE)
_INDENT = re.compile(r"^[ \t]+|\n(?=\n)", re.MULTILINE)


def without_comments(script: str) -> str:
    """A script as it travels: types and comments, which are half of our scripts, stay here.

    Takes out documentation comments (which must not occur in a string), whole-line comments, indents and empty lines.
    """
    return _INDENT.sub("", _LINE.sub("", _BLOCK.sub("", script))).lstrip()


class CodeFiles(StaticFiles):
    """Static files of kinds a page may load. Python sources and templates beside them are not served."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        suffix = PurePath(path).suffix
        if suffix not in SERVED:
            raise HTTPException(404)
        response = await super().get_response(path, scope)
        if suffix == ".js" and response.status_code == 200:
            full_path, stat = await anyio.to_thread.run_sync(self.lookup_path, path)
            assert stat is not None
            response = _script(Path(full_path), stat.st_mtime_ns, scope)
        response.headers["cache-control"] = "no-cache"
        return response


def _script(path: Path, modified_ns: int, scope: Scope) -> Response:
    body, zipped = _stripped(path, modified_ns)
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    asked = dict(scope["headers"])
    headers = {"etag": tag, "vary": "accept-encoding"}
    if tag in asked.get(b"if-none-match", b"").decode("latin-1"):
        return Response(status_code=304, headers=headers)
    if b"gzip" in asked.get(b"accept-encoding", b""):
        return Response(zipped, media_type="text/javascript", headers={**headers, "content-encoding": "gzip"})
    return Response(body, media_type="text/javascript", headers=headers)


@lru_cache(maxsize=256)
def _stripped(path: Path, modified_ns: int) -> tuple[bytes, bytes]:
    """What travels, plain and compressed."""
    body = without_comments(path.read_text(encoding="utf-8")).encode()
    return body, gzip.compress(body, mtime=0)

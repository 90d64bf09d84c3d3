"""Which scripts a page needs, read from the scripts themselves: all are asked for at once, not one
import after the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from urllib.parse import urljoin

from believable.contracts.registries import INSTRUMENTS, PAGES, PLAYERS, WORLDS
from believable.instruments.tracing import FOLDER as TRACING
from believable.players import SIGNAL
from believable.web.bundles import file_of, find_bundled
from believable.web.templating import STATIC

#: `import … from "x"`, `export … from "x"` and `import "x"` at the beginning of a line; `import(…)`
#: waits for its need.
_IMPORT = re.compile(
    r'^(?:import\s*|(?:import|export)\s[^"\'();]*?\bfrom\s*)["\']([^"\']+)["\']', re.MULTILINE
)

#: What every page of a session begins with.
MAIN = "/static/participant/main.js"
#: Where scripts and styles of worlds are served.
WORLD_SCRIPTS = "/static/worlds"


def served_folders() -> Iterator[tuple[str, Path]]:
    """Address → folder of everything but worlds that scripts and styles are served from, the finer
    address first.
    """
    for instrument in INSTRUMENTS:
        yield f"/static/instruments/{instrument.name}", instrument.folder
    for kind in PAGES:
        yield f"/static/pages/{kind.name}", kind.folder
    yield "/static/instruments/tracing", TRACING
    for player in (*PLAYERS, SIGNAL):
        yield f"/static/players/{player.name}", player.folder
    yield "/static", STATIC


def world_folder(path: str) -> tuple[Path, str] | None:
    """The folder of the world that is named first in a path below `/static/worlds`, and the rest of
    the path. Only then is the world loaded.
    """
    name, _, rest = path.partition("/")
    return (WORLDS[name].folder / "static", rest) if name in WORLDS else None


def _file_of(address: str) -> Path | None:
    if address.startswith(f"{WORLD_SCRIPTS}/"):
        place = world_folder(address.removeprefix(f"{WORLD_SCRIPTS}/"))
        return place and place[0] / place[1]
    for prefix, folder in served_folders():
        if address.startswith(f"{prefix}/"):
            return folder / address.removeprefix(f"{prefix}/")
    return None


@cache
def _imports(address: str) -> tuple[str, ...]:
    file = _file_of(address)
    if file is None or not file.is_file():
        return ()
    return tuple(
        urljoin(address, name) for name in _IMPORT.findall(file.read_text(encoding="utf-8"))
    )


@cache
def with_imports(scripts: tuple[str, ...]) -> tuple[str, ...]:
    """The scripts and all that they import, each once, in the order in which they are met."""
    met: dict[str, None] = {}
    waiting: list[str] = list(reversed(scripts))
    while waiting:
        address = waiting.pop()
        if address not in met:
            met[address] = None
            waiting += reversed(_imports(address))
    return tuple(met)


def preload_files(scripts: Iterable[str | None]) -> tuple[str, ...]:
    """The files to ask for at once: the bundles of an installed package, or every module."""
    found = find_bundled(script for script in scripts if script).values()
    return with_imports(tuple(dict.fromkeys(map(file_of, found))))

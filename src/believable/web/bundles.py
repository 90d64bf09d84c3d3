"""Addresses of scripts in an installed package, which brings them in bundles: see
`build_hooks/script_bundles.py`.

A clone has no bundles: each script has an address. A script of another package is in no bundle and
keeps its address.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

#: Where bundles are served.
ADDRESS = "/static/bundles/"
FOLDER = Path(__file__).parent / "static" / "bundles"


@cache
def _bundles() -> Mapping[str, Mapping[str, str]]:
    """File → address of a module → name under which the file exports it. Empty in a clone."""
    index = FOLDER / "index.json"
    return json.loads(index.read_text(encoding="utf-8")) if index.is_file() else {}


def find_bundled(addresses: Iterable[str]) -> dict[str, str]:
    """Address of a script → address in its bundle: the file and, after `#`, the name of the module,
    as `scripts.js` reads it.

    Every page has the first bundle. Of the others, those are used first that hold most of the
    missing files. An address in a bundle stays, and its bundle is used for others, too.
    """
    asked = tuple(dict.fromkeys(addresses))
    used = [file_of(address).removeprefix(ADDRESS) for address in asked if ADDRESS in address]
    used = [*list(_bundles())[:1], *used]
    missing = {address for address in asked if ADDRESS not in address}
    found = {}
    while True:
        for file in used:
            for address in sorted(missing & _bundles().get(file, {}).keys()):
                name = _bundles()[file][address]
                found[address] = f"{ADDRESS}{file}#{name}" if name else f"{ADDRESS}{file}"
        missing -= found.keys()
        best = max(_bundles(), key=lambda file: len(missing & _bundles()[file].keys()), default="")
        if not best or not missing & _bundles()[best].keys():
            return {address: found.get(address, address) for address in asked}
        used = [best]


def file_of(address: str) -> str:
    """The address without the name of a module in a bundle."""
    return address.partition("#")[0]


@cache
def page_script(address: str) -> str:
    """The file that a page names for a script that runs by itself."""
    return file_of(find_bundled((address,))[address])


def read_page_script(address: str) -> str:
    inside = page_script(address).removeprefix("/static/")
    return (FOLDER.parent / inside).read_text(encoding="utf-8")


def find_successor(address: str) -> str | None:
    """The bundle that replaces one of an earlier version. A page from before an update may ask for
    that one as long as it is open.
    """
    name = address.removeprefix(ADDRESS)
    if name == address or name in _bundles() or not name.endswith(".js"):
        return None
    bundle = name.rpartition("-")[0]
    return next((ADDRESS + file for file in _bundles() if file.rpartition("-")[0] == bundle), None)

"""Plug-ins: records declared by installed packages (entry points) and, if allowed, by a study's own
folder.

An installed package declares, in its pyproject.toml:

    [project.entry-points."believable.instruments"]
    smiley = "acme_believable.smiley:SMILEY"

and likewise `believable.players`, `.worlds`, `.agents`, `.protocols` and `.pages`. A study folder
may hold an instrument in `extensions/<name>/__init__.py`, as the record `<NAME>`. Its code runs
with all rights of this program, so it is off unless allowed.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from believable.core.errors import InvalidInput
from believable.core.registry import OURS, Named, RecordSource, Registry

T = TypeVar("T", bound=Named)

#: Study folders whose extensions are allowed. In the environment, so that the processes we start
#: know it too.
ALLOWED = "BELIEVABLE_EXTENSIONS"

EXTENSIONS = "extensions"


def registry(what: str, record: str, package: str, *, extensible: bool = False) -> Registry[Any]:
    """The records of one kind, as `module:Class`. Ours are listed by `BUILT_IN` of `package`:
    `likert` is `LIKERT` in `believable.instruments.likert`, or the value of a mapping
    (`module:RECORD`), loaded on demand.

    The group of entry points is `believable.<package>`. `extensible`: a study's own folder may add
    to them.
    """

    def kind() -> type[Any]:
        module, _, name = record.partition(":")
        found: type[Any] = getattr(importlib.import_module(module), name)
        return found

    def sources() -> Iterator[RecordSource[Any]]:
        group = f"believable.{package}"
        built_in = importlib.import_module(group).BUILT_IN
        for name in built_in:
            path = built_in[name] if isinstance(built_in, Mapping) else ""
            yield RecordSource(
                name, OURS, partial(_built_in, path or f"{group}.{name}:{name.upper()}", kind)
            )
        for entry in declared_entries(group):
            yield RecordSource(entry.name, _owner(entry), partial(_entry, entry, kind))
        for folder in allowed_names() if extensible else ():
            for carried in extension_folders(folder):
                yield RecordSource(
                    carried.name, f"the folder {carried}", partial(_extension, carried, kind)
                )

    return Registry(what, sources=sources)


def _built_in(path: str, kind: Callable[[], type[T]]) -> T:
    module, _, attribute = path.partition(":")
    return _record(importlib.import_module(module), attribute, kind)


def _record(module: ModuleType, attribute: str, kind: Callable[[], type[T]]) -> T:
    return check_record(getattr(module, attribute, None), f"{module.__name__}:{attribute}", kind)


def check_record(record: object, place: str, kind: Callable[[], type[T]]) -> T:
    if not isinstance(record, kind()):
        raise InvalidInput(
            f"{place}: expected a record of type {kind().__name__}, got {type(record).__name__}"
        )
    return record


def _entry(entry: EntryPoint, kind: Callable[[], type[T]]) -> T:
    return check_record(entry.load(), entry.value, kind)


def _owner(entry: EntryPoint) -> str:
    return entry.value if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"


def declared_entries(group: str) -> Iterable[EntryPoint]:
    return entry_points(group=group) if _somebody_declares() else ()


@cache
def _somebody_declares() -> bool:
    """Whether any installed package names us at all. Parsing the metadata of every package takes
    ten times as long.
    """
    return any(
        "[believable." in place.read_text(encoding="utf-8", errors="replace")
        for folder in sys.path
        for place in Path(folder or ".").glob("*.*-info/entry_points.txt")
    )


def allow_extensions(folder: Path) -> None:
    """Let a study's own instruments run, in this process and in those it starts. Before the first
    use of the registry.
    """
    if folder not in allowed_names():
        os.environ[ALLOWED] = os.pathsep.join(map(str, (*allowed_names(), folder)))


def allowed_names() -> list[Path]:
    return [Path(folder) for folder in os.environ.get(ALLOWED, "").split(os.pathsep) if folder]


def extension_folders(study: Path) -> list[Path]:
    """The instruments that a study folder carries, whether they are allowed or not."""
    return sorted(code.parent for code in (study / EXTENSIONS).glob("*/__init__.py"))


def extension_digests(study: Path) -> Mapping[str, str]:
    """For each instrument in a study folder, the SHA-256 over its files: their names and
    contents.
    """
    return {folder.name: _digest(folder) for folder in extension_folders(study)}


def _digest(folder: Path) -> str:
    total = hashlib.sha256()
    files = (
        path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )
    for path in sorted(files, key=lambda path: path.relative_to(folder).as_posix()):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        total.update(f"{path.relative_to(folder).as_posix()} {content}\n".encode())
    return total.hexdigest()


def _extension(folder: Path, kind: Callable[[], type[T]]) -> T:
    name = f"believable_extension_{folder.name}"
    place = folder / "__init__.py"
    spec = importlib.util.spec_from_file_location(
        name, place, submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise InvalidInput(f"{place}: expected Python code")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return _record(module, folder.name.upper(), kind)

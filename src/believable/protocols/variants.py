"""A ready study about something else: the protocol's own, with what differs written over it.

    protocols/<name>/variants/<variant>/changes.yaml   parts of the study file
    protocols/<name>/variants/<variant>/pages/         pages in place of those of the same name
    protocols/<name>/variants/<variant>/stimuli.py     `write`, where it shows something of its own

In `changes.yaml` a mapping goes on into what it meets, entries of a list by their `id`; anything else takes the place of what
was there, and `null` takes it away. `own` is for clips that the author brings.
"""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.protocols.contract import ReadyStudy

FOLDER, CHANGES, OWN = "variants", "changes.yaml", "own"


@dataclass(frozen=True)
class StudyVariant(ReadyStudy):
    """A protocol's study with the changes of these variants, the first one first."""

    base: ReadyStudy
    layers: tuple[str, ...]

    def copy(self, folder: Path) -> None:
        self.base.copy(folder)
        for layer in self.layers:
            place = self.base.folder / FOLDER / layer
            if (place / CHANGES).is_file():
                change_study(folder / "study.yaml", _yaml().load((place / CHANGES).read_text("utf-8")))
            for page in sorted((place / "pages").glob("*.md")):
                shutil.copyfile(page, folder / "pages" / page.name)


def variants_of(ready: ReadyStudy) -> list[str]:
    """The variants that a ready study has."""
    return sorted(place.name for place in (ready.folder / FOLDER).glob("*") if (place / "pages").is_dir())


def variant(ready: ReadyStudy, name: str | None, *, own_clips: bool = False) -> ReadyStudy:
    """The study of a variant; with `own_clips` for those that the author brings."""
    known = variants_of(ready)
    if name is not None and name not in known:
        raise InvalidInput(f"--variant: {ready.name!r} has no variant {name!r}. {did_you_mean(name, known)}")
    if own_clips and OWN not in known:
        raise InvalidInput(
            f"--clips: the study of {ready.name!r} does not show clips of two or more kinds of players. "
            "Use a protocol that does: clips, hntt."
        )
    layers = (*((OWN,) if own_clips else ()), *((name,) if name not in (None, OWN) else ()))
    if not layers:
        return ready
    return StudyVariant(ready.name, ready.about, f"{ready.package}.{FOLDER}.{layers[-1]}", ready, layers)


# ---------------------------------------------------------------------------------------------- study files


def _yaml() -> YAML:
    yaml = YAML()
    yaml.width = 10_000
    yaml.preserve_quotes = True
    yaml.brace_single_entry_mapping_in_flow_sequence = True
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml


def change_study(path: Path, changes: Mapping[str, Any]) -> None:
    """Write changes into a study file; its comments and its other lines stay."""
    yaml = _yaml()
    tree = yaml.load(path.read_text("utf-8"))
    _merge(tree, changes, "study.yaml")
    text = io.StringIO()
    yaml.dump(tree, text)
    path.write_text(text.getvalue(), encoding="utf-8")


def _merge(tree: Any, changes: Mapping[str, Any], place: str) -> None:
    for key, value in changes.items():
        container, at = _entry(tree, key, f"{place}.{key}")
        inside = container.get(at) if isinstance(container, dict) else container[at]
        if value is None:
            del container[at]
        elif isinstance(value, Mapping) and isinstance(inside, Mapping | list) and "en" not in value:
            _merge(inside, value, f"{place}.{key}")
        else:
            container[at] = value


def _entry(tree: Any, key: str, place: str) -> tuple[Any, Any]:
    """Where a key stands: itself in a mapping, by its id in a list, whose entries may be wrapped in the name of their kind."""
    if isinstance(tree, Mapping):
        return tree, key
    for number, entry in enumerate(tree):
        if entry.get("id") == key:
            return tree, number
        for kind, body in entry.items():
            if isinstance(body, Mapping) and body.get("id") == key:
                return entry, kind
    raise InvalidInput(f"{place}: there is no entry with this id in the study file. Mend {CHANGES}.")


def with_conditions_of_own(path: Path) -> None:
    """Conditions of a demonstration are called after what stands in for something (`standin_human`); here it is itself."""
    path.write_text(re.sub(r"\bstandin_(?=\w)", "", path.read_text("utf-8")), encoding="utf-8")

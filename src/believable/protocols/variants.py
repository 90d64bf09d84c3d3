"""A ready study about something else: the protocol's own, with what differs written over it.

    protocols/<name>/variants/<variant>/changes.yaml   parts of the study file
    protocols/<name>/variants/<variant>/pages/         pages in place of those of the same name
    protocols/<name>/variants/<variant>/stimuli.py     `write`, if it has separate stimuli

In `changes.yaml` a mapping is merged into the study's mapping, entries of a list by their `id`; any
other value replaces the study's, and `null` removes it. A new entry names its position: `after:
ID` behind that one, `around: [ID, ...]` about these, which become its `each`. A new page that says
`like: ID` has everything of that one except its explicit keys. `own` is for clips of the author.
"""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap

from believable.contracts.protocol import ReadyStudy
from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean

if TYPE_CHECKING:
    from believable.study.records import Stimulus, Study

FOLDER, CHANGES, OWN = "variants", "changes.yaml", "own"


@dataclass(frozen=True)
class StudyVariant(ReadyStudy):
    """A protocol's study with the changes of these variants, the first one first."""

    base: ReadyStudy
    layers: tuple[str, ...]

    def write_stimuli(
        self,
        study: Study,
        folder: Path,
        seed: int,
        done: Callable[[Stimulus], None] = lambda stimulus: None,
    ) -> None:
        """The variant's, or those of the study that it changes."""
        if self._has("stimuli"):
            super().write_stimuli(study, folder, seed, done)
        else:
            self.base.write_stimuli(study, folder, seed, done)

    def copy(self, folder: Path) -> None:
        self.base.copy(folder)
        for layer in self.layers:
            place = self.base.folder / FOLDER / layer
            if (place / CHANGES).is_file():
                change_study(folder / "study.yaml", changes_in(place / CHANGES))
            for page in sorted((place / "pages").glob("*.md")):
                shutil.copyfile(page, folder / "pages" / page.name)


def variants_of(ready: ReadyStudy) -> list[str]:
    """The variants that a ready study has."""
    return sorted(
        place.name
        for place in (ready.folder / FOLDER).glob("*")
        if (place / "pages").is_dir() or (place / CHANGES).is_file()
    )


def variant(ready: ReadyStudy, name: str | None, *, own_clips: bool = False) -> ReadyStudy:
    """The study of a variant; with `own_clips` for those that the author brings."""
    known = variants_of(ready)
    if name is not None and name not in known:
        raise InvalidInput(
            f"--variant: {ready.name!r} has no variant {name!r}. {did_you_mean(name, known)}"
        )
    if own_clips and OWN not in known:
        raise InvalidInput(
            f"--clips: the study of {ready.name!r} does not show clips of two or more kinds of"
            " players. Use a protocol that does: clips, hntt, ladder."
        )
    if name is not None and _made_of_recordings(ready, name):
        raise InvalidInput(
            f"--variant: {name!r} is made of recordings. Give them: --recordings DIR in place of"
            " --variant."
        )
    layers = (*((OWN,) if own_clips else ()), *((name,) if name not in (None, OWN) else ()))
    if not layers:
        return ready
    return StudyVariant(
        ready.name, ready.about, f"{ready.package}.{FOLDER}.{layers[-1]}", ready, layers
    )


def agent_variant(ready: ReadyStudy) -> ReadyStudy:
    """The study, if it can show trained agents."""
    if ready.shows_agents:
        return ready
    raise InvalidInput(
        f"--agent: the study of {ready.name!r} shows no trained agents. Use a protocol that does:"
        " hntt."
    )


def recordings_variant(ready: ReadyStudy) -> ReadyStudy:
    """The variant of a study whose clips are made of recordings of people."""
    for name in variants_of(ready):
        if _made_of_recordings(ready, name):
            return StudyVariant(
                ready.name, ready.about, f"{ready.package}.{FOLDER}.{name}", ready, (name,)
            )
    raise InvalidInput(
        f"--recordings: the study of {ready.name!r} is not made of recordings. Use a protocol that"
        " is: clips."
    )


def _made_of_recordings(ready: ReadyStudy, name: str) -> bool:
    return (ready.folder / FOLDER / name / "recorded_clips.py").is_file()


# ----------------------------------------------------------------------------------------------
# study files


def _yaml() -> YAML:
    yaml = YAML()
    yaml.width = 10_000
    yaml.preserve_quotes = True
    yaml.brace_single_entry_mapping_in_flow_sequence = True
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml


def changes_in(path: Path) -> Mapping[str, Any]:
    """The content of a file of changes."""
    changes: Mapping[str, Any] = _yaml().load(path.read_text("utf-8"))
    return changes


def change_study(path: Path, changes: Mapping[str, Any]) -> None:
    """Write changes into a study file; its comments and its other lines stay."""
    yaml = _yaml()
    tree = yaml.load(path.read_text("utf-8"))
    _StudyTree(tree).change(changes)
    text = io.StringIO()
    yaml.dump(tree, text)
    path.write_text(text.getvalue(), encoding="utf-8")


def show_pools(path: Path, folders: Mapping[str, str], *, draw: str, sample: int | None) -> None:
    """Let a study file show the pools of these conditions in place of its stimuli. `sample`: the
    number of scenarios for each session, in the outermost blocks that run over scenarios.
    """
    yaml = _yaml()
    tree = yaml.load(path.read_text("utf-8"))
    entries = []
    for condition, folder in folders.items():
        entry = CommentedMap(pool=folder, condition=condition)
        entry.fa.set_flow_style()
        entries.append(entry)
    tree["stimuli"] = entries
    if "draw" in tree:
        tree["draw"] = draw
    else:
        tree.insert(list(tree).index("stimuli"), "draw", draw)
    if sample is not None:
        _sample_scenarios(tree["timeline"], sample)
    text = io.StringIO()
    yaml.dump(tree, text)
    path.write_text(text.getvalue(), encoding="utf-8")


def _sample_scenarios(entries: Any, sample: int) -> None:
    for entry in entries:
        block = entry.get("block") if isinstance(entry, dict) else None
        if block is not None and block.get("over") == "scenario":
            block["sample"] = sample
        elif block is not None:
            _sample_scenarios(block["each"], sample)


class _StudyTree:
    """A study file as it is read, and what changes do to it."""

    def __init__(self, tree: Any) -> None:
        self._tree = tree

    def change(self, changes: Mapping[str, Any]) -> None:
        self._merge(self._tree, changes, "study.yaml")

    def _merge(self, tree: Any, changes: Mapping[str, Any], place: str) -> None:
        for key, value in changes.items():
            entry = _entry(tree, key)
            if entry is None:
                self._add(tree, key, value, f"{place}.{key}")
                continue
            container, at = entry
            inside = container.get(at) if isinstance(container, dict) else container[at]
            if value is None and isinstance(tree, list):
                del tree[_number(tree, key, place)]
            elif value is None:
                del container[at]
            elif (
                isinstance(value, Mapping)
                and isinstance(inside, Mapping | list)
                and "en" not in value
            ):
                self._merge(inside, value, f"{place}.{key}")
            else:
                container[at] = value

    def _add(self, entries: Any, name: str, entry: Any, place: str) -> None:
        """Insert a new entry into a list, at the position that it names."""
        where = [key for key in ("after", "around") if isinstance(entry, Mapping) and key in entry]
        if len(where) != 1:
            raise InvalidInput(
                f"{place}: there is no entry with this id in the study file. Fix {CHANGES}, or say"
                " with `after` or `around` where a new one goes."
            )
        (word,) = where
        named = [entry[word]] if word == "after" else list(entry[word])
        numbers = [_number(entries, other, f"{place}.{word}") for other in named]
        inside = around = deepcopy({key: value for key, value in entry.items() if key != word})
        self._fill(around, place)
        for kind, body in around.items():
            if len(around) == 1 and isinstance(body, Mapping):
                inside = around[kind] = {"id": name, **body}
        if inside is around:
            inside = around = {"id": name, **around}
        at = min(numbers) if word == "around" else numbers[0] + 1
        if word == "around":
            inside["each"] = [entries[number] for number in numbers]
            for number in sorted(numbers, reverse=True):
                del entries[number]
        entries.insert(at, around)

    def _fill(self, node: Any, place: str) -> None:
        """Expand every `like` in a new entry: the keys of the page of that id that this one
        lacks.
        """
        if isinstance(node, list):
            for part in node:
                self._fill(part, place)
        elif isinstance(node, Mapping):
            if "like" in node:
                model = _page(self._tree["timeline"], node["like"])
                if model is None:
                    raise InvalidInput(
                        f"{place}.like: there is no page {node['like']!r} in the study file. Mend"
                        f" {CHANGES}."
                    )
                filled = {
                    **deepcopy(dict(model)),
                    **{key: part for key, part in node.items() if key != "like"},
                }
                node.clear()  # type: ignore[attr-defined]
                node.update(filled)  # type: ignore[attr-defined]
            for part in node.values():
                self._fill(part, place)


def _entry(tree: Any, key: str) -> tuple[Any, Any] | None:
    """The path of a key: itself in a mapping, by its id in a list, whose entries may be wrapped in
    the name of their kind.
    """
    if isinstance(tree, Mapping):
        return tree, key
    for number, entry in enumerate(tree):
        if entry.get("id") == key:
            return tree, number
        for kind, body in entry.items():
            if isinstance(body, Mapping) and body.get("id") == key:
                return entry, kind
    return None


def _number(entries: Any, name: str, place: str) -> int:
    """Which entry of a list has this id."""
    for number, entry in enumerate(entries):
        if _entry([entry], name) is not None:
            return number
    raise InvalidInput(
        f"{place}: there is no entry {name!r} beside it in the study file. Correct {CHANGES}."
    )


def _page(entries: Any, name: str) -> Any:
    """The page with this id, in any block."""
    for entry in entries:
        for body in entry.values():
            if isinstance(body, Mapping):
                page = body if body.get("id") == name else _page(body.get("each", ()), name)
                if page is not None:
                    return page
    return None


def with_conditions_of_own(path: Path) -> None:
    """Conditions of a demonstration are named after a replacement (`standin_human`); here it is a
    person.
    """
    path.write_text(re.sub(r"\bstandin_(?=\w)", "", path.read_text("utf-8")), encoding="utf-8")

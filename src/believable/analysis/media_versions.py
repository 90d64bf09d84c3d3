"""Stimuli by id and digest: an id whose medium was replaced while the study ran names two stimuli.

Every table that an analysis reads has `clip_3~1a2b3c4d5e6f` instead of `clip_3` if sessions saw
different media under that id. So no mean, trace or ranking mixes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from believable.bundle.frames import BundleColumn
from believable.bundle.read import Bundle, ColumnTable
from believable.study.definition import Definition
from believable.study.records import Stimulus, Study

SEPARATOR = "~"
DIGEST_CHARACTERS = 12
_NAMING = ("stimulus", "chosen_stimulus")


def name_with_digest(stimulus: str, digest: str) -> str:
    return f"{stimulus}{SEPARATOR}{digest[:DIGEST_CHARACTERS]}"


def split_name(name: str) -> tuple[str, str]:
    """The id and the beginning of the digest; the latter is empty if the id alone names the
    stimulus.
    """
    stimulus, _, digest = name.partition(SEPARATOR)
    return stimulus, digest


def pinned_media(bundle: Bundle) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    """The media of each definition that sessions are pinned to, by hash."""
    pinned = (
        set(bundle["participants"]["definition"].values.tolist())
        if "participants" in bundle.tables
        else set()
    )
    return {
        name: json.loads(text).get("media", {})
        for name, text in bundle.definitions.items()
        if name in pinned
    }


def replaced_media(bundle: Bundle) -> Mapping[str, frozenset[str]]:
    """Stimuli that sessions saw with several media: their id to the digests."""
    if len(bundle.definitions) < 2:
        return {}
    digests: dict[str, set[str]] = {}
    for media in pinned_media(bundle).values():
        for stimulus, medium in media.items():
            digests.setdefault(stimulus, set()).add(str(medium["digest"]))
    return {stimulus: frozenset(known) for stimulus, known in digests.items() if len(known) > 1}


def media_names(bundle: Bundle) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each stimulus and its medium, by the names that tables have; an id with several media is also
    listed by itself.
    """
    replaced = replaced_media(bundle)
    for text in bundle.definitions.values():
        for stimulus, medium in json.loads(text).get("media", {}).items():
            yield stimulus, medium
            if stimulus in replaced:
                yield name_with_digest(stimulus, str(medium["digest"])), medium


def separate_media(bundle: Bundle) -> Bundle:
    """The bundle with a separate name for each medium of a stimulus that was replaced."""
    replaced = replaced_media(bundle)
    if not replaced:
        return bundle
    media = pinned_media(bundle)
    people = bundle["participants"]
    shown = {
        str(session): media.get(str(definition), {})
        for session, definition in zip(
            people["session"].values, people["definition"].values, strict=True
        )
    }
    tables = {name: _rename(table, replaced, shown, media) for name, table in bundle.tables.items()}
    return replace(bundle, tables=MappingProxyType(tables))


def named_stimuli(bundle: Bundle, study: Study | None) -> Mapping[str, Stimulus]:
    """The stimuli of a study by the names that tables have, each as the definition with its medium
    describes it.
    """
    if study is None:
        return {}
    replaced = replaced_media(bundle)
    named = {stimulus.id: stimulus for stimulus in study.stimuli if stimulus.id not in replaced}
    pinned = pinned_media(bundle)
    for name in pinned if replaced else ():
        for stimulus in Definition.from_json(bundle.definitions[name]).study.stimuli:
            if stimulus.id in replaced:
                full = name_with_digest(stimulus.id, str(pinned[name][stimulus.id]["digest"]))
                named[full] = stimulus.model_copy(update={"id": full})
    return named


def _rename(
    table: ColumnTable,
    replaced: Mapping[str, frozenset[str]],
    shown: Mapping[str, Mapping[str, Mapping[str, Any]]],
    media: Mapping[str, Mapping[str, Mapping[str, Any]]],
) -> ColumnTable:
    naming = [name for name in _NAMING if name in table.columns]
    if not naming:
        return table
    if "session" not in table.columns:
        return _repeat(table, replaced, media)
    sessions = table["session"].values.tolist()
    columns = dict(table.columns)
    for name in naming:
        names = [
            name_with_digest(stimulus, str(shown[session][stimulus]["digest"]))
            if stimulus in replaced and stimulus in shown.get(session, {})
            else stimulus
            for session, stimulus in zip(sessions, columns[name].values.tolist(), strict=True)
        ]
        columns[name] = _with_values(columns[name], names)
    return ColumnTable(table.name, MappingProxyType(columns))


def _repeat(
    table: ColumnTable,
    replaced: Mapping[str, frozenset[str]],
    media: Mapping[str, Mapping[str, Mapping[str, Any]]],
) -> ColumnTable:
    """A table about stimuli without sessions, such as actions: a row for each medium that it is
    true of.
    """
    by_log: dict[tuple[str, str], set[str]] = {}
    for known in media.values():
        for stimulus, medium in known.items():
            log = str(medium.get("actions") or medium["digest"])
            by_log.setdefault((stimulus, log), set()).add(str(medium["digest"]))
    stimuli = table["stimulus"].values.tolist()
    log_column = table["log"].values.tolist() if "log" in table.columns else [None] * len(stimuli)
    rows: list[int] = []
    names: list[Any] = []
    for row, (stimulus, log) in enumerate(zip(stimuli, log_column, strict=True)):
        digests = (
            by_log.get((stimulus, str(log)), set())
            if log is not None
            else replaced.get(stimulus, frozenset())
        )
        full = (
            [name_with_digest(stimulus, digest) for digest in sorted(digests)]
            if stimulus in replaced
            else [stimulus]
        )
        rows += [row] * len(full)
        names += full
    taken = np.array(rows, dtype=np.int64)
    columns = {
        name: BundleColumn(column.field, column.values[taken], column.missing[taken])
        for name, column in table.columns.items()
    }
    columns["stimulus"] = _with_values(columns["stimulus"], names)
    return ColumnTable(table.name, MappingProxyType(columns))


def _with_values(column: BundleColumn, names: list[Any]) -> BundleColumn:
    values = np.empty(len(names), object)
    values[:] = names
    values.flags.writeable = False
    return replace(column, values=values)

"""Bundles of one study from several laboratories become one bundle. Each participant gets a `site`.

Rules of the analysis that look at all sessions, such as the median time, are applied again to
the joined data. Decisions of reviewers stay.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from believable.bundle import package
from believable.bundle.folder import BundleFolder
from believable.bundle.left_out import LeaveOut
from believable.bundle.read import Bundle, RawEvent
from believable.bundle.session_records import StrayRecord, StudyRecord
from believable.bundle.tables import CODING_TABLES, BundleTable, Cell, Field, Row
from believable.bundle.write import WrittenBundle, write_codebook
from believable.core.errors import InvalidInput
from believable.study.definition import Definition

SITE = Field(
    name="site", type="string", about="Laboratory whose dataset the session is from.", required=True
)
#: Reasons that were decided before any analysis; all others are found again.
_DECIDED = frozenset(
    (
        "rejected",
        "excluded",
        "screened_out",
        "failed_checks",
        "declined",
        "incomplete",
        "text_excluded",
        "withdrawn",
        "preview",
        "damaged",
    )
)
#: Numbers of texts and coders belong to one laboratory; a joined dataset has no codings.
_NOT_JOINED = frozenset(table.name for table in CODING_TABLES)
_REWRITTEN = frozenset(("README.md", "CHANGES.md", "dataset_description.json"))


def join_bundles(
    sites: Mapping[str, Bundle], folder: Path, *, leave_out: LeaveOut | None = None
) -> WrittenBundle:
    """Write the sessions of all sites into one bundle, site by site.

    Raises `InvalidInput` if a session is in two of them, or if real and simulated sessions would be
    mixed.
    """
    _must_fit(sites)
    packages = {site: _package(bundle) for site, bundle in sites.items()}
    tables = _tables(packages)
    texts: dict[str, str] = {}
    for bundle in sites.values():
        texts |= bundle.definitions
    first = next(iter(sites.values()))
    study = StudyRecord(
        id=str(next(iter(packages.values()))["name"]).removesuffix("-simulated"),
        title=first.title,
        definitions=texts,
        simulated=first.simulated,
        withdrawn=sum(bundle.withdrawn for bundle in sites.values()),
    )
    sessions = events = 0
    with BundleFolder(folder, study, tables) as joined:
        for name, row in _rows(sites, tables):
            joined.row(name, row)
            sessions += name == "participants"
        for site, bundle in sites.items():
            events += _copy_events(joined, bundle)
            _copy_files(joined, bundle, packages[site])
        if leave_out is not None:
            joined.apply(leave_out, texts)
        for digest, text in texts.items():
            joined.text(
                f"materials/definition-{digest[:12]}.json",
                text,
                "Study definition that sessions are pinned to.",
            )
        definitions = {digest: Definition.from_json(text) for digest, text in texts.items()}
        write_codebook(joined, study.title, tables, definitions)
    return WrittenBundle(folder, sessions, events)


def _must_fit(sites: Mapping[str, Bundle]) -> None:
    if len(sites) < 2:
        raise InvalidInput("join: expected two datasets or more, got one. Name another one.")
    kinds = {bundle.simulated for bundle in sites.values()}
    if len(kinds) > 1:
        raise InvalidInput(
            "join: some sessions are real and some are simulated; they never share a dataset."
            " Join datasets of one kind."
        )
    seen: dict[str, str] = {}
    for site, bundle in sites.items():
        if bundle.released is not None:
            raise InvalidInput(
                f"{bundle.folder}: a release has no exact times, so the analysis cannot be"
                " repeated. Join the exports (believable export), then publish."
            )
        if "site" in bundle["participants"].columns:
            raise InvalidInput(
                f"{bundle.folder}: it has been joined already. Join the exports of all"
                " laboratories in one step."
            )
        for session in bundle["participants"]["session"].values:
            if session in seen:
                raise InvalidInput(
                    f"join: session {session} is in {seen[session]} and in {site}. Each session"
                    " counts once: name different datasets."
                )
            seen[str(session)] = site


def _package(bundle: Bundle) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads((bundle.folder / "datapackage.json").read_text("utf-8"))
    return whole


def _tables(packages: Mapping[str, Mapping[str, Any]]) -> tuple[BundleTable, ...]:
    """Every table of any site, with every column of any, as their packages describe them."""
    about: dict[str, tuple[str, tuple[str, ...], bool]] = {}
    fields: dict[str, dict[str, Field]] = {}
    for layout in packages.values():
        for resource in layout["resources"]:
            name = resource["name"]
            if "schema" not in resource or name in _NOT_JOINED or name == "codebook":
                continue
            schema = resource["schema"]
            key = tuple(schema.get("primaryKey", ()))
            about[name] = (resource["description"], key, "foreignKeys" in schema)
            columns = fields.setdefault(name, {})
            for field in map(_field, schema["fields"]):
                columns.setdefault(field.name, field)
    fields["participants"]["site"] = SITE
    return tuple(
        BundleTable(
            name=name, about=words, fields=tuple(fields[name].values()), key=key, refers=refers
        )
        for name, (words, key, refers) in about.items()
    )


def _field(entry: Mapping[str, Any]) -> Field:
    limits = entry.get("constraints", {})
    return Field(
        name=entry["name"],
        type=entry["type"],
        about=entry["description"],
        required=bool(limits.get("required")),
        one_of=tuple(limits.get("enum", ())),
    )


def _rows(sites: Mapping[str, Bundle], tables: Sequence[BundleTable]) -> Iterator[tuple[str, Row]]:
    for table in tables:
        by_session = any(field.name == "session" for field in table.fields)
        seen: set[tuple[Cell, ...]] = set()
        offset = 0
        for site, bundle in sites.items():
            rows = (
                [dict(row) for row in bundle[table.name].rows()]
                if table.name in bundle.tables
                else []
            )
            for row in rows:
                if table.name == "participants":
                    row |= {"site": site, "number": offset + int(row["number"] or 0)}
                if table.name == "exclusions" and row["reason"] not in _DECIDED:
                    continue
                if table.name == "versions":
                    continue
                if not by_session:  # about stimuli, which the laboratories share
                    values = tuple(row.values())
                    if values in seen:
                        continue
                    seen.add(values)
                yield table.name, row
            if table.name == "participants":
                offset += max((int(row["number"] or 0) - offset for row in rows), default=0)
    if any(table.name == "versions" for table in tables):
        yield from (("versions", row) for row in _versions(sites))


def _versions(sites: Mapping[str, Bundle]) -> Iterator[Row]:
    """One row for each definition, in the order of its first session anywhere."""
    rows: dict[str, dict[str, Cell]] = {}
    for bundle in sites.values():
        for row in bundle["versions"].rows() if "versions" in bundle.tables else ():
            digest = str(row["definition"])
            before = rows.setdefault(digest, {**row, "sessions": 0})
            before["sessions"] = int(before["sessions"] or 0) + int(row["sessions"] or 0)
            days = [str(day) for day in (before["first_used_on"], row["first_used_on"]) if day]
            before["first_used_on"] = min(days, default=None)
    in_order = sorted(rows.values(), key=lambda row: str(row["first_used_on"] or "9"))
    for number, row in enumerate(in_order, start=1):
        yield {**row, "number": number}


def _copy_events(joined: BundleFolder, bundle: Bundle) -> int:
    count = 0
    for session, events in groupby(bundle.events(), key=lambda event: event.session):
        listed = [(event.seq, event.body, event.received_ms) for event in events]
        joined.events(session, listed)
        count += len(listed)
    for session, strays in groupby(bundle.strays(), key=lambda stray: stray.session):
        joined.strays(session, [_stray(stray) for stray in strays])
    return count


def _stray(event: RawEvent) -> StrayRecord:
    return StrayRecord(event.epoch or 0, event.seq, event.body, event.received_ms)


def _copy_files(joined: BundleFolder, bundle: Bundle, layout: Mapping[str, Any]) -> None:
    """Files that belong to sessions, such as recordings of rounds."""
    skipped = {package.EVENTS, package.STRAYS, package.PAGAN, *_REWRITTEN}
    for resource in layout["resources"]:
        path = str(resource["path"])
        if "schema" in resource or path in skipped:
            continue
        if path.startswith(("materials/definition-", "documentation/", f"{package.PARQUET}/")):
            continue
        joined.file(path, (bundle.folder / path).read_bytes(), str(resource["description"]))

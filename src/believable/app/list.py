"""The studies of a data folder, and the ready studies to start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from believable.app.options import AnyPath, argument, option, options, use_case
from believable.app.study_data import BaseUrlOptions, DataOptions, open_store, study_folder
from believable.protocols import READY_STUDIES
from believable.store import monitor, studies
from believable.store.engine import Connection, Store
from believable.store.sessions import POOLS


@options
class ListOptions(DataOptions, BaseUrlOptions):
    studies: Sequence[AnyPath] = argument(
        "Studies; default: all of the data folder.", default=(), metavar="[STUDY]...", kw_only=False
    )
    protocols: bool = option("List the ready-made protocols to start from instead.", default=False)


@dataclass(frozen=True, slots=True)
class StudySummary:
    """One study: its state, its links by kind, and its sessions by pool and by outcome."""

    id: str
    title: str
    state: str
    links: Mapping[str, str]
    sessions: Mapping[str, Mapping[str, int]]


@use_case(ListOptions)
def list_studies(options: ListOptions) -> Sequence[StudySummary] | Mapping[str, str]:
    """List studies, their links and their numbers.

    Real, simulated and preview sessions are counted apart.
    """
    if options.protocols:
        return {ready.name: ready.about for ready in READY_STUDIES}
    folders = [study_folder(study) for study in options.studies]
    if not folders and options.data_folder is None:
        folders = [Path.cwd()]
    settings = options.settings(folders, options.base_url)
    with open_store(settings) as store:
        return _describe(store, settings.base_url)


def _describe(store: Store, base_url: str) -> list[StudySummary]:
    """Read everything from one consistent state of the database."""
    now_ms = store.clock.now_ms()

    def look(conn: Connection) -> list[StudySummary]:
        rows = []
        for study in studies.every(conn):
            addresses = {
                link.kind: f"{base_url}/join/{link.token}"
                for link in reversed(studies.links_of(conn, study.id))
                if link.kind != "personal"
            }
            groups = {pool: monitor.groups(conn, study.id, pool, now_ms=now_ms) for pool in POOLS}
            numbers = {
                pool: asdict(monitor.counts(own, monitor.withdrawn(conn, study.id, pool)))
                for pool, own in groups.items()
            }
            rows.append(StudySummary(study.id, study.title, study.state, addresses, numbers))
        return rows

    return store.read(look)

"""`believable list`: what is in a data folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from believable.cli.place import (
    PATH,
    DataPlace,
    base_url_option,
    data_options,
    open_store,
    study_folder,
)

if TYPE_CHECKING:
    from believable.store.engine import Store

    Connection = Any  # only `store` names its type


@click.command()
@click.argument("studies", nargs=-1, type=PATH, metavar="[STUDY]...")
@data_options
@base_url_option
@click.option(
    "--protocols", is_flag=True, help="List the ready-made protocols to start from instead."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
def command(
    studies: tuple[Path, ...],
    where: DataPlace,
    base_url: str | None,
    protocols: bool,
    as_json: bool,
) -> None:
    """List studies, their links and their numbers.

    Real, simulated and preview sessions are counted apart.

    \b
    Example:
      believable list my-study
      believable list --data /srv/studies --json
      believable list --protocols
    """
    if protocols:
        click.echo(ready_studies(as_json=as_json))
        return
    folders = [study_folder(study) for study in studies] or (
        [Path.cwd()] if where.data is None else []
    )
    settings = where.settings(folders, base_url)
    with open_store(settings) as store:
        rows = describe(store, settings.base_url)
    click.echo(
        json.dumps([asdict(row) for row in rows], indent=2, ensure_ascii=False)
        if as_json
        else as_text(rows)
    )


def ready_studies(*, as_json: bool) -> str:
    """What `believable new` can start from."""
    from believable.protocols import READY_STUDIES

    about = {ready.name: ready.about for ready in READY_STUDIES}
    if as_json:
        return json.dumps(about, indent=2, ensure_ascii=False)
    width = max(map(len, about))
    return "\n".join(f"{name:<{width}}  {words}" for name, words in about.items())


@dataclass(frozen=True, slots=True)
class StudySummary:
    """One study: its state, its links by kind, and its sessions by pool and by what became of
    them.
    """

    id: str
    title: str
    state: str
    links: Mapping[str, str]
    sessions: Mapping[str, Mapping[str, int]]


def describe(store: Store, base_url: str) -> list[StudySummary]:
    """Everything there is to say, from one consistent look at the database."""
    from believable.store import monitor, studies
    from believable.store.sessions import POOLS

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


def as_text(rows: Sequence[StudySummary]) -> str:
    if not rows:
        return "No studies here yet. Serve one first: believable serve STUDY"
    lines = []
    for row in rows:
        lines.append(f"{row.id}  ({row.state})  {row.title}")
        lines += [f"  {kind + ' link':<16} {link}" for kind, link in row.links.items()]
        for pool, numbers in row.sessions.items():
            shown = [
                f"{count} {name.replace('_', ' ')}"
                for name, count in numbers.items()
                if count and name != "n_events"
            ]
            lines.append(f"  {pool + ' sessions':<18} {', '.join(shown) or 'none'}")
    return "\n".join(lines)

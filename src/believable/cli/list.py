"""`believable list`: what is in a data folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from believable.cli.place import data_options, settings_for, study_folder

if TYPE_CHECKING:
    from believable.store.engine import Store

    Connection = Any  # only `store` names its type


@click.command()
@click.argument("studies", nargs=-1, type=click.Path(path_type=Path), metavar="[STUDY]...")
@data_options
@click.option(
    "--base-url", default="http://127.0.0.1:8000", show_default=True, help="The address to print links with."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
def command(
    studies: tuple[Path, ...], data: Path | None, database: str | None, base_url: str, as_json: bool
) -> None:
    """List studies, their links and their numbers.

    Real, simulated and preview sessions are counted apart.

    \b
    Example:
      believable list my-study
      believable list --data /srv/studies --json
    """
    from believable.core.clock import WallClock
    from believable.core.errors import NotFound
    from believable.store.engine import Store

    folders = [study_folder(study) for study in studies] or ([Path.cwd()] if data is None else [])
    settings = settings_for(folders, data, database, base_url)
    if settings.url.startswith("sqlite:///") and not Path(settings.url.removeprefix("sqlite:///")).exists():
        raise NotFound(
            f"{settings.data_dir}: there is no database here. Serve the study first: believable serve STUDY"
        )
    with Store.open(settings.url, clock=WallClock()) as store:
        rows = describe(store, settings.base_url)
    click.echo(
        json.dumps([asdict(row) for row in rows], indent=2, ensure_ascii=False) if as_json else as_text(rows)
    )


@dataclass(frozen=True, slots=True)
class Row:
    """One study: its state, its links by kind, and its sessions by pool and by what became of them."""

    id: str
    title: str
    state: str
    links: Mapping[str, str]
    sessions: Mapping[str, Mapping[str, int]]


def describe(store: Store, base_url: str) -> list[Row]:
    """Everything there is to say, from one consistent look at the database."""
    from believable.store import links, monitor, studies
    from believable.store.pools import POOLS

    now_ms = store.clock.now_ms()

    def look(conn: Connection) -> list[Row]:
        rows = []
        for study in studies.every(conn):
            addresses = {
                link.kind: f"{base_url}/join/{link.token}"
                for link in reversed(links.of_study(conn, study.id))
                if link.kind != "personal"
            }
            numbers = {
                pool: asdict(
                    monitor.counts(
                        monitor.groups(conn, study.id, pool, now_ms=now_ms),
                        monitor.withdrawn(conn, study.id, pool),
                    )
                )
                for pool in POOLS
            }
            rows.append(Row(study.id, study.title, study.state, addresses, numbers))
        return rows

    return store.read(look)


def as_text(rows: Sequence[Row]) -> str:
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

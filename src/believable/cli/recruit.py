"""`believable recruit`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from believable.app.recruit import MatchLists, make_links, match_platform
from believable.cli.derive import derive


@click.group()
def command() -> None:
    """Match a recruiting platform's export with the sessions.

    \b
    Example:
      believable recruit match prolific_export.csv --study my-study
      believable recruit links my-study --count 20
    """


@derive(
    match_platform,
    group=command,
    name="match",
    example="""
      believable recruit match prolific_export.csv --study my-study --bonus 0.50
      believable recruit match prolific_export.csv --study my-study --bonus 0.50 \
--bonus-if auditory.reliable
    """,
)
def match_command(result: MatchLists) -> None:
    click.echo(
        f"{result.platform}: {result.n_submissions} submissions, {result.n_sessions} sessions"
        " with a recruiter's id"
    )
    for path, count in result.written:
        click.echo(f"  {count:>5}  {path}")
    if result.without_id:
        lines = ", ".join(map(str, result.without_id[:10]))
        click.echo(f"  {len(result.without_id):>5}  rows without an id (lines {lines})")
    if result.n_absent:
        click.echo(f"  {result.n_absent:>5}  sessions of people who are not in the file")


@derive(
    make_links,
    group=command,
    name="links",
    example="believable recruit links my-study --count 20 --label pilot"
    " --base-url https://study.example.org",
)
def links_command(links: Sequence[str]) -> None:
    for link in links:
        click.echo(link)

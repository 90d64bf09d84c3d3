"""`believable publish`."""

from __future__ import annotations

import click

from believable.app.publish import Release, publish
from believable.cli.derive import derive


@derive(
    publish,
    example="""
      believable publish my-study --out release --licence CC-BY-4.0 --author "A. Researcher"
      believable publish my-study --out release --licence CC-BY-4.0 --redact all
      believable publish my-study --out release --licence CC-BY-4.0 --attack prolific_export.csv
    """,
)
def command(release: Release) -> None:
    facts = release.facts
    done = f", {len(facts.redacted)} places taken out" if facts.redacted else ""
    kept = f", {len(facts.accepted)} accepted" if facts.accepted else ""
    click.echo(
        f"{release.folder}: release under {facts.licence.name}{done}{kept}. {facts.times} Read its"
        " README.md before you publish it."
    )
    if not release.attacked:
        click.echo(
            "Nobody has tried to re-identify participants in it. Try it with --attack PLATFORM.csv."
        )

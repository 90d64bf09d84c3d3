"""`believable giveaways`."""

from __future__ import annotations

import click

from believable.app.giveaways import GiveawaysResult, giveaways
from believable.cli.derive import derive


@derive(
    giveaways,
    example="""believable giveaways my-study
believable giveaways my-study --accept "The agent's map is darker; both conditions say so."
believable giveaways --clips human=clips/people --clips agent=clips/agent""",
)
def command(result: GiveawaysResult) -> None:
    found = result.giveaways
    for pair in found.compared:
        click.echo(f"{pair.first} and {pair.second}: {pair.pairs} pairs")
    if not found.compared:
        click.echo("No two conditions share scenarios, so nothing was compared.")
    for pair in found.without_test:
        click.echo(
            f"{pair.first} and {pair.second}: too few pairs for a test; six are needed for a p of"
            " .05 or less."
        )
    for sentence in result.artifacts:
        click.echo(f"artifact: {sentence}")
    for giveaway in found.of("behavior"):
        click.echo(f"behavior: {giveaway}")
        if giveaway.moment is not None:
            click.echo(f"  best seen in {giveaway.moment.stimulus} at {giveaway.moment.at_s:.1f} s")
    if not result.artifacts:
        click.echo("No artifact is above chance.")
    elif result.accepted:
        click.echo(f"Accepted, because: {result.accepted}")
    elif result.certificate is not None:
        click.echo(
            "This stops the launch. Remove the artifacts, or write a reason:"
            f" {result.accept_command}"
        )
    click.echo(f"Wrote {result.page}")

"""`believable town`."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping

import click

from believable.app import town
from believable.app.town import InspectionPage, TownDays
from believable.cli.derive import derive
from believable.worlds.town.rule_checker.rules import TownFindings


@click.group()
def command() -> None:
    """Let people live in a town, and look into their minds.

    \b
    Example:
      believable town models
      believable town run my-run --agent generative --variant paper --people 6 --days 2 --seed 7
      believable town check my-run
      believable town inspect my-run
    """


@derive(town.fetch_models, group=command, name="models", example="believable town models")
def models(result: Mapping[str, str]) -> None:
    for name, state in result.items():
        click.echo(f"{name}: {state}")


@derive(
    town.run_town,
    group=command,
    name="run",
    example="""
      believable town run my-run --agent generative --variant released --people 6 --days 2 --seed 7
      believable town run other-run --agent neurosymbolic --model embedded --seed 7
      believable town run third-run --agent neurosymbolic --option checks=off
    """,
)
def run(result: TownDays) -> None:
    costs = ""
    if result.answers is not None:
        costs = f"; {result.answers} answers, {result.tokens} tokens, cost {result.cost:.4f}"
        if result.unreadable:
            costs += f"; {result.unreadable} answers could not be read"
        if result.left_out:
            costs += f"; the server refuses {', '.join(result.left_out)}"
    click.echo(
        f"{result.out}: {result.n_actions} actions of {result.people} people in {result.days}"
        f" days{costs}"
    )


@derive(town.inspect_town, group=command, name="inspect", example="believable town inspect my-run")
def inspect(result: InspectionPage) -> None:
    click.echo(f"{result.page}: {result.n_bytes / 1e6:.1f} MB")
    if result.open:
        webbrowser.open(result.page.resolve().as_uri())


@derive(
    town.find_violations,
    group=command,
    name="check",
    example="""
      believable town check days
      believable town check days --json
    """,
    answer=town.findings_tree,
)
def check(findings: TownFindings) -> None:
    for violation in findings.violations:
        day, minute = divmod(violation.t_ms // 60_000, 1440)
        apart = "  (a norm that no mind knows)" if violation.hidden else ""
        click.echo(
            f"day {day + 1} {minute // 60:02d}:{minute % 60:02d}  {violation.actor} "
            f" {violation.category}  {violation.rule}: {violation.reason}"
            f" [{violation.action}]{apart}"
        )
    rate = (
        "undefined, no actions" if findings.per_100 is None else f"{findings.per_100:.2f} per 100"
    )
    share = findings.intentions_fulfilled
    kept = "none stated" if share is None else f"{share:.0%} of {findings.intentions}"
    count = sum(findings.by_category().values())
    click.echo(
        f"{findings.actions} actions, {count} violations ({rate}), intentions fulfilled: {kept}"
    )
    for note in findings.skipped:
        click.echo(f"not checked: {note}")

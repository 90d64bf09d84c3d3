"""Find what gives an agent away: artifacts of files and delivery, and behavior."""

from __future__ import annotations

import datetime
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from believable.app.options import (
    AnyPath,
    Options,
    UseCaseOutcome,
    argument,
    option,
    options,
    setting,
    use_case,
)
from believable.app.study_data import ExtensionOptions, load_study
from believable.core.errors import InvalidInput, Problem, WrongUsage
from believable.core.shell import quote_command
from believable.core.whole_files import write_whole
from believable.giveaways.certificate import (
    Certificate,
    certify,
    digest_stimuli,
    read_certificate,
    write_certificate,
)
from believable.giveaways.exhibits import Exhibit, exhibit_of
from believable.giveaways.finder import Giveaways, find_giveaways
from believable.giveaways.shown_order import revealing_orders
from believable.pages.message import MediumPart
from believable.protocols.own_clips import clip_folder
from believable.recordings.actions import RECORDING_SUFFIX
from believable.report.giveaways_page import giveaways_page
from believable.stimuli.prepare import prepare
from believable.study.definition import Definition

PAGE = "giveaways.html"


@options
class GiveawaysOptions(ExtensionOptions):
    study: AnyPath | None = argument(
        "The study's folder; leave it out with --clips.",
        default=None,
        metavar="[STUDY]",
        path="folder",
        kw_only=False,
    )
    clips: Sequence[str] = option(
        "Any videos or recordings instead of a study: a folder for each condition. Clips are paired"
        " by the order of their names. Repeatable.",
        default=(),
        metavar="CONDITION=FOLDER",
    )
    accept: str | None = option(
        "Launch in spite of the artifacts that are found: the reason, which the certificate keeps.",
        default=None,
        metavar="REASON",
    )
    page: AnyPath | None = option(
        "Write the page with curves and moments here; default: giveaways.html in the study folder,"
        " or here with --clips.",
        default=None,
        path="file",
    )
    seed: int = setting("Random swaps of labels follow from it.", default=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveawaysResult:
    """What gives conditions away. `certificate` is None without a study."""

    giveaways: Giveaways
    page: Path
    certificate: Certificate | None
    accept_command: str

    @property
    def accepted(self) -> str:
        return "" if self.certificate is None else self.certificate.accepted

    @property
    def artifacts(self) -> tuple[str, ...]:
        return (*map(str, self.giveaways.of("artifact")), *self.giveaways.orders)

    @property
    def outcome(self) -> UseCaseOutcome:
        return (
            UseCaseOutcome.PROBLEMS if self.artifacts and not self.accepted else UseCaseOutcome.DONE
        )

    def as_json(self) -> object:
        return {
            "outcome": self.outcome,
            "page": self.page,
            "accepted": self.accepted,
            "artifacts": self.artifacts,
            "behavior": [str(giveaway) for giveaway in self.giveaways.of("behavior")],
            "found": self.giveaways.found,
            "compared": self.giveaways.compared,
        }


@use_case(GiveawaysOptions)
def giveaways(options: GiveawaysOptions) -> GiveawaysResult:
    """Find what gives an agent away, before people judge.

    Artifacts are properties of files and delivery: bytes, packets, length, first and last picture,
    brightness, edges, colors, sound, metadata, sizes and data that the browser gets, order. An
    artifact above chance stops the launch of the study; write a reason with --accept to launch all
    the same. Behavior (speed, turning and its spectrum, a decision clock, jerk, pauses, walls,
    reactions) is for people to judge: it is information for the agent's maker.

    Each feature guesses the conditions of each pair from all other pairs, and is compared with
    swapped labels within pairs. The page shows the curve that betrays a condition for both sides,
    and the moment. The study folder keeps the certificate (giveaways.json), which report and
    release repeat. Exit code 1: artifacts above chance and no reason.
    """
    if (options.study is None) == (not options.clips):
        raise WrongUsage(
            "giveaways: expected a study's folder, or --clips CONDITION=FOLDER twice or more."
        )
    rng = np.random.default_rng(options.seed)
    if options.study is None:
        exhibits = _clips(options)
        found, certificate = find_giveaways(exhibits, rng), None
        page = Path(options.page or PAGE)
        again = "believable giveaways"
    else:
        folder = options.folder_of(options.study)
        definition = load_study(folder)
        exhibits = study_exhibits(definition, folder, options)
        found = replace(find_giveaways(exhibits, rng), orders=revealing_orders(definition.study))
        certificate = _certificate(found, definition, folder, options.accept)
        write_certificate(folder, certificate)
        page = Path(options.page or folder / PAGE)
        again = quote_command("believable giveaways", options.study)
    write_whole(page, giveaways_page(found, exhibits, certificate))
    return GiveawaysResult(
        giveaways=found,
        page=page,
        certificate=certificate,
        accept_command=f'{again} --accept "REASON"',
    )


def _certificate(
    found: Giveaways, definition: Definition, folder: Path, reason: str | None
) -> Certificate:
    """The new certificate; an earlier reason holds as long as it speaks of the same artifacts."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    made = certify(found, stimuli=digest_stimuli(folder, definition.study.stimuli), looked_on=now)
    if reason is not None and not reason.strip():
        raise WrongUsage("--accept: expected a reason in words, got an empty text.")
    if reason is not None:
        return replace(made, accepted=reason.strip() if made.artifacts else "")
    earlier = read_certificate(folder)
    same = earlier is not None and earlier.artifacts == made.artifacts
    return replace(made, accepted=earlier.accepted if earlier is not None and same else "")


def study_exhibits(definition: Definition, folder: Path, options: Options) -> Sequence[Exhibit]:
    """Look at every stimulus that has a condition, and at its size as the server would send it."""
    shown = [stimulus for stimulus in definition.study.stimuli if stimulus.condition is not None]
    with tempfile.TemporaryDirectory(prefix="believable-giveaways-") as room:
        served = _measure_served(definition, folder, Path(room)) if shown else {}
    with options.counting_each("Looking", len(shown)) as count:
        exhibits = []
        for stimulus in shown:
            exhibits.append(
                exhibit_of(
                    folder / stimulus.file,
                    name=stimulus.id,
                    condition=str(stimulus.condition),
                    scenario=stimulus.match_group,
                    served=served[stimulus.id],
                )
            )
            count()
    return exhibits


def _measure_served(
    definition: Definition, folder: Path, media_dir: Path
) -> Mapping[str, Mapping[str, float]]:
    """The stripped copies that participants get, and the page's data about them."""
    found: dict[str, dict[str, float]] = {}
    for name, medium in prepare(definition, folder, media_dir).items():
        stimulus = next(each for each in definition.study.stimuli if each.id == name)
        log = None if medium.actions is None else ""
        part = MediumPart(url="", bytes=medium.bytes, player=stimulus.player, log=log)
        found[name] = {"page_json": float(len(part.model_dump_json(exclude={"bytes"})))}
        if not medium.is_replay:
            found[name]["served_bytes"] = float(medium.bytes)
    return found


def _clips(options: GiveawaysOptions) -> Sequence[Exhibit]:
    folders = [clip_folder(written) for written in options.clips]
    if len(folders) < 2:
        raise WrongUsage("--clips: expected a folder for each of two conditions or more, got one.")
    files = [(folder.condition, file) for folder in folders for file in folder.clips]
    with options.counting_each("Looking", len(files)) as count:
        exhibits = []
        for condition, file in files:
            name = file.name.removesuffix(RECORDING_SUFFIX).removesuffix(file.suffix)
            exhibits.append(
                exhibit_of(
                    file, name=f"{condition}/{name}", condition=condition, scenario=None, served={}
                )
            )
            count()
    return exhibits


def giveaway_problems(definition: Definition, folder: Path, options: Options) -> list[Problem]:
    """The artifacts of a study as problems: errors, or notes if a reason is on record."""
    conditions = {stimulus.condition for stimulus in definition.study.stimuli} - {None}
    if len(conditions) < 2:
        return []
    kept = read_certificate(folder)
    current = digest_stimuli(folder, definition.study.stimuli)
    if kept is None or kept.stimuli != current:
        try:
            found = find_giveaways(
                study_exhibits(definition, folder, options), np.random.default_rng(1)
            )
        except InvalidInput as error:
            return [
                _problem(f"what gives conditions away was not looked at: {error}", "", "unchecked")
            ]
        found = replace(found, orders=revealing_orders(definition.study))
        reason = kept.accepted if kept is not None else ""
        kept = certify(found, stimuli=current, looked_on="")
        if reason and kept.artifacts:
            kept = replace(kept, accepted="")
    severity = "note" if kept.accepted else "error"
    command = quote_command("believable giveaways", folder)
    cure = (
        f"Accepted, because: {kept.accepted}"
        if kept.accepted
        else f'See {command}. Remove it, or launch with a reason: {command} --accept "REASON"'
    )
    return [
        _problem(f"an artifact tells conditions apart above chance: {sentence}.", cure, severity)
        for sentence in kept.artifacts
    ]


def _problem(message: str, cure: str, severity: str) -> Problem:
    return Problem(
        file="study.yaml", line=1, path="stimuli", message=message, cure=cure, severity=severity
    )

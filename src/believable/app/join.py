"""Join datasets of one study from several laboratories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from believable.analysis.analysed_set import find_exclusions
from believable.analysis.registered import plan_hash
from believable.analysis.run import settle, study_of
from believable.app.analyse import DatasetOptions, open_dataset
from believable.app.options import AnyPath, argument, option, options, use_case
from believable.bundle.joining import join_bundles
from believable.bundle.read import Bundle
from believable.core.errors import InvalidInput, WrongUsage


@options
class JoinOptions(DatasetOptions):
    sources: Sequence[AnyPath] = argument(
        "Bundles or studies, one for each laboratory.", metavar="STUDY_OR_BUNDLE", kw_only=False
    )
    out: AnyPath = option("Folder of the joined bundle.", path="folder")
    site: Sequence[str] = option(
        "Name of each laboratory, in the order of the datasets; default: the names of the folders."
        " Repeatable.",
        default=(),
        metavar="NAME",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedDataset:
    """The bundle that was written, with the sessions of each site."""

    path: Path
    sessions: Mapping[str, int]
    events: int
    plan: str


@use_case(JoinOptions)
def join(options: JoinOptions) -> JoinedDataset:
    """Join datasets of one study from several laboratories.

    All must follow the same plan (the hash that `believable preregister` prints). Each participant
    gets a `site`, which the analysis and the report use as a factor: whether answers differ between
    sites is tested. Exclusion rules are applied to all sessions together.
    """
    target = Path(options.out)
    names = _site_names(options)
    with ExitStack() as stack:
        sites = {
            name: stack.enter_context(open_dataset(source, options)).bundle
            for name, source in zip(names, options.sources, strict=True)
        }
        plan = _common_plan(sites)
        written = join_bundles(sites, target, leave_out=find_exclusions())
        sessions = {name: len(bundle["participants"]) for name, bundle in sites.items()}
    return JoinedDataset(path=target, sessions=sessions, events=written.events, plan=plan)


def _site_names(options: JoinOptions) -> list[str]:
    if options.site and len(options.site) != len(options.sources):
        raise WrongUsage(
            f"--site: expected a name for each of {len(options.sources)} datasets, got"
            f" {len(options.site)}."
        )
    names = list(options.site) or [Path(source).resolve().name for source in options.sources]
    if len(set(names)) < len(names):
        raise WrongUsage(
            f"join: the sites have the same name {names[0]!r}. Name them: --site A --site B."
        )
    return names


def _common_plan(sites: Mapping[str, Bundle]) -> str:
    """The hash of the plan that all datasets follow."""
    plans = {}
    for name, bundle in sites.items():
        _, study = study_of(bundle)
        plans[name] = plan_hash(settle(study, None, None))
    if len(set(plans.values())) > 1:
        listed = ", ".join(f"{name}: {digest[:12]}" for name, digest in plans.items())
        raise InvalidInput(
            f"join: the datasets follow different plans ({listed}). Only sessions of one registered"
            " study can be joined: collect with the same study.yaml, or analyse them apart."
        )
    return next(iter(plans.values()))

"""Studies with common agents on one ladder that grows with each of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from believable.analysis.findings import Analysis
from believable.analysis.numbers import counted, listed
from believable.analysis.resolution import resolve
from believable.analysis.run import prepare_data, run, study_of
from believable.app.analyse import Dataset, DatasetOptions, open_dataset
from believable.app.options import AnyPath, argument, option, options, setting, use_case
from believable.app.report import FORMATS
from believable.bundle.read import Bundle
from believable.core.errors import InvalidInput
from believable.protocols.ladder.living_ladder import (
    StudyChoices,
    join_ladder,
    ladder_sections,
    study_choices,
)
from believable.report.figure_files import check_formats, converter, script_ahead
from believable.report.page import ReportFolder, check_report_folder, write_report

#: The role of the question that ladders rest on.
CHOICE = "choice"


@options
class LadderOptions(DatasetOptions):
    sources: Sequence[AnyPath | Bundle] = argument(
        "Studies or bundles in which judges chose between two, such as ladder, versus and hntt.",
        metavar="STUDY_OR_BUNDLE…",
        kw_only=False,
    )
    out: AnyPath | None = option(
        "Folder of the page; default: ladder, here.", default=None, path="folder"
    )
    formats: str = setting(FORMATS, default="svg,pdf,png")


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedLadder:
    """The page, and what it shows."""

    folder: ReportFolder
    analysis: Analysis


@use_case(LadderOptions)
def ladder(options: LadderOptions) -> JoinedLadder:
    """Join studies with common agents into one ladder.

    One model of all choices places every agent that was ever judged on one scale, with the dates
    of its studies, its number of choices and an interval. A table over time shows each study alone,
    relative to the anchors: the agents that are in every study. Whether judges of the studies
    differ is tested on the anchors. A clip that several studies showed counts as one clip, so that
    judgements of people's clips are used again.
    """
    if not options.sources:
        raise InvalidInput("ladder: expected studies or bundles, got none.")
    formats = check_formats(options.formats)
    converter()
    target = Path(options.out or "ladder")
    check_report_folder(target)
    judged, analyses = [], []
    with script_ahead() as script:
        for source in options.sources:
            with open_dataset(source, options) as dataset:
                analyses.append(run(dataset.bundle, dataset.registered))
                judged.append(_choices(_unique(source, judged), dataset))
        analysis = _analysis(judged, analyses)
        folder = write_report(analysis, target, formats=formats, script=script)
    return JoinedLadder(folder=folder, analysis=analysis)


def _unique(source: AnyPath | Bundle, known: Sequence[StudyChoices]) -> str:
    name = "bundle" if isinstance(source, Bundle) else Path(source).resolve().name
    same = sum(study.name.partition(" (")[0] == name for study in known)
    return f"{name} ({same + 1})" if same else name


def _choices(name: str, dataset: Dataset) -> StudyChoices:
    _, study = study_of(dataset.bundle)
    if study is None or study.analysis is None or study.analysis.protocol is None:
        raise InvalidInput(f"{name}: its study declares no protocol, so its choices are not known.")
    plan = resolve(study.analysis, study)
    if CHOICE not in {role.name for role in plan.declaration.roles}:
        raise InvalidInput(
            f"{name}: judges of {plan.protocol} do not choose between two. Leave it out."
        )
    return study_choices(name, prepare_data(dataset.bundle, plan, study))


def _analysis(judged: Sequence[StudyChoices], analyses: Sequence[Analysis]) -> Analysis:
    """The ladder as an analysis of its own, which the report lays out."""
    joined = join_ladder(judged)
    names = [study.name for study in joined.studies]

    def together(values: Sequence[str]) -> str:
        return hashlib.sha256("\n".join(values).encode()).hexdigest()

    sources = [analysis.source for analysis in analyses]
    source = replace(
        sources[0],
        study=listed(names),
        protocol="ladder",
        definition=together([part.definition for part in sources]),
        data=together([part.data for part in sources]),
        plan=together([part.plan for part in sources]),
        registered="",
        simulated=any(part.simulated for part in sources),
        demonstration=any(part.demonstration for part in sources),
        definitions={},
    )
    return Analysis(
        title=f"Ladder of {counted(len(joined.fit.items), 'agent')} from"
        f" {counted(len(names), 'study', 'studies')}",
        source=source,
        funnel=(),
        drops=(),
        sections=ladder_sections(joined),
        methods=(
            "All choices of the studies were fitted by one model of paired comparisons with ties"
            " (Davidson, 1970), with intervals clustered by judge and clip. The plans of the single"
            " studies were followed for who is left out; their hypotheses are judged in their own"
            " reports, and this ladder is exploratory."
        ),
        warnings=tuple(
            f"{name}: {words}"
            for name, analysis in zip([study.name for study in judged], analyses, strict=True)
            for words in analysis.warnings
        ),
        sources=analyses[0].sources,
        bibtex=analyses[0].bibtex,
    )

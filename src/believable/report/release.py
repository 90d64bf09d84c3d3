"""The anonymised release of a study: data, study, plan, report, and what readers need to use them
rightly.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from believable.analysis.findings import Analysis
from believable.analysis.registered import FOLDER as PLAN_FOLDER
from believable.core.data_files import read_blocks
from believable.core.documents import document
from believable.core.errors import Refused
from believable.core.registry import Registry
from believable.core.whole_files import check_replaceable, disk_error, replace_folder, seal
from believable.giveaways.certificate import FILE as CERTIFICATE
from believable.giveaways.certificate import certificate_sentence
from believable.report.figure_files import Format
from believable.report.page import write_report
from believable.report.privacy import Spot

MARK = "release.json"
FORMAT = "believable-release/1"
TEMPLATES = Path(__file__).parent / "templates" / "release"
BUNDLE, STUDY, REPORT = "bundle", "study", "report"
#: Parts of a study folder that are published; stimuli only when asked for, since they may belong to
#: others.
STUDY_PARTS = ("study.yaml", "pages", CERTIFICATE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseFacts:
    """The papers of a release. `accepted` are spots that were looked at and are no harm; `redacted`
    those taken out.
    """

    title: str
    authors: tuple[str, ...]
    licence: Licence
    accepted: tuple[Spot, ...] = ()
    redacted: tuple[Spot, ...] = ()
    new_receipts: int = 0
    stimuli: bool = False
    #: The precision of times, as a sentence.
    times: str = ""
    #: Whether the order of pages gives the order of arrival away, because both follow from the
    #: study's seed.
    arrival_by_seed: bool = False
    #: The findings of an attack with a platform's list, a line for each signal; none: no attack was
    #: made.
    attack: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Licence:
    """`name` is its SPDX identifier."""

    name: str
    title: str
    address: str
    about: str


LICENCES: Registry[Licence] = Registry(
    "licence",
    [
        Licence(name, **words)
        for name, words in read_blocks(Path(__file__).with_name("licences.yaml")).items()
    ],
)


def check_target(folder: Path) -> None:
    """Only an older release without added or changed files, or nothing, may be replaced."""
    check_replaceable(folder, "release", is_ours=(folder / MARK).is_file())


def check_spots(spots: Sequence[Spot], accepted: frozenset[str], redacted: frozenset[str]) -> None:
    """Raises `Refused` with everything that is still open."""
    left = [spot for spot in spots if spot.id not in accepted | redacted]
    if not left:
        return
    lines = [
        f"  {spot.id}  {spot.kind} in {spot.place}: “{spot.excerpt}”. {spot.cure}" for spot in left
    ]
    raise Refused(
        f"{len(left)} places may identify a person:\n"
        + "\n".join(lines)
        + "\nRead each. Take it out with --redact ID, or keep it with --accept ID where it gives"
        " nobody away; `--redact all` takes everything out."
    )


def build(
    folder: Path,
    *,
    bundle: Path,
    study: Path | None,
    analysis: Analysis,
    facts: ReleaseFacts,
    formats: Sequence[Format] = ("svg", "pdf", "png"),
) -> None:
    """Write the release. `bundle` is moved into it; `study` is the study's folder if
    there is one.
    """
    check_target(folder)
    part = folder.resolve().with_name(f".{folder.resolve().name}.{os.getpid()}.part")
    try:
        part.mkdir(parents=True)
        shutil.copytree(bundle, part / BUNDLE)
        if study is not None:
            _study(study, part, with_stimuli=facts.stimuli)
        write_report(
            analysis, part / REPORT, formats=formats, certificate=certificate_sentence(study)
        )
        for name, text in papers(
            analysis, facts, plan=(part / PLAN_FOLDER).is_dir(), study=study is not None
        ).items():
            (part / name).write_text(text, encoding="utf-8")
        seal(part)
        check_target(folder)  # another process may have written there meanwhile
        replace_folder(part, folder)
    except OSError as error:
        raise disk_error(error, folder) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _study(study: Path, part: Path, *, with_stimuli: bool) -> None:
    (part / STUDY).mkdir()
    for name in (*STUDY_PARTS, *(("stimuli",) if with_stimuli else ())):
        source = study / name
        if source.is_dir():
            shutil.copytree(source, part / STUDY / name)
        elif source.is_file():
            shutil.copy2(source, part / STUDY / name)
    if (study / PLAN_FOLDER).is_dir():
        shutil.copytree(study / PLAN_FOLDER, part / PLAN_FOLDER)


def papers(analysis: Analysis, facts: ReleaseFacts, *, plan: bool, study: bool) -> dict[str, str]:
    """What readers of a release begin with, by the name of the file. Texts in CFF are JSON, which
    YAML reads as it is.
    """
    words = {
        name: document(
            TEMPLATES / name,
            facts=facts,
            source=analysis.source,
            sessions=analysis.funnel[-1].after if analysis.funnel else 0,
            plan=PLAN_FOLDER if plan else "",
            study=study,
            mark=MARK,
            quoted=lambda text: json.dumps(text, ensure_ascii=False),
        )
        for name in ("README.md", "CITATION.cff", "LICENSE")
    }
    return words | {MARK: json.dumps(_mark(analysis, facts), indent=2, ensure_ascii=False) + "\n"}


def _mark(analysis: Analysis, facts: ReleaseFacts) -> dict[str, object]:
    source = analysis.source
    return {
        "format": FORMAT,
        "title": facts.title,
        "licence": facts.licence.name,
        "simulated": source.simulated,
        "demonstration": source.demonstration,
        "definition": source.definition,
        "data": source.data,
        "plan": source.plan,
        "registered": source.registered,
        "accepted": [f"{spot.kind} in {spot.place}" for spot in facts.accepted],
        "redacted": [f"{spot.kind} in {spot.place}" for spot in facts.redacted],
        "times": facts.times,
        "attack": list(facts.attack),
    }

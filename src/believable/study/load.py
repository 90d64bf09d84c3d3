"""A study folder to a checked definition: `study.yaml`, the Markdown pages it names, and every
problem at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from believable.contracts.registries import INSTRUMENTS, PAGES
from believable.contracts.texts import LANGUAGES
from believable.contracts.trial import outline
from believable.core.clock import Clock, WallClock
from believable.core.errors import Problem, StudyError
from believable.core.nodes import Node, parse
from believable.core.registry import did_you_mean
from believable.plugins import EXTENSIONS, extension_digests, extension_folders
from believable.study.checks.analysis_plan import check_analysis_plan
from believable.study.checks.blocks import check_blocks, check_supply, check_turns
from believable.study.checks.codebooks import check_codebooks
from believable.study.checks.languages import check_languages
from believable.study.checks.names import (
    check_arms,
    check_recruiting,
    check_stimuli,
    check_timeline,
)
from believable.study.checks.rule_checks import check_rules
from believable.study.definition import Definition
from believable.study.pools import expand_pools
from believable.study.reading import Reading, read_study
from believable.study.wording import shown

STUDY_FILE = "study.yaml"


def load(folder: Path | str, *, clock: Clock | None = None) -> Definition:
    """The definition, without media. Raises `StudyError` with all problems; warnings alone do not
    stop it.

    `protocols` are those whose analysis a study may declare.
    """
    reading, pages, all_problems = _everything(Path(folder), clock or WallClock())
    errors = [problem for problem in all_problems if problem.severity == "error"]
    if errors or reading is None:
        raise StudyError(errors)
    carried = {
        name: digest
        for name, digest in extension_digests(Path(folder)).items()
        if name in INSTRUMENTS
    }
    return Definition(
        study=reading.study, tree=reading.root.plain(), pages=pages, extensions=carried
    )


def problems(folder: Path | str, *, clock: Clock | None = None) -> list[Problem]:
    """Everything wrong with the study, warnings included, in file order."""
    return _everything(Path(folder), clock or WallClock())[2]


def _everything(folder: Path, clock: Clock) -> tuple[Reading | None, dict[str, str], list[Problem]]:
    path = folder / STUDY_FILE
    if not path.is_file():
        cure = "Give the folder that holds study.yaml, or make one with `believable new`."
        return (
            None,
            {},
            [
                Problem(
                    file=STUDY_FILE,
                    line=1,
                    path="",
                    message=f"there is no {STUDY_FILE} in {str(folder)!r}.",
                    cure=cure,
                )
            ],
        )
    tree, syntax_problems = parse(path.read_bytes(), STUDY_FILE)
    if tree is None:
        return None, {}, syntax_problems
    tree, pool_problems = expand_pools(tree, folder)
    reading = read_study(tree, file=STUDY_FILE)
    reading.problems.extend([*syntax_problems, *pool_problems])
    pages = read_pages(reading, folder)
    _check_placeholders(reading, tree)
    check(reading, now_ms=clock.now_ms())
    if reading.problems:
        reading.problems.extend(_not_allowed(folder))
    return reading, pages, sorted(reading.problems, key=lambda problem: problem.line)


def _not_allowed(folder: Path) -> list[Problem]:
    """If there are problems, the reason may be instruments in the folder that were not allowed to
    run.
    """
    names = [
        carried.name for carried in extension_folders(folder) if carried.name not in INSTRUMENTS
    ]
    if not names:
        return []
    message = f"the study carries its own {', '.join(names)} in {EXTENSIONS}/, which may not run."
    cure = (
        "Read its code: it runs with all your rights. Then repeat the command with"
        " --allow-extensions."
    )
    return [Problem(file=STUDY_FILE, line=1, path="", message=message, cure=cure)]


def check(reading: Reading, *, now_ms: int) -> None:
    """Report every problem into `reading`. Each check leaves alone what an earlier one found
    broken.
    """
    check_languages(reading)
    check_timeline(reading)
    check_stimuli(reading)
    check_recruiting(reading, now_ms=now_ms)
    entries = list(outline(reading.study.timeline))
    for entry in entries:
        if entry.item.kind in PAGES:
            PAGES[entry.item.kind].checks.entry(reading, entry, entries)
    for page in PAGES:
        page.checks.timeline(reading, entries)
    check_blocks(reading)
    check_rules(reading)
    check_supply(reading)
    check_turns(reading)
    check_arms(reading)
    check_codebooks(reading)
    check_analysis_plan(reading)


MAX_PAGE_BYTES = 1_000_000
#: The placeholders that templates leave to their authors: [YOUR NAME AND INSTITUTION].
PLACEHOLDER = re.compile(r"\[[A-Z][A-Z ,'’-]{4,}\]")


def read_pages(reading: Reading, folder: Path) -> dict[str, str]:
    """Path as written → Markdown. What cannot be read is reported; files of stimuli are only kept
    inside the folder.
    """
    pages: dict[str, str] = {}
    unoffered = set(LANGUAGES) - set(reading.study.languages)
    for node in _page_nodes(reading.root):
        if node.path.rpartition(".")[2] in unoffered:
            continue  # said once for all texts in that language
        text = _page(reading, folder, node)
        if text is not None:
            pages[node.value] = text
    for stimulus in reading.study.stimuli:
        place = reading.place(stimulus).get("file")
        if place is not None:
            _inside(reading, folder, place)
    return dict(sorted(pages.items()))


def _inside(reading: Reading, folder: Path, node: Node) -> Path | None:
    """The file that `node` names, if it lies in the study folder (links followed)."""
    written = PurePosixPath(node.value)
    leaves = (
        written.is_absolute()
        or ".." in written.parts
        or "\\" in node.value
        or "\0" in node.value
        or ":" in written.parts[0]
    )
    if not leaves and (folder / written).resolve().is_relative_to(folder.resolve()):
        return folder / written
    reading.report(
        node,
        f"{shown(node)} leads out of the study folder.",
        "Copy the file into the folder and give its path from there, with forward slashes.",
    )
    return None


def _page(reading: Reading, folder: Path, node: Node) -> str | None:
    path = _inside(reading, folder, node)
    if path is None:
        return None
    if not path.is_file():
        there = [
            str(path.relative_to(folder).as_posix())
            for path in sorted(folder.glob("pages/**/*.md"))
        ]
        cure = did_you_mean(node.value, there) if there else "Write the page as Markdown."
        reading.report(node, f"there is no file {shown(node)}.", cure)
        return None
    raw = path.read_bytes()
    if len(raw) > MAX_PAGE_BYTES:
        message = f"{shown(node)} has {len(raw):,} bytes, the limit is {MAX_PAGE_BYTES:,}."
        reading.report(node, message, "Shorten it.")
        return None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        reading.report(node, f"{shown(node)} is not UTF-8 (line {line}).", "Save it as UTF-8.")
        return None
    if not text.strip():
        reading.report(node, f"{shown(node)} is empty.", "Write the page.")
    placeholders = PLACEHOLDER.findall(text)
    if placeholders:
        message = f"{shown(node)} still holds {', '.join(placeholders[:3])}."
        reading.report(
            node, message, "Put your own words there before you invite people.", severity="warning"
        )
    return text


def _check_placeholders(reading: Reading, node: Node) -> None:
    """Texts of the study file that the author has not replaced."""
    if isinstance(node.value, str):
        placeholders = PLACEHOLDER.findall(node.value)
        if placeholders:
            message = f"the text still holds {', '.join(placeholders[:3])}."
            reading.report(
                node,
                message,
                "Put your own words there before you invite people.",
                severity="warning",
            )
        return
    for inner in (
        *(node if node.is_list else ()),
        *(node.value.values() if node.is_mapping else ()),
    ):
        _check_placeholders(reading, inner)


def _page_nodes(node: Node) -> Iterator[Node]:
    """Every `page:` of the timeline, one or one per language."""
    if node.is_list:
        for inner in node:
            yield from _page_nodes(inner)
    for key, inner in node.value.items() if node.is_mapping else ():
        if key != "page":
            yield from _page_nodes(inner)
        else:
            for leaf in inner.value.values() if inner.is_mapping else (inner,):
                if isinstance(leaf.value, str) and leaf.value.strip():
                    yield leaf

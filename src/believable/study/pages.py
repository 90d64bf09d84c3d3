"""The Markdown pages that a study names, read from its folder and from nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from believable.core.registry import did_you_mean
from believable.study.nodes import Node
from believable.study.read import Reading
from believable.study.wording import shown

MAX_PAGE_BYTES = 1_000_000


def read_pages(reading: Reading, folder: Path) -> dict[str, str]:
    """Path as written → Markdown. What cannot be read is reported; files of stimuli are only kept inside the folder."""
    pages: dict[str, str] = {}
    for node in _page_nodes(reading.root):
        text = _page(reading, folder, node)
        if text is not None:
            pages[node.value] = text
    for stimulus in reading.study.stimuli:
        place = reading.place(stimulus).get("file")
        if place is not None:
            inside(reading, folder, place)
    return dict(sorted(pages.items()))


def inside(reading: Reading, folder: Path, node: Node) -> Path | None:
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
    path = inside(reading, folder, node)
    if path is None:
        return None
    if not path.is_file():
        there = [str(one.relative_to(folder).as_posix()) for one in sorted(folder.glob("pages/**/*.md"))]
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
    return text


def _page_nodes(node: Node) -> Iterator[Node]:
    """Every `page:` of the timeline, one or one per language."""
    if node.is_list:
        for inner in node:
            yield from _page_nodes(inner)
    for key, inner in node.value.items() if node.is_mapping else ():
        if key != "page":
            yield from _page_nodes(inner)
        else:
            for one in inner.value.values() if inner.is_mapping else (inner,):
                if isinstance(one.value, str) and one.value.strip():
                    yield one

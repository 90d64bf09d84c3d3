"""A codebook as REFI-QDA codebook exchange (`.qdc`), which other programs for qualitative analysis read.

Structure of version 1.0: `CodeBook` (origin) holds `Codes` and `Sets`; a `Code` has guid, name, isCodable and color, a
`Description`, and the codes below it; a `Set` has guid and name, a `Description`, and `MemberCode`s by guid.
"""

from __future__ import annotations

import uuid
from xml.etree import ElementTree as ET

from believable import __version__
from believable.study.codebook import Code, Codebook

NAMESPACE = "urn:QDA-XML:codebook:1.0"
#: Names of codes and their guids never change between exports.
_GUIDS = uuid.uuid5(uuid.NAMESPACE_URL, "believable codebook")
_COLOURS = ("#1f5f8b", "#26734d", "#8a5a00", "#a92b2b", "#6b4fa0", "#0f766e", "#9d174d", "#4d5562")
_SIGNS = {"+": "+", "-": "−"}


def to_qdc(book: Codebook) -> str:
    """The file's text. A code with a direction holds one code per direction; reasons to discard are a set of their own."""
    root = ET.Element("CodeBook", {"xmlns": NAMESPACE, "origin": f"believable {__version__}"})
    codes = ET.SubElement(root, "Codes")
    children: dict[str | None, list[Code]] = {}
    for code in book.codes:
        children.setdefault(code.parent if code.parent in book.by_id else None, []).append(code)
    for code in children.get(None, []):
        _add(codes, book, code, children)
    for one in book.discards:
        _element(codes, _guid(book, "discard", one.id), f"Discard: {one.label}", one.definition, codable=True)
    sets = ET.SubElement(root, "Sets")
    if book.discards:
        _set(sets, book, "Reasons to discard", [("discard", one.id) for one in book.discards])
    sided = [("code", code.id) for code in book.codes if code.side]
    if sided:
        _set(sets, book, "Applied to the more or the less human-like one", sided)
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _guid(book: Codebook, *names: str) -> str:
    return str(uuid.uuid5(_GUIDS, "\x1f".join((book.id, *names)))).upper()


def _add(parent: ET.Element, book: Codebook, code: Code, children: dict[str | None, list[Code]]) -> None:
    number = [one.id for one in book.codes].index(code.id)
    made = _element(
        parent,
        _guid(book, "code", code.id),
        code.label,
        description(code),
        codable=not code.direction,
        colour=_COLOURS[number % len(_COLOURS)],
    )
    for direction in code.variants():
        if direction is not None:
            name = f"{code.label} {_SIGNS[direction]}"
            _element(made, _guid(book, "code", code.id, direction), name, "", codable=True)
    for child in children.get(code.id, []):
        _add(made, book, child, children)


def description(code: Code) -> str:
    """The definition with everything else that helps a coder, as text."""
    parts = [code.definition]
    if code.keywords:
        parts.append(f"Keywords: {'; '.join(code.keywords)}.")
    if code.examples:
        parts.append("Examples: " + " ".join(f"“{example}”" for example in code.examples))
    if code.wins_over:
        parts.append(f"Wins over: {', '.join(code.wins_over)}.")
    if code.excludes:
        parts.append(f"Excludes: {', '.join(code.excludes)}.")
    return "\n".join(parts)


def _element(
    parent: ET.Element, guid: str, name: str, words: str, *, codable: bool, colour: str | None = None
) -> ET.Element:
    given = {"guid": guid, "name": name, "isCodable": "true" if codable else "false"}
    made = ET.SubElement(parent, "Code", given | ({"color": colour} if colour else {}))
    if words:
        ET.SubElement(made, "Description").text = words
    return made


def _set(parent: ET.Element, book: Codebook, name: str, members: list[tuple[str, str]]) -> None:
    made = ET.SubElement(parent, "Set", {"guid": _guid(book, "set", name), "name": name})
    for member in members:
        ET.SubElement(made, "MemberCode", {"guid": _guid(book, *member)})

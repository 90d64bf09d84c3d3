"""Lays out generated pages: lines of at most 120 characters, and lists in place of wide tables."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

LONGEST = 120
_HEADER = re.compile(r"\|[-: |]+\|")
_CODE = re.compile(r"`[^`\n]*`")
_ITEM = re.compile(r" *(?:[-*]|\d+\.) ")
#: Keeps the words of a piece of code on one line.
_GLUE = "\0"
#: What would begin a list, a quotation or a heading at the start of a line.
_MARK = re.compile(r" (?=(?:\d+[.)]|[-+*>#]+)(?: |$))")


def lay_out(page: str) -> str:
    """The page with narrow lines. Tables with one heading are all tables or all lists."""
    blocks = list(_blocks(page))
    wide = {
        block[0]
        for block in blocks
        if _is_table(block) and any(len(line) > LONGEST for line in block)
    }
    lines: list[str] = []
    for block in blocks:
        if _is_table(block):
            lines += _as_list(block) if block[0] in wide else block
        else:
            lines += _narrow(block)
    return "\n".join(lines)


def _blocks(page: str) -> Iterator[list[str]]:
    """Code, tables and paragraphs; an empty line is a block."""
    block: list[str] = []
    inside = False
    for line in page.split("\n"):
        if line.startswith("```"):
            if not inside and block:
                yield block
                block = []
            block.append(line)
            inside = not inside
            if not inside:
                yield block
                block = []
        elif inside:
            block.append(line)
        elif not line or line.startswith("#") or (block and _starts_block(block, line)):
            if block:
                yield block
            block = [line] if line and not line.startswith("#") else []
            if not block:
                yield [line]
        else:
            block.append(line)
    if block:
        yield block


def _starts_block(block: Sequence[str], line: str) -> bool:
    return line.startswith("|") != block[0].startswith("|") or _ITEM.match(line) is not None


def _is_table(block: Sequence[str]) -> bool:
    return len(block) > 1 and block[0].startswith("|") and bool(_HEADER.fullmatch(block[1]))


def _as_list(table: Sequence[str]) -> list[str]:
    heading = _cells(table[0])
    lines: list[str] = []
    for row in table[2:]:
        lines += wrap(f"- {_as_sentence(heading, _cells(row))}", "  ")
    return lines


def _cells(row: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


def _as_sentence(heading: Sequence[str], cells: Sequence[str]) -> str:
    """A key with its type and default in brackets, other columns under their headings."""
    first, *others = zip(heading, cells, strict=True)
    brackets = [
        text if text == "required" or title != "default" else f"default {text}"
        for title, text in others
        if text and title in {"type", "expects", "default", "data"}
    ]
    name = f"{first[1]} ({', '.join(brackets)})" if brackets else first[1]
    words = [
        text if title in {"meaning", "about", "when", "gives"} else f"{title.capitalize()}: {text}"
        for title, text in others
        if text and title not in {"type", "expects", "default", "data"}
    ]
    return f"{name}: {'. '.join(word.rstrip('.') for word in words)}." if words else name


def _narrow(block: Sequence[str]) -> list[str]:
    first = block[0]
    if first.startswith(("```", "#", "|", "<", "!")) or all(len(line) <= LONGEST for line in block):
        return list(block)
    mark = _ITEM.match(first)
    return wrap(" ".join(block), " " * len(mark[0]) if mark else "")


def wrap(text: str, indent: str) -> list[str]:
    """Lines of at most 120 characters; code between backticks stays whole."""
    glued = _CODE.sub(lambda code: code[0].replace(" ", _GLUE), text)
    lines = textwrap.wrap(
        _MARK.sub(_GLUE, glued),
        LONGEST,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_GLUE, " ") for line in lines]

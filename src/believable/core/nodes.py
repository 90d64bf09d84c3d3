"""YAML 1.2 as a tree in which every node knows its line and its path, so that any problem can be
pointed at.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from believable.core.errors import Problem, StudyError

MAX_BYTES = 5_000_000
MAX_NODES = 200_000
MAX_DEPTH = 60

_STANDARD_TAGS = frozenset(
    f"tag:yaml.org,2002:{name}"
    for name in ("str", "int", "float", "bool", "null", "map", "seq", "timestamp", "merge", "value")
)
#: More brackets in a row than levels there may be.
_DEEP = re.compile(rf"(?:[\[{{]\s*){{{MAX_DEPTH + 2}}}")
_NULL = re.compile(r"~|null|Null|NULL|")
_TRUE = re.compile(r"true|True|TRUE")
_FALSE = re.compile(r"false|False|FALSE")
_INT = re.compile(r"[-+]?[0-9]{1,300}")
_OCTAL = re.compile(r"0o[0-7]{1,300}")
_HEX = re.compile(r"0x[0-9a-fA-F]{1,300}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


@dataclass(frozen=True, slots=True)
class Node:
    """A value of the file. A list holds Nodes, a mapping maps its keys to Nodes; `line` is the
    key's if there is one.
    """

    value: Any
    line: int
    path: str

    @property
    def is_mapping(self) -> bool:
        return isinstance(self.value, dict)

    @property
    def is_list(self) -> bool:
        return isinstance(self.value, list)

    def get(self, key: str) -> Node | None:
        return self.value.get(key) if isinstance(self.value, dict) else None

    def at(self, index: int) -> Node | None:
        return (
            self.value[index] if isinstance(self.value, list) and index < len(self.value) else None
        )

    def __iter__(self) -> Iterator[Node]:
        return iter(self.value)

    def plain(self) -> Any:
        """JSON-able data."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        return [node.plain() for node in self.value] if isinstance(self.value, list) else self.value

    def freeze(self) -> Any:
        """As `plain`, with tuples for lists, as the records want them."""
        if isinstance(self.value, dict):
            return {key: node.freeze() for key, node in self.value.items()}
        return (
            tuple(node.freeze() for node in self.value)
            if isinstance(self.value, list)
            else self.value
        )


def child_path(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def from_plain(data: Any, path: str = "", line: int = 1) -> Node:
    """A tree for data without a file; every node says line 1."""
    if isinstance(data, dict):
        return Node(
            {key: from_plain(value, child_path(path, key)) for key, value in data.items()},
            line,
            path,
        )
    if isinstance(data, list):
        return Node([from_plain(value, f"{path}[{i}]") for i, value in enumerate(data)], line, path)
    return Node(data, line, path)


def read_plain(file: Path) -> Any:
    """Read a data file of the package as plain values."""
    tree, problems = parse(file.read_bytes(), file.name)
    if tree is None or problems:
        raise StudyError(problems)
    return tree.plain()


def parse(raw: bytes, file: str) -> tuple[Node | None, list[Problem]]:
    """The tree, or `None` if the text is no YAML at all, and its problems as YAML."""
    text, problem = _decode(raw, file)
    if problem is not None:
        return None, [problem]
    loader = YAML(typ="safe", pure=True)
    loader.max_depth = MAX_DEPTH + 2
    too_deep = Problem(
        file=file,
        line=1,
        path="",
        message="nested too deeply to be read.",
        cure=f"Use at most {MAX_DEPTH} levels.",
    )
    if _DEEP.search(text):  # before the parser looks at it: it takes seconds for these
        return None, [too_deep]
    try:
        root = loader.compose(text)
    except MarkedYAMLError as error:
        if "maximum depth" in (error.problem or ""):
            return None, [too_deep]
        return None, [_syntax_problem(error, file, text)]
    except YAMLError as error:
        message = str(error).strip().splitlines()[0]
        return None, [
            Problem(
                file=file,
                line=1,
                path="",
                message=f"not YAML: {message}.",
                cure="Remove the character.",
            )
        ]
    except RecursionError:
        return None, [too_deep]
    if root is None:
        return None, [
            Problem(
                file=file,
                line=1,
                path="",
                message="the file is empty.",
                cure="Start with `believable: 1`.",
            )
        ]
    builder = _Builder(file)
    try:
        tree = builder.build(root, "", root.start_mark.line + 1, 0)
    except _TooMuch as error:
        return None, [error.problem]
    return tree, builder.problems


def _decode(raw: bytes, file: str) -> tuple[str, Problem | None]:
    if len(raw) > MAX_BYTES:
        message = f"the file has {len(raw):,} bytes, the limit is {MAX_BYTES:,}."
        return "", Problem(
            file=file, line=1, path="", message=message, cure="Move long texts to pages/*.md."
        )
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "", Problem(
            file=file, line=1, path="", message="the file is UTF-16.", cure="Save it as UTF-8."
        )
    try:
        return raw.decode("utf-8-sig"), None
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        return "", Problem(
            file=file,
            line=line,
            path="",
            message=f"byte {raw[error.start]:#04x} is not UTF-8.",
            cure="Save the file as UTF-8.",
        )


def _syntax_problem(error: MarkedYAMLError, file: str, text: str) -> Problem:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark is not None else 1
    lines = text.splitlines()
    written = lines[line - 1] if line <= len(lines) else ""
    indentation = written[: len(written) - len(written.lstrip())]
    what = str(error.problem or error.context or "unreadable")
    if "\t" in indentation or "\\t" in what:
        return Problem(
            file=file,
            line=line,
            path="",
            message="a tab is used for indentation.",
            cure="Indent with spaces.",
        )
    if "undefined alias" in what:
        return Problem(
            file=file,
            line=line,
            path="",
            message=f"{what}.",
            cure="Define it first with `&name`, or write the value out.",
        )
    if "single document" in str(error.context):
        return Problem(
            file=file,
            line=line,
            path="",
            message="a second document starts here.",
            cure="A study is one document: remove the `---`.",
        )
    cures = (
        (
            "mapping values are not allowed",
            "Put a text that contains `: ` in quotes, or check the indentation.",
        ),
        ("could not find expected ':'", "Write `key: value`."),
        (
            "expected <block end>",
            "Check the indentation: entries of one list or mapping start in the same column.",
        ),
        ("cannot start any token", "Put the text in quotes."),
        ("expected ',' or", "Close the bracket, or separate the entries with commas."),
        ("unexpected end of stream", "Close the quotes."),
        ("unknown escape", "Use single quotes, or write the backslash twice."),
    )
    cure = next(
        (text for sign, text in cures if sign in what), "Check quotes, brackets and indentation."
    )
    return Problem(file=file, line=line, path="", message=f"not YAML: {what}.", cure=cure)


class _TooMuch(Exception):
    def __init__(self, problem: Problem) -> None:
        self.problem = problem


class _Builder:
    def __init__(self, file: str) -> None:
        self._file = file
        self._count = 0
        self.problems: list[Problem] = []

    def build(self, node: Any, path: str, line: int, depth: int) -> Node:
        self._count += 1
        if depth > MAX_DEPTH:
            self._stop(
                line,
                "nested too deeply, or an alias contains itself.",
                f"Use at most {MAX_DEPTH} levels.",
            )
        if self._count > MAX_NODES:
            self._stop(
                line, f"aliases unfold to more than {MAX_NODES:,} values.", "Write fewer of them."
            )
        if str(node.tag) not in _STANDARD_TAGS:
            self._report(line, path, f"the tag {node.tag!s} means nothing here.", "Remove it.")
        if isinstance(node, MappingNode):
            return self._mapping(node, path, line, depth)
        if isinstance(node, SequenceNode):
            items = [
                self.build(item, f"{path}[{i}]", item.start_mark.line + 1, depth + 1)
                for i, item in enumerate(node.value)
            ]
            return Node(items, line, path)
        return Node(self._scalar(node, path, line), line, path)

    def _mapping(self, node: MappingNode, path: str, line: int, depth: int) -> Node:
        entries: dict[str, Node] = {}
        for key_node, value_node in node.value:
            key_line = key_node.start_mark.line + 1
            if not isinstance(key_node, ScalarNode):
                self._report(
                    key_line, path, "a key is a list or a mapping.", "Keys are single words."
                )
                continue
            key = str(key_node.value)
            place = child_path(path, key)
            if key == "<<":
                self._report(
                    key_line, place, "merge keys are not part of YAML 1.2.", "Write the keys out."
                )
            elif key in entries:
                first = entries[key].line
                self._report(
                    key_line,
                    place,
                    f"the key {key!r} was given in line {first} already.",
                    "Remove one of them.",
                )
            else:
                entries[key] = self.build(value_node, place, key_line, depth + 1)
        return Node(entries, line, path)

    def _scalar(self, node: ScalarNode, path: str, line: int) -> Any:
        text = str(node.value)
        if node.style not in (None, "") or str(node.tag).endswith(":str"):
            return text
        if _NULL.fullmatch(text):
            return None
        if _TRUE.fullmatch(text) or _FALSE.fullmatch(text):
            return text[0] in "tT"
        for pattern, base in ((_INT, 10), (_OCTAL, 8), (_HEX, 16)):
            if pattern.fullmatch(text):
                return int(text, base) if base == 10 else int(text[2:], base)
        if _FLOAT.fullmatch(text) and math.isfinite(float(text)):
            return float(text)
        if _NOT_FINITE.fullmatch(text) or _FLOAT.fullmatch(text):
            self._report(line, path, f"{text} is not a finite number.", "Write a number.")
            return 0
        return text

    def _report(self, line: int, path: str, message: str, cure: str) -> None:
        self.problems.append(
            Problem(file=self._file, line=line, path=path, message=message, cure=cure)
        )

    def _stop(self, line: int, message: str, cure: str) -> None:
        raise _TooMuch(Problem(file=self._file, line=line, path="", message=message, cure=cure))

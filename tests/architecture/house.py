"""Measure the package and compare it with its ratchets.

    python tests/architecture/house.py            print every figure with its ratchet
    python tests/architecture/house.py --lower    lower the ratchets to the figures of today

A ratchet is the highest count that a package may have. It only falls. To raise one, edit
`ratchets.toml` by hand and state the reason there.
"""

from __future__ import annotations

import ast
import functools
import gc
import re
import statistics
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "believable"
RATCHETS = Path(__file__).with_name("ratchets.toml")
WIDTH = 100
LONG_FILE = 500
MANY_FIELDS = 4
MANY_ARGUMENTS = 7

#: Patterns of unnatural English, counted in docstrings and comments.
PATTERNS = re.compile(
    r"\b[Ww]hat (?:is|was|were|are|it|they|people|a|the|one|somebody|nobody)\b"
    r"|\bwhere (?:there|it|they|nothing|none|nobody|that)\b"
    r"|\b(?:[Ss]omebody|[Nn]obody|[Aa]nybody|[Ee]verybody|[Ww]hoever)\b"
    r"|\b(?:tells?|told)\b"
    r"|\b(?:stands?|stood|comes?|beside|anew|mend\w*)\b"
    r"|\b[Ss]o (?:many|much|long|often|far|few)\b"
    r"|\b(?:of (?:its|their|one's) own|go(?:es|ing)? on)\b"
)
#: Strings and comments, in the order of the text: a number sign in a string begins no comment.
STRING_OR_COMMENT = re.compile(
    r"\"\"\"(?:\\.|[^\\])*?\"\"\"|\'\'\'(?:\\.|[^\\])*?\'\'\'"
    r"|\"(?:\\.|[^\"\\\n])*\"|\'(?:\\.|[^\'\\\n])*\'|(?P<comment>#[^\n]*)",
    re.DOTALL,
)
PARTICIPLE = re.compile(r"_?[a-z]+(?:ed|en|ept|old|aid|ade|een)")
#: Verbs and nouns that look like participles.
VERBS = {"coarsen", "embed", "even", "hold", "listen", "open", "seed", "shorten", "upgrade"}

FIGURES = {
    "statements": "statements",
    "wide_lines": f"lines of more than {WIDTH} characters",
    "positional_records": f"records of more than {MANY_FIELDS} fields that are not keyword-only",
    "positional_calls": f"calls with {MANY_ARGUMENTS} or more positional arguments",
    "imports_in_functions": "imports inside functions",
    "participles": "functions named by a participle",
    "foreign_phrases": "phrases of unnatural English in docstrings and comments",
}


@functools.cache
def nodes_of(file: Path) -> tuple[ast.AST, ...]:
    """Return every node of a module's syntax tree. The result is cached: every rule reads it."""
    collects = gc.isenabled()
    # the nodes are never freed, so collecting garbage while they are made only costs time
    gc.disable()
    try:
        return tuple(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    finally:
        if collects:
            gc.enable()


def modules(*packages: str) -> list[tuple[str, Path]]:
    """List the modules of these packages (default: all) with their paths below the source."""
    folders = [SOURCE / package for package in packages] or [SOURCE]
    return [
        (str(file.relative_to(SOURCE)), file)
        for folder in folders
        for file in sorted(folder.rglob("*.py"))
    ]


@dataclass(frozen=True, slots=True)
class House:
    """Counts of the source tree. Keys are paths below the source folder."""

    lines: Mapping[str, int]
    figures: Mapping[str, Counter[str]]
    """Figures by name, then by package."""
    classes: Mapping[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def double_classes(self) -> dict[str, list[str]]:
        return {name: paths for name, paths in sorted(self.classes.items()) if len(paths) > 1}

    @property
    def long_files(self) -> dict[str, int]:
        return {path: count for path, count in self.lines.items() if count > LONG_FILE}

    @property
    def median_lines(self) -> float:
        return statistics.median(
            count for path, count in self.lines.items() if not path.endswith("__init__.py")
        )


def read_house(source: Path = SOURCE) -> House:
    lines: dict[str, int] = {}
    figures: dict[str, Counter[str]] = {name: Counter() for name in FIGURES}
    classes: dict[str, list[str]] = defaultdict(list)
    for file in sorted(source.rglob("*.py")):
        path = file.relative_to(source)
        package = path.parts[0] if len(path.parts) > 1 else "."
        text = file.read_text(encoding="utf-8")
        lines[str(path)] = text.count("\n")
        for name, count in measure(text, nodes_of(file)).items():
            figures[name][package] += count
        for node in nodes_of(file):
            if isinstance(node, ast.ClassDef):
                classes[node.name.lstrip("_")].append(str(path))
    return House(lines, figures, classes)


def measure(text: str, nodes: tuple[ast.AST, ...]) -> dict[str, int]:
    """Return the figures of one module."""
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {
        "statements": sum(isinstance(node, ast.stmt) for node in nodes),
        "wide_lines": sum(len(line) > WIDTH for line in text.splitlines()),
        "positional_records": sum(map(is_positional_record, nodes)),
        "positional_calls": sum(
            isinstance(node, ast.Call) and len(node.args) >= MANY_ARGUMENTS for node in nodes
        ),
        "imports_in_functions": sum(
            isinstance(part, ast.Import | ast.ImportFrom)
            for function in functions
            for part in ast.walk(function)
        ),
        "participles": sum(
            bool(PARTICIPLE.fullmatch(function.name)) and function.name.lstrip("_") not in VERBS
            for function in functions
        ),
        "foreign_phrases": sum(len(PATTERNS.findall(part)) for part in prose_of(text, nodes)),
    }


def is_positional_record(node: ast.AST) -> bool:
    """Return whether a node is a dataclass with many fields that can be given by position."""
    if not isinstance(node, ast.ClassDef):
        return False
    decorators = [ast.unparse(part) for part in node.decorator_list]
    if not any(part.startswith("dataclass") for part in decorators):
        return False
    n_fields = sum(
        isinstance(part, ast.AnnAssign)
        and "ClassVar" not in ast.unparse(part.annotation)
        and "init=False" not in (ast.unparse(part.value) if part.value else "")
        for part in node.body
    )
    return n_fields > MANY_FIELDS and not any("kw_only=True" in part for part in decorators)


def prose_of(text: str, nodes: tuple[ast.AST, ...]) -> Iterator[str]:
    """Yield docstrings and comments."""
    for node in nodes:
        constant = node.value if isinstance(node, ast.Expr) else None
        if isinstance(constant, ast.Constant) and isinstance(constant.value, str):
            yield " ".join(constant.value.split())
    for found in STRING_OR_COMMENT.finditer(text):
        if found["comment"]:
            yield found["comment"]


def read_ratchets() -> dict[str, dict[str, int]]:
    return tomllib.loads(RATCHETS.read_text(encoding="utf-8"))


def print_figures(house: House, ratchets: Mapping[str, Mapping[str, int]]) -> str:
    """Return one table per figure: the count of each package, and its ratchet."""
    rows = []
    for name, about in FIGURES.items():
        counts, limits = house.figures[name], ratchets.get(name, {})
        rows.append(f"{about}: {sum(counts.values()):,} (ratchet {sum(limits.values()):,})")
        rows += [
            f"  {package:14}{counts[package]:8,}{limits.get(package, 0):10,}"
            for package in sorted({*counts, *limits})
            if counts[package] or limits.get(package, 0)
        ]
    rows.append(f"median of a file: {house.median_lines:g} lines, {len(house.lines)} files")
    rows.append(f"files of more than {LONG_FILE} lines: {len(house.long_files)}")
    rows.append(f"class names used twice: {len(house.double_classes)}")
    return "\n".join(rows)


def lower_ratchets(house: House, text: str) -> str:
    """Return the text of the file with every ratchet lowered to its figure; comments stay."""
    lines, section = [], ""
    for line in text.splitlines():
        head, entry = re.fullmatch(r"\[(\w+)\]", line), re.match(r'("?[\w.]+"?) = (\d+)(.*)', line)
        if head:
            section = head[1]
        elif entry:
            package = entry[1].strip('"')
            count = min(int(entry[2]), house.figures[section][package])
            line = f"{entry[1]} = {count}{entry[3]}" if count else ""
        if line or not entry:
            lines.append(line)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    today, limits_now = read_house(), read_ratchets()
    if "--lower" in sys.argv[1:]:
        lowered = lower_ratchets(today, RATCHETS.read_text(encoding="utf-8"))
        RATCHETS.write_text(lowered, encoding="utf-8")
        limits_now = read_ratchets()
    print(print_figures(today, limits_now))  # noqa: T201

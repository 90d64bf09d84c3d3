"""The package in figures: `python tests/architecture/house.py` prints files, lines and names used twice; a test keeps them."""

from __future__ import annotations

import ast
import functools
import gc
import re
import statistics
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import Environment, nodes

SOURCE = Path(__file__).resolve().parents[2] / "src" / "believable"

#: The commit that ended the rebuild by subject; what later work added to its files is among their lines.
REBUILT = "3e77c6a"

#: Words that stand for a thing without saying which. A variable is called what it holds.
PRONOUNS = frozenset({"one", "found", "made", "given", "here", "told"})

#: Folders whose members are built alike: each member may have these files. Everywhere else a file's name is used once.
CONTRACT_STEMS = {
    "instruments": frozenset({"contract", "conformance", "reference", "params", "widget"}),
    "players": frozenset({"contract", "conformance", "reference"}),
    "worlds": frozenset(
        {"contract", "conformance", "rules", "generate", "record", "draw", "live", "agents", "env", "setup"}
    ),
    "protocols": frozenset({"contract", "conformance", "declaration", "analysis", "people", "stimuli", "truth"}),
    "pages": frozenset({"contract", "conformance", "record", "check", "judge", "rows", "message", "simulate"}),
}

#: Here a file is called like the command that is in it, whatever else has that name.
NAMED_AFTER_COMMANDS = "cli"


@functools.cache
def nodes_of(file: Path) -> tuple[ast.AST, ...]:
    """Every node of a module's syntax tree. Read once: every rule looks at the same ones."""
    collects = gc.isenabled()
    gc.disable()  # a million nodes come to stay: looking through them again and again takes longer than reading them
    try:
        return tuple(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    finally:
        if collects:
            gc.enable()


def modules(*packages: str) -> list[tuple[str, Path]]:
    """Every module of these packages, or of all, with its place below the package."""
    folders = [SOURCE / package for package in packages] or [SOURCE]
    return [(str(file.relative_to(SOURCE)), file) for folder in folders for file in sorted(folder.rglob("*.py"))]


@dataclass(frozen=True, slots=True)
class House:
    """What was read of the source: places are paths below the package."""

    lines: Mapping[str, int]
    classes: Mapping[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    stems: Mapping[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    pronouns: Mapping[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    @property
    def double_classes(self) -> dict[str, list[str]]:
        return {name: places for name, places in sorted(self.classes.items()) if len(places) > 1}

    @property
    def double_stems(self) -> dict[str, list[str]]:
        return {name: places for name, places in sorted(self.stems.items()) if len(places) > 1}

    @property
    def median_lines(self) -> float:
        return statistics.median(count for place, count in self.lines.items() if not place.endswith("__init__.py"))


def read_house(source: Path = SOURCE) -> House:
    files = {str(file.relative_to(source)): file for file in sorted(source.rglob("*.py"))}
    house = House({place: file.read_bytes().count(b"\n") for place, file in files.items()})
    for place, file in files.items():
        for node in nodes_of(file):
            if isinstance(node, ast.ClassDef):
                house.classes[node.name.lstrip("_")].append(place)
        house.pronouns[place].extend(pronoun_lines(nodes_of(file)))
        package, stem = Path(place).parts[0], Path(place).stem
        if (
            not stem.startswith("__")
            and package != NAMED_AFTER_COMMANDS
            and stem not in CONTRACT_STEMS.get(package, ())
        ):
            house.stems[stem].append(place)
    for suffix, lines_of in ((".js", pronoun_lines_of_script), (".html", pronoun_lines_of_template)):
        for file in sorted(source.rglob(f"*{suffix}")):
            house.pronouns[str(file.relative_to(source))].extend(lines_of(file.read_text(encoding="utf-8")))
    return house


def pronoun_lines(nodes: Iterable[ast.AST]) -> Iterator[int]:
    """The line of every variable and parameter that is bound to a pronoun."""
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        elif isinstance(node, ast.arg):
            name = node.arg
        else:
            continue
        if name in PRONOUNS:
            yield node.lineno


_PRONOUN = rf"(?<![\w.$])(?:{'|'.join(sorted(PRONOUNS))})(?![\w$]|\s*:)"
_NOT_CODE = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
#: Where a script binds names: declarations, what they take apart, parameters of functions and arrows.
_BINDINGS = [
    re.compile(pattern)
    for pattern in (
        r"\b(?:const|let|var|function)\s+([\w$]+)",
        r"\b(?:const|let|var)\s*([\[{][^=]*?[\]}])\s*(?:=|of\b)",
        r"\bfunction\s*[\w$]*\s*\(([^()]*)\)",
        r"\(([^()]*)\)\s*=>",
        r"([\w$]+)\s*=>",
    )
]


def pronoun_lines_of_script(text: str) -> list[int]:
    """The line of every name that a script binds to a pronoun."""
    code = _NOT_CODE.sub(lambda match: "\n" * match[0].count("\n"), text)
    starts = {
        binding.start(1) + pronoun.start()
        for pattern in _BINDINGS
        for binding in pattern.finditer(code)
        for pronoun in re.finditer(_PRONOUN, binding[1])
    }
    return sorted(code.count("\n", 0, start) + 1 for start in starts)


def pronoun_lines_of_template(text: str) -> list[int]:
    """The line of every pronoun that a template binds, or is handed."""
    names = Environment(autoescape=True).parse(text).find_all(nodes.Name)
    return [name.lineno for name in names if name.name in PRONOUNS]


def figures(house: House) -> str:
    packages: defaultdict[str, list[int]] = defaultdict(list)
    for place, count in house.lines.items():
        packages[Path(place).parts[0] if "/" in place else "."].append(count)
    rows = [f"{package:14}{len(counts):6}{sum(counts):9,}" for package, counts in sorted(packages.items())]
    rows += [
        f"{'all':14}{len(house.lines):6}{sum(house.lines.values()):9,}",
        f"median of a file: {house.median_lines:g} lines",
    ]
    for what, doubles in (("classes", house.double_classes), ("stems", house.double_stems)):
        rows.append(f"{what} of one name: {len(doubles)}")
        rows += [f"  {name}: {', '.join(places)}" for name, places in doubles.items()]
    pronouns = {place: lines for place, lines in house.pronouns.items() if lines}
    rows.append(f"pronouns as variables: {sum(map(len, pronouns.values()))}")
    rows += [f"  {place}: {len(lines)}" for place, lines in pronouns.items()]
    return "\n".join(rows)


def without_later_files(house: House) -> str:
    """The size without files that came after the rebuild by subject, as far as the history is there to ask."""
    asked = ["git", "diff", "--diff-filter=A", "--name-only", "-M", "--relative", REBUILT, "--", "*.py"]
    answer = subprocess.run(asked, cwd=SOURCE, capture_output=True, text=True, check=False)
    if answer.returncode:
        return f"without files added since {REBUILT}: not known, {answer.stderr.strip()}"
    counts = [count for place, count in house.lines.items() if place not in set(answer.stdout.split("\n"))]
    return f"without files added since {REBUILT}: {len(counts)} files, {sum(counts):,} lines"


if __name__ == "__main__":
    HOUSE = read_house()
    print(figures(HOUSE), without_later_files(HOUSE), sep="\n")  # noqa: T201

"""Print the size of the package: `python tests/architecture/house.py`. Size is counted in statements."""

from __future__ import annotations

import ast
import functools
import gc
import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "believable"


@functools.cache
def nodes_of(file: Path) -> tuple[ast.AST, ...]:
    """Return every node of a module's syntax tree. The result is cached because every rule reads the same nodes."""
    collects = gc.isenabled()
    gc.disable()  # the nodes are never freed, so collecting garbage while they are made only costs time
    try:
        return tuple(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    finally:
        if collects:
            gc.enable()


def modules(*packages: str) -> list[tuple[str, Path]]:
    """List the modules of these packages (default: all) with their paths below the source folder."""
    folders = [SOURCE / package for package in packages] or [SOURCE]
    return [(str(file.relative_to(SOURCE)), file) for folder in folders for file in sorted(folder.rglob("*.py"))]


@dataclass(frozen=True, slots=True)
class House:
    """Counts of the source tree. Keys are paths below the source folder."""

    lines: Mapping[str, int]
    statements: Mapping[str, int]
    classes: Mapping[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def double_classes(self) -> dict[str, list[str]]:
        return {name: paths for name, paths in sorted(self.classes.items()) if len(paths) > 1}

    @property
    def median_lines(self) -> float:
        return statistics.median(count for path, count in self.lines.items() if not path.endswith("__init__.py"))

    @property
    def statements_of_packages(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        for path, count in self.statements.items():
            counts[Path(path).parts[0] if "/" in path else "."] += count
        return counts


def read_house(source: Path = SOURCE) -> House:
    files = {str(file.relative_to(source)): file for file in sorted(source.rglob("*.py"))}
    house = House(
        lines={path: file.read_bytes().count(b"\n") for path, file in files.items()},
        statements={path: sum(isinstance(node, ast.stmt) for node in nodes_of(file)) for path, file in files.items()},
    )
    for path, file in files.items():
        for node in nodes_of(file):
            if isinstance(node, ast.ClassDef):
                house.classes[node.name.lstrip("_")].append(path)
    return house


def figures(house: House) -> str:
    files = Counter(Path(path).parts[0] if "/" in path else "." for path in house.lines)
    rows = [f"{'package':14}{'files':>6}{'statements':>12}"]
    rows += [f"{name:14}{files[name]:6}{count:12,}" for name, count in sorted(house.statements_of_packages.items())]
    rows.append(f"{'all':14}{len(house.lines):6}{sum(house.statements.values()):12,}")
    rows.append(f"median of a file: {house.median_lines:g} lines")
    rows.append(f"class names used twice: {len(house.double_classes)}")
    rows += [f"  {name}: {', '.join(paths)}" for name, paths in house.double_classes.items()]
    return "\n".join(rows)


if __name__ == "__main__":
    print(figures(read_house()))  # noqa: T201

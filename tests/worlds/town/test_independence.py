"""The checker judges all minds and shares nothing with any: no import, and manners that are in the
code of none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from believable.worlds.town import rule_checker
from believable.worlds.town.rule_checker.manners import manners
from believable.worlds.town.rule_checker.rules import HIDDEN, RULES

CHECKER = Path(rule_checker.__file__).parent
TOWN = CHECKER.parent


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield str(node.module)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_the_checker_imports_nothing_of_the_town() -> None:
    own = {
        name
        for path in CHECKER.glob("*.py")
        for name in imports_of(path)
        if name.startswith("believable.worlds")
    }
    assert own
    assert all(name.startswith(rule_checker.__name__) for name in own)


def test_no_mind_imports_the_checker_or_reads_its_norms() -> None:
    minds = [*(TOWN / "minds").rglob("*.py"), TOWN / "mind.py", TOWN / "walking.py"]
    assert len(minds) > 10
    for path in minds:
        assert not any("rule_checker" in name for name in imports_of(path)), path
        assert "norms.yaml" not in path.read_text("utf-8"), path


def test_the_manners_are_in_the_code_of_no_mind() -> None:
    """They are reported apart. A planted copy of one in a mind would be found by its name, and by
    the file that it is read from.
    """
    assert set(RULES) > HIDDEN
    assert {manner["rule"] for manner in manners()} == HIDDEN
    for path in (TOWN / "minds").rglob("*.py"):
        text = path.read_text("utf-8")
        for word in ("manners", *HIDDEN):
            assert word not in text, (path, word)

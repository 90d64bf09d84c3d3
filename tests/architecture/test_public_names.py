"""The public face: each name is there, documented, typed, and costs nothing before it is asked
for.
"""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import believable
from believable.core.registry import Registry

NAMES = believable.__all__


def test_there_are_about_thirty_and_no_two_lists_differ() -> None:
    assert 25 <= len(NAMES) == len(set(NAMES)) <= 45
    tree = ast.parse(Path(believable.__file__).read_text(encoding="utf-8"))
    block = next(
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    typed = {
        alias.asname or alias.name: f"{node.module}:{alias.name}"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert sorted(believable._PLACES) == sorted(NAMES)
    places = {name: place.partition(":") for name, place in believable._PLACES.items()}
    assert typed == {
        name: f"believable{'.' * bool(module)}{module}:{other or name}"
        for name, (module, _, other) in places.items()
    }


def what_lacks(value: object) -> list[str]:
    """Why a public value does not explain itself."""
    if isinstance(value, Registry):
        return []
    name, text = getattr(value, "__name__", ""), value.__doc__ or ""
    lacks = (
        []
        if text and not text.startswith(f"{name}(")
        else ["a docstring, and not the one dataclasses make"]
    )
    if inspect.isfunction(value):
        signature = inspect.signature(value)
        types = [
            signature.return_annotation,
            *(parameter.annotation for parameter in signature.parameters.values()),
        ]
        lacks += ["types"] if signature.empty in types else []
    return lacks


def test_each_name_is_there_documented_and_typed() -> None:
    values = {name: getattr(believable, name) for name in NAMES}
    assert {name: lacks for name, value in values.items() if (lacks := what_lacks(value))} == {}
    assert all(name.isupper() for name, value in values.items() if isinstance(value, Registry))


def test_what_a_name_lacks_is_noticed() -> None:
    def untyped(x):  # type: ignore[no-untyped-def]
        return x

    assert what_lacks(untyped) == ["a docstring, and not the one dataclasses make", "types"]
    assert what_lacks(dataclass(type("Plain", (), {}))) == [
        "a docstring, and not the one dataclasses make"
    ]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'belief'"):
        _ = believable.belief  # type: ignore[attr-defined]


def test_importing_the_package_loads_none_of_it() -> None:
    code = (
        "import sys, believable; dir(believable); print([n for n in sys.modules if"
        " n.startswith('believable.')])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )


def test_from_a_folder_to_results(tmp_path: Path) -> None:
    folder = believable.new_study(tmp_path / "study", "hntt")
    assert believable.check_study(folder) == []
    definition = believable.load_study(folder)
    analysis = believable.analyse(believable.simulate_study(definition, 8, seed=1))
    assert analysis.title == definition.study.title.in_language("en")
    assert analysis.sections

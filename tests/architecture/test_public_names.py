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
    assert 25 <= len(NAMES) == len(set(NAMES)) <= 50
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
    folder = str(tmp_path / "study")
    assert believable.new(folder, protocol="hntt") == [Path(folder)]
    assert believable.check(folder).errors == 0
    done = believable.simulate(folder, participants=8, seed=1, processes=1)
    assert len(done.visits) == 8
    data = believable.export(folder, simulated=True, out=str(tmp_path / "data"))
    assert len(believable.read_bundle(str(data.path))["participants"]) == data.sessions
    analysis = believable.analyse(folder)
    assert analysis.title == believable.load_study(folder).study.title.in_language("en")
    assert analysis.sections


def test_a_subpackage_does_not_hide_the_function_of_its_name() -> None:
    code = (
        "import believable.report.page, believable.simulate.crowd, believable.stats.power;"
        " print(callable(believable.simulate), callable(believable.report),"
        " believable.stats.__name__)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "True True believable.stats\n"


def test_wrong_options_are_reported_by_name() -> None:
    with pytest.raises(believable.InvalidInput, match="--participants: Input should be greater"):
        believable.simulate("my-study", participants=0)
    with pytest.raises(believable.InvalidInput, match="--colour: there is no such option"):
        believable.check("my-study", colour="red")  # type: ignore[call-arg]

"""Every public function of the statistics has at least two committed cases of an independent tool,
or a stated reason.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from validation.witnesses import ELSEWHERE, PARTS, PYTHON, WITNESSES, Witness, public_functions

HERE = Path(__file__).parent


def test_no_function_of_any_module_is_without_a_witness() -> None:
    witnessed = [
        f"{module}.{name}" for module, functions in WITNESSES.items() for name in functions
    ]
    parts = [f"{module}.{name}" for module, names in PARTS.items() for name in names.split()]
    listed = [*witnessed, *ELSEWHERE, *parts]
    assert sorted(listed) == sorted(f"{module}.{node.name}" for module, node in public_functions())


@pytest.mark.parametrize(
    ("function", "witness"),
    [
        (f"{module}.{name}", witness)
        for module, functions in WITNESSES.items()
        for name, witness in functions.items()
    ],
)
def test_a_witness_has_two_cases(function: str, witness: Witness) -> None:
    cases: dict[str, Any] = json.loads((HERE / witness.folder / witness.output).read_text())
    assert sum(len(cases[entry]) for entry in witness.entries) >= 2, function
    assert "R version" in cases["tool"] or witness.output == PYTHON, (
        "the tool's version is part of the output"
    )
    assert (
        HERE / witness.folder / ("oracle.py" if witness.output == PYTHON else "oracle.R")
    ).is_file()


def test_every_output_is_somebodys_witness() -> None:
    used = {
        (witness.folder, witness.output)
        for functions in WITNESSES.values()
        for witness in functions.values()
    }
    outputs = {(file.parent.name, file.name) for file in HERE.glob("*/output*.json")}
    assert outputs - used == {("coding", "output.json")}, (
        "the agreement of coded texts has its own test"
    )

"""Bundles without a folder: the same tables, made from rows or columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable.bundle import memory
from believable.bundle.read import read
from believable.bundle.write import write
from believable.core.errors import InvalidInput, NotFound


def test_rows_of_a_written_bundle_give_the_same_tables(making: Any, tmp_path: Path) -> None:
    study = making.study()
    write(study, [making.session(1), making.session(2, until=2)], tmp_path / "b")
    whole = read(tmp_path / "b")
    again = memory.bundle(
        {name: list(table.rows()) for name, table in whole.tables.items() if name != "codebook"},
        making.definition,
        title=whole.title,
        simulated=whole.simulated,
    )
    for name, table in again.tables.items():
        assert list(table.rows()) == list(whole[name].rows())
        for column in table.columns:
            assert table[column].values.dtype == whole[name][column].values.dtype
    assert dict(again.definitions) == dict(whole.definitions)
    assert list(again.events()) == []


def test_columns_may_be_arrays_lists_or_one_value() -> None:
    made = memory.bundle(
        {
            "answers": {
                "session": ["s1", "s2", "s3"],
                "trial": "rate",
                "question": "q",
                "kind": "likert",
                "value_number": np.array([1.0, np.nan, 3.0]),
                "correct": [True, None, False],
            }
        }
    )
    answers = made["answers"]
    assert answers["value_number"].cells() == (1.0, None, 3.0)
    assert answers["correct"].cells() == (True, None, False)
    assert answers["trial_key"].cells() == ("rate", "rate", "rate")
    assert answers["changes"].cells() == (0, 0, 0)


def test_what_is_left_out_is_plain() -> None:
    people = memory.bundle(
        {"participants": [{"session": "a", "arm_tool": "btrace"}, {"session": "b"}]}
    )["participants"]
    assert people["state"].cells() == ("finished", "finished")
    assert people["number"].cells() == (1, 2)
    assert people["arm_tool"].cells() == ("btrace", None)


def test_mistakes_are_named() -> None:
    with pytest.raises(InvalidInput, match=r"no table 'answer'.*answers"):
        memory.bundle({"answer": []})
    with pytest.raises(InvalidInput, match=r"no column 'sesion'. Did you mean 'session'"):
        memory.bundle({"participants": [{"sesion": "a"}]})
    with pytest.raises(InvalidInput, match="'question' is never empty, and row 0"):
        memory.bundle({"answers": [{"session": "a", "trial": "t", "kind": "text"}]})
    with pytest.raises(InvalidInput, match=r"one length for all, got \[1, 2\]"):
        memory.bundle({"participants": {"session": ["a", "b"], "number": [1]}})
    with pytest.raises(NotFound, match="no table"):
        memory.bundle({})["nothing"]


def test_columns_cannot_be_changed() -> None:
    number = memory.bundle({"participants": [{"session": "a"}]})["participants"]["number"]
    with pytest.raises(ValueError, match="read-only"):
        number.values[0] = 3

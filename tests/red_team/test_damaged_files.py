"""Files that are damaged, or made to fill the memory: one error with a cure, never a fault of
ours.
"""

from __future__ import annotations

import copy
import json
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from believable.core.errors import BelievableError, TooLarge
from believable.imitation.learned_file import read_imitation
from believable.study.definition import Definition
from believable.study.load import load

STUDY = """\
believable: 1
title: A study
seed: 1
conditions: [human, agent]
arms: {tool: [slow, fast]}
stimuli: [{id: film, file: film.mp4, condition: human}]
timeline:
  - consent: {id: consent, text: Do you agree?, require: [agree]}
  - block: {id: pairs, order: random, over: condition, each: [{form: {id: judge, questions: [{id: why, prompt: W?, text: {}}]}}]}
  - watch: {id: clip, stimulus: film, ask: [{id: human, prompt: Human?, likert: {points: 5}}]}
  - finish: {id: end}
"""
MEDIUM = {
    "digest": "0" * 64,
    "bytes": 3,
    "duration_ms": 2000,
    "media_type": "video/mp4",
    "actions": None,
}


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for key, value in (
        tree.items()
        if isinstance(tree, dict)
        else enumerate(tree)
        if isinstance(tree, list)
        else ()
    ):
        yield from places(value, (*path, key))


def damaged(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    changed = copy.deepcopy(tree)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


@pytest.fixture
def definition(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "film.mp4").write_bytes(b"mp4")
    tree: dict[str, Any] = json.loads(load(tmp_path).to_json())
    return tree | {"media": {"film": MEDIUM}}


def test_a_definition_with_one_value_of_another_kind_is_no_fault_of_ours(
    definition: dict[str, Any],
) -> None:
    assert Definition.from_json(json.dumps(definition)).media["film"].bytes == 3
    n_tried = 0
    for path in places(definition):
        for value in (None, [], {}, 3, "x", True, {"x": []}, [[]], -1e300):
            n_tried += 1
            with suppress(BelievableError):
                Definition.from_json(json.dumps(damaged(definition, path, value)))
    assert n_tried > 500


def test_an_archive_that_unfolds_to_more_than_any_player_is_not_unfolded(tmp_path: Path) -> None:
    file = tmp_path / "large.imitation"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("about.npy", b"0" * 100)
        archive.filelist[0].file_size = 2**30
    with pytest.raises(TooLarge, match="unfolds to more than 256 MB"):
        read_imitation(file)

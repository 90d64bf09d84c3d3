"""Two stimuli change places while a study of a protocol runs: no table mixes what was shown under
one id.
"""

from __future__ import annotations

import csv
import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.test_changed_study import believe, take_part
from tests.quick_studies import simulate_little


def swap(one: Path, other: Path, room: Path) -> None:
    shutil.copy(one, room / "kept")
    shutil.copy(other, one)
    shutil.copy(room / "kept", other)


@pytest.mark.parametrize(
    ("protocol", "stimuli", "table"),
    [
        ("hntt", ("pair_01_navigator", "pair_03_navigator"), "pairs"),
        ("qa", ("r1", "r3"), "moments_timeline"),
        ("replay", ("character_1_a", "character_2_a"), "moments_timeline"),
    ],
)
def test_tables_by_stimulus_tell_the_media_of_one_id_apart(
    protocol: str, stimuli: tuple[str, str], table: str, tmp_path: Path
) -> None:
    study = tmp_path / "study"
    believe("new", study, "--protocol", protocol)
    if protocol == "hntt":
        simulate_little(study)
    take_part(study, 4, 1)
    one, other = (next((study / "stimuli").glob(f"{name}.*")) for name in stimuli)
    swap(one, other, tmp_path)
    if find_spec("believable.cli.revise") is not None:  # early versions ask for no reason
        believe("revise", study, "--reason", "The files had the wrong names.")
    take_part(study, 4, 2)
    told = believe("analyse", study, "--out", tmp_path / "results")
    assert (tmp_path / "results").is_dir(), told
    with (tmp_path / "results" / "tables" / f"{table}.csv").open(
        encoding="utf-8", newline=""
    ) as file:
        rows = list(csv.DictReader(file))
    named = {
        name
        for row in rows
        for name in re.split(r" / ", row.get("stimulus") or row.get("pair") or "")
    }
    assert not named & set(stimuli), "an id alone would mix two stimuli"
    apart = [
        [name for name in named if re.fullmatch(rf"{stimulus}~[0-9a-f]{{12}}", name)]
        for stimulus in stimuli
    ]
    assert 2 in [len(names) for names in apart], (
        "sessions of both versions saw at least one of them"
    )

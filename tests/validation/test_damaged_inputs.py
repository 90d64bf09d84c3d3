"""Damaged files of every kind are told in our words: those that once were not, and some new
ones.
"""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

from believable.core.errors import InvalidInput, reading
from believable.recordings.field_types import misfits
from believable.recordings.recording import Timing
from validation.damaged_inputs import CORPUS, KINDS_OF_INPUT, InputKind, outcome_of, tried

BY_FOLDER = {kind.name.replace(" ", "_"): kind for kind in KINDS_OF_INPUT}
needs_av = pytest.mark.skipif(
    importlib.util.find_spec("av") is None, reason="films need the extra believable[video]"
)


def kept() -> list[Path]:
    return sorted(
        path for path in CORPUS.rglob("*") if path.is_file() and path.parent.name in BY_FOLDER
    )


def test_the_corpus_is_there() -> None:
    assert {path.parent.name for path in kept()} >= {
        "recording",
        "action_log",
        "agent_movements",
        "codebook",
        "memories",
        "pagan",
        "film",
    }


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=needs_av if name == "film" else ()) for name in BY_FOLDER]
)
def test_what_once_ended_in_a_traceback_is_told(name: str, tmp_path: Path) -> None:
    kind = BY_FOLDER[name]
    for path in kept():
        if path.parent.name == name:
            place = tmp_path / path.name
            place.mkdir()
            kind.make(place)  # others may stand beside it
            shutil.copy(path, place / kind.path)
            assert outcome_of(kind, place / kind.path) in ("read", "refused"), path.name


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, id=kind.name, marks=needs_av if kind.name == "film" else ())
        for kind in KINDS_OF_INPUT
    ],
)
def test_newly_damaged_inputs_are_read_or_refused(kind: InputKind, tmp_path: Path) -> None:
    outcomes = tried(kind, 25, seed=20261117, folder=tmp_path)
    assert outcomes["read"] + outcomes["refused"] == 25, outcomes


def test_a_traceback_is_noticed(tmp_path: Path) -> None:
    def broken(path: Path) -> None:
        if path.read_bytes() != b"sound":
            raise ZeroDivisionError("provoked")

    kind = InputKind(
        "broken", "x.txt", lambda folder: (folder / "x.txt").write_bytes(b"sound"), broken, 1.0
    )  # type: ignore[arg-type, return-value]
    outcomes = tried(kind, 20, seed=1, folder=tmp_path)
    assert outcomes["ZeroDivisionError: provoked"] > 10


def test_misfits_name_place_expectation_and_value() -> None:
    wrong = Timing(frame_ms="fast", frames=10**400)  # type: ignore[arg-type]
    rate, frames = misfits(wrong, Timing, "timing")
    assert rate == "timing.frame_ms: expected a number, got 'fast'"
    assert frames.startswith("timing.frames: expected a finite number")
    assert list(misfits(Timing(frame_ms=33.3, frames=5), Timing, "timing")) == []


def test_our_own_errors_pass_the_reader_of_damaged_files() -> None:
    with pytest.raises(InvalidInput, match=r"^mine$"), reading("x", "Copy it again."):
        raise InvalidInput("mine")
    told = r"x: cannot be read \('a' is missing\)\. Copy it again\."
    with pytest.raises(InvalidInput, match=told), reading("x", "Copy it again."):
        {}["a"]

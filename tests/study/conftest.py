"""Studies written for one test: a header, a timeline, and what comes of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from believable.core.clock import VirtualClock
from believable.core.errors import Problem
from believable.study.definition import Definition
from believable.study.load import load, problems
from believable.study.records import Study

HEADER = """\
believable: 1
title: Who plays like a human?
seed: 7
conditions: [human, scripted]
stimuli:
  - {id: h01, file: stimuli/h01.mp4, condition: human, scenario: atrium}
  - {id: h02, file: stimuli/h02.mp4, condition: human, scenario: garden}
  - {id: s01, file: stimuli/s01.mp4, condition: scripted, scenario: atrium}
  - {id: s02, file: stimuli/s02.mp4, condition: scripted, scenario: garden}
"""

WriteStudy = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> WriteStudy:
    """Write a study folder: `timeline` is put below the usual header, `text` replaces
    everything.
    """

    def write_study(
        timeline: str = "",
        *,
        text: str | None = None,
        extra: str = "",
        pages: dict[str, str] | None = None,
    ) -> Path:
        whole = (
            dedent(text)
            if text is not None
            else f"{HEADER}{dedent(extra)}timeline:\n{dedent(timeline)}"
        )
        for name, page in {"pages/consent.md": "# Consent\n", **(pages or {})}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page, encoding="utf-8")
        (tmp_path / "study.yaml").write_text(whole, encoding="utf-8")
        return tmp_path

    return write_study


@pytest.fixture
def found(write: WriteStudy) -> Callable[..., list[Problem]]:
    """The problems of a study written as in `write`."""

    def find(*args: object, **options: object) -> list[Problem]:
        return problems(write(*args, **options), clock=VirtualClock())

    return find


@pytest.fixture
def messages(found: Callable[..., list[Problem]]) -> Callable[..., list[str]]:
    """The problems as they are printed."""
    return lambda *args, **options: [str(problem) for problem in found(*args, **options)]


@pytest.fixture
def errors(found: Callable[..., list[Problem]]) -> Callable[..., list[str]]:
    """As `messages`, without warnings and without file and line."""

    def find(*args: object, **options: object) -> list[str]:
        some = [problem for problem in found(*args, **options) if problem.severity == "error"]
        return [f"{problem.path}: {problem.message} {problem.cure}" for problem in some]

    return find


@pytest.fixture
def loaded(write: WriteStudy) -> Callable[..., Definition]:
    return lambda *args, **options: load(write(*args, **options), clock=VirtualClock())


@pytest.fixture
def study_of(loaded: Callable[..., Definition]) -> Callable[..., Study]:
    return lambda *args, **options: loaded(*args, **options).study

"""What the documentation takes from the code is as the code has it now."""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import believable
from believable.contracts.registries import INSTRUMENTS, PLAYERS
from believable.core.event_chain import PAGE_EVENTS
from believable.instruments.tracing import PRACTICE
from believable.players import SIGNAL

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "src").rglob("*.js"))
#: How the scripts record: a literal kind as the first argument, or as one of two.
RECORDS = re.compile(r'\b(?:record|note|keep|close|tell)\((?:[\w.]+ \? "([\w.]+)" : )?"(\w+\.\w+)"')


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATE = load()


@cache
def fresh() -> dict[str, str]:
    return {str(path.relative_to(GENERATE.DOCS)): text for path, text in GENERATE.fresh()}


@pytest.mark.parametrize("page", [*GENERATE.PAGES, *sorted({page for page, _ in GENERATE.PARTS})])
def test_a_generated_page_is_up_to_date(page: str) -> None:
    assert (GENERATE.DOCS / page).read_text(encoding="utf-8") == fresh()[page], (
        f"{page} is out of date: make reference"
    )


def test_the_types_of_the_scripts_are_up_to_date() -> None:
    assert GENERATE.MESSAGE_TYPES.read_text(encoding="utf-8") == GENERATE.typescript(), (
        "make reference"
    )


def test_every_kind_of_event_that_a_script_records_is_declared() -> None:
    players = {event.kind for player in (*PLAYERS, SIGNAL) for event in player.records}
    streams = {event.kind for instrument in INSTRUMENTS for event in instrument.streams}
    page = {event.kind for event in (*PAGE_EVENTS, *PRACTICE)}
    recorded = {
        kind
        for script in SCRIPTS
        for pair in RECORDS.findall(script.read_text())
        for kind in pair
        if kind
    }
    assert len(recorded) > 25
    assert recorded - players - streams - page == set()
    assert page - recorded == set()


def test_every_table_and_public_name_is_described() -> None:
    python = (GENERATE.DOCS / "reference/python.md").read_text(encoding="utf-8")
    assert [line for line in python.splitlines() if line.startswith("## ")] == [
        f"## `{n}`" for n in believable._PLACES
    ]
    bundle = (GENERATE.DOCS / "reference/bundle.md").read_text(encoding="utf-8")
    for name in (
        "participants",
        "answers",
        "traces",
        "flags",
        "rounds",
        "telemetry",
        "signals",
        "codebook",
        "code_final",
    ):
        assert f"## `{name}`\n" in bundle

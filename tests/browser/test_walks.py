"""The protocols as people meet them: made, served, and walked by mouse and keyboard to the
completion code.

Long, so only with `--soak`. `WALK_PICTURES=folder` keeps a picture of every page:

    WALK_PICTURES=pictures python -m pytest --soak -m soak tests/browser/test_walks.py
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner
from playwright.sync_api import Page

from believable.cli import group
from believable.study.load import load

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]
#: At the smaller window rounds and signals are shorter, days run at the highest speed of a first
#: viewing, and fewer pages repeat.
SHORTER = {
    "trace": (("duration_s: 60", "duration_s: 12"),),
    "clips": (("over: scenario\n", "over: scenario\n      sample: 2\n"),),
    "hntt": (("over: scenario\n", "over: scenario\n      sample: 2\n"),),
    "ladder": (("sample: 10\n", "sample: 2\n"),),
    "qa": (
        ("duration_s: 60", "duration_s: 15"),
        ("over: stimulus\n", "over: stimulus\n      sample: 1\n"),
    ),
    "replay": (),
}


@pytest.mark.parametrize("protocol", sorted(SHORTER))
@pytest.mark.parametrize(
    "size", [(1366, 768), (1280, 720)], ids=lambda size: f"{size[0]}x{size[1]}"
)
def test_a_protocol_is_walked_to_its_code(
    page: Page,
    serve: Callable[[Path], Any],
    stored: Any,
    tmp_path: Path,
    walking: ModuleType,
    protocol: str,
    size: tuple[int, int],
) -> None:
    study = tmp_path / "study"
    result = CliRunner().invoke(
        group, ["new", str(study), "--protocol", protocol], standalone_mode=False
    )
    assert result.exception is None, result.output
    small = size[0] < 1366
    if small:
        text = (study / "study.yaml").read_text("utf-8")
        for before, after in SHORTER[protocol]:
            assert before in text
            text = text.replace(before, after)
        (study / "study.yaml").write_text(text, "utf-8")
    pictures = os.environ.get("WALK_PICTURES")
    folder = Path(pictures) / f"{protocol}-{size[0]}x{size[1]}" if pictures else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    server = serve(study)
    hidden = walking.hidden_words(load(study).study)
    walker = walking.Walker(
        page, hidden, folder=folder, hand="keys" if small else "mouse", speed="50" if small else ""
    )
    assert walker.walk(server.link())
    assert stored(server).states == [("finished", "complete")]

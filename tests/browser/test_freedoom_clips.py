"""Two clips of people, from the demos of FreeDM, judged in the Doom variant of `clips`: the whole
session in a real browser.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from believable.core.clock import VirtualClock
from believable.protocols import READY_STUDIES
from believable.protocols.doom_films import MESSAGES, STATUS_BAR
from believable.protocols.own_clips import SceneClip, make_stimuli
from believable.protocols.variants import variant
from believable.stimuli import freedoom
from believable.stimuli.recipe import Recipe

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(
        not (
            freedoom.ENGINE.is_file()
            and shutil.which("ffmpeg")
            and (freedoom.GAME_DATA / "freedm.wad").is_file()
        ),
        reason=f"people's demos are not installed: {freedoom.INSTALL}",
    ),
]


@pytest.fixture
def study(tmp_path: Path, clips: tuple[Path, Path]) -> Path:
    """One page: two people, and a film that stands for a program."""
    demos = {demo.name: demo for demo in freedoom.demos()}
    films = [
        freedoom.film(demos[name].first(40), tmp_path / "people")
        for name in ("freedm-demo2", "freedm-demo3")
    ]
    ready = variant(READY_STUDIES["clips"], None, own_clips=True)
    folder = tmp_path / "study"
    ready.copy(folder)
    shown = [
        *(SceneClip(film, "human", "scene_01") for film in films),
        SceneClip(clips[0], "rule_based", "scene_01"),
    ]
    names = iter(("bqxv", "cwrt", "dhzl"))
    recipe = Recipe(width_px=426, height_px=240, sound=False)
    make_stimuli(
        folder,
        shown,
        clock=VirtualClock(),
        new_name=lambda: next(names),
        recipe=recipe,
        masks=(MESSAGES, STATUS_BAR),
    )
    return folder


def test_two_people_are_judged_from_consent_to_code(
    page: Page, visitor: Any, serve: Callable[[Path], Any], stored: Any, study: Path
) -> None:
    records = [json.loads(path.read_text()) for path in sorted((study / "sources").glob("*.json"))]
    people = [record for record in records if record["condition"] == "human"]
    assert len(people) == 2
    assert all(
        "Debian package freedm" in record["note"] and "BSD-3-Clause" in record["note"]
        for record in people
    )
    server = serve(study)
    page.goto(server.link())
    page.get_by_role("button", name="Start").click()
    for box in page.locator("input[data-consent]").all():
        box.check()
    visitor.next()
    page.locator("#q-experience-question input[value='3']").check()
    visitor.next()
    expect(page.get_by_text("through the eyes of the player you judge")).to_be_visible()
    visitor.next()
    page.get_by_role("radio", name="any number, also none or all").check()
    visitor.next()
    expect(page.locator(".pane")).to_have_count(3)
    for number in range(3):
        page.locator(f'.pane[data-player="{number}"] .play').click()
        expect(page.locator(f"[name=q-rating-{number}]").first).to_be_visible()
        page.locator(f"[name=q-rating-{number}][value='2']").check()
        page.locator(f"[name=q-viewed-{number}][value='1']").check()
    page.screenshot(path=study / "page.png")
    received = page.content()
    for secret in (
        "bqxv",
        "cwrt",
        "dhzl",
        "freedm",
        "demo2",
        "scene_01",
        ">rule_based<",
        '"rule_based',
    ):
        assert secret not in received
    visitor.next()
    assert visitor.finished()
    answers = stored(server).answers
    ratings = next(answer for key, answer in answers.items() if "page" in key)
    assert [ratings[f"rating-{number}"] for number in range(3)] == [2, 2, 2]

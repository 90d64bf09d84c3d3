"""Demonstration stimuli: made from the study file, honest on every page."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from believable.core.clock import VirtualClock
from believable.core.errors import InvalidInput
from believable.pages import KINDS
from believable.protocols import PROTOCOLS, READY_STUDIES
from believable.protocols.hntt import stimuli as navigation
from believable.protocols.replay import stimuli as days
from believable.protocols.replay.stimuli import VIOLATIONS
from believable.simulate.asgi import running
from believable.simulate.crowd import link_token
from believable.simulate.demonstration import PLANTED_FILE, make, planted_in, write_all
from believable.study.load import load
from believable.web.app import create_app
from believable.web.settings import Settings

WORDS = "Demonstration stimuli"


def test_both_versions_of_a_day_share_the_plan_and_only_one_has_violations() -> None:
    study = load(PROTOCOLS["replay"].folder, kinds=KINDS, protocols=PROTOCOLS).study
    by_id = {stimulus.id: make(days.make, study, stimulus, 7) for stimulus in study.stimuli}
    for scenario in study.scenarios:
        odd, plain = by_id[f"{scenario}_baseline"], by_id[f"{scenario}_agent"]
        assert odd.replay.plans == plain.replay.plans
        assert odd.replay.world == plain.replay.world
        assert len(odd.planted) == VIOLATIONS
        assert not plain.planted
        # A detour that was planted may move the ways around it, and nothing else that is done.
        ordinary = {(action.verb, action.place, action.text) for action in plain.replay.actions}
        for action in odd.replay.actions:
            if action.id not in odd.planted and action.verb != "walk":
                assert (action.verb, action.place, action.text) in ordinary


def test_the_bakery_is_where_the_character_works_in_every_version() -> None:
    """The attention check asks for it."""
    study = load(PROTOCOLS["replay"].folder, kinds=KINDS, protocols=PROTOCOLS).study
    for seed in range(6):
        for stimulus in study.stimuli:
            actions = make(days.make, study, stimulus, seed).replay.actions
            assert sum(action.place == "Bakery" for action in actions) >= 3


def test_protocols_without_recordings_say_so(tmp_path: Path) -> None:
    trace = PROTOCOLS["trace"]
    assert trace.stimuli is None
    trace.write_stimuli(load(trace.folder, kinds=KINDS, protocols=PROTOCOLS).study, tmp_path, 1)
    assert not list(tmp_path.iterdir())


def test_a_damaged_list_of_what_was_planted_is_told(tmp_path: Path) -> None:
    assert planted_in(tmp_path) == {}
    (tmp_path / PLANTED_FILE).write_text("{")
    with pytest.raises(InvalidInput, match=r"planted.json: expected JSON"):
        planted_in(tmp_path)


@pytest.mark.parametrize("demonstration", [True, False])
def test_every_page_says_it(tmp_path: Path, demonstration: bool) -> None:
    folder = tmp_path / "hntt"
    READY_STUDIES["hntt"].copy(folder)
    if not demonstration:
        text = (folder / "study.yaml").read_text("utf-8")
        (folder / "study.yaml").write_text(text.replace("demonstration: true\n", ""), "utf-8")
    study = load(folder, kinds=KINDS, protocols=PROTOCOLS).study
    write_all(navigation.make, study, folder, seed=1)
    settings = Settings(study_folders=(folder,), data_dir=tmp_path / "data")

    async def pages() -> list[str]:
        app = create_app(replace(settings), clock=VirtualClock())
        async with running(app) as http:
            link = link_token(app.state.store, "hntt")
            landing = await http.get(f"/join/{link}")
            joined = await http.post(f"/join/{link}", follow_redirects=False, data={"desktop": "yes"})
            page = await http.get(joined.headers["location"])
            return [landing.text, page.text]

    assert [WORDS in text for text in asyncio.run(pages())] == [demonstration, demonstration]

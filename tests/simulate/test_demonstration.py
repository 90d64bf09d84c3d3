"""Demonstration stimuli: made from the study file, honest on every page."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from believable.core.clock import VirtualClock
from believable.core.errors import InvalidInput
from believable.instruments import INSTRUMENTS
from believable.simulate.asgi import running
from believable.simulate.demonstration import PLANTED_FILE, VIOLATIONS, make, planted_in, write_all
from believable.simulate.links import link_token
from believable.study import protocols
from believable.study.load import load
from believable.study.protocols import PROTOCOLS
from believable.web.app import create_app
from believable.web.settings import Settings

WORDS = "Demonstration stimuli"


def test_both_versions_of_a_day_share_the_plan_and_only_one_has_violations() -> None:
    study = load(PROTOCOLS["replay"].folder, instruments=INSTRUMENTS).study
    by_id = {one.id: make("replay", study, one, 7) for one in study.stimuli}
    for scenario in study.scenarios:
        odd, plain = by_id[f"{scenario}_baseline"], by_id[f"{scenario}_agent"]
        assert odd.replay.plans == plain.replay.plans
        assert odd.replay.world == plain.replay.world
        assert len(odd.planted) == VIOLATIONS
        assert not plain.planted
        changed = {
            one.id
            for one, other in zip(odd.replay.actions, plain.replay.actions, strict=True)
            if one != other
        }
        assert changed <= set(odd.planted)


def test_the_bakery_is_where_the_character_works_in_every_version() -> None:
    """The attention check asks for it."""
    study = load(PROTOCOLS["replay"].folder, instruments=INSTRUMENTS).study
    for seed in range(6):
        for one in study.stimuli:
            actions = make("replay", study, one, seed).replay.actions
            assert sum(action.place == "Bakery" for action in actions) >= 3


def test_protocols_without_recordings_say_so() -> None:
    study = load(PROTOCOLS["hntt"].folder, instruments=INSTRUMENTS).study
    with pytest.raises(InvalidInput, match="protocol 'trace' has no recordings made by code"):
        make("trace", study, study.stimuli[0], 1)


def test_a_damaged_list_of_what_was_planted_is_told(tmp_path: Path) -> None:
    assert planted_in(tmp_path) == {}
    (tmp_path / PLANTED_FILE).write_text("{")
    with pytest.raises(InvalidInput, match=r"planted.json: expected JSON"):
        planted_in(tmp_path)


@pytest.mark.parametrize("demonstration", [True, False])
def test_every_page_says_it(tmp_path: Path, demonstration: bool) -> None:
    folder = tmp_path / "hntt"
    protocols.copy("hntt", folder)
    if not demonstration:
        text = (folder / "study.yaml").read_text("utf-8")
        (folder / "study.yaml").write_text(text.replace("demonstration: true\n", ""), "utf-8")
    study = load(folder, instruments=INSTRUMENTS).study
    write_all("hntt", study, folder, seed=1)
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

"""Demonstration stimuli: made from the study file, honest on every page."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from believable.app.settings import Settings
from believable.contracts.registries import PROTOCOLS
from believable.core.clock import VirtualClock
from believable.protocols import READY_STUDIES
from believable.protocols.replay import stimuli as days
from believable.simulate.asgi import running
from believable.simulate.crowd import link_token
from believable.simulate.demonstration import make
from believable.study.load import load
from believable.web.app import create_app

WORDS = "Demonstration stimuli"


def test_both_conditions_of_a_scenario_follow_the_same_character_of_the_same_town() -> None:
    study = load(PROTOCOLS["replay"].folder).study
    by_id = {stimulus.id: make(days.make, study, stimulus, 7) for stimulus in study.stimuli}
    followed = set()
    for scenario in study.scenarios:
        theirs, ours = by_id[f"{scenario}_a"], by_id[f"{scenario}_b"]
        assert theirs.world == ours.world
        assert theirs.seed == ours.seed
        assert [actor.id for actor in theirs.actors] == [actor.id for actor in ours.actors]
        assert {action.actor for action in (*theirs.actions, *ours.actions)} == {
            theirs.actors[0].id
        }
        followed.add(theirs.actors[0].id)
    assert len(followed) == len(study.scenarios)
    assert by_id["example"].seed != by_id[f"{scenario}_a"].seed, "the practice is another town"


def test_protocols_without_recordings_say_so(tmp_path: Path) -> None:
    trace = PROTOCOLS["trace"]
    assert trace.stimuli is None
    trace.write_stimuli(load(trace.folder).study, tmp_path, 1)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("demonstration", [True, False])
def test_every_page_says_it(tmp_path: Path, demonstration: bool) -> None:
    folder = tmp_path / "hntt"
    READY_STUDIES["hntt"].copy(folder)
    if not demonstration:
        text = (folder / "study.yaml").read_text("utf-8")
        (folder / "study.yaml").write_text(text.replace("demonstration: true\n", ""), "utf-8")
    study = load(folder).study
    READY_STUDIES["hntt"].write_stimuli(study, folder, 1)
    settings = Settings(study_folders=(folder,), data_dir=tmp_path / "data")

    async def pages() -> list[str]:
        app = create_app(replace(settings), clock=VirtualClock())
        async with running(app) as http:
            link = link_token(app.state.store, "hntt")
            landing = await http.get(f"/join/{link}")
            joined = await http.post(
                f"/join/{link}", follow_redirects=False, data={"desktop": "yes"}
            )
            page = await http.get(joined.headers["location"])
            return [landing.text, page.text]

    assert [WORDS in text for text in asyncio.run(pages())] == [demonstration, demonstration]

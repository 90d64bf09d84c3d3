"""`hntt` and `clips` show real players in a 3D game: films that come with the package, alike,
covered, and with nothing in them that tells who plays.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable.app.pools import PoolOptions, _source_pools
from believable.app.settings import Settings
from believable.core.clock import VirtualClock
from believable.core.errors import InvalidInput
from believable.protocols import READY_STUDIES
from believable.protocols.doom_films import MESSAGES, STATUS_BAR
from believable.recordings.file import read
from believable.recordings.film_file import load_av
from believable.simulate.asgi import running
from believable.simulate.client import Participant
from believable.simulate.pace import HastyPace
from believable.stimuli.clip_matching import match_clips
from believable.stimuli.probe import facts
from believable.study.load import load
from believable.web.app import create_app
from believable.worlds.doom.doom_recording import setup_in

NAMES = ("clips", "hntt")
#: All films of the package together.
MOST_BYTES = 12_000_000
AGENTS = {"clips": ("imitation", "rule_based"), "hntt": ("navigator", "standin_human")}
CALLED_FRESH = 60


@pytest.mark.parametrize("name", NAMES)
def test_it_speaks_of_the_game_in_both_languages_and_of_no_maze(name: str) -> None:
    ready = READY_STUDIES[name].folder
    assert load(ready).study.languages == ("en", "de")
    for page in (ready / "pages").glob("*.md"):
        assert not re.search(r"maze|Labyrinth|from above|von oben", page.read_text("utf-8")), (
            page.name
        )


@pytest.fixture(params=NAMES, scope="module")
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ready study with its films."""
    ready = READY_STUDIES[request.param]
    place = tmp_path_factory.mktemp(request.param) / str(request.param)
    ready.copy(place)
    ready.write_stimuli(load(place).study, place, 7)
    return place


def pictures(path: Path) -> list[Any]:
    with load_av("test").open(str(path)) as opened:
        return [
            frame.to_ndarray(format="rgb24")
            for number, frame in enumerate(opened.decode(video=0))
            if number % 30 == 0
        ]


def test_films_are_alike_covered_and_tell_nobody(folder: Path) -> None:
    study = load(folder).study
    scenario = study.stimuli[0].scenario
    films = [folder / stimulus.file for stimulus in study.stimuli if stimulus.scenario == scenario]
    assert len({facts(film).duration_ms for film in films}) == 1
    sizes = [film.stat().st_size for film in films]
    assert max(sizes) - min(sizes) < 100, "nothing follows from the size of a file"
    for film in films:
        shown = np.array(pictures(film), np.int64)
        assert shown[:, : int(MESSAGES.height * 360) - 2].max() < 40
        assert shown[:, 50:250].std() > 5, "there is a game"
        if folder.name == "clips":  # the watermark stands to the right
            assert shown[:, int(STATUS_BAR.y * 360) + 4 :, :300].max() < 60
        content = film.read_bytes()
        assert not re.search(
            rb"standin|human|agent|rules|imitation|wanderer|person|doom|Lavf|x264", content
        )
    first, second = (np.array(pictures(film)[-1], np.int64) for film in films[:2])
    assert np.abs(first - second).mean() > 0.5, "they do not play alike"


def test_what_comes_with_the_package_is_small_and_enough_for_fresh_clips() -> None:
    sizes = [
        file.stat().st_size
        for name in NAMES
        for file in (READY_STUDIES[name].folder / "films").iterdir()
    ]
    assert sum(sizes) <= MOST_BYTES
    for name, conditions in AGENTS.items():
        for condition in conditions:
            place = READY_STUDIES[name].folder / "recordings" / condition
            own = sorted(place.rglob("*.replay.json.gz"))
            assert len(own) >= CALLED_FRESH, (name, condition)
            assert max(file.stat().st_size for file in own) < 40_000
            assert setup_in(read(own[0])).map


def test_the_recordings_of_the_package_become_pools_of_fresh_clips() -> None:
    study = load(READY_STUDIES["hntt"].folder).study
    names = AGENTS["hntt"]
    options = PoolOptions(folder="s", clips=[f"{name}=ready" for name in names])
    pools = _source_pools(options, study)
    matched = match_clips(pools, most_cropped=0.2).matches
    assert len(matched) >= 40
    for match in matched:
        goals = {setup_in(read(clip.file)).goal for clip in match.clips.values()}
        assert len(goals) == 1
    clips = load(READY_STUDIES["clips"].folder).study
    (own,) = _source_pools(PoolOptions(folder="s", clips=["imitation=ready"]), clips).values()
    assert {clip.scenario for clip in own} == {"map06", "map09", "map18", "map21"}
    asked = PoolOptions(folder="s", clips=["standin_human=ready"])
    with pytest.raises(
        InvalidInput, match="has no recordings of 'standin_human' for this protocol"
    ):
        _source_pools(asked, study.model_copy(update={"analysis": None}))


async def _received(folder: Path, data: Path, films: int) -> list[tuple[str, bytes]]:
    clock = VirtualClock()
    app = create_app(Settings(study_folders=(folder,), data_dir=data), clock=clock)
    got: list[tuple[str, bytes]] = []
    async with running(app) as http:
        link = app.state.published[0].links["open"].rsplit("/", 1)[-1]
        person = Participant(http, HastyPace(1_750_000_000_000))
        await person.join(link, language="en", desktop="yes")
        await person.claim()
        for _ in range(films):
            trial = await person.trial()
            page = (await http.get(f"/s/{person.token}")).text
            answer = await http.get(trial["media"][0]["url"])
            got.append((json.dumps(trial) + page + str(dict(answer.headers)), answer.content))
            clock.advance(60_000)
            person.note("media.ended", media_ms=1000)
            await person.submit({})
    return got


STUDY = """\
believable: 1
title: Blind
seed: 3
conditions: [{conditions}]
stimuli:
{stimuli}
timeline:
  - block: {{id: films, over: condition, order: random, each: [{{watch: {{id: film, stimulus: any}}}}]}}
  - finish: {{text: Thanks.}}
"""


def test_what_a_page_receives_tells_neither_condition_nor_agent(
    folder: Path, tmp_path: Path
) -> None:
    study = load(folder).study
    shown = {str(stimulus.condition): stimulus for stimulus in study.stimuli}
    shutil.copytree(folder / "stimuli", tmp_path / "s" / "stimuli")
    stimuli = "\n".join(
        f"  - {{id: {s.id}, file: {s.file}, condition: {condition}, scenario: one}}"
        for condition, s in shown.items()
    )
    (tmp_path / "s" / "study.yaml").write_text(
        STUDY.format(conditions=", ".join(shown), stimuli=stimuli)
    )
    got = asyncio.run(_received(tmp_path / "s", tmp_path / "data", len(shown)))
    assert len({content for _, content in got}) == len(shown)
    for words, content in got:
        for condition, stimulus in shown.items():
            for secret in (f'"{stimulus.id}"', f'"{condition}"', "wanderer", "doom"):
                assert secret not in words
                assert secret.encode() not in content

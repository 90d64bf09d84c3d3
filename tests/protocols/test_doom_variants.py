"""`clips` and `hntt` in a real 3D game: texts in both languages, films made alike, and nothing that
tells who plays.
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

from believable.app.settings import Settings
from believable.core.clock import VirtualClock
from believable.protocols import READY_STUDIES
from believable.protocols.doom_films import HANDS, MESSAGES, STATUS_BAR, play_scripted
from believable.protocols.variants import variant
from believable.recordings.film_file import load_av
from believable.simulate.asgi import running
from believable.simulate.client import Participant
from believable.simulate.pace import HastyPace
from believable.stimuli.probe import facts
from believable.stimuli.recipe import Recipe
from believable.study.load import load, problems
from believable.web.app import create_app

NAMES = ("clips", "hntt")
SMALL = Recipe(width_px=256, height_px=144, sound=False, watermark="Research", crf=10)


@pytest.mark.parametrize("name", NAMES)
def test_it_speaks_of_the_game_in_both_languages_and_of_no_maze(name: str, tmp_path: Path) -> None:
    variant(READY_STUDIES[name], "doom").copy(tmp_path / "s")
    assert problems(tmp_path / "s") == problems(READY_STUDIES[name].folder)
    study = load(tmp_path / "s").study
    assert study.languages == ("en", "de")
    assert study.demonstration
    for page in (tmp_path / "s" / "pages").glob("*.md"):
        assert not re.search(r"maze|Labyrinth|from above|von oben", page.read_text("utf-8")), (
            page.name
        )
    pages = {page.name for page in (tmp_path / "s" / "pages").iterdir()}
    assert pages == {page.name for page in (READY_STUDIES[name].folder / "pages").iterdir()}


@pytest.fixture(params=NAMES, scope="module")
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The variant's study with the films of one scenario, small and short."""
    ready = variant(READY_STUDIES[request.param], "doom")
    place = tmp_path_factory.mktemp(request.param) / "study"
    ready.copy(place)
    study = load(place).study
    first = tuple(
        stimulus for stimulus in study.stimuli if stimulus.scenario == study.stimuli[0].scenario
    )
    write: Any = ready._part("stimuli", "write")
    write(study.model_copy(update={"stimuli": first}), place, 7, recipe=SMALL, clip_s=1)
    return place


def pictures(path: Path) -> list[Any]:
    with load_av("test").open(str(path)) as opened:
        return [frame.to_ndarray(format="rgb24") for frame in opened.decode(video=0)]


def test_films_are_alike_covered_and_tell_nobody(folder: Path) -> None:
    study = load(folder).study
    films = [folder / stimulus.file for stimulus in study.stimuli]
    assert (
        len(films)
        == len({stimulus.condition for stimulus in study.stimuli})
        == len(study.conditions)
    )
    assert len({facts(film).duration_ms for film in films}) == 1
    covered = 2 if study.stimuli[0].condition and len(study.conditions) == 3 else 1
    for film in films:
        shown = np.array(pictures(film), np.int64)
        assert shown[:, : int(MESSAGES.height * 144) - 1].max() < 40
        assert shown[:, 20:100].std() > 5  # there is a game
        if covered == 2:
            assert (
                shown[:, int(STATUS_BAR.y * 144) + 3 :, :120].max() < 60
            )  # the watermark stands to the right
        content = film.read_bytes()
        assert not re.search(
            rb"standin|human|agent|rules|imitation|wanderer|person|doom|Lavf|x264", content
        )
        record = json.loads(film.with_name(f"{film.stem}.provenance.json").read_text())
        assert [mask["width_px"] for mask in record["source"]["masks"]] == [640] * covered
    first, second = (np.array(pictures(film)[-1], np.int64) for film in films[:2])
    assert np.abs(first - second).mean() > 0.5  # they do not play alike


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


def test_what_a_page_receives_tells_neither_condition_nor_agent(
    folder: Path, tmp_path: Path
) -> None:
    study = load(folder).study
    shutil.copytree(folder / "stimuli", tmp_path / "s" / "stimuli")
    stimuli = "\n".join(
        f"  - {{id: {s.id}, file: {s.file}, condition: {s.condition}, scenario: {s.scenario}}}"
        for s in study.stimuli
    )
    (tmp_path / "s" / "study.yaml").write_text(
        STUDY.format(conditions=", ".join(study.conditions), stimuli=stimuli)
    )
    got = asyncio.run(_received(tmp_path / "s", tmp_path / "data", len(study.stimuli)))
    assert len({content for _, content in got}) == len(study.stimuli)
    for words, content in got:
        for stimulus in study.stimuli:
            for secret in (stimulus.id, str(stimulus.condition), "wanderer", "doom"):
                assert secret not in words
                assert secret.encode() not in content


def test_two_of_a_kind_in_one_scene_go_their_own_ways() -> None:
    options, hand = {"map": "deathmatch", "picture": "160x120"}, HANDS["standin_rules"]
    first, same, other = (
        play_scripted(options, "nobody", "person", hand, 7, player, 6).tracks[0]
        for player in (1, 1, 2)
    )
    assert (first.x[0], first.y[0]) == (other.x[0], other.y[0])
    assert same.x == first.x
    assert other.x != first.x

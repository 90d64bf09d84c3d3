"""The study of a learned player beside people and bots: made by one command, and blind to
everything but behaviour.
"""

from __future__ import annotations

import csv
import random
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.contracts.game import RoundContext
from believable.core.clock import VirtualClock
from believable.core.errors import InvalidInput
from believable.imitation.similar_routes import RouteWindow
from believable.imitation.topology import Topology
from believable.protocols.clips import TYPES
from believable.protocols.clips.variants.imitation import recorded_clips
from believable.protocols.clips.variants.imitation.demo_pages import demo_clips, quiet_parts
from believable.protocols.clips.variants.imitation.group_plan import (
    ClipDesign,
    mixtures,
    plan_groups,
)
from believable.protocols.clips.variants.imitation.recorded_clips import LOOK, RECIPE
from believable.protocols.clips.variants.imitation.recorded_rounds import people_in, play_round
from believable.recordings.file import read, write
from believable.stimuli import source_pool
from believable.stimuli.blinding import GuessedFilm, film_traits, guess_conditions
from believable.stimuli.freedoom import GAME_DATA, PeopleDemo
from believable.stimuli.render import render_file
from believable.stimuli.source_pool import SourceDetails
from believable.stimuli.standardise import standardise
from believable.stimuli.verify import verify
from believable.study.load import load
from believable.worlds.doom import DOOM
from believable.worlds.doom.doom_round import DoomSetup

CLIP_S, GROUPS = 4, 4


def run(*words: str) -> str:
    answer = CliRunner().invoke(group, words, catch_exceptions=False)
    assert answer.exit_code == 0, answer.output
    return answer.output


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("people")
    options = (
        "--map",
        "deathmatch",
        "--picture",
        "160x120",
        "--seconds",
        "20",
        "--opponent",
        "nobody",
    )
    run(
        "record",
        "doom",
        str(place),
        *options,
        "--agent",
        "regular:3",
        "--name",
        "person",
        "--rounds",
        "3",
    )
    return place


@pytest.fixture(scope="module")
def study(recordings: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("studies") / "st"
    design = ("--groups", str(GROUPS), "--clip-seconds", str(CLIP_S))
    run("new", str(place), "--protocol", "clips", "--recordings", str(recordings), *design)
    return place


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_one_command_makes_a_study_that_says_who_is_a_stand_in(study: Path) -> None:
    definition = load(study)
    shown = definition.study
    assert shown.demonstration
    assert set(shown.conditions) == {stimulus.condition for stimulus in shown.stimuli}
    assert {"standin_human", "clone", "rule_based"} <= set(shown.conditions)
    assert len(shown.stimuli) == 3 * GROUPS
    with (study / "clips.csv").open(encoding="utf-8") as sheet:
        rows = {row["stimulus"]: row for row in csv.DictReader(sheet)}
    assert rows.keys() == {stimulus.id for stimulus in shown.stimuli}
    people = {row["recording"] for row in rows.values() if row["condition"] == "standin_human"}
    for row in rows.values():
        if row["condition"] == "clone":
            assert row["learned_from"] in people, (
                "a direct clone learned from the recording of a human clip in the test"
            )
            same_page = [other for other in rows.values() if other["page"] == row["page"]]
            assert row["learned_from"] in {other["recording"] for other in same_page}
        elif row["condition"] == "imitation":
            assert row["learned_from"]
            assert not people & set(row["learned_from"].split(", ")), (
                "others learned from recordings that are not shown"
            )
    assert not list(study.parent.glob(".*")), "what lay beside it while it was made is gone"


def differences(folder: Path) -> list[str]:
    """All that tells types apart and is no behaviour: headers, sizes, packets, lengths, light,
    colours, edges, what stands still, names. Direct clones count as what they are to people:
    imitations.
    """
    definition = load(folder)
    words = [str(problem) for problem in verify(definition, folder) if "clone" not in str(problem)]
    types = {"standin_human": "human", "clone": "imitation"}
    films = [
        GuessedFilm(
            types.get(str(stimulus.condition), str(stimulus.condition)),
            stimulus.scenario,
            film_traits(folder / stimulus.file),
        )
        for stimulus in definition.study.stimuli
    ]
    guess = guess_conditions(films, np.random.default_rng(1))
    sizes = [traits.amounts["bytes"] for _, traits in films]
    if guess.headers > 1:
        words.append(f"{guess.headers} headers")
    if max(sizes) - min(sizes) > 2:
        words.append(f"bytes: {sorted(sizes)}")
    words += [
        f"{trait}: p = {p_value}" for trait, p_value in guess.traits.items() if p_value <= 0.05
    ]
    if guess.p_value <= 0.05:
        words.append(f"guessed: {guess.rate} against {guess.chance}")
    words += [
        f"{stimulus.id}: a number or a name"
        for stimulus in definition.study.stimuli
        if stimulus.id.isdigit() or str(stimulus.condition) in stimulus.id
    ]
    return words


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_the_types_are_told_apart_by_nothing_but_behaviour(study: Path) -> None:
    assert differences(study) == []


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("spoiled", "noticed"),
    [
        ({"to_ms": 5000}, "headers"),
        ({"plain": False, "overlay": True}, "p = "),
        ({"camera": "third"}, "p = "),
    ],
    ids=["length", "hands and bars", "camera"],
)
def test_a_type_that_is_made_otherwise_is_noticed(
    study: Path, tmp_path: Path, spoiled: dict[str, Any], noticed: str
) -> None:
    """All clips of the bots filmed again in another way, everything else as it was."""
    shutil.copytree(study, tmp_path / "st")
    definition = load(tmp_path / "st")
    source = tmp_path / "round.replay.json.gz"
    play_round(bot_setup(), None, 1, source)
    own = [stimulus for stimulus in definition.study.stimuli if stimulus.condition == "rule_based"]
    for number, stimulus in enumerate(own):
        from_ms = 1000 * number
        look = replace(LOOK, **({"from_ms": from_ms, "to_ms": from_ms + 1000 * CLIP_S} | spoiled))
        render_file(source, tmp_path / "film.mp4", look)
        about = SourceDetails(condition="rule_based", scenario="page", masks=())
        pool = tmp_path / f"pool{number}"
        added = source_pool.add(
            pool,
            [tmp_path / "film.mp4"],
            about,
            clock=VirtualClock(0),
            new_name=lambda: "clip",
            workers=1,
        )
        made = standardise(pool, list(added.new.values()), RECIPE, clock=VirtualClock(0), workers=1)
        shutil.copyfile(made.films["clip"], tmp_path / "st" / stimulus.file)
    assert any(noticed in words for words in differences(tmp_path / "st"))


def bot_setup() -> DoomSetup:
    """A bot's round on the map of the recordings."""
    playing = DOOM.game
    options = playing.trial.options(map="deathmatch", picture="160x120")
    setup: DoomSetup = playing.trial.resolve(
        options, RoundContext(session_seed=3, trial_key="t", opponent="nobody", duration_s=12)
    )
    return setup


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_an_interrupted_run_goes_on_where_it_was(
    recordings: Path, study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pulled_plug(*arguments: object) -> None:
        raise KeyboardInterrupt

    words = ("new", str(tmp_path / "st"), "--protocol", "clips", "--recordings", str(recordings))
    words = (*words, "--groups", "2", "--clip-seconds", str(CLIP_S))
    monkeypatch.setattr(recorded_clips, "film_clips", pulled_plug)
    assert CliRunner().invoke(group, words).exit_code != 0
    rounds = sorted((tmp_path / ".st-clips" / "rounds").iterdir())
    written = [file.stat().st_mtime_ns for file in rounds]
    monkeypatch.setattr(recorded_clips, "film_clips", lambda clips, folder, tell: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        CliRunner().invoke(group, words, catch_exceptions=False)
    assert [file.stat().st_mtime_ns for file in rounds] == written, "no round is played twice"
    assert not (tmp_path / "st").exists()


def test_recordings_that_cannot_be_used_are_told(recordings: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"expected two recordings or more .* got 0"):
        people_in(tmp_path)
    run(
        "record",
        "doom",
        str(tmp_path),
        "--map",
        "deathmatch",
        "--picture",
        "160x120",
        "--seconds",
        "5",
        "--agent",
        "bot",
        "--rounds",
        "2",
        "--opponent",
        "nobody",
        "--name",
        "bot",
    )
    with pytest.raises(
        InvalidInput,
        match="expected somebody's round of a deathmatch map, got 'deathmatch' played by a bot",
    ):
        people_in(tmp_path)
    assert {person.player for person in people_in(recordings)} == {"regular:3"}
    unmarked = tmp_path / "unmarked"
    shutil.copytree(recordings, unmarked)
    said = read(unmarked / "person-02.replay.json.gz")
    known = {name: value for name, value in said.provenance.items() if name != "player"}
    write(replace(said, provenance=known), unmarked / "person-02.replay.json.gz")
    with pytest.raises(
        InvalidInput, match=r"person-02\.replay\.json\.gz: it does not say who plays"
    ):
        people_in(unmarked)
    write(
        replace(said, provenance={**known, "player": "person"}),
        unmarked / "person-02.replay.json.gz",
    )
    with pytest.raises(InvalidInput, match=r"rounds of people and of scripts \(regular:3\)"):
        people_in(unmarked)


def test_pages_have_any_mixture_and_all_types_alike() -> None:
    for seed in range(20):
        pages = mixtures(ClipDesign(), random.Random(seed))
        assert [len(page) for page in pages] == [3] * 15
        assert [sum(page.count(name) for page in pages) for name in TYPES] == [15, 15, 15]
        assert len(set(pages)) > 2
        assert sum("human" in page and "imitation" in page for page in pages) >= 2


def test_a_page_is_made_around_a_rule_based_run() -> None:
    line = Topology(
        np.array([[10.0 * number, 0, 0] for number in range(6)]),
        np.ones((6, 6), bool),
        np.ones((6, 6)),
    )
    windows = {
        name: [RouteWindow(number, 0, 4000, (number, number + 1)) for number in range(5)]
        for name in TYPES
    }
    clips = plan_groups(line, windows, ClipDesign(groups=3, clip_s=4), random.Random(3))
    assert len(clips) == 9
    assert sum(clip.clone for clip in clips) == 2
    for page in range(3):
        own = [clip for clip in clips if clip.group == page]
        first = own[0]
        if "artificial" in {clip.type for clip in own}:
            assert first.type == "artificial"
        for clip in own:
            if clip.clone:
                assert clip.window in [other.window for other in own if other.type == "human"]
    shown = [(clip.type, clip.window) for clip in clips if not clip.clone]
    assert len(set(shown)) == len(shown), "nothing is shown twice"
    with pytest.raises(InvalidInput, match="no part of 4 s is left of"):
        plan_groups(
            line,
            {name: own[:1] for name, own in windows.items()},
            ClipDesign(groups=3, clip_s=4),
            random.Random(3),
        )


def test_quiet_parts_of_a_demo_have_no_shot() -> None:
    shots = [0] * 700
    shots[0], shots[300], shots[310] = 1, 1, 1
    demo = PeopleDemo(
        game="freedm",
        lump="DEMO1",
        header=bytes(13),
        inputs=(tuple((0, 0, 0, shot) for shot in shots),),
        viewed=0,
    )
    parts = quiet_parts(demo)
    assert [(part.from_ms, part.to_ms) for part in parts] == [(9086, 19_800), (229, 8371)]
    for part in parts:
        assert not any(shots[part.from_ms * 35 // 1000 : part.to_ms * 35 // 1000])


@pytest.mark.skipif(
    not (GAME_DATA / "freedm.wad").is_file(), reason="needs the Debian package freedm"
)
def test_pages_with_people_have_clips_of_one_length_and_a_bot_on_the_same_map() -> None:
    clips = demo_clips(2, 3)
    for page in (0, 1):
        own = [clip for clip in clips if clip.page == page]
        assert len(own) == 3
        assert len({clip.to_ms - clip.from_ms for clip in own}) == 1
        assert len({clip.map for clip in own}) == 1
        assert 0 < sum(clip.demo is not None for clip in own) < 3
    assert sum(clip.demo is not None for clip in clips) >= 2

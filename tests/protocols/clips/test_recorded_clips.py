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
from believable.giveaways.exhibits import exhibit_of
from believable.giveaways.finder import find_giveaways
from believable.imitation.similar_routes import RouteWindow
from believable.imitation.topology import Topology
from believable.protocols.clips import TYPES
from believable.protocols.clips.variants.imitation import recorded_clips
from believable.protocols.clips.variants.imitation.group_plan import (
    ClipDesign,
    MapWindows,
    mixtures,
    plan_groups,
)
from believable.protocols.clips.variants.imitation.people_recordings import people_by_map, people_in
from believable.protocols.clips.variants.imitation.played_rounds import RoundJob, play_round
from believable.protocols.clips.variants.imitation.recorded_clips import LOOK, RECIPE, strayed_ms
from believable.recordings.file import read, write
from believable.stimuli import source_pool
from believable.stimuli.render import render_file
from believable.stimuli.source_pool import SourceDetails
from believable.stimuli.standardise import standardise
from believable.stimuli.verify import verify
from believable.study.load import load
from believable.worlds.doom import DOOM
from believable.worlds.doom.doom_round import DoomSetup
from believable.worlds.doom.game_map import FREEDM_PEOPLE

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
        exhibit_of(
            folder / stimulus.file,
            name=stimulus.id,
            condition=types.get(str(stimulus.condition), str(stimulus.condition)),
            scenario=stimulus.scenario,
            served={},
        )
        for stimulus in definition.study.stimuli
    ]
    found = find_giveaways(films, np.random.default_rng(1))
    sizes = [film.values["bytes"] for film in films]
    if max(sizes) - min(sizes) > 2:
        words.append(f"bytes: {sorted(sizes)}")
    words += map(str, found.of("artifact"))
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
    play_round(RoundJob(setup=bot_setup(), player=None, seed=1, target=source))
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

    words = ["new", str(tmp_path / "st"), "--protocol", "clips", "--recordings", str(recordings)]
    words += ["--groups", "2", "--clip-seconds", str(CLIP_S)]
    monkeypatch.setattr(recorded_clips, "_film", pulled_plug)
    assert CliRunner().invoke(group, words).exit_code != 0
    rounds = sorted((tmp_path / ".st-clips" / "rounds").iterdir())
    written = [file.stat().st_mtime_ns for file in rounds]
    monkeypatch.setattr(recorded_clips, "_film", lambda clips, work, tell: 1 / 0)
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
        "engine_bot",
        "--rounds",
        "2",
        "--opponent",
        "nobody",
        "--name",
        "bot",
    )
    with pytest.raises(
        InvalidInput,
        match="expected a player's round of a deathmatch map, got 'deathmatch' played by a bot",
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
    place = MapWindows(map=1, topology=line, windows=windows)
    clips = plan_groups([place], ClipDesign(groups=3, clip_s=4), random.Random(3))
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
    few = {name: own[:1] for name, own in windows.items()}
    scarce = [MapWindows(map=1, topology=line, windows=few)]
    with pytest.raises(InvalidInput, match="no part of 4 s is left of"):
        plan_groups(scarce, ClipDesign(groups=3, clip_s=4), random.Random(3))


def test_pages_are_of_one_map_each_and_maps_with_more_of_people_get_more() -> None:
    line = Topology(np.zeros((2, 3)), np.ones((2, 2), bool), np.ones((2, 2)))

    def place(number: int, people: int) -> MapWindows:
        many = [RouteWindow(file, 0, 4000, (0, 1)) for file in range(40)]
        windows = {"human": many[:people], "imitation": many, "artificial": many}
        return MapWindows(map=number, topology=line, windows=windows)

    design = ClipDesign(groups=15, clip_s=4)
    clips = plan_groups([place(1, 30), place(2, 10)], design, random.Random(1))
    maps = [{clip.map for clip in clips if clip.group == page} for page in range(15)]
    assert all(len(own) == 1 for own in maps)
    assert sum(own == {1} for own in maps) > sum(own == {2} for own in maps) > 1
    assert design.rounds(1) == 15
    assert 2 * design.rounds(2) > 15


def test_half_of_the_recordings_of_each_map_are_learned_from() -> None:
    people = people_in(FREEDM_PEOPLE)
    assert {person.player for person in people} == {"person"}
    maps = people_by_map(people, random.Random(1))
    assert [(len(place.shown), len(place.others)) for place in maps] == [(2, 1)] * 3 + [(2, 2)]
    for place in maps:
        assert len({person.map for person in place.everyone}) == 1
    with pytest.raises(InvalidInput, match="one recording of freedm:map21"):
        people_by_map(people[:1], random.Random(1))


def test_parts_off_the_way_are_noticed(tmp_path: Path) -> None:
    """A person who jumps through a wall cannot be led."""
    person = read(FREEDM_PEOPLE / "freedm-demo4-2.replay.json.gz")
    part = {name: column[200:500] for name, column in person.telemetry.items()}
    x = [float(str(value)) for value in part["x"]]
    straight = replace(
        person, timing=replace(person.timing, frames=300), telemetry=part, tracks=(), actions=()
    )
    write(straight, tmp_path / "good.replay.json.gz")
    assert strayed_ms(tmp_path / "good.replay.json.gz") == []
    moved = tuple(value + 30 * (number % 2) for number, value in enumerate(x))
    broken = replace(straight, telemetry={**part, "x": moved})
    write(broken, tmp_path / "bad.replay.json.gz")
    assert len(strayed_ms(tmp_path / "bad.replay.json.gz")) > 10

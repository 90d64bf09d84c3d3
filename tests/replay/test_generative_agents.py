from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path

import pytest

from believable.core.errors import InvalidInput
from believable.replay.file import from_bytes, to_bytes
from believable.replay.importers.generative_agents import Imported, import_run

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "generative_agents"
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="the public Generative Agents run (../shared/data/generative_agents) is absent"
)


@pytest.fixture(scope="module")
def run() -> Imported:
    return import_run(DATA)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The run's folder with the same map and personas, and no movement data yet."""
    for name in ("maze", "personas"):
        shutil.copytree(DATA / name, tmp_path / name)
    return tmp_path


@needs_data
def test_the_published_facts_hold(run: Imported) -> None:
    by_name = {fact.actor: fact for fact in run.facts}
    names = ("Isabella Rodriguez", "Maria Lopez", "Klaus Mueller")
    assert [by_name[name].distinct_activities for name in names] == [92, 76, 60]
    assert [by_name[name].tiles_walked for name in names] == [1224, 1720, 1575]
    assert all(fact.longest_move_tiles == 1 for fact in run.facts)
    assert all(fact.steps_on_blocked_tiles == 0 for fact in run.facts)
    assert run.distinct_chats == 8
    assert sum(row.count("#") for row in run.replay.world.walls) == 2064
    assert (run.replay.world.width, run.replay.world.height) == (140, 100)
    assert run.replay.timing.frames == 8655
    assert run.replay.timing.simulated_start == "2023-02-13T00:00:00"


@needs_data
def test_the_contradicting_meta_file_is_reported(run: Imported) -> None:
    assert run.contradictions == (
        "meta: start_date says 'February 13, 2003', the recorded steps say 'February 13, 2023'; the steps are used",
        "meta: curr_time says 'February 14, 2003, 06:30:30', the recorded steps say 'February 14, 2023, 00:02:20'; "
        "the steps are used",
    )


@needs_data
def test_a_day_is_well_under_a_megabyte_and_comes_back_exactly(run: Imported) -> None:
    data = to_bytes(run.replay)
    assert len(data) < 200_000
    assert from_bytes(data, source="memory") == run.replay


@needs_data
def test_activities_become_actions_with_verb_object_and_place(run: Imported) -> None:
    actions = [action for action in run.replay.actions if action.actor == "isabella_rodriguez"]
    shower = next(action for action in actions if "taking a shower" in action.text)
    assert (shower.verb, shower.object) == ("taking", "shower")
    assert shower.place == "Isabella Rodriguez's apartment:bathroom"
    assert (shower.t0_ms, shower.t1_ms) == (22_200_000, 22_800_000)
    talk = next(action for action in actions if action.verb == "conversing")
    assert (talk.place, talk.object) == (None, "Klaus Mueller")
    assert actions[0].t0_ms == 0
    assert all(a.t1_ms == b.t0_ms for a, b in itertools.pairwise(actions))


@needs_data
def test_conversations_are_said_by_their_speakers(run: Imported) -> None:
    said = [s.value for track in run.replay.tracks for s in track.states if s.key == "speech" and s.value]
    assert len(said) == 2 + 2 + 3 + 5 * 16
    assert any(str(text).startswith("Hey Maria! I'm so glad I ran into you.") for text in said)


@needs_data
def test_the_day_plan_is_a_tree_with_stated_times(run: Imported) -> None:
    steps = {step.id: step for step in run.replay.plans if step.actor == "isabella_rodriguez"}
    root = steps["isabella_rodriguez-plan"]
    assert (root.level, root.text) == (0, "This is Isabella Rodriguez's plan for Monday February 13")
    wake = steps["isabella_rodriguez-p1"]
    assert (wake.parent, wake.t0_ms) == (root.id, 6 * 3_600_000)
    nap = next(step for step in steps.values() if "short nap" in step.text)
    assert (nap.t0_ms, nap.t1_ms) == (14 * 3_600_000, 16 * 3_600_000)
    assert steps["isabella_rodriguez-s1"].text == "sleeping"


@needs_data
def test_the_compressed_form_gives_the_same_recording(run: Imported, folder: Path) -> None:
    shutil.copy(DATA / "master_movement.json", folder)
    shutil.copy(DATA / "meta.simaiworld.json", folder)
    compressed = import_run(folder)
    by_actor = {track.actor: track for track in run.replay.tracks}
    assert {track.actor: track for track in compressed.replay.tracks} == by_actor
    assert set(compressed.replay.actions) == set(run.replay.actions)
    assert compressed.replay.timing == run.replay.timing
    assert compressed.contradictions == run.contradictions


def _step(x: int) -> dict[str, object]:
    entry = {
        "movement": [x, 14],
        "pronunciatio": "z",
        "description": "sleeping @ the Ville:a:b:bed",
        "chat": None,
    }
    return {"persona": {"Isabella Rodriguez": entry}, "meta": {"curr_time": "February 13, 2023, 00:00:00"}}


@needs_data
def test_one_file_per_step_is_read_in_number_order(folder: Path) -> None:
    (folder / "movement").mkdir()
    for number in range(12):
        (folder / "movement" / f"{number}.json").write_text(json.dumps(_step(60 + number)), "utf-8")
    (track,) = import_run(folder).replay.tracks
    assert [x // 1000 for x in track.x] == list(range(60, 72))


@needs_data
def test_a_missing_step_stops_the_import(folder: Path) -> None:
    (folder / "movement").mkdir()
    for number in (0, 1, 3):
        (folder / "movement" / f"{number}.json").write_text(json.dumps(_step(60)), "utf-8")
    with pytest.raises(InvalidInput, match=r"steps must run from 0 without a gap, missing \[2\]"):
        import_run(folder)


def test_a_folder_without_movement_says_what_was_expected(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"no movement data\. Expected movement\.jsonl\.gz"):
        import_run(tmp_path)

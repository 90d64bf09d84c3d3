from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from believable.core.errors import InvalidInput
from believable.recordings.file import from_bytes, to_bytes
from believable.recordings.importers.generative_agents import Imported, import_run


@pytest.fixture(scope="module")
def data(public_data: Callable[[str], Path]) -> Path:
    return public_data("generative_agents")


@pytest.fixture(scope="module")
def run(data: Path) -> Imported:
    return import_run(data)


@pytest.fixture
def folder(tmp_path: Path, data: Path) -> Path:
    """The run's folder with the same map and personas, and no movement data yet."""
    for name in ("maze", "personas"):
        shutil.copytree(data / name, tmp_path / name)
    return tmp_path


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


def test_the_contradicting_meta_file_is_reported(run: Imported) -> None:
    assert run.contradictions == (
        (
            "meta: start_date says 'February 13, 2003', the recorded steps say 'February 13, 2023';"
            " the steps are used"
        ),
        (
            "meta: curr_time says 'February 14, 2003, 06:30:30', the recorded steps say 'February"
            " 14, 2023, 00:02:20'; the steps are used"
        ),
    )


def test_a_day_is_well_under_a_megabyte_and_comes_back_exactly(run: Imported) -> None:
    data = to_bytes(run.replay)
    assert len(data) < 200_000
    assert from_bytes(data, source="memory") == run.replay


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


def test_conversations_are_said_by_their_speakers(run: Imported) -> None:
    said = [
        s.value
        for track in run.replay.tracks
        for s in track.states
        if s.key == "speech" and s.value
    ]
    assert len(said) == 2 + 2 + 3 + 5 * 16
    assert any(str(text).startswith("Hey Maria! I'm so glad I ran into you.") for text in said)


def test_the_day_plan_is_a_tree_with_stated_times(run: Imported) -> None:
    steps = {step.id: step for step in run.replay.plans if step.actor == "isabella_rodriguez"}
    root = steps["isabella_rodriguez-plan"]
    assert (root.level, root.text) == (
        0,
        "This is Isabella Rodriguez's plan for Monday February 13",
    )
    wake = steps["isabella_rodriguez-p1"]
    assert (wake.parent, wake.t0_ms) == (root.id, 6 * 3_600_000)
    nap = next(step for step in steps.values() if "short nap" in step.text)
    assert (nap.t0_ms, nap.t1_ms) == (14 * 3_600_000, 16 * 3_600_000)
    assert steps["isabella_rodriguez-s1"].text == "sleeping"


def test_the_compressed_form_gives_the_same_recording(
    run: Imported, folder: Path, data: Path
) -> None:
    shutil.copy(data / "master_movement.json", folder)
    shutil.copy(data / "meta.simaiworld.json", folder)
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
    return {
        "persona": {"Isabella Rodriguez": entry},
        "meta": {"curr_time": "February 13, 2023, 00:00:00"},
    }


def test_one_file_per_step_is_read_in_number_order(folder: Path) -> None:
    (folder / "movement").mkdir()
    for number in range(12):
        (folder / "movement" / f"{number}.json").write_text(json.dumps(_step(60 + number)), "utf-8")
    (track,) = import_run(folder).replay.tracks
    assert [x // 1000 for x in track.x] == list(range(60, 72))


def test_a_missing_step_stops_the_import(folder: Path) -> None:
    (folder / "movement").mkdir()
    for number in (0, 1, 3):
        (folder / "movement" / f"{number}.json").write_text(json.dumps(_step(60)), "utf-8")
    with pytest.raises(InvalidInput, match=r"steps must run from 0 without a gap, missing \[2\]"):
        import_run(folder)


def test_a_folder_without_movement_says_what_was_expected(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"no movement data\. Expected movement\.jsonl\.gz"):
        import_run(tmp_path)


# ------------------------------------------------------------------------------------------ other
# layouts, and what is missing


RUNS = Path(__file__).resolve().parents[1] / "data" / "agent_runs"
NO_MAP = "no map: there is no maze/ beside the movements"


def said(imported: Imported, actor: str) -> list[tuple[int, object]]:
    (track,) = (track for track in imported.replay.tracks if track.actor == actor)
    return [
        (state.frame, state.value)
        for state in track.states
        if state.key == "speech" and state.value
    ]


def test_whoever_enters_later_is_there_from_then_on() -> None:
    run = import_run(RUNS / "late")
    assert [actor.name for actor in run.replay.actors] == ["Ann Lin", "Bo Berg"]
    ann, bo = run.replay.tracks
    assert (ann.first_frame, len(ann.x)) == (0, 5)
    assert (bo.first_frame, len(bo.x)) == (2, 3)
    (opening,) = (action for action in run.replay.actions if action.actor == "bo_berg")
    assert (opening.t0_ms, opening.t1_ms, opening.place, opening.object) == (
        20_000,
        50_000,
        "cafe:bar",
        "counter",
    )
    assert "Bo Berg enters at step 2 of 5" in run.notes
    assert run.contradictions == ()


def test_without_a_map_the_ways_are_read_and_it_is_said() -> None:
    run = import_run(RUNS / "late")
    assert (run.replay.world.width, run.replay.world.height, run.replay.world.places) == (9, 5, ())
    assert [fact.steps_on_blocked_tiles for fact in run.facts] == [None, None]
    assert any(note.startswith(NO_MAP) for note in run.notes)
    assert (
        "no plan for the day of Ann Lin: there is no nodes.json under personas/Ann Lin/"
        in run.notes
    )
    assert run.replay.timing.simulated_start == "2023-02-13T08:00:00"


def test_the_map_may_lie_elsewhere(tmp_path: Path, data: Path) -> None:
    run = import_run(RUNS / "late", maze=data / "maze")
    assert (run.replay.world.width, run.replay.world.height) == (140, 100)
    assert not any(note.startswith(NO_MAP) for note in run.notes)
    with pytest.raises(
        InvalidInput, match=r"expected the folder of a map, with maze_meta_info\.json in it"
    ):
        import_run(RUNS / "late", maze=tmp_path)


def test_a_map_with_a_missing_file_names_it(folder: Path) -> None:
    shutil.copy(RUNS / "late" / "master_movement.json", folder)
    (folder / "maze" / "maze" / "collision_maze.csv").unlink()
    with pytest.raises(
        InvalidInput, match=r"collision_maze\.csv: there is no such file, and the map needs it"
    ):
        import_run(folder)


def test_chat_may_be_text_a_list_of_texts_or_pairs() -> None:
    run = import_run(RUNS / "texts")
    assert said(run, "ann_lin") == [(1, "Good morning."), (2, "Yes."), (3, "Thanks.")]
    assert said(run, "bo_berg") == [(2, "Tea?")]
    assert any(note.startswith("chat is text: lines that name no speaker") for note in run.notes)


def test_an_empty_first_step_and_whoever_leaves_are_told() -> None:
    run = import_run(RUNS / "texts")
    assert [(track.first_frame, len(track.x)) for track in run.replay.tracks] == [(1, 4), (1, 2)]
    assert "nobody is in the step (movement/0.json)" in run.notes
    assert "Ann Lin, Bo Berg enters at step 1 of 5" in run.notes
    assert "Bo Berg leaves at step 3 of 5" in run.notes


def test_the_layout_of_translated_forks_is_read() -> None:
    run = import_run(RUNS / "translated")
    timing = run.replay.timing
    assert (timing.frames, timing.frame_ms, timing.simulated_start) == (
        121,
        10_000,
        "2024-02-13T05:59:50",
    )
    actions = [action for action in run.replay.actions if action.actor == "安"]
    assert [(action.t0_ms, action.text, action.place, action.object) for action in actions] == [
        (0, "正在睡覺", "林家:廚房", "爐子"),
        (10_000, "前往 茶館，吧台，櫃檯", "茶館:吧台", "櫃檯"),
        (20_000, "喝茶", "茶館:吧台", "櫃檯"),
        (610_000, "讀書", "茶館:吧台", "櫃檯"),
    ]
    assert said(run, "安") == [(1, "早安")]
    assert said(run, "波") == [(31, "早")]
    assert run.distinct_chats == 1
    emojis = [
        state.value for track in run.replay.tracks for state in track.states if state.key == "emoji"
    ]
    assert emojis.count("💬") == 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"all_movement": None}, "all_movement: expected an object"),
        (
            {"start_datetime": "soon"},
            "start_datetime: expected a time such as 2024-02-13T06:00:00, got 'soon'",
        ),
        ({"stride": 0}, "expected a positive number in stride, got 0"),
        ({"all_movement": {"description": {}}}, "all_movement holds no frame"),
        ({"all_movement": {"0": {}, "2": {}}}, "frame 1 of all_movement is missing"),
    ],
)
def test_a_damaged_movement_file_says_where(
    tmp_path: Path, change: dict[str, object], words: str
) -> None:
    run = json.loads((RUNS / "translated" / "movement.json").read_text("utf-8"))
    (tmp_path / "movement.json").write_text(json.dumps(run | change), "utf-8")
    with pytest.raises(InvalidInput, match=words):
        import_run(tmp_path)


def test_two_statements_about_time_are_both_told(tmp_path: Path) -> None:
    run = json.loads((RUNS / "translated" / "movement.json").read_text("utf-8"))
    (tmp_path / "movement.json").write_text(json.dumps(run | {"sec_per_step": 4}), "utf-8")
    imported = import_run(tmp_path)
    assert imported.replay.timing.frame_ms == 10_000
    assert (
        "sec_per_step says 4 s a frame, stride 10 s; stride is used (movement.json)"
        in imported.notes
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"movement/1\.json: it is empty, as when a run is broken off"),
        ("{", r"movement/1\.json: expected JSON, line 1, column 2"),
        ("[]", r"movement/1\.json: expected an object with entries by name, got list"),
        (
            '{"persona": {"Ann Lin": {"description": "x"}}}',
            r"Ann Lin: expected the tile as `movement: \[x, y\]`, got None",
        ),
        (
            '{"persona": {"Ann Lin": {"movement": [1, 2], "chat": [{"a": 1}]}}}',
            "expected a chat of .speaker, text. pairs",
        ),
    ],
)
def test_a_damaged_step_says_which_and_why(tmp_path: Path, text: str, words: str) -> None:
    shutil.copytree(RUNS / "texts" / "movement", tmp_path / "movement")
    (tmp_path / "movement" / "1.json").write_text(text)
    with pytest.raises(InvalidInput, match=words):
        import_run(tmp_path)


def test_somebody_missing_between_other_steps_stands_still_and_it_is_said(tmp_path: Path) -> None:
    shutil.copytree(RUNS / "texts" / "movement", tmp_path / "movement")
    (tmp_path / "movement" / "2.json").write_text('{"persona": {}}')
    imported = import_run(tmp_path)
    assert (
        "Ann Lin is missing between other steps and stands still there (movement/2.json)"
        in imported.notes
    )


def test_layouts_beside_the_one_that_is_read_are_named(run: Imported) -> None:
    assert "master_movement.json was not read: movement.jsonl.gz holds the movements" in run.notes


def test_without_any_clock_there_is_none_and_it_is_said(tmp_path: Path) -> None:
    shutil.copy(RUNS / "late" / "master_movement.json", tmp_path)
    imported = import_run(tmp_path)
    assert imported.replay.timing.simulated_start is None
    assert any(note.startswith("no clock: ") for note in imported.notes)


def translated_with(tmp_path: Path, conversation: object, description: object = None) -> Imported:
    run = json.loads((RUNS / "translated" / "movement.json").read_text("utf-8"))
    frames = run["all_movement"]
    for name, other in (("丙", "安"), ("丁", "波")):  # two more people, who move like the first two
        for key, frame in list(frames.items()):
            if key.isdigit() and other in frame:
                frame[name] = dict(frame[other])
    frames["conversation"] = conversation
    frames["description"] = description or {}
    (tmp_path / "movement.json").write_text(json.dumps(run), "utf-8")
    return import_run(tmp_path)


def test_conversations_of_one_step_of_a_fork_are_kept_apart(tmp_path: Path) -> None:
    text = (
        "\n地点：茶館，吧台\n\n安：早安\n波：早\n"
        "\n地点：公園\n\n丙：你好\n丁：你好，\n很高興\n"
        "\n地点：圖書館\n\n安：再見\n丙：再見\n"
    )
    run = translated_with(tmp_path, {"20240213-06:00": text})
    assert run.distinct_chats == 3
    # The first two conversations share no speaker and begin together; the third waits for both.
    assert said(run, "安") == [(1, "早安"), (31, "再見")]
    assert said(run, "波") == [(16, "早")]
    assert said(run, "丙") == [(1, "你好"), (46, "再見")]
    assert said(run, "丁") == [(16, "你好，\n很高興")]
    assert run.replay.provenance["conversations.1"] == "step 1: 茶館，吧台 (安, 波)"
    assert run.replay.provenance["conversations.3"] == "step 31: 圖書館 (安, 丙)"
    assert "places of 3 conversations are kept in the provenance, as conversations.N" in run.notes


def test_a_line_of_a_fork_that_belongs_to_nobody_is_counted(tmp_path: Path) -> None:
    run = translated_with(
        tmp_path, {"20240213-06:00": "旁白\n安：早安\n波：早\n", "20240213-06:10": "地点：公園\n"}
    )
    note = next(note for note in run.notes if "names nobody" in note)
    assert (
        note == "a line of a conversation names nobody of the run and was not read"
        " (movement.json: conversation 20240213-06:00 and 1 more)"
    )
    assert run.distinct_chats == 1


def test_plans_and_traits_of_a_fork_are_kept(tmp_path: Path) -> None:
    scratch = {"age": 41, "lifestyle": "早睡早起", "daily_plan": "六點起床，然後去茶館"}
    run = translated_with(
        tmp_path, {}, {"安": {"currently": "開茶館", "scratch": scratch}, "戊": {"currently": "x"}}
    )
    day = next(plan for plan in run.replay.plans if plan.id == "安-plan")
    assert (day.text, day.level, day.t0_ms, day.t1_ms) == ("六點起床，然後去茶館", 0, 0, 1_210_000)
    provenance = run.replay.provenance
    assert (provenance["people.安.currently"], provenance["people.安.scratch.age"]) == (
        "開茶館",
        "41",
    )
    assert "descriptions of 1 people are kept in the provenance, as people.NAME.…" in run.notes
    assert not [note for note in run.notes if note.startswith("no plan for the day of 安")]
    assert [note for note in run.notes if note.startswith("no plan for the day of 波")]
    assert (
        "a description is of a person who is in no frame and was not read (movement.json: 戊)"
        in run.notes
    )

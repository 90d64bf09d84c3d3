from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from believable.core.errors import InvalidInput
from believable.recordings.file import from_bytes, read, to_bytes, to_tree, write
from believable.recordings.recording import (
    UNITS_PER_TILE,
    Action,
    Actor,
    Place,
    PlanStep,
    RecordedWorld,
    Recording,
    State,
    Timing,
    Track,
)

words = st.text(max_size=12)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | words
)


@st.composite
def replays(draw: st.DrawFn) -> Recording:
    width, height = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    frames, frame_ms = draw(st.integers(1, 30)), draw(st.integers(1, 1000))
    actors = tuple(Actor(f"a{n}", draw(words), draw(words)) for n in range(draw(st.integers(1, 3))))
    xs, ys = st.integers(0, width * UNITS_PER_TILE), st.integers(0, height * UNITS_PER_TILE)
    tracks = []
    for actor in actors:
        first = draw(st.integers(0, frames - 1))
        length = draw(st.integers(0, frames - first))
        at = sorted(draw(st.lists(st.integers(0, frames - 1), max_size=4)))
        tracks.append(
            Track(
                actor=actor.id,
                x=tuple(draw(st.lists(xs, min_size=length, max_size=length))),
                y=tuple(draw(st.lists(ys, min_size=length, max_size=length))),
                heading=tuple(
                    draw(st.lists(st.integers(0, 359), min_size=length, max_size=length))
                ),
                first_frame=first,
                states=tuple(State(frame, draw(words), draw(scalars)) for frame in at),
            )
        )
    spans = st.tuples(st.integers(0, frames * frame_ms), st.integers(0, frames * frame_ms)).map(
        sorted
    )
    actions = []
    plans = []
    for number in range(draw(st.integers(0, 4))):
        t0, t1 = draw(spans)
        actor = draw(st.sampled_from(actors))
        actions.append(
            Action(
                id=f"x{number}",
                actor=actor.id,
                t0_ms=t0,
                t1_ms=t1,
                verb="walk",
                object=draw(st.none() | words),
                place=None,
                text=draw(words),
            )
        )
        parent = f"p{number - 1}" if number else None
        plans.append(
            PlanStep(
                id=f"p{number}",
                actor=actor.id,
                parent=parent,
                level=number,
                t0_ms=t0,
                t1_ms=t1,
                text=draw(words),
            )
        )
    return Recording(
        world=RecordedWorld(
            kind="maze",
            width=width,
            height=height,
            walls=("." * width,) * height,
            places=(Place(id="c", name="Café", parent=None, rects=((0, 0, 1, 1),)),),
        ),
        actors=actors,
        timing=Timing(frame_ms=frame_ms, frames=frames),
        tracks=tuple(tracks),
        actions=tuple(actions),
        plans=tuple(plans),
        telemetry={"score": tuple(draw(st.lists(scalars, min_size=frames, max_size=frames)))},
        hidden_states=("frustration",),
        seed=draw(st.none() | st.integers(0, 2**63)),
        agent=draw(st.none() | words),
        provenance=draw(st.dictionaries(words, scalars, max_size=3)),
    )


SMALL = Recording(
    world=RecordedWorld(kind="maze", width=3, height=2, walls=("#..", "...")),
    actors=(Actor("p", "You", "player"), Actor("o", "It", "opponent")),
    timing=Timing(frame_ms=100, frames=4),
    tracks=(
        Track(
            actor="p",
            x=(1500, 1600, 1700, 1700),
            y=(500,) * 4,
            heading=(0,) * 4,
            first_frame=0,
            states=(State(0, "health", 3),),
        ),
        Track(
            actor="o",
            x=(2500, 2400),
            y=(1500, 1500),
            heading=(180, 180),
            first_frame=2,
            states=(State(2, "frustration", 0.7), State(3, "emoji", "!")),
        ),
    ),
    actions=(
        Action(
            id="frustrated-01",
            actor="o",
            t0_ms=200,
            t1_ms=400,
            verb="chase",
            object="player",
            place=None,
            text="chases the player",
        ),
    ),
    plans=(
        PlanStep(id="day", actor="o", parent=None, level=0, t0_ms=0, t1_ms=400, text="win"),
        PlanStep(
            id="hunt",
            actor="o",
            parent="day",
            level=1,
            t0_ms=200,
            t1_ms=400,
            text="hunt the player",
        ),
    ),
    telemetry={"score": (0, 0, 1, 1)},
    hidden_states=("frustration",),
    seed=7,
    agent="frustrated",
    provenance={"recorder": "lab 3"},
)


@given(replays())
@settings(max_examples=60, deadline=None)
def test_a_recording_comes_back_exactly(replay: Recording) -> None:
    data = to_bytes(replay)
    back = from_bytes(data, source="memory")
    assert back == replay
    assert to_bytes(back) == data


def test_files_are_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "round.replay.json.gz"
    size = write(SMALL, path)
    assert path.stat().st_size == size
    assert read(path) == SMALL
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_what_a_judge_receives_carries_nothing_hidden() -> None:
    seen = gzip.decompress(to_bytes(SMALL.for_judging())).decode()
    for secret in ("frustrat", "lab 3", "hunt", "chase", "score"):
        assert secret not in seen
    assert '"seed":null' in seen
    assert "health" in seen


def test_a_judge_receives_plan_and_log_only_where_shown_and_under_new_ids() -> None:
    shown = SMALL.for_judging(with_plan=True, with_log=True)
    assert [step.id for step in shown.plans] == ["p1", "p2"]
    assert shown.plans[1].parent == "p1"
    assert [action.id for action in shown.actions] == ["a1"]
    assert shown.actions[0].text == "chases the player"
    assert from_bytes(to_bytes(shown), source="memory") == shown


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"world": replace(SMALL.world, kind="")},
            r"world\.kind: expected the name of a world, got ''",
        ),
        ({"world": replace(SMALL.world, walls=("#..",))}, r"world\.walls: expected 2 rows, got 1"),
        (
            {"world": replace(SMALL.world, walls=("#.x", "..."))},
            r"only '#' and '\.' are known, got \['x'\]",
        ),
        (
            {"timing": Timing(frame_ms=100, frames=3)},
            r"tracks\[0\]: covers frames 0 to 4, the recording has 3",
        ),
        ({"timing": Timing(frame_ms=0, frames=4)}, r"timing\.frame_ms: must be at least 1, got 0"),
        (
            {"timing": Timing(frame_ms=100, frames=4, simulated_start="2026-01-01T00:00:00")},
            "simulated_start and simulated_ms_per_frame go together",
        ),
        ({"tracks": (replace(SMALL.tracks[0], y=(1,)),)}, r"x has 4 entries and y 1"),
        (
            {"tracks": (replace(SMALL.tracks[0], x=(9000,) * 4),)},
            r"tracks\[0\]\.x\[0\]: 9000 lies outside 0 … 3000",
        ),
        (
            {"tracks": (replace(SMALL.tracks[0], actor="q"),)},
            r"tracks\[0\]\.actor: unknown actor 'q'",
        ),
        (
            {"actions": (replace(SMALL.actions[0], t0_ms=401),)},
            r"expected 0 ≤ t0 ≤ t1 ≤ 400 ms, got 401 … 400",
        ),
        ({"actions": (replace(SMALL.actions[0], verb=""),)}, r"actions\[0\]\.verb: is empty"),
        ({"actions": SMALL.actions * 2}, "'frustrated-01' occurs twice"),
        (
            {"plans": (replace(SMALL.plans[1], parent="daz"),)},
            r"plans\[0\]\.parent: unknown step 'daz'",
        ),
        (
            {"plans": (SMALL.plans[0], replace(SMALL.plans[1], level=0))},
            "level 0 must be below its parent's level 0",
        ),
        (
            {"telemetry": {"score": (1,)}},
            r"telemetry\.score: expected 4 entries, one a frame, got 1",
        ),
    ],
)
def test_unsound_recordings_say_where(change: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        to_bytes(replace(SMALL, **change))  # type: ignore[arg-type]


def test_damaged_files_name_themselves(tmp_path: Path) -> None:
    path = tmp_path / "cut.replay.json.gz"
    path.write_bytes(to_bytes(SMALL)[:-20])
    with pytest.raises(InvalidInput, match=r"cut\.replay\.json\.gz: cannot be read"):
        read(path)


def test_another_version_is_refused() -> None:
    tree = to_tree(SMALL) | {"format": "believable-replay/9"}
    with pytest.raises(
        InvalidInput,
        match=r"format is 'believable-replay/9', this version reads 'believable-replay/1'",
    ):
        from_bytes(gzip.compress(json.dumps(tree).encode()), source="x")


def test_a_fraction_in_a_track_is_refused() -> None:
    tree = to_tree(SMALL)
    tree["tracks"][0]["x"][1] = 0.5
    with pytest.raises(InvalidInput, match=r"track entry 1 is 0\.5, expected a whole number"):
        from_bytes(gzip.compress(json.dumps(tree).encode()), source="x")


def test_a_file_that_unfolds_without_end_is_not_unfolded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("believable.recordings.file.LARGEST_BYTES", 10_000)
    with pytest.raises(InvalidInput, match="unfolds to more than"):
        from_bytes(gzip.compress(b" " * 10_001), source="bomb")

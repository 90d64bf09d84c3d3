from __future__ import annotations

import json
import math
import shutil
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from believable.contracts.registries import WORLDS
from believable.core.errors import NotFound
from believable.players import replay as replay_player
from believable.recordings.file import to_tree
from believable.recordings.recording import (
    Actor,
    Place,
    RecordedWorld,
    Recording,
    State,
    Timing,
    Track,
)
from believable.recordings.scene import (
    Scene,
    Shape,
    Sprite,
    display_list,
    pose_at,
    scene_tree,
    state_at,
)
from believable.worlds import draw

TRACK = Track(
    actor="p",
    x=(1000, 2000, 2000, 9000),
    y=(1000, 1000, 2000, 9000),
    heading=(350, 10, 90, 90),
    first_frame=2,
    states=(State(0, "health", 100), State(3, "health", 40), State(4, "speech", "hey")),
)


def sample(kind: str) -> Recording:
    return Recording(
        world=RecordedWorld(
            kind=kind,
            width=10,
            height=10,
            walls=("#" * 10, *["#........#"] * 8, "#" * 10),
            places=(Place(id="c", name="Café", parent=None, rects=((1, 1, 3, 2),)),),
        ),
        actors=(
            Actor("p", "Ada Lovelace", "player"),
            Actor("o", "It", "opponent"),
            Actor("b", "", "bullet"),
            Actor("q", "Ben", "opponent"),
        ),
        timing=Timing(frame_ms=100, frames=6),
        tracks=(
            TRACK,
            Track(
                actor="o",
                x=(5000,) * 6,
                y=(5500,) * 6,
                heading=(0, 30, 60, 200, 340, 20),
                first_frame=0,
                states=(State(0, "health", 55),),
            ),
            Track(actor="b", x=(3000, 3300), y=(3000, 3000), heading=(), first_frame=1),
            Track(
                actor="q",
                x=(5000, 5100, 5400, 5800, 6300, 6300),
                y=(5500,) * 6,
                heading=(0,) * 6,
                first_frame=0,
            ),
        ),
    )


def test_actors_move_evenly_between_frames_and_turn_the_short_way() -> None:
    pose = pose_at(TRACK, 2.5)
    assert pose is not None
    assert (pose.x, pose.y) == (1.5, 1.0)
    assert pose.heading_deg == pytest.approx(0.0)


def test_a_jump_is_not_smoothed_and_absence_is_none() -> None:
    pose = pose_at(TRACK, 4.5)
    assert pose is not None
    assert (pose.x, pose.y) == (2.0, 2.0)
    assert pose_at(TRACK, 1.9) is None
    assert pose_at(TRACK, 5.5) is None


def test_states_hold_from_their_frame_on() -> None:
    assert [state_at(TRACK, "health", frame) for frame in (0, 2.9, 3, 5)] == [100, 100, 40, 40]
    assert state_at(TRACK, "speech", 3.9) is None


def test_a_bar_shows_its_share_and_stays_upright() -> None:
    bar = Shape(
        kind="bar", fill="#000000", x=-0.5, y=-1.0, w=1.0, h=0.1, state="health", full=100.0
    )
    scene = Scene(
        width=10,
        height=10,
        background="#ffffff",
        ground=(),
        sprites=(Sprite(actor="p", shapes=(bar,)),),
    )
    (drawn,) = display_list(scene, sample("maze"), 400)
    assert (drawn.kind, drawn.x, drawn.w) == ("rect", 1.5, 0.4)


def test_shapes_turn_with_the_actor() -> None:
    nose = Shape(kind="circle", fill="#000000", x=1.0, y=0.0, r=0.1)
    scene = Scene(
        width=10,
        height=10,
        background="#ffffff",
        ground=(),
        sprites=(Sprite(actor="p", shapes=(nose,)),),
    )
    (drawn,) = display_list(scene, sample("maze"), 400)  # looks down: 90 degrees
    assert (drawn.x, drawn.y) == pytest.approx((2.0, 3.0))


def test_names_that_would_stand_upon_each_other_stand_one_below_the_other() -> None:
    replay = sample("town")
    scene = Scene(
        width=10,
        height=10,
        background="",
        ground=(),
        sprites=tuple(
            Sprite(actor=actor, shapes=(), label=name)
            for actor, name in (("o", "It"), ("q", "Ben"))
        ),
    )
    together, near, parted = (
        {shape.text: (shape.x, shape.y) for shape in display_list(scene, replay, t_ms)}
        for t_ms in (0, 300, 400)
    )
    assert together["Ben"] == pytest.approx((5.0, 6.6)), "whoever is on top keeps the place"
    assert together["It"] == pytest.approx((5.0, 7.4))
    assert near["Ben"][0] - near["It"][0] == pytest.approx(0.8), (
        "beside each other, but nearer than their names are wide"
    )
    assert near["It"][1] == pytest.approx(near["Ben"][1] + 0.8)
    assert parted["It"][1] == parted["Ben"][1]


def test_every_world_is_drawn() -> None:
    assert set(WORLDS.names) >= {"maze", "arena", "town"}
    for kind in [name for name in WORLDS.names if WORLDS[name].draw]:
        scene = draw(sample(kind))
        assert {sprite.actor for sprite in scene.sprites} == {"p", "o", "b", "q"}
        assert len(display_list(scene, sample(kind), 250)) > len(scene.ground) + len(scene.above)


def test_a_world_that_is_not_installed_is_named() -> None:
    with pytest.raises(NotFound, match=r"unknown world 'mazy'\. Did you mean 'maze'\?"):
        draw(sample("mazy"))


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("kind", WORLDS.names)
def test_the_browser_draws_the_same_list(kind: str) -> None:
    replay = sample(kind)
    scene = draw(replay)
    times = [0, 1, 149.5, 200, 250, 333.3, 455, 599, 10_000]
    module = Path(replay_player.__file__).parent / "scene.js"
    program = f"""
      import {{ recording, displayList }} from {json.dumps(module.as_uri())};
      const input = JSON.parse(await new Response(process.stdin).text());
      const replay = recording(input.replay);
      console.log(JSON.stringify(input.times.map((t) => displayList(input.scene, replay, t))));
    """
    given = json.dumps({"replay": to_tree(replay), "scene": scene_tree(scene), "times": times})
    done = subprocess.run(
        ["node", "--input-type=module", "-e", program],
        input=given,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    for t_ms, drawn in zip(times, json.loads(done.stdout), strict=True):
        expected = [asdict(shape) for shape in display_list(scene, replay, t_ms)]
        assert len(drawn) == len(expected)
        for theirs, ours in zip(drawn, expected, strict=True):
            _assert_same(theirs, ours)


def _assert_same(theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    for name, value in theirs.items():
        if name == "points":
            flat = [number for point in value for number in point]
            assert flat == pytest.approx(
                [number for point in ours["points"] for number in point], abs=1e-9
            )
        elif isinstance(value, int | float) and not isinstance(value, bool):
            assert math.isclose(value, ours[name], abs_tol=1e-9), (name, theirs, ours)
        else:
            assert value == ours[name], (name, theirs, ours)

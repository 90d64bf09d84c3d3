"""What is learned from five minutes of a real duel, and the files and commands around it."""

from __future__ import annotations

import json
import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.core.errors import InvalidInput, NotFound
from believable.imitation.cloning import ClonePlayer, PlaybackPlayer, clone_bits, learn_clone
from believable.imitation.continuation import continue_recording
from believable.imitation.imitation_measures import (
    action_bits,
    chain_bits,
    earth_movers_distance,
    frequent_move_hits,
    measure,
    most_frequent_moves,
    next_node_hits,
    occupancy,
    occupancy_distance,
    plain_bits,
    route_overlap,
)
from believable.imitation.imitator import Imitation, Imitator, Sight, learn
from believable.imitation.learned_file import read_imitation, write_imitation
from believable.imitation.next_node import AS_PUBLISHED, WAYS_ALONE
from believable.imitation.observations import Observations, observe
from believable.recordings.file import read, write
from believable.recordings.importers.quake2 import import_demo
from believable.recordings.recording import Recording

DATA = Path(__file__).resolve().parents[1] / "data" / "quake2"


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    demo = tmp_path_factory.mktemp("demo") / "testduel.dm2"
    demo.write_bytes(lzma.decompress((DATA / "testduel.dm2.xz").read_bytes()))
    return import_demo(demo).recording


@pytest.fixture(scope="module")
def seen(recording: Recording) -> Observations:
    return observe(recording)


@pytest.fixture(scope="module")
def model(seen: Observations) -> Imitation:
    return learn([seen], sources=["testduel"])


def mean(lives: list[np.ndarray[tuple[int], np.dtype[np.float64]]]) -> float:
    return float(np.concatenate(lives).mean())


def test_the_utilities_repeat_four_fifths_of_the_moves(
    model: Imitation, seen: Observations
) -> None:
    assert mean(next_node_hits(model, seen, AS_PUBLISHED)) >= 0.80
    assert mean(next_node_hits(model, seen)) > mean(next_node_hits(model, seen, WAYS_ALONE)) > 0.80
    frequent = frequent_move_hits(most_frequent_moves(model.topology, [seen]), model.topology, seen)
    assert 0.55 <= mean(frequent) <= 0.70


def test_the_chain_needs_about_half_the_bits(model: Imitation, seen: Observations) -> None:
    plain, alone = mean(plain_bits(model, [seen], seen)), mean(chain_bits(model, seen))
    assert 3.5 <= plain <= 4.1
    assert alone / plain <= 0.55
    assert mean(action_bits(model, seen)) < alone
    assert mean(action_bits(model, seen)) < mean(action_bits(model, seen, with_chain=False)) < plain


def test_what_was_not_learned_from_is_harder(seen: Observations) -> None:
    cut = int(0.7 * seen.frames)
    early, late = seen.part(0, cut), seen.part(cut, seen.frames)
    model = learn([early])
    assert mean(next_node_hits(model, late)) < mean(next_node_hits(model, early))
    clone = learn_clone(model, [early])
    assert mean(action_bits(model, late)) < mean(clone_bits(clone, late))


def test_deaths_end_lives(seen: Observations) -> None:
    assert len(seen.lives()) == 4  # two deaths, and the game begins anew in the last frame
    assert sum(last - first for first, last in seen.lives()) == int(seen.alive.sum())


def test_a_file_gives_the_same_player_and_the_same_bytes(model: Imitation, tmp_path: Path) -> None:
    file, again = tmp_path / "person.imitation", tmp_path / "again.imitation"
    write_imitation(model, file)
    read_back = read_imitation(file)
    write_imitation(read_back, again)
    assert file.read_bytes() == again.read_bytes()
    sight = Sight(
        now_ms=0,
        position=(5.0, 5.0, 1.0),
        yaw=0.0,
        pitch=0.0,
        alive=True,
        carried=frozenset(),
        quantities={"health": 100.0},
    )
    assert Imitator(read_back, 3).act(sight) == Imitator(model, 3).act(sight)


@pytest.mark.parametrize("cut", [0, 10, 1000, -1])
def test_a_damaged_file_is_told(model: Imitation, tmp_path: Path, cut: int) -> None:
    file = tmp_path / "person.imitation"
    write_imitation(model, file)
    file.write_bytes(file.read_bytes()[:cut])
    with pytest.raises(
        InvalidInput, match=r"person\.imitation: not a learned player, or a damaged one"
    ):
        read_imitation(file)
    with pytest.raises(NotFound, match="believable learn"):
        read_imitation(tmp_path / "none.imitation")


def test_a_recording_goes_on_as_the_agent_would(model: Imitation, recording: Recording) -> None:
    on, again = (continue_recording(model, recording, 60, seed=7) for _ in range(2))
    assert on == again
    assert on != continue_recording(model, recording, 60, seed=8)
    xs, ys = np.array(on.tracks[0].x) / 1000, np.array(on.tracks[0].y) / 1000
    places = np.column_stack([xs, ys])
    nodes = model.topology.nodes[:, :2]
    nearest = np.linalg.norm(places[:, None] - nodes[None], axis=2).min(1)
    assert nearest.max() < 6, "the figure stays on the ways that were walked"
    assert np.ptp(xs) > 5
    assert any(action.verb == "pick-up" for action in on.actions)


def test_the_same_interface_plays_three_ways(model: Imitation, seen: Observations) -> None:
    players = (
        Imitator(model, 1),
        ClonePlayer(learn_clone(model, [seen]), 1),
        PlaybackPlayer([seen], 1),
    )
    alive = Sight(
        now_ms=0,
        position=tuple(seen.position[100]),
        yaw=float(seen.yaw[100]),
        pitch=0.0,
        alive=True,
        carried=frozenset(),
        quantities={"health": 90.0},
    )
    for player in players:
        command = player.act(alive)
        assert abs(command.turn) <= 180
        assert (
            player.act(
                Sight(
                    now_ms=100,
                    position=alive.position,
                    yaw=0,
                    pitch=0,
                    alive=False,
                    carried=frozenset(),
                    quantities={},
                )
            ).direction
            is None
        )


def test_the_distance_of_two_distributions_by_hand() -> None:
    places = np.array([[0.0, 0, 0], [3.0, 0, 0], [3.0, 4.0, 0]])
    assert earth_movers_distance(
        np.array([1.0, 0, 0]), np.array([0, 0, 1.0]), places
    ) == pytest.approx(5)
    assert earth_movers_distance(
        np.array([0.5, 0.5, 0]), np.array([0, 0.5, 0.5]), places
    ) == pytest.approx(2.5)
    assert earth_movers_distance(
        np.array([0.2, 0.3, 0.5]), np.array([0.2, 0.3, 0.5]), places
    ) == pytest.approx(0)


def test_a_recording_is_at_no_distance_from_itself(model: Imitation, seen: Observations) -> None:
    assert occupancy(model.topology, [seen]).sum() == pytest.approx(1)
    assert occupancy_distance(
        model.topology, [seen], [seen], np.random.default_rng(1)
    ).value == pytest.approx(0, abs=1e-9)
    rng = np.random.default_rng(1)
    assert route_overlap(model.topology, [seen], [seen], rng).value == pytest.approx(1)
    halves = [seen.part(0, seen.frames // 2), seen.part(seen.frames // 2, seen.frames)]
    both = route_overlap(model.topology, halves, [seen], rng)
    assert both.low < both.value <= 1
    assert both.low <= both.high <= 1


def test_an_interval_resamples_lives() -> None:
    one_life = measure([np.array([0.0, 1.0])], np.random.default_rng(1))
    assert (one_life.value, one_life.low, one_life.high, one_life.n) == (0.5, 0.5, 0.5, 2)
    two = measure([np.zeros(5), np.ones(5)], np.random.default_rng(1))
    assert (two.low, two.high) == (0, 1)


def test_the_commands(recording: Recording, tmp_path: Path) -> None:
    file = tmp_path / "duel.replay.json.gz"
    write(recording, file)
    runner = CliRunner()
    learned = runner.invoke(
        group,
        [
            "learn",
            str(file),
            "--out",
            str(tmp_path / "duel.imitation"),
            "--respawn",
            "Combat Armor=20",
        ],
    )
    assert learned.exit_code == 0, learned.output
    assert "64 nodes" in learned.output
    page = (tmp_path / "duel.html").read_text(encoding="utf-8")
    assert page.count("<circle") > 64
    assert "towards" in page
    held_out = ["--held-out", str(file), "--played", str(file), "--json"]
    compared = runner.invoke(
        group, ["evaluate", "imitation", str(tmp_path / "duel.imitation"), *held_out]
    )
    assert compared.exit_code == 0, compared.output
    rows = json.loads(compared.output)
    assert rows["next_node"]["value"] > 0.75
    assert rows["occupancy_distance_imitation"]["value"] == pytest.approx(0, abs=1e-9)
    on = tmp_path / "on.replay.json.gz"
    words = [
        "continue",
        str(tmp_path / "duel.imitation"),
        str(file),
        "--seconds",
        "5",
        "--out",
        str(on),
    ]
    assert "5 s on the learned ways" in runner.invoke(group, words).output
    assert read(on).timing.duration_ms == 5000
    assert runner.invoke(group, words).exit_code == 1, "nothing is written over"
    wrong = runner.invoke(
        group,
        ["learn", str(file), "--out", str(tmp_path / "duel.imitation"), "--respawn", "armour"],
    )
    assert wrong.exit_code == 1
    assert "expected ITEM=SECONDS" in wrong.output + str(wrong.exception)


def test_a_recording_without_what_is_needed_is_told(recording: Recording, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="yaw, carried is missing"):
        observe(
            replace(
                recording,
                telemetry={
                    k: v for k, v in recording.telemetry.items() if k not in ("yaw", "carried")
                },
            )
        )
    with pytest.raises(InvalidInput, match="actor 'nobody': not in the recording"):
        observe(recording, "nobody")
    file = tmp_path / "duel.replay.json.gz"
    write(recording, file)
    assert observe(read(file)).frames == 3199

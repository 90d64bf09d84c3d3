"""A world of an installed package is checked, recorded, simulated, exported and resumed without an
edit of ours.
"""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from believable.bundle.read import read as read_bundle
from believable.contracts.inputs import InputChange
from believable.recordings import file
from believable.worlds.live_round import LiveRound, record_round
from tests.programs import believable, run
from tests.worlds import chatworld
from tests.worlds.chatworld import CHATWORLD, ChatSetup

WORLD = Path(__file__).parent / "gridworld"

STUDY = """\
believable: 1
title: Gems
seed: 3
timeline:
  - play: {id: board, world: gridworld, opponent: stone, gems: 3, duration_s: 8, countdown_s: 0}
  - watch: {id: again, stimulus: {round: board}}
  - finish: {}
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two worlds in it, as pip would leave it there."""
    folder = tmp_path_factory.mktemp("site")
    info = folder / "gridworld-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gridworld\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text(
        "[believable.worlds]\ngridworld = gridworld:GRIDWORLD\nchatworld = chatworld:CHATWORLD\n"
    )
    for world in (WORLD, WORLD.with_name("chatworld")):
        shutil.copytree(world, folder / world.name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "gems"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    return folder


def rows(bundle: Path, table: str) -> list[dict[str, str]]:
    (file,) = bundle.glob(f"data/*{table}_data.csv")
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_it_is_small_and_keeps_the_contract(site: Path) -> None:
    files = [file for file in WORLD.rglob("*") if file.suffix in (".py", ".js")]
    assert sum(len(file.read_text().splitlines()) for file in files) < 245
    code = """
from believable.contracts.registries import WORLDS
from believable.worlds.world_check import check_world
check_world(WORLDS["gridworld"])
"""
    checked = run("-c", code, site=site)
    assert checked.returncode == 0, checked.stderr


def test_its_keys_are_read_and_those_of_other_worlds_are_not(study: Path, site: Path) -> None:
    believable("check", study, site=site)
    (study / "study.yaml").write_text(STUDY.replace("gems: 3", "size: 21"))
    assert "size" in run("check", study, site=site).stdout
    (study / "study.yaml").write_text(STUDY.replace("stone", "stoen"))
    assert "Did you mean 'stone'?" in run("check", study, site=site).stdout
    (study / "study.yaml").write_text(STUDY)
    unknown = run("check", study)
    assert unknown.returncode == 1
    assert "gridworld" in unknown.stdout


def test_people_are_simulated_and_their_rounds_are_in_the_bundle(
    study: Path, site: Path, tmp_path: Path
) -> None:
    believable("simulate", study, "--participants", "2", "--processes", "1", site=site)
    bundle = tmp_path / "bundle"
    believable("export", study, "--out", bundle, "--simulated", site=site)
    played = rows(bundle, "rounds")
    assert [row["state"] for row in played] == ["over", "over"]
    assert all(row["score"] == "3" and int(row["board_seed"]) > 0 for row in played)
    assert all(int(row["ticks"]) < 80 for row in played), "it was over before its time"
    assert {row["step_x"] for row in rows(bundle, "round_inputs")} <= {"-1", "0", "1"}
    telemetry = rows(bundle, "telemetry")
    assert len(telemetry) == sum(int(row["ticks"]) for row in played)
    assert telemetry[-1]["score"] == "3"
    assert all((bundle / row["recording"]).is_file() for row in played)


def test_a_lab_records_it(site: Path, tmp_path: Path) -> None:
    told = believable(
        "record",
        "gridworld",
        tmp_path / "stimuli",
        "--scripted",
        "--gems",
        "5",
        "--seconds",
        "5",
        site=site,
    )
    assert told.strip().endswith("gridworld-wanderer-01.replay.json.gz")


def test_texts_go_from_the_wire_to_the_bundle_and_give_the_round_again(
    site: Path, tmp_path: Path
) -> None:
    study = tmp_path / "chat"
    study.mkdir()
    (study / "study.yaml").write_text(
        "believable: 1\ntitle: Chat\nseed: 3\ntimeline:\n  - play: {id: chat, world: chatworld,"
        " lines: 7, duration_s: 8, countdown_s: 0}\n  - watch: {id: again, stimulus: {round:"
        " chat}}\n  - finish: {}\n"
    )
    believable("simulate", study, "--participants", "1", "--processes", "1", site=site)
    bundle = tmp_path / "bundle"
    believable("export", study, "--out", bundle, "--simulated", site=site)
    tables = read_bundle(bundle)
    (played,) = tables["rounds"].rows()
    inputs = list(tables["round_inputs"].rows())
    said = [row["say"] for row in inputs if row["say"]]
    assert said[:2] == ["Hello", "Hello"], "the same line twice is two lines"
    assert {row["seat"] for row in inputs} == {"person"}
    recording = file.read(bundle / str(played["recording"]))
    assert said == [action.text for action in recording.actions if action.actor == "person"]
    changes = [
        InputChange(int(row["tick"] or 0), int(row["number"] or 0), (row["say"] or "",))
        for row in inputs
    ]
    setup = ChatSetup(seed=recording.seed or 0, lines=7, ticks=8 * chatworld.HZ)
    again, score = record_round(CHATWORLD.game, setup, changes)
    assert again == recording
    assert score == played["score"]
    # a page that comes back goes on from the stored texts
    resumed = LiveRound.rebuilt(CHATWORLD.game, setup, changes[:2], changes[2].tick)
    assert resumed.message()["lines"][0] == ["person", "Hello"]

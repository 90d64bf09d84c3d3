"""What others add, from an installed package or from the study's own folder, works without an edit
of ours.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from believable.recordings.file import write
from believable.recordings.recording import Actor, RecordedWorld, Recording, Timing, Track
from tests.how_to import PAGES, installed_package
from tests.programs import run

STUDY = """\
believable: 1
title: Faces
seed: 7
languages: [en]
timeline:
  - consent: {text: Take part., require: [agree]}
  - form: {id: mood, questions: [{id: face, prompt: How do you feel?, smiley: {}}]}
  - finish: {}
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of the how-tos, installed."""
    return installed_package(tmp_path_factory.mktemp("site"), *PAGES)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "faces"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    return folder


def declare(site: Path, package: str, entries: str, code: str = "") -> None:
    """An installed package in its smallest form."""
    info = site / f"{package}-0.1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text(entries)
    (site / f"{package}.py").write_text(code)


def answers(study: Path, bundle: Path, *options: str, site: Path | None = None) -> list[str]:
    """The answers of three simulated participants, through the whole application."""
    simulated = run("simulate", study, "--participants", "3", *options, site=site)
    assert simulated.returncode == 0, simulated.stderr
    exported = run("export", study, "--out", bundle, "--simulated", *options, site=site)
    assert exported.returncode == 0, exported.stderr
    (table,) = bundle.glob("data/*answers_data.csv")
    return [line for line in table.read_text().splitlines() if ",face," in line]


def test_without_the_package_its_instrument_is_unknown(study: Path) -> None:
    checked = run("check", study)
    assert checked.returncode == 1
    assert "smiley" in checked.stdout + checked.stderr


def test_an_instrument_of_an_installed_package_is_used_like_ours(
    study: Path, installed: Path, tmp_path: Path
) -> None:
    checked = run("check", study, site=installed)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    rows = answers(study, tmp_path / "bundle", site=installed)
    assert rows
    assert all(any(face in row for face in ("sad", "calm", "glad")) for row in rows)


def test_its_author_can_check_it_and_its_scripts_are_served(installed: Path) -> None:
    code = """
from starlette.testclient import TestClient
from believable.contracts.registries import INSTRUMENTS
from believable.contracts.instrument import check_instrument
from believable.web.app import create_app
from believable.web.templating import templates
from believable.app.settings import Settings
from pathlib import Path
check_instrument(INSTRUMENTS["smiley"])
templates.get_template("instruments/smiley/widget.html")
app = create_app(Settings(data_dir=Path("."), database_url=None, study_folders=(), base_url="http://x"))
client = TestClient(app)
assert "export const read" in client.get("/static/instruments/smiley/widget.js").text
assert client.get("/static/instruments/smiley/__init__.py").status_code == 404
assert client.get("/static/players/video/player.js").status_code == 200
"""
    tried = run("-c", code, site=installed)
    assert tried.returncode == 0, tried.stderr


def test_a_broken_package_is_named_and_takes_nothing_else_down(tmp_path: Path, study: Path) -> None:
    site = tmp_path / "site"
    declare(
        site,
        "broken",
        "[believable.instruments]\nsmiley = broken:SMILEY\n",
        "import no_such_module\n",
    )
    checked = run("check", study, site=site)
    assert checked.returncode != 0
    assert (
        "instrument 'smiley' of broken 0.1 cannot be loaded: ModuleNotFoundError" in checked.stderr
    )
    assert "Traceback" not in checked.stderr
    (study / "study.yaml").write_text(STUDY.replace("smiley: {}", "likert: {}"))
    assert run("check", study, site=site).returncode == 0


def test_something_else_than_an_instrument_is_said_to_be_so(tmp_path: Path, study: Path) -> None:
    site = tmp_path / "site"
    declare(site, "odd", "[believable.instruments]\nsmiley = odd:SMILEY\n", "SMILEY = 7\n")
    checked = run("check", study, site=site)
    assert "odd:SMILEY: expected a record of type Instrument, got int" in checked.stderr


def test_a_name_taken_twice_names_both(tmp_path: Path, study: Path) -> None:
    site = tmp_path / "site"
    declare(site, "rival", "[believable.instruments]\nlikert = rival:LIKERT\n")
    checked = run("check", study, site=site)
    assert checked.returncode == 1
    assert (
        "instrument 'likert' is declared by believable and by rival 0.1. Uninstall or rename one"
        in checked.stderr
    )


def test_a_study_folder_may_carry_an_instrument_where_that_is_allowed(
    study: Path, installed: Path, tmp_path: Path
) -> None:
    code = installed / "acme_believable" / "smiley"
    carried = shutil.copytree(
        code, study / "extensions" / "smiley", ignore=shutil.ignore_patterns("__pycache__")
    )
    refused = run("check", study)
    assert refused.returncode == 1
    assert (
        "the study carries its own smiley in extensions/, which may not run."
        in refused.stdout + refused.stderr
    )
    assert "--allow-extensions" in refused.stdout + refused.stderr
    assert run("check", study, "--allow-extensions").returncode == 0
    assert answers(study, tmp_path / "bundle", "--allow-extensions")

    def digest() -> str:
        show = (
            "import sys; from pathlib import Path; from believable import plugins; folder ="
            " Path(sys.argv[1]);plugins.allow_extensions(folder)\nfrom believable.study.load"
            " import load;print(load(folder).to_json())"
        )
        printed = run("-c", show, str(study))
        assert printed.returncode == 0, printed.stderr
        value: str = json.loads(printed.stdout)["extensions"]["smiley"]
        return value

    before = digest()
    assert digest() == before, "compiled files do not count"
    (carried / "widget.js").write_text("// changed\n" + (carried / "widget.js").read_text())
    assert digest() != before


def test_a_page_of_an_installed_package_is_gone_through_like_ours(
    study: Path, installed: Path, tmp_path: Path
) -> None:
    page = "  - poem: {text: Roses are red., pause_s: %s}\n  - form:"
    (study / "study.yaml").write_text(STUDY.replace("  - form:", page % "long"))
    assert "unknown" in run("check", study).stdout
    wrong = run("check", study, site=installed)
    assert "timeline[1].poem.pause_s: expected a whole number" in wrong.stdout
    (study / "study.yaml").write_text(STUDY.replace("  - form:", page % "2"))
    assert answers(study, tmp_path / "bundle", site=installed)
    (table,) = (tmp_path / "bundle").glob("data/*trials_data.csv")
    assert ",poem," in table.read_text()


WATCHED = """\
believable: 1
title: Ducks
seed: 7
languages: [en]
conditions: [wild]
stimuli: [{id: pond, file: stimuli/pond.replay.json.gz, condition: wild}]
timeline:
  - consent: {text: Take part., require: [agree]}
  - watch: {id: ducks, stimulus: pond, ask: [{id: face, prompt: How do they feel?, smiley: {}}]}
  - finish: {}
"""


def write_pond(study: Path) -> None:
    """A recording of the package's world."""
    (study / "stimuli").mkdir()
    duck = Track(
        actor="d",
        x=tuple(2000 + 100 * frame for frame in range(20)),
        y=(4500,) * 20,
        heading=(0,) * 20,
    )
    pond = RecordedWorld(kind="pond", width=16, height=9, walls=("." * 16,) * 9)
    recording = Recording(
        world=pond,
        actors=(Actor("d", "D", "duck"),),
        timing=Timing(frame_ms=100, frames=20),
        tracks=(duck,),
    )
    write(recording, study / "stimuli" / "pond.replay.json.gz")


def test_a_world_of_an_installed_package_is_watched_like_ours(
    study: Path, installed: Path, tmp_path: Path
) -> None:
    write_pond(study)
    (study / "study.yaml").write_text(WATCHED.replace("smiley: {}", "likert: {}"))
    unknown = run("check", study)
    (study / "study.yaml").write_text(WATCHED)
    assert "unknown world 'pond'" in unknown.stdout + unknown.stderr
    checked = run("check", study, site=installed)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert answers(study, tmp_path / "bundle", site=installed)

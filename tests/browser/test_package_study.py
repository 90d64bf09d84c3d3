"""From an empty folder to a report: a package of own parts, built as the how-tos say, is installed
by pip, and a study of nothing but these parts is taken in German.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import free_port, wait_for
from tests.how_to import PAGES, commands_of, write_package
from tests.programs import believable, run, search_path

pytestmark = pytest.mark.slow

SERVE = """
import sys
from pathlib import Path
from believable.app.settings import Settings
from believable.web.app import prepare, serve
if __name__ == "__main__":
    study, data, port = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    settings = Settings(data_dir=data, study_folders=(study,), base_url=f"http://127.0.0.1:{port}")
    (published,), _ = prepare(settings)
    print(published.links["open"], flush=True)
    serve(settings, port=port)
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_package(tmp_path_factory.mktemp("package"), *PAGES)


@pytest.fixture(scope="module")
def site(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as pip installs it."""
    folder = tmp_path_factory.mktemp("site")
    words = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(folder)]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *words, str(package)],
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture(scope="module")
def study(package: Path, site: Path) -> Path:
    """Every command of the page works, in its order."""
    for command in commands_of("extend.md"):
        done = run(*command, site=site, folder=package)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
    assert "glad people" in (package / "ducks-report" / "report.html").read_text()
    return package / "ducks"


@pytest.fixture
def link(study: Path, site: Path, tmp_path: Path) -> Iterator[str]:
    """The participant's link of the served study."""
    port, script = free_port(), tmp_path / "serve.py"
    script.write_text(SERVE)
    process = subprocess.Popen(
        [sys.executable, str(script), study, tmp_path / "data", str(port)],
        env=os.environ | {"PYTHONPATH": search_path(site)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    wait_for(f"http://127.0.0.1:{port}")
    yield address
    process.terminate()
    process.wait(30)
    process.stdout.close()


def swim(page: Page) -> None:
    """Swim to the right until the round is over."""
    page.locator("button.go").click()
    expect(page.locator('.game[data-state="run"]')).to_be_visible()
    page.keyboard.down("ArrowRight")
    expect(page.locator('.game[data-state="over"]')).to_be_visible()
    page.keyboard.up("ArrowRight")
    page.locator("button.next").click()


#: Plays half a second with the player of the package, on a page of the served study.
PLAY = """async () => {
  const { create } = await import("/static/players/counter/player.js");
  const kept = [];
  const player = create(document.body, { duration_ms: 500, record: (kind) => kept.push(kind) });
  await new Promise((resolve) => { player.on("ended", resolve); player.play(); });
  const end = player.time_ms;
  player.seek(100);
  const there = player.time_ms;
  player.destroy();
  return [kept, end, there];
}"""


def export(study: Path, site: Path, tmp_path: Path) -> Path:
    """The dataset of the real session, and its report."""
    data, bundle = tmp_path / "data", tmp_path / "bundle"
    believable("export", study, "--out", bundle, "--data", data, site=site)
    believable("report", study, "--out", tmp_path / "report", "--data", data, site=site)
    assert "The share of glad people was 1" in (tmp_path / "report" / "report.html").read_text()
    return bundle


def rows(bundle: Path, table: str) -> list[dict[str, str]]:
    (file,) = bundle.glob(f"data/*{table}_data.csv")
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_a_study_of_a_package_is_taken_in_the_language_of_the_participant(
    page: Page, link: str, study: Path, site: Path, tmp_path: Path
) -> None:
    page.goto(link)
    page.locator("select[name=language]").select_option("de")
    page.locator("form button[type=submit]").first.click()
    page.get_by_role("checkbox").check()
    page.locator("button.next").click()
    expect(page.get_by_text("Rosen sind rot.")).to_be_visible()
    page.locator("button.next").click()
    tap = page.get_by_role("button", name="Das hat mich bewegt")
    expect(tap).to_be_visible()
    page.locator(".player button").first.click()
    tap.click()
    expect(page.locator("button.next")).to_be_enabled()
    page.locator("button.next").click()
    swim(page)
    page.get_by_role("radio", name="glad").check()
    page.locator("button.next").click()
    expect(page.locator(".trial, .panel").last).to_contain_text("ank")
    assert page.evaluate(PLAY) == [["media.play", "media.ended"], 500, 100]
    bundle = export(study, site, tmp_path)
    assert {row["strength"] for row in rows(bundle, "tap_press")} == {"3"}
    assert "1" in {row["swim_x"] for row in rows(bundle, "round_inputs")}
    assert any("glad" in row.values() for row in rows(bundle, "answers"))

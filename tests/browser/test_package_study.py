"""A study of nothing but parts of an installed package, served and taken in German."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import free_port, wait_for
from tests.programs import ROOT, believable
from tests.test_plugins import ALL, PACKAGE, declare, write_pond

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


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The package as it is installed."""
    folder = tmp_path / "site"
    entries = [
        line.replace("[project.entry-points.", "[").replace('"', "")
        for line in (PACKAGE / "pyproject.toml").read_text().splitlines()
        if line.startswith("[project.entry-points.") or ":" in line
    ]
    declare(folder, "acme", "\n".join(entries))
    shutil.copytree(PACKAGE / "acme_believable", folder / "acme_believable")
    return folder


@pytest.fixture
def link(site: Path, tmp_path: Path) -> Iterator[str]:
    """The participant's link of the served study."""
    study, port = tmp_path / "study", free_port()
    study.mkdir()
    write_pond(study)
    (study / "study.yaml").write_text(ALL)
    (tmp_path / "serve.py").write_text(SERVE)
    path = os.pathsep.join((str(ROOT / "src"), str(site)))
    process = subprocess.Popen(
        [sys.executable, str(tmp_path / "serve.py"), study, tmp_path / "data", str(port)],
        env=os.environ | {"PYTHONPATH": path},
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


def test_a_study_of_a_package_is_taken_in_the_language_of_the_participant(
    page: Page, link: str, site: Path, tmp_path: Path
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
    page.get_by_role("radio", name="glad").check()
    page.locator("button.next").click()
    expect(page.locator(".trial, .panel").last).to_contain_text("ank")
    bundle = tmp_path / "bundle"
    believable(
        "export", tmp_path / "study", "--out", bundle, "--data", tmp_path / "data", site=site
    )
    (table,) = bundle.glob("data/*tap_press_data.csv")
    assert table.read_text().splitlines()[-1].endswith(",3")

"""Taking the data away through the console."""

from __future__ import annotations

import io
import tempfile
import zipfile
from pathlib import Path

import pytest

from believable.web import export_worker

from .conftest import Browser, World

pytestmark = pytest.mark.usefixtures("forked_children")
EXPORT = "/console/studies/study/export"


def names(content: bytes) -> list[str]:
    return zipfile.ZipFile(io.BytesIO(content)).namelist()


def test_the_bundle_is_one_zip_and_noted(world: World, owner: Browser) -> None:
    world.person().run("some words", "more words")
    reply = owner.post(EXPORT, pool="real")
    assert reply.status_code == 200
    assert reply.headers["content-type"] == "application/zip"
    assert 'filename="study.zip"' in reply.headers["content-disposition"]
    assert any(name.endswith("dataset_description.json") for name in names(reply.content))
    assert "exported the real sessions" in owner.get("/console/audit").text


def test_people_who_answer_do_not_wait_for_it(
    world: World, owner: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is made in another process: here nothing is exported."""

    def refused(*arguments: object, **named: object) -> None:
        raise AssertionError("an export in the server's process")

    monkeypatch.setattr(export_worker, "write_dataset", refused)
    world.person().run("some words", "more words")
    assert owner.post(EXPORT, pool="real").status_code == 200


def test_excluded_answers_and_rejections_are_in_it(world: World, owner: Browser) -> None:
    world.person().run("ok", "more words than that")
    owner.post("/console/studies/study/review", item="1-3-1", preset="nonsense", note="two letters")
    owner.post("/console/studies/study/sessions/real/1/judge", deed="reject", reason="not serious")
    archive = zipfile.ZipFile(io.BytesIO(owner.post(EXPORT, pool="real").content))
    table = next(
        name for name in archive.namelist() if "exclusions" in name and name.endswith(".csv")
    )
    rows = archive.read(table).decode()
    assert "nonsense: two letters" in rows
    assert "not serious" in rows


def test_simulated_sessions_are_another_file(world: World, owner: Browser) -> None:
    world.person("simulated").run("some words", "more words")
    reply = owner.post(EXPORT, pool="simulated", recruiter_hashes="yes")
    assert 'filename="study-simulated.zip"' in reply.headers["content-disposition"]
    assert (
        "exported the simulated sessions with recruiter hashes" in owner.get("/console/audit").text
    )


def test_previews_are_never_exported(world: World, owner: Browser) -> None:
    assert owner.post(EXPORT, pool="preview").status_code == 422


def test_nothing_is_left_behind(world: World, owner: Browser) -> None:
    before = set(Path(tempfile.gettempdir()).glob("believable-export-*"))
    owner.post(EXPORT, pool="real")
    owner.post(EXPORT, pool="preview")
    assert set(Path(tempfile.gettempdir()).glob("believable-export-*")) <= before


def test_coders_cannot_export(world: World) -> None:
    world.account("boss", "administrator")
    coder = world.log_in("cleo", "coder")
    assert coder.post(EXPORT, pool="real").status_code == 403

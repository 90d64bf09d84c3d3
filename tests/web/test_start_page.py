"""The page at the root address: what it lists, and what it keeps to itself."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from believable.app.serve import shown_links
from believable.simulate.asgi import running
from believable.store import studies
from believable.web.app import Settings, create_app
from believable.web.start_page import StudyInPreparation, in_preparation, tell_preparation

STUDY = """\
believable: 1
title: {en: Apples and pears, de: Äpfel und Birnen}
seed: 1
languages: [en, de]
timeline:
  - text: {id: hello, text: {en: Hello., de: Hallo.}}
  - finish: {}
"""


def look(settings: Settings, state: str = "open", language: str = "en") -> httpx.Response:
    async def visit() -> httpx.Response:
        app = create_app(settings)
        async with running(app) as http:
            app.state.store.write(lambda conn: studies.set_state(conn, "fruit", state))
            return await http.get("/", headers={"accept-language": language, "accept": "text/html"})

    return asyncio.run(visit())


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    folder = tmp_path / "fruit"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    return Settings(data_dir=tmp_path / "data", study_folders=(folder,), listed="preview")


def test_open_studies_can_be_tried_in_the_visitors_language(settings: Settings) -> None:
    answer = look(settings, language="de-CH")
    assert answer.status_code == 200
    assert "Äpfel und Birnen" in answer.text
    assert "Als Teilnehmer ausprobieren" in answer.text
    assert "Einmal-Link" in answer.text, "nobody has a password yet"


def test_a_closed_study_is_not_offered(settings: Settings) -> None:
    answer = look(settings, state="closed")
    assert "/join/" not in answer.text
    assert "No study is open at the moment." in answer.text


def test_a_server_for_others_names_no_study_unless_it_is_told_to() -> None:
    assert shown_links("http://127.0.0.1:8000", None) == "preview"
    assert shown_links("https://study.example.org", None) is None
    assert shown_links("http://0.0.0.0:8000", None) is None
    assert shown_links("https://study.example.org", True) == "open"
    assert shown_links("http://localhost:8000", False) is None


def test_an_unlisted_server_still_shows_the_ways_in(settings: Settings, tmp_path: Path) -> None:
    answer = look(Settings(data_dir=settings.data_dir, study_folders=settings.study_folders))
    assert answer.status_code == 200
    assert "Apples and pears" not in answer.text
    assert "/join/" not in answer.text
    assert 'href="/resume"' in answer.text
    assert 'href="/console"' in answer.text


def test_what_is_being_made_is_shown_until_it_is_there(settings: Settings) -> None:
    assert in_preparation(settings.data_dir) == ()
    coming = (
        StudyInPreparation("Cherries <b>", "Red.", 1, 4),
        StudyInPreparation("Plums", "Blue.", 0, 0),
    )
    tell_preparation(settings.data_dir, coming)
    assert in_preparation(settings.data_dir) == coming
    text = look(settings).text
    assert "Cherries &lt;b&gt;" in text
    assert '<progress max="4" value="1"' in text
    tell_preparation(settings.data_dir, ())
    assert in_preparation(settings.data_dir) == ()
    assert "<progress" not in look(settings).text

"""A script that claims to have watched: it gets no further without the bytes and the time, and the
record shows what it tried.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from believable.store.tables.collected import view_checks
from tests.films import film

LENGTH_S = 2
STUDY = """\
believable: 1
title: A study
seed: 1
stimuli: [{id: film, file: film.mp4}]
timeline:
  - watch: {id: clip, stimulus: film, controls: {must_finish: MUST}, ask: [{id: human, prompt: Human?, likert: {points: 5}}]}
  - finish: {id: end, codes: {complete: PAID}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[str], Path]:
    def make(must: str) -> Path:
        place = tmp_path / "films"
        film(place / "film.mp4", duration_s=LENGTH_S)
        (place / "study.yaml").write_text(STUDY.replace("MUST", must), encoding="utf-8")
        return place

    return make


def claim_a_view(session: Any) -> None:
    session.send(0, "media.ready", {"duration_ms": 1, "width": 1, "height": 1})
    session.send(0, "media.interval", {"from_ms": 0, "to_ms": 60_000, "rate": 1})
    session.send(0, "media.ended", {"media_ms": 1, "view": 1})


def stored_check(target: Any) -> Any:
    return target.app.state.store.read(lambda conn: conn.execute(select(view_checks)).one())


def test_a_view_needs_the_bytes_and_the_time(
    serve: Callable[..., Any], folder: Callable[[str], Path]
) -> None:
    target = serve(folder("true"))
    session = target.browser().join(target.link())
    trial = session.claim()
    claim_a_view(session)

    target.clock.advance(60_000)
    refused = session.submit(0, {"human": 3})
    assert refused["status"] == "again", "time has passed, but no byte was sent"
    assert "reload the page" in refused["errors"][""]
    assert session.finish().status_code == 409

    other = target.browser().join(target.link())
    trial = other.claim()
    content = other.browser.get(trial["media"][0]["url"])
    assert content.status_code == 200
    claim_a_view(other)
    assert other.submit(0, {"human": 3})["status"] == "again", (
        "fetched, but there was no time to see it"
    )
    target.clock.advance(LENGTH_S * 1000)
    assert other.submit(0, {"human": 3})["status"] == "finished"
    assert other.finish().json()["code"].startswith("PAID")


def test_an_end_without_played_parts_takes_as_long_as_the_film(
    serve: Callable[..., Any], folder: Callable[[str], Path]
) -> None:
    """If people cannot jump, a person at the end has played all of it, whatever parts the browser
    names.
    """
    target = serve(folder("true"))
    session = target.browser().join(target.link())
    address = session.claim()["media"][0]["url"]
    assert session.browser.get(address).status_code == 200
    session.send(0, "media.ended", {"media_ms": 1, "view": 1})
    target.clock.advance(LENGTH_S * 1000 // 2)
    assert session.submit(0, {"human": 3})["status"] == "again"
    check = stored_check(target)
    assert (check.possible, check.open_ms) == (False, LENGTH_S * 1000 // 2)
    assert check.needed_ms == pytest.approx(0.95 * check.length_ms, abs=1)


@pytest.mark.parametrize("part", ["bytes=0-99", "bytes=0-0"])
def test_the_beginning_of_a_film_is_not_the_film(
    serve: Callable[..., Any], folder: Callable[[str], Path], part: str
) -> None:
    target = serve(folder("true"))
    session = target.browser().join(target.link())
    address = session.claim()["media"][0]["url"]
    for _ in range(3):
        assert session.browser.get(address, headers={"range": part}).status_code == 206
    target.clock.advance(60_000)
    claim_a_view(session)
    assert session.submit(0, {"human": 3})["status"] == "again"
    check = stored_check(target)
    assert (check.possible, check.refused) == (False, 1)
    assert 0 < check.sent_bytes <= 300 < check.media_bytes


def test_an_impossible_view_is_recorded_if_nothing_has_to_be_finished(
    serve: Callable[..., Any], folder: Callable[[str], Path]
) -> None:
    target = serve(folder("false"))
    session = target.browser().join(target.link())
    session.claim()
    claim_a_view(session)
    assert session.submit(0, {"human": 3})["status"] == "finished"
    check = stored_check(target)
    assert (check.possible, check.sent_bytes, check.open_ms) == (False, 0, 0)
    assert check.length_ms == pytest.approx(1000 * LENGTH_S, abs=100)


def test_who_claims_no_view_is_not_accused(
    serve: Callable[..., Any], folder: Callable[[str], Path]
) -> None:
    target = serve(folder("false"))
    session = target.browser().join(target.link())
    session.claim()
    assert session.submit(0, {"human": 3})["status"] == "finished"
    assert stored_check(target).possible


def test_impossible_views_are_shown_in_the_review(
    serve: Callable[..., Any], folder: Callable[[str], Path]
) -> None:
    target = serve(folder("true"))
    honest = target.browser().join(target.link())
    assert honest.browser.get(honest.claim()["media"][0]["url"]).status_code == 200
    target.clock.advance(60_000)
    claim_a_view(honest)
    assert honest.submit(0, {"human": 3})["status"] == "finished"
    forged = target.browser().join(target.link())
    forged.claim()
    claim_a_view(forged)
    for _ in range(3):
        assert forged.submit(0, {"human": 3})["status"] == "again"

    owner = target.log_in("ada")
    console = "/console/studies/films"
    shown = words(owner.get(f"{console}/review").text)
    assert "Impossible views 1 session " in shown
    assert "Session Impossible views Pages Submissions sent back State 2 1 1 3 under way" in shown
    listed = words(owner.get(f"{console}/sessions?place=impossible_views").text)
    assert "1 session " in listed
    assert "1 impossible view " in listed
    assert words(owner.get(f"{console}/sessions").text).count("1 impossible view") == 1
    table = words(owner.get(f"{console}/sessions/real/2").text).partition("Impossible views")[2]
    assert "1 1 2.0 s 0 % 0.0 s 1.9 s 3 impossible" in table
    assert "Impossible views" not in words(owner.get(f"{console}/sessions/real/1").text)


def words(page: str) -> str:
    """The visible words of a page, with one space between them."""
    return " ".join(re.sub(r"<[^>]*>", " ", page).split()) + " "

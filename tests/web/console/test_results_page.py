"""LiveReport results in the console: blinded first, computed beside the server, unblinded by a
logged decision.
"""

from __future__ import annotations

import asyncio
import html
import re
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.report.live_records import LiveReport, ReportRequest
from believable.store import coding_projects
from believable.store import review as stored
from believable.store.tables.collected import decisions
from believable.web.app import Settings
from believable.web.console.live_results import LiveResults, ResultsKey, compute_result
from tests.quick_studies import simulate_little
from tests.waiting import wait_in_loop, wait_until

from .conftest import BASE, Browser, World, living, turning

RESULTS = "/console/studies/study/results"
CONDITIONS = ("standin_human", "pair_01_navigator")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ready study that declares its analysis, taken by a few simulated judges."""
    made = tmp_path_factory.mktemp("judged") / "study"
    for command in (
        ["new", str(made), "--protocol", "hntt"],
        ["simulate", str(made), "--participants", "8", "--drop-out", "0"],
    ):
        result = CliRunner().invoke(group, command, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        if command[0] == "new":
            simulate_little(made)
    return made


@pytest.fixture(scope="module")
def judged(folder: Path) -> Iterator[World]:
    """One application for all tests, since it keeps what it computed; each test has an account of
    its own.
    """
    settings = Settings(data_dir=folder / ".believable", study_folders=(folder,), base_url=BASE)
    with turning() as loop, living(settings, loop) as made:
        yield made


def told(browser: Browser, pool: str = "simulated") -> dict[str, Any]:
    answer: dict[str, Any] = browser.get(f"{RESULTS}.json?pool={pool}").json()
    return answer


def computed_page(browser: Browser, pool: str = "simulated", *, seconds: float = 240) -> str:
    """The page once its results are there."""
    wait_until(lambda: told(browser, pool)["fresh"], "no results came", seconds)
    return browser.get(f"{RESULTS}?pool={pool}").text


def test_results_are_blinded_until_somebody_decides_and_the_decision_is_logged(
    judged: World,
) -> None:
    owner = judged.log_in()
    first = owner.get(f"{RESULTS}?pool=simulated").text
    assert "Being computed" in first, "the page waits for no computation"
    assert "Demonstration stimuli" in first
    blind = computed_page(owner)
    assert "Accuracy" in blind
    assert not [name for name in (*CONDITIONS, "pair_01_human") if name in blind]
    assert "Blinded" in blind
    assert "Simulated sessions" in blind

    assert owner.post("/console/studies/study/unblind?pool=simulated").status_code == 422
    assert told(owner)["blinded"], "a tick is needed"
    reply = owner.post("/console/studies/study/unblind?pool=simulated", sure="yes")
    assert reply.headers["location"] == f"{RESULTS}?pool=simulated"
    seen = computed_page(owner)
    assert "standin_human" in seen
    assert re.search(r"<strong>Unblinded</strong> by ada on", seen)
    log = owner.get("/console/audit").text
    assert stored.unblinding("simulated") in log
    owner.post("/console/studies/study/unblind?pool=simulated", sure="yes")
    assert owner.get("/console/audit").text.count(stored.unblinding("simulated")) == 1
    assert told(owner, "real")["blinded"], "each pool on its own"


def test_the_parts_of_the_page_are_served_to_researchers_only(judged: World) -> None:
    owner = judged.log_in("bob")
    computed_page(owner)
    assert "--f-hues-0" in owner.get("/console/results/report.css").text
    assert (
        owner.get("/console/results/report.js")
        .headers["content-type"]
        .startswith("text/javascript")
    )
    assert "vegaEmbed" in owner.get("/console/results/library.js").text
    coder = judged.log_in("cleo", "coder")
    for path in (RESULTS, f"{RESULTS}.json", "/console/results/library.js"):
        assert coder.get(path).status_code == 403


def test_a_study_without_an_analysis_says_so(owner: Browser) -> None:
    assert "This study declares no analysis" in owner.get(RESULTS).text
    assert owner.get(f"{RESULTS}.json").json()["busy"] is False


def test_nobody_yet_is_no_error_page(judged: World) -> None:
    owner = judged.log_in("dora")
    assert "There are no sessions yet." in computed_page(owner, "real")


def test_previews_have_no_results(owner: Browser) -> None:
    assert owner.get(f"{RESULTS}?pool=preview").status_code == 422


def test_the_fingerprint_changes_with_finished_sessions_and_judgements(
    world: World, owner: Browser
) -> None:
    def now() -> str:
        return world.store.read(lambda conn: stored.results_fingerprint(conn, "study", "real"))

    empty = now()
    world.person().run("some words", "more words")
    finished = now()
    assert finished != empty
    assert (
        world.store.read(lambda conn: stored.results_fingerprint(conn, "study", "simulated"))
        != finished
    )
    owner.post("/console/studies/study/sessions/real/1/judge", deed="reject", reason="not serious")
    assert world.store.read(lambda conn: len(conn.execute(decisions.select()).all())) == 1
    assert now() != finished


def test_a_stimulus_can_be_watched_from_a_moment(judged: World) -> None:
    owner = judged.log_in("eve")
    owner.post("/console/studies/study/unblind?pool=simulated", sure="yes")
    page = owner.get("/console/studies/study/watch/simulated/pair_01_human?at_ms=5000")
    assert page.status_code == 200
    assert '"at_ms": 3000' in page.text
    assert "media-src 'self' blob:" in page.headers["content-security-policy"]
    medium = owner.get("/console/studies/study/watch/simulated/pair_01_human/medium")
    assert medium.status_code == 200
    assert medium.content[4:8] == b"ftyp"
    assert owner.get("/console/studies/study/watch/simulated/nothing").status_code == 404
    assert owner.get("/console/studies/study/watch/preview/pair_01_human").status_code == 404


def test_while_blinded_names_lead_nowhere(judged: World) -> None:
    owner = judged.log_in("fay")
    assert owner.get("/console/studies/study/watch/real/pair_01_human").status_code == 404


def test_the_same_data_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:

    wish = ReportRequest(
        database="sqlite:///x.db",
        study="s",
        simulated=True,
        blinded=True,
        media_dir="",
        folder=None,
        script="",
        base="",
        drafts="",
    )
    calls: list[ReportRequest] = []

    async def counted(one: ReportRequest) -> LiveReport:
        calls.append(one)
        await asyncio.sleep(0)
        return LiveReport(html="x")

    monkeypatch.setattr("believable.web.console.live_results.compute_result", counted)

    async def story() -> None:
        computing, about = LiveResults(), ResultsKey("s", "real", blinded=True)
        for _ in range(5):
            computing.ask(about, "k1", wish, 1)
        assert computing.busy(about)
        await wait_in_loop(lambda: not computing.busy(about), "it computes for ever")
        computing.ask(about, "k1", wish, 2)
        assert len(calls) == 1
        computing.ask(about, "k2", wish, 3)
        assert not computing.busy(about), "newer data wait for the pause"
        kept = computing.find(about)
        assert kept is not None
        assert kept.key == "k1"
        await computing.close()

    asyncio.run(story())


def test_what_goes_wrong_is_told_in_words(tmp_path: Path) -> None:
    wish = ReportRequest(
        database=f"sqlite:///{tmp_path / 'x.db'}",
        study="nothing",
        simulated=True,
        blinded=True,
        media_dir=str(tmp_path),
        folder=None,
        script=str(tmp_path / "l.js"),
        base="",
        drafts=str(tmp_path),
    )
    found = asyncio.run(compute_result(wish))
    assert "nothing" in found.error


def test_two_studies_of_ones_own_with_one_definition_each_have_their_results_and_texts(
    tmp_path: Path,
) -> None:
    """The second is a copy of the first in the same database: nothing of one is taken for the
    other's.
    """
    first, second, data = tmp_path / "first", tmp_path / "second", tmp_path / "data"
    commands = [["new", str(first), "--blank"]]
    commands += [
        [
            "simulate",
            str(folder),
            "--participants",
            number,
            "--drop-out",
            "0",
            "--data",
            str(data),
            "--seed",
            "3",
        ]
        for folder, number in ((first, "4"), (second, "5"))
    ]
    for number, command in enumerate(commands):
        result = CliRunner().invoke(group, command, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        if number == 0:
            shutil.copytree(first, second)
    settings = Settings(data_dir=data, study_folders=(first, second), base_url=BASE)
    with turning() as loop, living(settings, loop) as world:
        owner = world.log_in()
        for study, n_sessions in (("first", 4), ("second", 5)):
            address = f"/console/studies/{study}/results"
            told_at = f"{address}.json?pool=simulated"
            wait_until(lambda at=told_at: owner.get(at).json()["fresh"], "no results came", 240)
            page = html.unescape(owner.get(f"{address}?pool=simulated").text)
            assert re.search(
                rf"Declared: stop at 40 sessions after exclusions; there are [1-{n_sessions}]\.",
                page,
            )
            assert "Humanness: mean by condition" in page
            assert "A − B" in page
            assert "first − third" not in page
            assert "not judged" in page
        for study, n_texts in (("first", 12), ("second", 15)):
            made = owner.post(
                "/console/coding",
                page="/console/coding",
                study=study,
                codebook="hntt",
                pool="simulated",
            )
            assert made.status_code == 303, made.text
            texts = world.store.read(
                partial(coding_projects.texts, project=f"{study}~hntt-simulated")
            )
            reasons = [
                text.response for text in texts.values() if text.response.trial_key.endswith("clip")
            ]
            assert len(reasons) == n_texts, "three of each person, and of this study's people only"

"""The list before people come: what is open is said with its cure."""

from __future__ import annotations

import asyncio
import html
from collections.abc import Callable
from pathlib import Path

import pytest

from believable.analysis.power_record import PowerRecord, SimulatedPower, write_power
from believable.analysis.registered import plan_hash, register
from believable.analysis.resolution import resolve
from believable.core.processes import FunctionElsewhere
from believable.protocols.templates import TEMPLATES
from believable.store.monitor import CompletionRate
from believable.study.load import load
from believable.study.platforms import Recruit
from believable.web.app import Settings
from believable.web.console import launch_page
from believable.web.console.launch_page import (
    MoneyLeft,
    Whereabouts,
    address_item,
    backup_item,
    disk_item,
    money_left,
    time_left,
)

from .conftest import BASE, Browser, World, living

pytestmark = pytest.mark.usefixtures("forked_children")
PAGE = "/console/studies/study/checklist"
DAY = 86_400_000


def test_what_is_open_is_listed_with_its_cure(world: World, owner: Browser) -> None:
    page = owner.get(PAGE).text
    assert "People agree before anything is asked." in page
    assert "It has no sessions yet." in page
    assert "which others cannot reach" in page
    assert "Say whom people can ask" in page
    assert "believable backup" in page
    assert "declares no analysis" in page
    world.person("simulated").run("some words", "more words")
    assert "Sessions: 1 simulated, 0 preview." in owner.get(PAGE).text


def test_the_time_left_is_told(world: World, owner: Browser) -> None:
    world.person().run("some words", "more words")
    page = owner.get(PAGE).text
    assert "no limit is set" in page
    assert "complete a day" in page


def test_coders_do_not_see_it(world: World) -> None:
    assert world.log_in("cora", "coder").get(PAGE).status_code == 403


@pytest.mark.parametrize(
    ("address", "done"),
    [
        ("http://127.0.0.1:8000", False),
        ("http://localhost:8000", False),
        ("http://192.168.0.5", False),
        ("http://study.example.org", False),
        ("https://study.example.org", True),
    ],
)
def test_addresses_that_others_reach(address: str, done: bool) -> None:
    assert address_item(address).done is done


def test_backups_and_disks_grow_old_and_full() -> None:
    assert (
        backup_item(
            Whereabouts(base_url="", free_bytes=0, backup_age_ms=None, registered_on=None)
        ).done
        is False
    )
    assert (
        backup_item(
            Whereabouts(base_url="", free_bytes=0, backup_age_ms=DAY, registered_on=None)
        ).done
        is True
    )
    assert (
        backup_item(
            Whereabouts(base_url="", free_bytes=0, backup_age_ms=8 * DAY, registered_on=None)
        ).done
        is False
    )
    assert (
        disk_item(
            Whereabouts(base_url="", free_bytes=10**9, backup_age_ms=None, registered_on=None)
        ).done
        is False
    )
    assert (
        disk_item(
            Whereabouts(base_url="", free_bytes=10**10, backup_age_ms=None, registered_on=None)
        ).done
        is True
    )


def test_the_end_follows_from_the_present_rate() -> None:
    left = time_left(20, 3, 50, CompletionRate(14, 7 * DAY), now_ms=0)
    assert left.per_day == 2
    assert left.ends_ms == 15 * DAY
    assert time_left(50, 0, 50, CompletionRate(14, 7 * DAY), now_ms=5).ends_ms == 5
    assert time_left(20, 3, None, CompletionRate(14, 7 * DAY), now_ms=0).ends_ms is None
    assert time_left(0, 3, 50, CompletionRate(0, DAY), now_ms=0).ends_ms is None
    assert time_left(0, 0, 50, CompletionRate(0, 0), now_ms=0).per_day == 0


def test_money_follows_from_what_a_session_costs() -> None:
    assert money_left(Recruit(), 20) is None
    assert money_left(Recruit(payment=2.5, limit=50), 20) == MoneyLeft(50.0, 75.0, "EUR")
    assert money_left(Recruit(payment=2.5, currency="GBP"), 20) == MoneyLeft(50.0, None, "GBP")
    assert money_left(Recruit(payment=2.5, limit=10), 12) == MoneyLeft(30.0, 0.0, "EUR")


def test_the_list_runs_check_and_knows_power_plan_and_money(
    tmp_path: Path,
    loop: asyncio.AbstractEventLoop,
    with_tables: Callable[[Path], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of the study's folder, wherever the data are kept."""
    folder = tmp_path / "Own study"
    TEMPLATES["play-and-annotate"].copy(folder)
    file = folder / "study.yaml"
    paid = "desktop_only: true, payment: 2.5, currency: GBP, limit: 60"
    file.write_text(file.read_text("utf-8").replace("desktop_only: true", paid))
    with_tables(tmp_path / "data")
    with living(
        Settings(data_dir=tmp_path / "data", study_folders=(folder,), base_url=BASE), loop
    ) as world:
        owner = world.log_in()

        def shown() -> str:
            return html.unescape(owner.get("/console/studies/own-study/checklist").text)

        page = shown()
        assert "still holds [WHAT PARTICIPANTS RECEIVE, IF ANYTHING]" in page
        assert "4 to look at, none of them stops the study" in page
        assert "It has not been simulated" in page
        assert "The plan is not on record" in page
        assert "GBP 0.00 for complete sessions" in page
        assert "GBP 150.00" in page
        study = load(folder).study
        assert study.analysis is not None
        plan = resolve(study.analysis, study)
        points = tuple(
            SimulatedPower(
                participants=n, what="H1", met=n, judged=100, share=n / 100, low=n / 200, high=0.9
            )
            for n in (20, 40, 80)
        )
        write_power(
            folder,
            PowerRecord(
                simulated_on="2027-03-04T10:00:00+00:00",
                plan=plan_hash(plan),
                studies=100,
                seed=1,
                assumed=("an effect 0.7",),
                points=points,
            ),
        )
        register(plan, folder, registered_on="2027-03-05T10:00:00+00:00")
        page = shown()
        assert (
            "Simulated on 2027-03-04, 100 studies: with 40 participants H1 0.40 [0.20, 0.90]."
            in page
        )
        assert "The plan is on record since 2027-03-05" in page
        write_power(
            folder,
            PowerRecord(
                simulated_on="2027-03-04T10:00:00+00:00",
                plan="other",
                studies=100,
                seed=1,
                assumed=(),
                points=points,
            ),
        )
        # What names the plan was worked out once, and stands beside the stored definition.
        monkeypatch.setattr(
            launch_page,
            "PLAN_DIGEST",
            FunctionElsewhere("believable.web.results_worker", "missing"),
        )
        assert "for another form of the plan" in shown()
        for words in folder.glob("pages/*.md"):
            words.write_text("Questions: ask@example.org", encoding="utf-8")
        assert "The study's file, its pages, its arms are in order." in shown()

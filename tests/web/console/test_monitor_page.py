"""The live monitor, fed by people who really take the study."""

from __future__ import annotations

import re
from typing import Any

import pytest

from believable.app.settings import publish_folders, study_id, whole_definition
from believable.collect.leave import PersonProof
from believable.collect.revise import revise
from believable.core.errors import StorageFull
from believable.store import alarms
from believable.store.monitor import ACTIVE_MS

from .conftest import Browser, World

MONITOR = "/console/studies/study/monitor"


def numbers(browser: Browser, pool: str = "real") -> dict[str, Any]:
    found: dict[str, Any] = browser.get(f"{MONITOR}.json?pool={pool}").json()
    return found


def tile(page: str, name: str) -> str:
    found = re.search(rf'data-count="{name}">([^<]*)<', page)
    assert found is not None
    return found[1]


def test_people_move_through_the_numbers(world: World, owner: Browser) -> None:
    person = world.person()
    assert numbers(owner)["counts"]["active"] == 1
    person.submit(agree=True)
    shown = numbers(owner)
    assert [step["reached"] for step in shown["funnel"]] == [1, 1, 0, 0, 0]
    assert [step["present"] for step in shown["funnel"]] == [0, 1, 0, 0, 0]
    assert shown["funnel"][1]["kinds"] == ["check"]
    assert shown["funnel"][2]["keys"] == ["pairs.1.judge"]
    person.submit(sky="blue")
    person.submit(why="some words")
    person.submit(why="more words")
    person.finish()
    shown = numbers(owner)
    assert shown["counts"]["complete"] == 1
    assert [step["reached"] for step in shown["funnel"]] == [1] * 5
    assert shown["median_ms"] == 120_000


def test_early_ends_are_left_where_they_happened(world: World, owner: Browser) -> None:
    out = world.person()
    out.submit(agree=True)
    out.submit(sky="red")
    out.finish()
    no = world.person()
    no.send("consent.decline")
    world.collect.advance(no.token, no.epoch, 0, no.seq).now()
    no.finish()
    shown = numbers(owner)
    assert (shown["counts"]["screened_out"], shown["counts"]["declined"]) == (1, 1)
    assert [step["left"] for step in shown["funnel"]] == [1, 1, 0, 0, 0]
    assert [step["reached"] for step in shown["funnel"]] == [2, 1, 0, 0, 0]


def test_quiet_dropped_out_and_withdrawn(world: World, owner: Browser) -> None:
    world.person()
    gone = world.person()
    world.collect.withdraw(gone.token, PersonProof(world.collect.holder_mark(gone.token))).now()
    world.clock.advance(ACTIVE_MS + 1)
    shown = numbers(owner)
    assert (shown["counts"]["active"], shown["counts"]["quiet"], shown["counts"]["withdrawn"]) == (
        0,
        1,
        1,
    )
    assert shown["counts"]["started"] == 2
    assert shown["silent"][0]["number"] == 1
    assert shown["n_silent"] == 1
    world.clock.advance(121 * 60_000)
    shown = numbers(owner)
    assert (shown["counts"]["quiet"], shown["counts"]["dropped_out"], shown["n_silent"]) == (
        0,
        1,
        0,
    )


def test_simulated_ones_are_shown_until_somebody_comes(world: World, owner: Browser) -> None:
    assert owner.get(f"{MONITOR}.json").json()["pool"] == "real"
    world.person("simulated")
    assert owner.get(f"{MONITOR}.json").json()["pool"] == "simulated"
    world.person()
    assert owner.get(f"{MONITOR}.json").json()["pool"] == "real"


def test_pools_are_shown_apart_and_marked(world: World, owner: Browser) -> None:
    world.person()
    world.person("simulated")
    world.person("simulated")
    world.person("preview")
    assert {
        pool: numbers(owner, pool)["counts"]["started"] for pool in ("real", "simulated", "preview")
    } == {"real": 1, "simulated": 2, "preview": 1}
    assert numbers(owner)["other_pools"] == {"simulated": 2, "preview": 1}
    assert "never counted together with participants" in owner.get(f"{MONITOR}?pool=simulated").text
    assert "never counted together" not in owner.get(MONITOR).text
    assert owner.get(f"{MONITOR}.json?pool=both").status_code == 422


def test_balance_counts_places_and_rejecting_frees_one(world: World, owner: Browser) -> None:
    for _ in range(4):
        world.person().run("some words", "more words")
    world.person()
    balance = numbers(owner)["balance"]
    assert [cell["complete"] for cell in balance["cells"]] == [1, 1, 1, 1]
    assert sum(cell["reserved"] for cell in balance["cells"]) == 1
    owner.post("/console/studies/study/sessions/real/1/judge", deed="reject", reason="nonsense")
    cells = numbers(owner)["balance"]["cells"]
    assert sum(cell["complete"] for cell in cells) == 3
    assert numbers(owner)["counts"]["rejected"] == 1


def test_events_and_stalls_of_the_last_seconds(world: World, owner: Browser) -> None:
    person = world.person()
    for _ in range(3):
        person.send("clock")
    person.send("media.stall")
    world.clock.advance(4_000)
    beats = numbers(owner)["pulse"]["beats"]
    assert sum(beat["n_events"] for beat in beats) == 4
    assert sum(beat["n_media_stalls"] for beat in beats) == 1
    assert numbers(owner)["counts"]["n_events"] == 4


def test_the_page_works_without_script(world: World, owner: Browser) -> None:
    world.person().run("some words", "more words")
    world.person()
    page = owner.get(MONITOR).text
    assert (tile(page, "started"), tile(page, "active"), tile(page, "complete")) == ("2", "1", "1")
    assert '<rect class="done"' in page
    assert "pairs.1.judge" in page


def test_alarms_stand_until_acknowledged(world: World, owner: Browser) -> None:
    at_ms = world.clock.now_ms()
    for study, message in (
        ("study", "event <3> differs"),
        ("other", "elsewhere"),
        (None, "for everybody"),
    ):
        world.store.write(
            lambda conn, study=study, message=message: alarms.sound(
                conn, kind="chain_conflict", message=message, study=study, at_ms=at_ms
            )
        )
    shown = numbers(owner)["alarms"]
    assert {alarm["message"] for alarm in shown} == {"event <3> differs", "for everybody"}
    page = owner.get(MONITOR).text
    assert "event &lt;3&gt; differs" in page
    number = next(alarm["id"] for alarm in shown if alarm["study"] == "study")
    assert owner.post("/console/studies/study/alarms", alarm=str(number)).status_code == 303
    assert [alarm["message"] for alarm in numbers(owner)["alarms"]] == ["for everybody"]
    assert owner.post("/console/studies/study/alarms", alarm=str(number)).status_code == 404
    assert owner.post("/console/studies/study/alarms", alarm="x").status_code == 422
    assert f"acknowledged alarm {number}" in owner.get("/console/audit").text


def test_a_full_disk_is_told_and_pages_stay_readable(world: World, owner: Browser) -> None:
    person = world.person()
    world.store.limit_pages(1)
    with pytest.raises(StorageFull):
        person.send("answer.change", value="x" * 400_000)
    assert [alarm["kind"] for alarm in numbers(owner)["alarms"]] == ["storage_full"]
    page = owner.get(MONITOR)
    assert page.status_code == 200
    assert "storage full" in page.text


def test_an_alarm_in_memory_cannot_be_acknowledged_away(
    world: World, owner: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_memory = alarms.Alarm(
        id=None,
        study=None,
        kind="storage_full",
        message="no space left",
        raised_ms=world.clock.now_ms(),
    )
    monkeypatch.setattr(world.store, "alarms", lambda: (in_memory,))
    page = owner.get(MONITOR).text
    assert "no space left" in page
    assert "Ends by itself" in page
    assert "Acknowledge" not in page


def test_a_later_definition_gets_its_own_funnel(world: World, owner: Browser) -> None:
    world.person().run("some words", "more words")
    settings = world.app.state.settings
    link_study = settings.study_folders[0] / "study.yaml"
    link_study.write_text(link_study.read_text().replace("seed: 7", "seed: 8"))
    whole = whole_definition(link_study.parent, settings.media_dir)
    world.collect.store.write(
        lambda conn: revise(
            conn,
            study_id=study_id(link_study.parent),
            definition=whole,
            reason="Another seed.",
            user="ada",
            at_ms=1,
        )
    )
    publish_folders(world.collect, settings)
    shown = numbers(owner)
    assert shown["counts"]["complete"] == 1
    assert shown["older_definitions"] == 1
    assert shown["funnel"][0]["reached"] == 0
    assert "1 session of older definitions not shown" in owner.get(MONITOR).text

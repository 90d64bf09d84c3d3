"""No space left: nothing is acknowledged, everybody is told, and it goes on when there is space
again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from believable.core.clock import VirtualClock, WallClock
from believable.simulate.asgi import running
from believable.simulate.client import Participant, Patience
from believable.simulate.crowd import link_token
from believable.simulate.pace import RealPace
from believable.simulate.server import Server
from believable.store import accounts, log_ins
from believable.store.engine import Store
from believable.web.app import Settings, create_app
from validation.stored_check import differences

pytestmark = pytest.mark.faults

LONG = "x" * 20_000
QUICK = Patience(first_ms=20, longest_ms=20, give_up_ms=60)


@asynccontextmanager
async def session(app: Any, study: Path) -> AsyncIterator[tuple[httpx.AsyncClient, Participant]]:
    async with running(app) as http:
        person = Participant(
            http, RealPace(WallClock()), Patience(first_ms=50, longest_ms=50, give_up_ms=20_000)
        )
        await person.join(link_token(app.state.store, study.name), {"who": "anna"})
        await person.claim()
        yield http, person


def log_in(app: Any) -> dict[str, str]:
    """The cookie of a researcher."""
    store: Store = app.state.store
    now_ms = WallClock().now_ms()

    def enter(conn: Any) -> str:
        accounts.add(conn, "rosa", now_ms=now_ms, administrator=True)
        token, _ = log_ins.enter(conn, b"k" * 32, "rosa", "", now_ms=now_ms)
        return token

    return {"cookie": f"believable_console={store.write(enter)}"}


async def send(http: httpx.AsyncClient, person: Participant) -> httpx.Response:
    body = {"epoch": person.epoch, "events": person.batch_after(person.acked)}
    return await http.post(f"/s/{person.token}/events", json=body)


def test_a_full_disk_acknowledges_nothing_raises_an_alarm_and_recovers(
    study: Path, tmp_path: Path
) -> None:
    clock = VirtualClock(WallClock().now_ms())
    app = create_app(Settings(data_dir=tmp_path / "data", study_folders=(study,)), clock=clock)

    async def main() -> None:
        async with session(app, study) as (http, person):
            cookie = log_in(app)
            monitor = f"/console/studies/{study.name}/monitor.json"

            async def alarms() -> list[str]:
                reply = await http.get(monitor, headers=cookie)
                assert reply.status_code == 200, reply.text
                return [alarm["kind"] for alarm in reply.json()["alarms"]]

            person.note("answer.change", question="age", value=30)
            await person.flush()
            assert "storage_full" not in await alarms()

            app.state.store.limit_pages(1)  # SQLite takes it as: not one page more than there is
            for number in range(20):
                person.note("answer.change", question="age", value=f"{number} {LONG}")
            refused = await send(http, person)
            assert refused.status_code == 507
            assert refused.json()["error"]["code"] == "storage_full"
            assert "ack" not in refused.json()
            assert "storage_full" in await alarms()
            claimed = (await http.post(f"/s/{person.token}/claim", json={})).json()
            assert claimed.get("ack", person.acked) == person.acked

            app.state.store.limit_pages(None)
            await person.claim()
            await person.flush()
            assert person.acked == person.top
            assert differences(app.state.store, [person]) == []
            clock.advance(
                10_000
            )  # the alarm stands until changes have been stored again for a while
            person.note("page.focus")
            await person.flush()
            for _ in range(50):
                if "storage_full" not in await alarms():
                    break
                await asyncio.sleep(0.1)
            assert "storage_full" not in await alarms()

    asyncio.run(main())


def test_people_wait_out_a_full_disk_over_http(
    study: Path, server: Server, sqlite_url: str, link_in: Callable[[str, Path], str]
) -> None:
    """The real server with a page limit; then the same server with room."""
    server.start()
    server.stop()
    pages = (server.data_dir / "believable.db").stat().st_size // 4096
    server.environment["BELIEVABLE_SQLITE_MAX_PAGES"] = str(pages + 40)
    server.start()
    link = link_in(sqlite_url, study)

    async def main() -> Participant:
        async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
            person = Participant(
                http,
                RealPace(WallClock()),
                Patience(first_ms=50, longest_ms=200, give_up_ms=60_000),
            )
            await person.join(link, {"who": "bert"})
            await person.claim()
            status = 200
            while status == 200:
                person.note("answer.change", question="age", value=LONG)
                reply = await send(http, person)
                status = reply.status_code
                if status == 200:
                    person.acked = reply.json()["ack"]
            assert status == 507
            assert person.top > 1, "the limit was reached before anything was stored"
            waiting = asyncio.ensure_future(person.flush())
            await asyncio.sleep(0.5)
            assert not waiting.done()
            server.stop()
            del server.environment["BELIEVABLE_SQLITE_MAX_PAGES"]
            await asyncio.to_thread(server.start)
            await waiting
            return person

    person = asyncio.run(main())
    with Store.open(sqlite_url, clock=WallClock()) as store:
        assert differences(store, [person]) == []

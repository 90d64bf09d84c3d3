"""How the review of free texts grows: what the queue costs per answer, and what one view costs,
from few to many sessions.

    python bench/review.py            300, 1,000 and 5,000 sessions of three texts each
    python bench/review.py --quick    100 and 400

Three sorts of texts: own words, stock phrases put together anew, and a tenth of identical
sentences. Processor time. Growth is the factor of the cost for the factor of the texts, 1.0 being
linear; exits with 1 when it is above 1.3 in the last step.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx
from sqlalchemy import insert, select

from believable.app.settings import Settings
from believable.collect.review_intake import KnownQuestions, take_in
from believable.core.ids import new_token
from believable.simulate.asgi import running
from believable.store import accounts, log_ins
from believable.store.engine import Connection, Store
from believable.store.tables.collected import sessions, studies, trials
from believable.web.app import create_app

TEXTS = 3
STUDY = """\
believable: 1
title: Why do you think so?
seed: 7
timeline:
  - form:
      id: judge
      questions:
        - {id: why, prompt: "Why do you think so?", long_text: {}}
        - {id: how, prompt: "How did it move?", long_text: {}}
        - {id: more, prompt: "Anything else?", long_text: {}}
  - finish: {id: finish}
"""
PHRASES = [
    "it looked around",
    "it walked into the wall",
    "the turns were too sharp",
    "it waited at the door",
    "nobody would do that",
    "it felt natural to me",
    "it hesitated like a person",
    "it never stopped",
    "the path was too straight",
    "it went back for the coin",
    "it seemed lost for a moment",
    "it was very smooth",
]


def own_words(chance: random.Random) -> str:
    """Words of a vocabulary of thousands, some of them frequent."""
    return " ".join(f"w{int(3000 * chance.random() ** 3)}" for _ in range(chance.randint(8, 40)))


def stock_phrases(chance: random.Random) -> str:
    return ", and ".join(chance.sample(PHRASES, 4))


def some_identical(chance: random.Random) -> str:
    return PHRASES[2] + " and " + PHRASES[4] if chance.random() < 0.1 else own_words(chance)


def fill(store: Store, n_sessions: int, text: Callable[[random.Random], str]) -> None:
    chance = random.Random(1)

    def put(conn: Connection) -> None:
        definition = conn.execute(select(studies.c.definition)).scalar_one()
        rows, closed = [], []
        for number in range(1, n_sessions + 1):
            name = f"s{number}"
            rows.append(
                {
                    "id": name,
                    "token_hash": f"t{number}",
                    "code_hash": f"c{number}",
                    "study": "study",
                    "definition": definition,
                    "link_kind": "open",
                    "number": number,
                    "language": "en",
                    "arms": "{}",
                    "rows": "{}",
                    "seed": 1,
                    "recruiter_extra": "{}",
                    "state": "finished",
                    "outcome": "complete",
                    "position": 1,
                    "opened_ms": 0,
                    "head_hash": "",
                    "started_ms": 0,
                    "seen_ms": 0,
                    "reserved_until_ms": 0,
                    "reservation_ms": 1,
                    "finished_ms": 400_000 + number,
                }
            )
            answers = {question: text(chance) for question in ("why", "how", "more")}
            closed.append(
                {
                    "session": name,
                    "position": 0,
                    "run": 0,
                    "key": "judge",
                    "status": "done",
                    "answers": json.dumps(answers),
                    "opened_ms": 0,
                    "closed_ms": 90_000 + chance.randrange(60_000),
                }
            )
        conn.execute(insert(sessions), rows)
        conn.execute(insert(trials), closed)

    store.write(put)


async def measured(
    n_sessions: int, text: Callable[[random.Random], str], n_views: int
) -> tuple[float, float, float]:
    """Processor seconds to make up the queue, milliseconds of a view, and of the views while
    answers keep coming: both without what asking costs the client, which shares the process, as
    `/health` tells.
    """
    with tempfile.TemporaryDirectory(prefix="believable-review-") as room:
        folder = Path(room) / "study"
        folder.mkdir()
        (folder / "study.yaml").write_text(STUDY)
        app = create_app(Settings(data_dir=Path(room) / "data", study_folders=(folder,)))
        async with running(app):
            store, collect = app.state.store, app.state.collect
            fill(store, n_sessions, text)
            begun_s = time.process_time()
            known = KnownQuestions(collect.context.definitions)
            await asyncio.to_thread(take_in, store, known, "study", "real", lambda took_s: None)
            queue_s = time.process_time() - begun_s
            token, cookie = _login(store), "believable_console"
            transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 1))
            async with httpx.AsyncClient(
                transport=transport, base_url="http://127.0.0.1:8000"
            ) as client:
                client.cookies.set(cookie, token, domain="127.0.0.1", path="/console")
                await _view(client)
                begun_s = time.process_time()
                for view in range(n_views):
                    await _view(client, f"{view * n_sessions // n_views + 1}-1-2")
                view_ms = 1000 * (time.process_time() - begun_s) / n_views
                begun_s = time.process_time()
                for _ in range(n_views):
                    await client.get("/health")
                asking_ms = 1000 * (time.process_time() - begun_s) / n_views
                begun_s = time.process_time()
                for view in range(n_views):
                    _another(store, n_sessions + view + 1, text)
                    await _view(client)
                coming_ms = 1000 * (time.process_time() - begun_s) / n_views
    return queue_s, view_ms - asking_ms, coming_ms - asking_ms


def _another(store: Store, number: int, text: Callable[[random.Random], str]) -> None:
    """One more session, as a copy of the first with other words."""

    def put(conn: Connection) -> None:
        row = dict(conn.execute(select(sessions).where(sessions.c.id == "s1")).one()._mapping)
        row |= {
            "id": f"s{number}",
            "number": number,
            "token_hash": f"t{number}",
            "code_hash": f"c{number}",
        }
        conn.execute(insert(sessions).values(row))
        trial = dict(conn.execute(select(trials).where(trials.c.session == "s1")).one()._mapping)
        words = json.dumps(
            {question: text(random.Random(number)) for question in ("why", "how", "more")}
        )
        conn.execute(insert(trials).values({**trial, "session": f"s{number}", "answers": words}))

    store.write(put)


def _login(store: Store) -> str:
    key = new_token().encode()

    def put(conn: Connection) -> str:
        accounts.add(conn, "ada", now_ms=0, administrator=True)
        token, _ = log_ins.enter(conn, key, "ada", "127.0.0.1", now_ms=int(time.time() * 1000))
        return token

    return store.write(put)


async def _view(client: httpx.AsyncClient, at: str = "") -> None:
    answer = await client.get(f"/console/studies/study/review?show=all&at={at}")
    assert answer.status_code == 200, answer.text[:500]
    assert "blockquote" in answer.text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--views", type=int, default=30)
    arguments = parser.parse_args()
    sizes = (100, 400) if arguments.quick else (300, 1_000, 5_000)
    worst = 0.0
    print(
        f"{'texts':<16}{'sessions':>9}{'queue':>10}{'per text':>11}{'growth':>8}{'a view':>10}{'one more':>10}"
    )
    for text in (own_words, stock_phrases, some_identical):
        before: tuple[int, float] | None = None
        for n_sessions in sizes:
            queue_s, view_ms, coming_ms = asyncio.run(measured(n_sessions, text, arguments.views))
            growth = (
                "" if before is None else f"{(queue_s / before[1]) / (n_sessions / before[0]):.2f}"
            )
            each_ms = 1000 * queue_s / (TEXTS * n_sessions)
            print(
                f"{text.__name__:<16}{n_sessions:>9}{queue_s:>8.2f} s{each_ms:>8.2f} ms{growth:>8}"
                f"{view_ms:>7.1f} ms{coming_ms:>7.1f} ms",
                flush=True,
            )
            before = (n_sessions, queue_s)
        worst = max(worst, float(growth or 0))
    return 1 if worst > 1.3 else 0


if __name__ == "__main__":
    sys.exit(main())

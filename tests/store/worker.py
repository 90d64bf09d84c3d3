"""One server process of several: sends its share of every session's events and prints each
acknowledgement.
"""

from __future__ import annotations

import asyncio
import json
import sys

from believable.store import event_checks
from believable.store.engine import Store


def body(n: int) -> str:
    return json.dumps(
        {"kind": "answer.change", "trial": 0, "at_ms": n, "mono_ms": n, "data": {"n": n}}
    )


async def main(url: str, worker: int, n_workers: int, n_sessions: int, n_events: int) -> None:
    with Store.open(url) as store:

        async def one(session: int) -> list[int]:
            acks = []
            for seq in range(1 + worker, n_events + 1, n_workers):
                acks.append(
                    await store.aappend(
                        event_checks.check_batch(f"token-{session}", 1, [(seq, body(seq))])
                    )
                )
            return acks

        found = await asyncio.gather(*(one(session) for session in range(1, n_sessions + 1)))
    sys.stdout.write(json.dumps(found))


asyncio.run(main(sys.argv[1], *map(int, sys.argv[2:])))

"""One server process of several: starts sessions through a link, some at once, and prints their
tokens.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from believable.collect.desk import Collect
from believable.core.clock import VirtualClock
from believable.store.engine import Store


async def main(url: str, link: str, count: int) -> None:
    clock = VirtualClock()
    with Store.open(url, clock=clock) as store:
        desk = Collect(store, clock=clock, key=b"k" * 32, media_dir=Path("media"))
        joined = await asyncio.gather(*(desk.join(link, {}, "en", True) for _ in range(count)))
    sys.stdout.write(json.dumps([one.token for one in joined]))


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))

"""How a simulated person practises an annotating instrument."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from believable.simulate.client import Participant
from believable.simulate.pace import Pace

#: How long one try takes, and what the disc does in it (see instruments/tracing/disc.js).
TRY_MS = 19_500
DIRECTIONS = (1, -1, 1, -1)


async def practise(
    browser: Participant, pace: Pace, rng: random.Random, trial: Mapping[str, Any], care: float
) -> None:
    """Try until it goes well, or often enough."""
    for number in range(1, trial["annotate"]["tries"] + 1):
        browser.note("practice.start", **{"try": number})
        await pace.sleep(TRY_MS)
        slip = None if rng.random() < care else rng.randrange(len(DIRECTIONS))
        moves = [
            {
                "direction": direction,
                "change": 0 if index == slip else direction * rng.randint(1, 6),
                "right": index != slip,
            }
            for index, direction in enumerate(DIRECTIONS)
        ]
        browser.note("practice.result", **{"try": number, "passed": slip is None, "moves": moves})
        await browser.send()
        if slip is None:
            return

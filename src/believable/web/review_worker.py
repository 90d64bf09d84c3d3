"""The review queue of a study with thousands of unread sessions, for a separate process: the server
never imports this module.
"""

from __future__ import annotations

from believable.collect.context import Definitions
from believable.collect.review_intake import KnownQuestions, take_in
from believable.core.clock import WallClock
from believable.core.system import lower_priority
from believable.store.engine import Store


def take_in_all(url: str, study: str, pool: str) -> int:
    lower_priority()
    with Store.open(url, clock=WallClock()) as store:
        return take_in(store, KnownQuestions(Definitions()), study, pool, lambda took_s: None)

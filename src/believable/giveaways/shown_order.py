"""Does the order in which stimuli are shown reveal a condition? Counted over planned sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from believable.core.deferred import stats
from believable.core.errors import InvalidInput
from believable.study.plan import Assignment, cells, plan, session_seed
from believable.study.records import Study

#: Sessions that are planned, spread over all combinations of arms and orders.
SESSIONS = 200
#: Sessions are not independent if a study balances its orders, so chance must be a poor
#: explanation.
ALPHA = 0.001


def revealing_orders(study: Study) -> tuple[str, ...]:
    """Return a sentence for each two conditions of which one is mostly shown first, or on the left,
    on its page. Studies whose clips are drawn when a session starts are left out.
    """
    conditions = {stimulus.id: stimulus.condition for stimulus in study.stimuli}
    first: Counter[tuple[str, str]] = Counter()
    together: Counter[frozenset[str]] = Counter()
    planned = cells(study)
    for number in range(SESSIONS):
        cell = planned[number % len(planned)]
        seed = session_seed(study, number + 1)
        try:
            pages = plan(study, Assignment(dict(cell.arms), dict(cell.rows), seed))
        except InvalidInput:
            return ()
        for page in pages:
            shown = [conditions.get(name) for name in page.played_stimuli]
            for one, other in _decided_orders([name for name in shown if name is not None]):
                first[one, other] += 1
                together[frozenset((one, other))] += 1
    found = []
    for (one, other), count in sorted(first.items()):
        n = together[frozenset((one, other))]
        if 2 * count > n and stats.binomtest(count, n).pvalue < ALPHA:
            found.append(
                f"{one} is shown before {other} on {count} of {n} pages of {SESSIONS} planned"
                " sessions"
            )
    return tuple(found)


def _decided_orders(shown: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each two conditions of a page, first the one that leads in more pairs of stimuli.
    The first stimulus of each alone would favour the condition with more of them.
    """
    for one, other in combinations(dict.fromkeys(shown), 2):
        lead = sum(
            1 if place < later else -1
            for place, name in enumerate(shown)
            if name == one
            for later, its in enumerate(shown)
            if its == other
        )
        if lead:
            yield (one, other) if lead > 0 else (other, one)

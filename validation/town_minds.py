"""What each part of the neuro-symbolic mind buys: violations per 100 actions over seeds, with t intervals.

python -m validation.town_minds --seeds 10 --people 6 --days 1 > table.md
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Sequence

from scipy import stats

from believable.worlds.town.minds import mind_kind
from believable.worlds.town.rule_checker import TownFindings, check_town
from believable.worlds.town.town_recording import recorded
from believable.worlds.town.town_run import TownRun, TownSettings

#: What is switched off in each row.
ROWS = {
    "whole": {},
    "no planner": {"planner": "off"},
    "no schedule": {"schedule": "off"},
    "no checks": {"checks": "off"},
    "no check of preconditions": {"check_preconditions": "off"},
    "no check of time": {"check_time": "off"},
    "no check of goals": {"check_goal": "off"},
    "no social check": {"check_social": "off"},
    "no check of memory": {"check_memory": "off"},
    "no planner, no checks": {"planner": "off", "checks": "off"},
}


def lived(seed: int, people: int, days: int, options: dict[str, str]) -> TownFindings:
    run = TownRun(TownSettings(seed, people, days, "neurosymbolic", options), mind_kind("neurosymbolic").create)
    while not run.over:
        run.advance()
    return check_town(recorded(run))


def interval(values: Sequence[float], digits: int = 2) -> str:
    mean = statistics.fmean(values)
    half = stats.t.ppf(0.975, len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return f"{mean:.{digits}f} [{mean - half:.{digits}f}, {mean + half:.{digits}f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--people", type=int, default=6)
    parser.add_argument("--days", type=int, default=1)
    chosen = parser.parse_args()
    heads = (
        "mind",
        "per 100 actions",
        "norms no mind knows",
        "fulfilled",
        "actions a person and day",
        "activities",
        "talks",
    )
    print(f"| {' | '.join(heads)} |")  # noqa: T201
    print("|---" * len(heads) + "|")  # noqa: T201
    for name, options in ROWS.items():
        runs = [lived(seed, chosen.people, chosen.days, options) for seed in range(1, chosen.seeds + 1)]
        hidden = [100 * sum(run.by_category(hidden=True).values()) / run.actions for run in runs]
        cells = [
            interval([run.per_100 or 0.0 for run in runs]),
            interval(hidden),
            interval([run.intentions_fulfilled or 0.0 for run in runs]),
            interval([run.actions / chosen.people / chosen.days for run in runs], 0),
            interval([run.activities for run in runs], 0),
            interval([run.talks for run in runs], 0),
        ]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()

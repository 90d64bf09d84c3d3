"""Studies that draw clips from pools, in every way in which a timeline can leave a choice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from believable.core.clock import VirtualClock
from believable.study.load import load
from believable.study.records import Study

PAIRS = """\
  - block:
      id: trials
      over: scenario
      order: random
      {sample}
      each:
        - compare:
            id: pair
            of: [{{condition: human}}, {{condition: agent}}]
            ask: [{{id: which, prompt: Which?, preference: {{}}}}]
"""
COMPARES = """\
  - block:
      id: trials
      repeat: 6
      each:
        - compare:
            id: pair
            of: [{condition: human}, {condition: agent}]
            ask: [{id: which, prompt: Which?, preference: {}}]
"""
GROUPS = """\
  - block:
      id: pages
      repeat: 5
      each:
        - group: {id: page, clips: 3, rate: [{id: human, prompt: Human?, clip_rating: {}}]}
"""
REPLAYS = """\
  - block:
      id: days
      over: condition
      order: latin_square
      each:
        - watch: {id: day, ask: [{id: human, prompt: Human?, likert: {points: 7}}]}
"""
STAR = """\
  - block:
      id: agents
      over: condition
      levels: [a1, a2, a3, a4]
      sample: 1
      each:
        - block:
            id: clips
            over: stimulus
            order: random
            sample: 4
            each:
              - watch: {id: clip, ask: [{id: human, prompt: Human?, likert: {points: 7}}]}
"""


def study_of(
    folder: Path,
    timeline: str,
    *,
    draw: str = "fresh",
    conditions: Sequence[str] = ("human", "agent"),
    scenarios: int = 1,
    clips: int = 60,
    paired: bool = False,
) -> Study:
    """`clips` of each condition in each scenario."""
    rows = [
        f"  - {{id: {condition}_{scenario}_{number}, file: {condition}_{scenario}_{number}.mp4,"
        f" condition: {condition}, scenario: s{scenario}"
        + (f", pair: p{number}" if paired else "")
        + "}"
        for condition in conditions
        for scenario in range(scenarios)
        for number in range(clips)
    ]
    folder.mkdir(exist_ok=True)
    (folder / "study.yaml").write_text(
        f"believable: 1\ntitle: Pools\nseed: 5\ndraw: {draw}\n"
        f"conditions: [{', '.join(conditions)}]\nstimuli:\n"
        + "\n".join(rows)
        + "\ntimeline:\n  - consent: {text: Please agree.}\n"
        + timeline
        + "  - finish: {}\n",
        encoding="utf-8",
    )
    return load(folder, clock=VirtualClock()).study

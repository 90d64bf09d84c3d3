"""How many judges a sequential study takes, and how it ends, by simulating whole studies that are
weighed after every judge.
"""

from __future__ import annotations

import numpy as np

from believable.analysis.data import load
from believable.analysis.evidence_section import follow, walk
from believable.analysis.findings import Column, Table, Undefined, table
from believable.analysis.settled_plan import Plan
from believable.core.seeds import derive
from believable.simulate import straight
from believable.study.definition import Definition
from believable.study.sequential_design import sequential_design

#: Judges of a simulated study whose rule names no largest number.
LONGEST = 200
#: Simulated judges are assigned before they answer.
EVEN = " Judges are assigned evenly here; assignment that follows the evidence takes fewer."


def stopping_chances(
    definition: Definition, plan: Plan, truth: object, *, studies: int, seed: int
) -> Table | None:
    """Per agent the share of studies with each answer, and the judges that it took; None under
    another rule. The same seed gives the same table.
    """
    design = sequential_design(definition.study)
    if design is None:
        return None
    most = design.most or LONGEST
    counts: dict[tuple[str, str], list[int]] = {}
    ends: list[int] = []
    for number in range(studies):
        rng = np.random.default_rng(derive(seed, "stopping", number))
        data = load(straight.bundle(definition, most, rng, truth=truth), plan, definition.study)
        found = follow(data)
        if found is None:
            continue
        reached, ended_at = walk(design, found.shares)
        ends.append(len(found.shares) if ended_at is None else ended_at)
        for given in reached:
            counts.setdefault((given.agent, given.verdict), []).append(given.judges)
    rows = []
    for name in design.names:
        for verdict, words in (("different", "distinguishable"), ("equivalent", "inside")):
            found_at = counts.get((name, verdict), [])
            middle = float(np.median(found_at)) if found_at else Undefined("never reached")
            rows.append((name, words, len(found_at) / studies, middle))
    return table(
        "stopping",
        f"Stopping by evidence, {studies} simulated studies of at most {most} judges",
        (
            Column(name="agent", title="Agent"),
            Column(name="answer", title="Answer"),
            Column(name="share", title="Share of studies", form="share"),
            Column(name="judges", title="Median judges", form="number", digits=0),
        ),
        rows,
        note=f"Recruiting ends after a mean of {np.mean(ends):.0f} judges, median"
        f" {np.median(ends):.0f}.{EVEN if design.aimed_arm or design.aimed_block else ''}",
    )

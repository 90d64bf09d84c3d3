"""The section about a dataset of several laboratories: the sessions of each, and whether their
answers differ.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import Cell, Finding, Section
from believable.analysis.group_comparison import compare_groups, mean_rows, test_rows
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, integer, listed
from believable.analysis.settled_plan import Plan

LAYOUTS = Layouts(__file__)
COLUMN = "site"
OUTCOME = "site_difference"


def site_section(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    """Return one section if the sessions are from several sites, else none."""
    if COLUMN not in data.bundle["participants"].columns:
        return ()
    joined = data.bundle["participants"][COLUMN].values.tolist()
    sites = tuple(dict.fromkeys(str(site) for site in joined))
    analysed = [str(site) for site in data.people[COLUMN].values]
    present = tuple(site for site in sites if site in analysed)
    if len(sites) < 2:
        return ()
    groups = np.array([present.index(site) for site in analysed], dtype=np.int64)
    compared = compare_groups(data, plan, groups, rng) if len(present) > 1 else []
    rows: list[tuple[Cell, ...]] = [
        (site, joined.count(site), analysed.count(site)) for site in sites
    ]
    return (
        LAYOUTS.section(
            "sites",
            paragraphs=_paragraphs(sites, analysed, tested=bool(compared)),
            findings=[
                Finding(
                    outcome=OUTCOME,
                    title=f"Sites compared: {quantity.title}",
                    sentence=f"Sites were compared on {quantity.title}"
                    f" ({counted(test.n, 'session')}).",
                    test=test,
                    about=quantity.title,
                )
                for quantity, _, test in compared
            ],
            tables=(
                LAYOUTS.table("sites", rows),
                LAYOUTS.table("site_tests", test_rows(compared)) if compared else None,
                (
                    LAYOUTS.table("site_means", mean_rows(plan, compared, groups, present))
                    if compared
                    else None
                ),
            ),
        ),
    )


def _paragraphs(sites: tuple[str, ...], analysed: list[str], *, tested: bool) -> Iterator[str]:
    sizes = listed([f"{integer(analysed.count(site))} in {site}" for site in sites])
    yield (
        f"The sessions were collected at {len(sites)} sites under one plan: {sizes} after"
        " exclusions. All results are over the sessions of all sites."
    )
    if tested:
        yield (
            "Whether sites differ is tested by exchanging the sites of whole sessions at random. A"
            " test that finds no difference does not show that there is none."
        )

"""Coded reasons for and against each agent: codes of the more human-like side belong to the one that
was chosen, codes of the less human-like side to the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from believable.analysis.data import Data
from believable.analysis.findings import LOOSE_CELL, Finding, Section, estimate_cells
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, integer
from believable.coding.coded_bundle import (
    CodeName,
    codebook_keys,
    codebooks,
    coded_responses,
    has_codes,
)
from believable.coding.labels import CodedResponse
from believable.coding.proportions import Proportion, proportions
from believable.protocols.ladder.pair_choices import Ladder

LAYOUTS = Layouts(__file__)

SIDES = {"more": "for", "less": "against"}
_SIGNS = {"+": "more", "-": "less"}


def reasons_sections(data: Data, ladder: Ladder) -> tuple[Section, ...]:
    """One section per codebook that the texts were coded with; none without codings."""
    if not has_codes(data.bundle):
        return ()
    chosen = _chosen(data, ladder)
    sections = []
    for codebook in codebooks(data.bundle):
        responses = [
            response
            for response in coded_responses(data.bundle, codebook)
            if response.judge in data.codes
        ]
        if responses:
            names = codebook_keys(data.bundle, codebook)
            sections.append(_section(codebook, names, responses, chosen, ladder))
    return tuple(sections)


def _chosen(data: Data, ladder: Ladder) -> dict[tuple[str, int], tuple[str, str]]:
    """Session and page of each decided choice → the chosen and the other condition."""
    judged = ladder.choices
    rows = zip(
        judged.judge.tolist(),
        judged.position.tolist(),
        judged.first.tolist(),
        judged.second.tolist(),
        judged.score.tolist(),
        strict=True,
    )
    return {
        (data.sessions[judge], position): (first, second) if score == 1 else (second, first)
        for judge, position, first, second, score in rows
        if score != 0.5
    }


def _section(
    codebook: str,
    names: Sequence[CodeName],
    responses: Sequence[CodedResponse],
    chosen: Mapping[tuple[str, int], tuple[str, str]],
    ladder: Ladder,
) -> Section:
    keys = [(name.code, name.direction) for name in names if not name.other]
    other = [name.code for name in names if name.other]
    words = {(name.code, name.direction): name.short for name in names}
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for agent in ladder.ordered():
        own = _about(responses, chosen, agent)
        for found in proportions(own, keys=keys, leave_out=other, level=ladder.plan.level):
            if found.total:
                rows.append(_row(agent, found, words))
    discarded = sum(response.discarded for response in responses)
    undecided = sum(
        not response.discarded and _place(response) not in chosen for response in responses
    )
    sentence = (
        f"Of {counted(len(responses), 'coded text')}, {integer(discarded)} were discarded and"
        f" {integer(undecided)} belong to no decided choice; the codes of the others are shown for"
        " and against each agent."
    )
    finding = Finding(outcome="reasons", title=f"Coded reasons, {codebook}", sentence=sentence)
    return LAYOUTS.section(
        "reasons_{name}",
        findings=(finding,),
        tables=(LAYOUTS.table("reasons_{name}", rows, name=codebook),),
        charts=(LAYOUTS.chart("reasons_{name}", name=codebook),) if rows else (),
        name=codebook,
    )


def _place(response: CodedResponse) -> tuple[str, int]:
    return response.judge, -1 if response.position is None else response.position


def _about(
    responses: Sequence[CodedResponse],
    chosen: Mapping[tuple[str, int], tuple[str, str]],
    agent: str,
) -> list[CodedResponse]:
    """The texts about an agent, each with the codes of its side alone."""
    about = []
    for response in responses:
        pair = chosen.get(_place(response))
        if pair is None or agent not in pair:
            continue
        side = "more" if pair[0] == agent else "less"
        labels = frozenset(key for key in response.labels if key[2] == side)
        about.append(replace(response, labels=labels))
    return about


def _row(
    agent: str, found: Proportion, words: Mapping[tuple[str, str | None], str]
) -> tuple[LOOSE_CELL, ...]:
    code, sign = words[found.code, found.direction], _SIGNS.get(found.direction or "", "")
    return (
        agent,
        SIDES.get(found.side or "", found.side or ""),
        f"{code}, {sign}" if sign else code,
        found.count,
        found.total,
        *estimate_cells(found.share),
    )

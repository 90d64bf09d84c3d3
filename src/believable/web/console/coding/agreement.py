"""Agreement as the pages show it: by round and sample, from the marks as they stand."""

from __future__ import annotations

from believable.coding.agreement import Agreement, agreement, by_sample
from believable.coding.labels import Key
from believable.store import coding_marks, coding_rounds
from believable.store.engine import Connection
from believable.study.codebook import Codebook

#: Samples in which several coders code the same texts, with their names.
SAMPLES = {"agreement": "Agreement sample", "overlap": "Overlap sample", "joint": "Joint coding"}


def of_round(conn: Connection, project: str, book: Codebook, number: int) -> dict[str, Agreement]:
    """Agreement in each sample of a round that two coders have begun."""
    samples = coding_rounds.samples(conn, project)
    stored = coding_marks.marks(conn, project, round_number=number)
    grouped = by_sample(
        (samples[one.round, one.number], one.number, one.coder, one.mark)
        for one in stored
        if (one.round, one.number) in samples
    )
    return {name: agreement(book, grouped[name]) for name in SAMPLES if name in grouped}


def averages(conn: Connection, project: str, book: Codebook) -> dict[int, dict[str, Agreement]]:
    """All rounds, for the overview: κ round by round shows whether refining helped."""
    return {
        one.number: of_round(conn, project, book, one.number) for one in coding_rounds.rounds(conn, project)
    }


def label_words(book: Codebook, key: Key) -> str:
    """`Smoothness of movement + · more human-like`."""
    code, direction, side = key
    label = book.by_id[code].label if code in book.by_id else code
    sign = {"+": " +", "-": " −", None: ""}[direction]
    return f"{label}{sign}" + (f" · {side}" if side else "")

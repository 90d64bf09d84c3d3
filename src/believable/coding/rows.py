"""Codebooks, marks and final labels as rows of the bundle's tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from believable.bundle.coding import Row
from believable.coding.files import BETWEEN
from believable.coding.final import spans_text
from believable.coding.labels import Mark
from believable.coding.resolve import Final
from believable.coding.responses import Response
from believable.study.codebook import Codebook


def code_rows(book: Codebook, version: int) -> Iterator[Row]:
    for code in book.codes:
        yield {
            "codebook": book.id,
            "version": version,
            "kind": "code",
            "code": code.id,
            "label": code.label,
            "short": code.short or None,
            "definition": code.definition,
            "keywords": BETWEEN.join(code.keywords) or None,
            "direction": code.direction,
            "side": code.side,
            "parent": code.parent,
            "excludes": BETWEEN.join(code.excludes) or None,
            "wins_over": BETWEEN.join(code.wins_over) or None,
            "other": code.other,
        }
    for one in book.discards:
        yield {
            "codebook": book.id,
            "version": version,
            "kind": "discard",
            "code": one.id,
            "label": one.label,
            "definition": one.definition or None,
            "direction": False,
            "side": False,
            "other": False,
        }


def label_rows(
    book_id: str,
    number: int,
    response: Response,
    mark: Mark,
    *,
    coder: str,
    round_number: int,
    sample: str,
    version: int,
    suggested: bool,
    review: bool,
) -> Iterator[Row]:
    base: dict[str, str | int | float | bool | None] = {
        "codebook": book_id,
        "response": number,
        "round": round_number,
        "sample": sample,
        "coder": coder,
        "version": version,
        "discard": mark.discard,
        "uncertain": mark.uncertain,
        "memo": mark.memo or None,
        "done": mark.done,
        "suggested": suggested,
        "review": review,
    }
    for cells in _label_cells(mark):
        yield base | cells | _place(response)


def final_rows(
    book_id: str,
    finals: Iterable[Final],
    responses: Mapping[int, Response],
    names: Mapping[str, str],
    samples: Mapping[tuple[int, int], str],
) -> Iterator[Row]:
    """`names` are the pseudonyms of the coders; `samples` says which part of its round a text is in, by (round, number)."""
    for one in finals:
        response = responses[one.number]
        base: dict[str, str | int | float | bool | None] = {
            "codebook": book_id,
            "response": one.number,
            "discard": one.mark.discard,
            "how": one.how,
            "coder": None if one.coder is None else names[one.coder],
            "round": one.round,
            "sample": samples[one.round, one.number],
            "version": one.version,
            "note": one.note or None,
            "condition": response.condition,
            "scenario": response.scenario,
            "stimulus": response.stimulus,
        }
        for cells in _label_cells(one.mark):
            yield base | cells | _place(response)


def _label_cells(mark: Mark) -> list[dict[str, str | int | float | bool | None]]:
    labels = mark.labels if mark.discard is None else ()
    cells: list[dict[str, str | int | float | bool | None]] = [
        {"code": one.code, "direction": one.direction, "side": one.side, "spans": spans_text(one.spans)}
        for one in labels
    ]
    return cells or [{}]


def _place(response: Response) -> dict[str, str | int | float | bool | None]:
    return {
        "session": response.session,
        "position": response.position,
        "run": response.run,
        "trial_key": response.trial_key,
        "trial": response.trial,
        "question": response.question,
        "player": response.player,
        "flag": response.flag,
    }

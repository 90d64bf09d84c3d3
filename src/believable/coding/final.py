"""The final codes of a bundle, as records for analysis.

`coded_responses(bundle)` gives one `CodedResponse` per text with its judge, condition and codes, for
`believable.coding.proportions`; `codebook_keys(bundle)` the code × direction pairs in the order of the codebook, with
their names; `agreement_table` of `believable.coding.agreement` works on `coder_marks(bundle)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from believable.bundle.read import Bundle
from believable.bundle.tables import Cell
from believable.coding.labels import CodedResponse, Key, Label, Mark, Span
from believable.core.errors import InvalidInput, NotFound
from believable.core.registry import did_you_mean

#: Between the conditions of a page that showed several.
TOGETHER = " + "


def has_codes(bundle: Bundle) -> bool:
    return "code_final" in bundle.tables and len(bundle["code_final"]) > 0


def codebooks(bundle: Bundle) -> tuple[str, ...]:
    """The ids of the codebooks that texts were coded with."""
    return tuple(dict.fromkeys(str(row["codebook"]) for row in bundle["codes"].rows()))


@dataclass(frozen=True, slots=True)
class CodeName:
    """A code × direction with its names; `sided` says whether it is applied to sides."""

    code: str
    direction: str | None
    label: str
    short: str
    sided: bool
    other: bool = False


def codebook_keys(bundle: Bundle, codebook: str | None = None) -> tuple[CodeName, ...]:
    """The code × direction pairs of the latest version of a codebook, in its order."""
    name = _the_codebook(bundle, codebook)
    rows = [row for row in bundle["codes"].rows() if row["codebook"] == name and row["kind"] == "code"]
    latest = max((_whole(row["version"]) for row in rows), default=0)
    return tuple(
        CodeName(
            str(row["code"]),
            direction,
            str(row["label"]),
            str(row["short"] or row["label"]),
            bool(row["side"]),
            bool(row["other"]),
        )
        for row in rows
        if _whole(row["version"]) == latest
        for direction in (("+", "-") if row["direction"] else (None,))
    )


def coded_responses(bundle: Bundle, codebook: str | None = None) -> tuple[CodedResponse, ...]:
    """One record per text with final codes, the discarded ones too. The judge is the session.

    Where a sample was split between coders, it is the sample for analysis, and texts coded before to reach agreement are left
    out; else every text counts but those coded jointly. The condition is that of the stimulus; on a page that showed several,
    all of them, sorted and joined by ` + `.
    """
    name = _the_codebook(bundle, codebook)
    shown = shown_conditions(bundle)
    found: dict[int, list[Mapping[str, Cell]]] = {}
    for row in bundle["code_final"].rows():
        if row["codebook"] == name:
            found.setdefault(_whole(row["response"]), []).append(row)
    split = any(rows[0]["sample"] in ("overlap", "single") for rows in found.values())
    wanted = ("overlap", "single") if split else ("agreement",)
    return tuple(_response(rows, shown) for _, rows in sorted(found.items()) if rows[0]["sample"] in wanted)


def shown_conditions(bundle: Bundle) -> dict[tuple[str, int, int], str]:
    """Session, position and run of a page → the conditions of its stimuli."""
    found: dict[tuple[str, int, int], set[str]] = {}
    if "shown" in bundle.tables:
        for row in bundle["shown"].rows():
            if row["condition"] is not None:
                place = (str(row["session"]), _whole(row["position"]), _whole(row["run"]))
                found.setdefault(place, set()).add(str(row["condition"]))
    return {place: TOGETHER.join(sorted(conditions)) for place, conditions in found.items()}


@dataclass(frozen=True, slots=True)
class CoderMark:
    """What one coder said about one text. `round` counts from 1; `sample` is joint, agreement, overlap or single."""

    round: int
    sample: str
    response: int
    coder: str
    mark: Mark


def coder_marks(bundle: Bundle, codebook: str | None = None) -> tuple[CoderMark, ...]:
    """Every coder's verdicts that were done, for agreement."""
    name = _the_codebook(bundle, codebook)
    found: dict[tuple[int, str, int, str], list[Mapping[str, Cell]]] = {}
    for row in bundle["code_labels"].rows():
        if row["codebook"] == name and row["done"]:
            place = (_whole(row["round"]), str(row["sample"]), _whole(row["response"]), str(row["coder"]))
            found.setdefault(place, []).append(row)
    return tuple(
        CoderMark(
            *place, Mark(_labels(rows), _text(rows[0]["discard"]), bool(rows[0]["uncertain"]), done=True)
        )
        for place, rows in sorted(found.items())
    )


def _the_codebook(bundle: Bundle, wanted: str | None) -> str:
    if "codes" not in bundle.tables:
        raise NotFound(
            f"{bundle.folder}: no text was coded. Code the texts in the console, then export again."
        )
    known = codebooks(bundle)
    if wanted is not None and wanted not in known:
        raise NotFound(f"{bundle.folder}: no codebook {wanted!r}. {did_you_mean(wanted, known)}")
    if wanted is None and len(known) != 1:
        raise InvalidInput(
            f"{bundle.folder}: there are {len(known)} codebooks ({', '.join(known)}). Name one of them."
        )
    return wanted or known[0]


def _response(rows: list[Mapping[str, Cell]], shown: Mapping[tuple[str, int, int], str]) -> CodedResponse:
    first = rows[0]
    session, condition = _text(first["session"]), _text(first["condition"])
    if condition is None and session is not None and first["position"] is not None:
        condition = shown.get((session, _whole(first["position"]), _whole(first["run"] or 0)))
    keys = frozenset(label.key for label in _labels(rows))
    return CodedResponse(
        session or f"text {first['response']}", keys, condition, first["discard"] is not None
    )


def _labels(rows: list[Mapping[str, Cell]]) -> tuple[Label, ...]:
    return tuple(
        Label(str(row["code"]), _text(row["direction"]), _text(row["side"]), spans_from(_text(row["spans"])))
        for row in rows
        if row["code"] is not None
    )


def key_of(row: Mapping[str, Cell]) -> Key:
    return str(row["code"]), _text(row["direction"]), _text(row["side"])


def spans_from(text: str | None) -> tuple[Span, ...]:
    """`0-5 9-12` → ((0, 5), (9, 12))."""
    parts = [part.partition("-") for part in (text or "").split()]
    return tuple((int(start), int(end)) for start, _, end in parts)


def spans_text(spans: tuple[Span, ...]) -> str | None:
    return " ".join(f"{start}-{end}" for start, end in spans) or None


def _text(cell: Cell) -> str | None:
    return None if cell is None else str(cell)


def _whole(cell: Cell) -> int:
    return int(cell or 0)

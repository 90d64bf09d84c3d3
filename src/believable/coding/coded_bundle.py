"""Coded texts in a bundle: writes the rows, reads them back for analysis, and merges the verdicts
of several coders into final labels, each with its provenance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from believable.bundle.read import Bundle
from believable.bundle.tables import Cell, Row
from believable.coding.labels import (
    BETWEEN,
    CodedResponse,
    Key,
    Label,
    Mark,
    merge_spans,
    spans_from,
    spans_text,
)
from believable.coding.responses import Response
from believable.core import seeds
from believable.core.errors import InvalidInput, NotFound
from believable.core.registry import did_you_mean
from believable.study.codebook import Codebook

How: TypeAlias = Literal["agreed", "single", "adjudicated", "discussed", "random_coder"]
Rule: TypeAlias = Literal["none", "random_coder"]


@dataclass(frozen=True, slots=True)
class CoderVerdict:
    """One coder's finished verdict on a text in a round, under a version of the codebook."""

    round: int
    coder: str
    version: int
    mark: Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedMark:
    """The decision about a text: by a third person, or in a discussion. `round` is the round it was
    about.
    """

    round: int
    how: Literal["adjudicated", "discussed"]
    user: str
    version: int
    mark: Mark
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalMark:
    """What holds for a text. `coder` is the coder if the labels are one coder's."""

    number: int
    how: How
    mark: Mark
    round: int
    version: int
    coder: str | None = None
    note: str = ""


def final_mark(
    number: int,
    coded: tuple[CoderVerdict, ...],
    outcomes: tuple[DecidedMark, ...],
    *,
    rule: Rule,
    seed: int,
) -> FinalMark | None:
    """The final verdict on one text, or None if coders disagree and nothing was decided, or if no
    coder has finished it.

    Only the latest round counts. A decision takes precedence; then the verdict on which coders
    agree; then, with the rule `random_coder`, the labels of one coder drawn by the seed and the
    text's number.
    """
    done = [verdict for verdict in coded if verdict.mark.done]
    rounds = [*(verdict.round for verdict in done), *(outcome.round for outcome in outcomes)]
    if not rounds:
        return None
    latest = max(rounds)
    decided = [outcome for outcome in outcomes if outcome.round == latest]
    if decided:
        last = decided[-1]
        return FinalMark(
            number=number,
            how=last.how,
            mark=last.mark,
            round=latest,
            version=last.version,
            coder=None,
            note=last.note,
        )
    last_verdicts = sorted(
        (verdict for verdict in done if verdict.round == latest), key=lambda verdict: verdict.coder
    )
    first = last_verdicts[0]
    if len(last_verdicts) == 1:
        return FinalMark(
            number=number,
            how="single",
            mark=first.mark,
            round=latest,
            version=first.version,
            coder=first.coder,
        )
    if all(first.mark.same_as(verdict.mark) for verdict in last_verdicts[1:]):
        version = max(verdict.version for verdict in last_verdicts)
        return FinalMark(
            number=number,
            how="agreed",
            mark=together([verdict.mark for verdict in last_verdicts]),
            round=latest,
            version=version,
        )
    if rule == "random_coder":
        drawn = seeds.generator(seed, "random coder", number).choice(last_verdicts)
        return FinalMark(
            number=number,
            how="random_coder",
            mark=drawn.mark,
            round=latest,
            version=drawn.version,
            coder=drawn.coder,
        )
    return None


def together(marks: list[Mark]) -> Mark:
    """Equal verdicts as one: the words that carry a code are those that any coder highlighted."""
    labels: dict[Key, Label] = {}
    for mark in marks:
        for label in mark.labels:
            old = labels.get(label.key)
            spans = label.spans if old is None else merge_spans([*old.spans, *label.spans])
            labels[label.key] = replace(label, spans=spans)
    return replace(
        marks[0], labels=tuple(labels.values()), uncertain=any(mark.uncertain for mark in marks)
    )


def final_marks(
    coded: Mapping[int, tuple[CoderVerdict, ...]],
    outcomes: Mapping[int, tuple[DecidedMark, ...]],
    *,
    rule: Rule,
    seed: int,
) -> tuple[FinalMark, ...]:
    """What holds, text by text."""
    numbers = sorted({*coded, *outcomes})
    marks = (
        final_mark(number, coded.get(number, ()), outcomes.get(number, ()), rule=rule, seed=seed)
        for number in numbers
    )
    return tuple(mark for mark in marks if mark is not None)


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
    for discard in book.discards:
        yield {
            "codebook": book.id,
            "version": version,
            "kind": "discard",
            "code": discard.id,
            "label": discard.label,
            "definition": discard.definition or None,
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
    finals: Iterable[FinalMark],
    responses: Mapping[int, Response],
    names: Mapping[str, str],
    samples: Mapping[tuple[int, int], str],
    digest_of: Callable[[Response], str | None] = lambda response: None,
) -> Iterator[Row]:
    """`names` are the pseudonyms of the coders; `samples` says which part of its round a text is
    in, by (round, number); `digest_of` gives the SHA-256 of the medium that a text is about.
    """
    for final in finals:
        response = responses[final.number]
        base: dict[str, str | int | float | bool | None] = {
            "codebook": book_id,
            "response": final.number,
            "discard": final.mark.discard,
            "how": final.how,
            "coder": None if final.coder is None else names[final.coder],
            "round": final.round,
            "sample": samples[final.round, final.number],
            "version": final.version,
            "note": final.note or None,
            "condition": response.condition,
            "scenario": response.scenario,
            "stimulus": response.stimulus,
            "stimulus_digest": digest_of(response),
        }
        for cells in _label_cells(final.mark):
            yield base | cells | _place(response)


def _label_cells(mark: Mark) -> list[dict[str, str | int | float | bool | None]]:
    labels = mark.labels if mark.discard is None else ()
    cells: list[dict[str, str | int | float | bool | None]] = [
        {
            "code": label.code,
            "direction": label.direction,
            "side": label.side,
            "spans": spans_text(label.spans),
        }
        for label in labels
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


# ----------------------------------------------------------------------------------------------
# reading


#: Between the conditions of a page that showed several.
TOGETHER = " + "


def has_codes(bundle: Bundle) -> bool:
    return "code_final" in bundle.tables and len(bundle["code_final"]) > 0


def codebooks(bundle: Bundle) -> tuple[str, ...]:
    """The ids of the codebooks that texts were coded with."""
    return tuple(dict.fromkeys(str(row["codebook"]) for row in bundle["codes"].rows()))


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeName:
    """A code × direction with its names; `sided` says whether it is applied to sides."""

    code: str
    direction: str | None
    label: str
    short: str
    sided: bool
    other: bool = False


def latest_codes(bundle: Bundle, codebook: str | None = None) -> tuple[Mapping[str, Cell], ...]:
    """The rows of the codes of the latest version of a codebook, in its order."""
    name = _the_codebook(bundle, codebook)
    rows = [
        row for row in bundle["codes"].rows() if row["codebook"] == name and row["kind"] == "code"
    ]
    latest = max((_whole(row["version"]) for row in rows), default=0)
    return tuple(row for row in rows if _whole(row["version"]) == latest)


def codebook_keys(bundle: Bundle, codebook: str | None = None) -> tuple[CodeName, ...]:
    """The code × direction pairs of the latest version of a codebook, in its order."""
    return tuple(
        CodeName(
            code=str(row["code"]),
            direction=direction,
            label=str(row["label"]),
            short=str(row["short"] or row["label"]),
            sided=bool(row["side"]),
            other=bool(row["other"]),
        )
        for row in latest_codes(bundle, codebook)
        for direction in (("+", "-") if row["direction"] else (None,))
    )


def coded_responses(bundle: Bundle, codebook: str | None = None) -> tuple[CodedResponse, ...]:
    """One record per text with final codes, the discarded ones too. The judge is the session.

    Where a sample was split between coders, it is the sample for analysis, and texts coded before
    to reach agreement are left out; else every text counts but those coded jointly. The condition
    is that of the stimulus; on a page that showed several, all of them, sorted and joined by ` + `.
    """
    name = _the_codebook(bundle, codebook)
    shown = shown_conditions(bundle)
    of_response: dict[int, list[Mapping[str, Cell]]] = {}
    for row in bundle["code_final"].rows():
        if row["codebook"] == name:
            of_response.setdefault(_whole(row["response"]), []).append(row)
    split = any(rows[0]["sample"] in ("overlap", "single") for rows in of_response.values())
    wanted = ("overlap", "single") if split else ("agreement",)
    return tuple(
        _response(rows, shown)
        for _, rows in sorted(of_response.items())
        if rows[0]["sample"] in wanted
    )


def shown_conditions(bundle: Bundle) -> dict[tuple[str, int, int], str]:
    """Session, position and run of a page → the conditions of its stimuli."""
    by_place: dict[tuple[str, int, int], set[str]] = {}
    if "shown" in bundle.tables:
        for row in bundle["shown"].rows():
            if row["condition"] is not None:
                place = (str(row["session"]), _whole(row["position"]), _whole(row["run"]))
                by_place.setdefault(place, set()).add(str(row["condition"]))
    return {place: TOGETHER.join(sorted(conditions)) for place, conditions in by_place.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class CoderMark:
    """One coder's verdict on one text. `round` counts from 1; `sample` is joint, agreement, overlap
    or single.
    """

    round: int
    sample: str
    response: int
    coder: str
    mark: Mark


def coder_marks(bundle: Bundle, codebook: str | None = None) -> tuple[CoderMark, ...]:
    """Every coder's verdicts that were done, for agreement."""
    name = _the_codebook(bundle, codebook)
    of_mark: dict[tuple[int, str, int, str], list[Mapping[str, Cell]]] = {}
    for row in bundle["code_labels"].rows():
        if row["codebook"] == name and row["done"]:
            key = (
                _whole(row["round"]),
                str(row["sample"]),
                _whole(row["response"]),
                str(row["coder"]),
            )
            of_mark.setdefault(key, []).append(row)
    return tuple(
        CoderMark(
            round=number,
            sample=sample,
            response=response,
            coder=coder,
            mark=Mark(
                labels=_labels(rows),
                discard=_text(rows[0]["discard"]),
                uncertain=bool(rows[0]["uncertain"]),
                done=True,
            ),
        )
        for (number, sample, response, coder), rows in sorted(of_mark.items())
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
            f"{bundle.folder}: there are {len(known)} codebooks ({', '.join(known)}). Name one of"
            " them."
        )
    return wanted or known[0]


def _response(
    rows: list[Mapping[str, Cell]], shown: Mapping[tuple[str, int, int], str]
) -> CodedResponse:
    first = rows[0]
    session, condition = _text(first["session"]), _text(first["condition"])
    if condition is None and session is not None and first["position"] is not None:
        condition = shown.get((session, _whole(first["position"]), _whole(first["run"] or 0)))
    keys = frozenset(label.key for label in _labels(rows))
    return CodedResponse(
        session or f"text {first['response']}",
        keys,
        condition,
        first["discard"] is not None,
        None if first["position"] is None else _whole(first["position"]),
    )


def _labels(rows: list[Mapping[str, Cell]]) -> tuple[Label, ...]:
    return tuple(
        Label(
            str(row["code"]),
            _text(row["direction"]),
            _text(row["side"]),
            spans_from(_text(row["spans"])),
        )
        for row in rows
        if row["code"] is not None
    )


def _text(cell: Cell) -> str | None:
    return None if cell is None else str(cell)


def _whole(cell: Cell) -> int:
    return int(cell or 0)

"""A codebook as fields of a form: a card per code and per reason to discard, with room for new
ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from believable.study.codebook import Code, Codebook, Discard

_LISTS = ("keywords", "examples")
_NAMES = ("excludes", "wins_over")
_FLAGS = ("direction", "side", "other")
_WORDS = ("id", "label", "short", "definition", "parent")


@dataclass(frozen=True, slots=True)
class CodeCard:
    """The typed fields of one code (or reason to discard). `place` is its number in the order."""

    place: str
    values: Mapping[str, str]
    remove: bool = False

    @property
    def blank(self) -> bool:
        return not any(self.values.get(name, "").strip() for name in ("id", "label", "definition"))

    def on(self, name: str) -> bool:
        return self.values.get(name) == "yes"


def code_cards(codes: Sequence[Code]) -> list[CodeCard]:
    return [
        CodeCard(
            str(place),
            {name: str(getattr(code, name) or "") for name in _WORDS}
            | {name: "\n".join(getattr(code, name)) for name in _LISTS}
            | {name: " ".join(getattr(code, name)) for name in _NAMES}
            | {name: "yes" for name in _FLAGS if getattr(code, name)},
        )
        for place, code in enumerate(codes, start=1)
    ]


def discard_cards(discards: Sequence[Discard]) -> list[CodeCard]:
    return [
        CodeCard(
            str(place), {"id": reason.id, "label": reason.label, "definition": reason.definition}
        )
        for place, reason in enumerate(discards, start=1)
    ]


def blank_card(cards: Sequence[CodeCard]) -> CodeCard:
    """Room for another one, at the end."""
    return CodeCard(str(len(cards) + 1), {})


def cards_of(form: Mapping[str, str], kind: str) -> list[CodeCard]:
    """The cards of a form, `code.0.id` and so on, as typed."""
    fields: dict[int, dict[str, str]] = {}
    for name, value in form.items():
        match = re.fullmatch(rf"{kind}\.(\d{{1,4}})\.(\w+)", name)
        if match is not None:
            fields.setdefault(int(match[1]), {})[match[2]] = value.replace("\r\n", "\n")
    return [
        CodeCard(values.pop("place", ""), values, remove=values.pop("remove", "") == "yes")
        for _, values in sorted(fields.items())
    ]


def book_tree(form: Mapping[str, str], before: Codebook) -> dict[str, Any]:
    """The codebook that the fields say, as plain data: cards that are blank or to be removed are
    left out.
    """
    codes = [_code(card.values) for card in _in_order(cards_of(form, "code"))]
    discards = [
        {name: card.values.get(name, "").strip() for name in ("id", "label", "definition")}
        for card in _in_order(cards_of(form, "discard"))
    ]
    return {
        "id": before.id,
        "title": form.get("title", "").strip(),
        "pick": form.get("pick", before.pick or "many"),
        "codes": codes,
        "discards": discards,
    }


def _in_order(cards: Sequence[CodeCard]) -> list[CodeCard]:
    """Sort by the typed numbers; cards with the same number, or none, keep their order."""
    kept = [card for card in cards if not card.blank and not card.remove]
    return sorted(
        kept,
        key=lambda card: (
            float(card.place) if re.fullmatch(r"\d+(\.\d+)?", card.place) else float("inf")
        ),
    )


def _code(values: Mapping[str, str]) -> dict[str, Any]:
    words = {name: values.get(name, "").strip() for name in _WORDS}
    return {
        **{
            name: value
            for name, value in words.items()
            if value or name in ("id", "label", "definition")
        },
        **{
            name: [line.strip() for line in values.get(name, "").splitlines() if line.strip()]
            for name in _LISTS
        },
        **{
            name: re.split(r"[\s,]+", values[name].strip())
            for name in _NAMES
            if values.get(name, "").strip()
        },
        **{name: True for name in _FLAGS if values.get(name) == "yes"},
    }

"""The texts to code, from the rows of a study's tables: answers in free text, and reasons given
with flags. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from believable.bundle.tables import Cell, Row
from believable.coding.samples import DrawableText
from believable.contracts.trial import Block, outline
from believable.study.codebook import FLAGS
from believable.study.definition import Definition
from believable.study.kinds import kinds_on

FLAG_PROMPT = "Why is this action not believable?"
#: The judge's choice between several players, as shown to the coder.
_CHOSEN = {"first": 0, "second": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A text with its metadata. Of all this a coder sees the text, the question, the choice between
    A and B and the stimuli under other names; never condition, scenario or session.

    `stimuli` are those of the page in order, `conditions` theirs; `moment_ms` is the time in the
    medium that it refers to; `flag` is the flag's `seq`.
    """

    text: str
    prompt: str = ""
    session: str | None = None
    judge: str = ""
    position: int | None = None
    run: int | None = None
    trial_key: str | None = None
    trial: str | None = None
    question: str | None = None
    player: int | None = None
    flag: int | None = None
    condition: str | None = None
    scenario: str | None = None
    stimulus: str | None = None
    stimuli: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    moment_ms: float | None = None
    chosen: int | None = None

    @property
    def source(self) -> str:
        """`trial.question`, or `trial.flags`."""
        return f"{self.trial}.{FLAGS if self.flag is not None else self.question}"

    @property
    def place(self) -> tuple[str, str, str, int, int]:
        """What makes it the same text when texts are collected again."""
        return (
            self.session or self.judge,
            self.trial_key or "",
            self.question or "",
            -1 if self.player is None else self.player,
            -1 if self.flag is None else self.flag,
        )

    def item(self, number: int) -> DrawableText:
        stratum = self.condition or " + ".join(self.conditions) or None
        return DrawableText(number, self.judge or self.session or str(number), stratum)


@dataclass(frozen=True, slots=True)
class SessionTexts:
    """The rows of one session that texts are found in."""

    answers: Iterable[Row]
    flags: Iterable[Row]
    shown: Iterable[Row]
    exclusions: Iterable[Row]


def prompts_of(definition: Definition, language: str) -> dict[tuple[str, str], str]:
    """The words of every question by (trial, question)."""
    return {
        (entry.item.id, question.id): question.prompt.in_language(language)
        if question.prompt
        else ""
        for entry in outline(definition.study.timeline)
        if not isinstance(entry.item, Block)
        for question in entry.item.all_questions
    }


def responses_of(
    rows: SessionTexts, prompts: Mapping[tuple[str, str], str], of: Collection[str] = ()
) -> Iterator[Response]:
    """The texts of one session that `of` names (all without it), those that a reviewer excluded
    left out.
    """
    excluded = list(rows.exclusions)
    if any(row["scope"] == "session" for row in excluded):
        return
    gone = {(row.get("trial_key"), row.get("question"), row.get("player")) for row in excluded}
    shown: dict[tuple[int, int], list[Row]] = {}
    for row in rows.shown:
        shown.setdefault((_whole(row["position"]), _whole(row["run"])), []).append(row)
    answers, texts = list(rows.answers), kinds_on("text")
    choices = {
        (_whole(row["position"]), _whole(row["run"])): _CHOSEN.get(str(row.get("value_text")))
        for row in answers
        if row.get("value_text") in _CHOSEN
    }
    for row in answers:
        text = row.get("value_text")
        key = (row["trial_key"], row["question"], row.get("player"))
        source = f"{row['trial']}.{row['question']}"
        if row["kind"] in texts and text and key not in gone and (not of or source in of):
            place = (_whole(row["position"]), _whole(row["run"]))
            prompt = prompts.get((str(row["trial"]), str(row["question"])), "")
            yield _response_of_answer(
                row, str(text), prompt, shown.get(place, []), choices.get(place)
            )
    for row in rows.flags:
        pages = [
            page for (position, _), page in sorted(shown.items()) if position == row["position"]
        ]
        page = pages[-1][0] if pages else {}
        source = f"{page.get('trial')}.{FLAGS}"
        if row.get("reason") and not row["undone"] and page and (not of or source in of):
            yield _response_of_flag(row, page)


def _response_of_answer(
    row: Row, text: str, prompt: str, page: list[Row], chosen: int | None
) -> Response:
    stimuli = tuple(str(shown["stimulus"]) for shown in page if shown["stimulus"] is not None)
    about = _optional(row.get("stimulus"))
    player = row.get("player")
    return Response(
        text=text,
        prompt=prompt,
        session=str(row["session"]),
        judge=str(row["session"]),
        position=_whole(row["position"]),
        run=_whole(row["run"]),
        trial_key=str(row["trial_key"]),
        trial=str(row["trial"]),
        question=str(row["question"]),
        player=None if player is None else _whole(player),
        condition=_optional(row.get("condition")),
        conditions=_conditions(page),
        scenario=_optional(row.get("scenario")),
        stimulus=about,
        stimuli=(about,) if about is not None else stimuli,
        chosen=chosen if len(stimuli) > 1 else None,
    )


def _response_of_flag(row: Row, page: Row) -> Response:
    stimulus = _optional(row.get("stimulus"))
    return Response(
        text=str(row["reason"]),
        prompt=FLAG_PROMPT,
        session=str(row["session"]),
        judge=str(row["session"]),
        position=_whole(row["position"]),
        run=_whole(page["run"]),
        trial_key=str(page["trial_key"]),
        trial=str(page["trial"]),
        flag=_whole(row["seq"]),
        condition=_optional(page.get("condition")),
        scenario=_optional(page.get("scenario")),
        stimulus=stimulus,
        stimuli=() if stimulus is None else (stimulus,),
        moment_ms=float(row["media_ms"] or 0),
    )


def _conditions(page: list[Row]) -> tuple[str, ...]:
    return tuple(
        sorted({str(shown["condition"]) for shown in page if shown["condition"] is not None})
    )


def _optional(cell: Cell) -> str | None:
    return None if cell is None else str(cell)


def _whole(cell: Cell) -> int:
    return int(cell or 0)

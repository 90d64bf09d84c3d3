"""Questions on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from believable.contracts.page import PageKind
from believable.contracts.trial import Question, WordedPage


class Form(WordedPage):
    """Questions on one page."""

    named = True

    kind: Literal["form"] = "form"
    questions: tuple[Question, ...] = Field(min_length=1)
    """The questions, in order."""

    @property
    def all_questions(self) -> tuple[Question, ...]:
        return self.questions


FORM = PageKind(name="form", record=Form, folder=Path(__file__).parent, typical_ms=14_000)

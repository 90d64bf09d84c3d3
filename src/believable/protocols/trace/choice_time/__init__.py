"""`trace` with another moment of the choice as an arm: right after playing, before anything is annotated."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from believable.protocols.contract import ReadyStudy


@dataclass(frozen=True)
class ChoiceTimeStudy(ReadyStudy):
    """Its pages are those of the protocol."""

    def copy(self, folder: Path) -> None:
        super().copy(folder)
        pages = self.folder.parent / "pages"
        shutil.copytree(pages, folder / "pages", ignore=shutil.ignore_patterns("__pycache__", ".*"))


CHOICE_TIME = ChoiceTimeStudy(
    name="trace-choice-time",
    about="The protocol trace; half of the people choose between the games before they annotate them, half afterwards.",
    package=__name__,
)

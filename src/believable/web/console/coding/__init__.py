"""The coder's desk and what a coordinator needs around it. Coders reach the desk only; nobody here sees a condition's name."""

from __future__ import annotations

from believable.web.console.coding import codebook, desk, files, projects, resolve, rounds
from believable.web.console.desk import Page

PAGES: tuple[Page, ...] = (
    *projects.PAGES,
    *codebook.PAGES,
    *rounds.PAGES,
    *resolve.PAGES,
    *files.PAGES,
    *desk.PAGES,
)

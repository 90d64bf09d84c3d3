"""Requests for live results, and their answers. Light to import: the server speaks in these, the
computing is elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRequest:
    """What to compute. `database` is the store's address, `folder` the study's if it is known,
    `script` where to keep the drawing library, `base` the address under which stimuli can be
    watched, `drafts` the folder for intermediate files.
    """

    database: str
    study: str
    simulated: bool
    blinded: bool
    media_dir: str
    folder: str | None
    script: str
    base: str
    drafts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveReport:
    """Results as markup for a page. `stimuli` maps each number to its stimulus; with `error`
    nothing else is set.
    """

    html: str = ""
    analysed: int = 0
    came: int = 0
    stopping: str = ""
    target: float | None = None
    reached: float | None = None
    met: bool | None = None
    registered: bool = False
    stimuli: Mapping[str, str] = field(default_factory=dict)
    error: str = ""

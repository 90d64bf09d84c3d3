"""A request for a dataset as one file: the console hands it to the process that writes the file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequest:
    """`database` is the address of the store, `folder` the target of the file; `study_folder` has
    the study's files, if known.
    """

    database: str
    study: str
    simulated: bool
    recruiter_hashes: bool
    media_dir: Path
    folder: Path
    study_folder: Path | None = None

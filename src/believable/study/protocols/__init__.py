"""Ready-made studies to start from. Each is a folder here: `study.yaml` and its pages."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from believable.core.errors import Refused
from believable.core.registry import Registry


@dataclass(frozen=True, slots=True)
class Protocol:
    name: str
    about: str

    @property
    def folder(self) -> Path:
        return Path(__file__).parent / self.name


PROTOCOLS: Registry[Protocol] = Registry(
    "protocol",
    [
        Protocol(
            "demo", "Two short clips, a person's and a script's: who plays like a human? About five minutes."
        ),
        Protocol(
            "trace",
            "Two rounds against an opponent, each watched again and annotated throughout. About fifteen minutes.",
        ),
        Protocol(
            "replay", "Two versions of a character's day: flagged, rated, compared. About thirty minutes."
        ),
        Protocol("clips", "Pages of clips rated from human to artificial. About fifteen minutes."),
        Protocol(
            "hntt", "Pairs of recordings: which finds its way more like a person? About fifteen minutes."
        ),
        Protocol("qa", "Annotators tested on known signals, then a task of annotating. About ten minutes."),
    ],
)


def copy(name: str, folder: Path) -> None:
    """Write the files of a protocol into `folder`, which must be new or empty."""
    protocol = PROTOCOLS[name]
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Refused(
            f"{folder}: exists already and is not an empty folder. Choose another name or empty it first."
        )
    shutil.copytree(
        protocol.folder, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", ".*")
    )

"""What a server needs to know, as one frozen record that can travel to worker processes."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

#: How worker processes, which import the app by name, get their settings.
SETTINGS_VARIABLE = "BELIEVABLE_SETTINGS"


@dataclass(frozen=True, slots=True)
class Settings:
    """`base_url` is the address people use; `frame_ancestors` lists sites that may show the study in a frame."""

    data_dir: Path
    database_url: str | None = None
    study_folders: tuple[Path, ...] = ()
    base_url: str = "http://127.0.0.1:8000"
    frame_ancestors: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        """The database: the one given, or `believable.db` in the data folder."""
        return self.database_url or f"sqlite:///{self.data_dir / 'believable.db'}"

    @property
    def media_dir(self) -> Path:
        return self.data_dir / "media"

    @property
    def secure(self) -> bool:
        """Whether people come over HTTPS."""
        return self.base_url.startswith("https://")

    def to_json(self) -> str:
        return json.dumps(asdict(self), default=str)

    @classmethod
    def from_json(cls, text: str) -> Settings:
        given = json.loads(text)
        return cls(
            data_dir=Path(given["data_dir"]),
            database_url=given["database_url"],
            study_folders=tuple(map(Path, given["study_folders"])),
            base_url=given["base_url"],
            frame_ancestors=tuple(given["frame_ancestors"]),
        )

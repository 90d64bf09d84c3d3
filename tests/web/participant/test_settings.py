"""Settings travel to worker processes as text."""

from __future__ import annotations

from pathlib import Path

from believable.app.settings import Settings


def test_settings_survive_the_journey(tmp_path: Path) -> None:
    settings = Settings(
        data_dir=tmp_path,
        database_url="postgresql://host/db",
        study_folders=(tmp_path / "a", tmp_path / "b"),
        base_url="https://example.org",
        frame_ancestors=("https://www.mturk.com",),
    )
    assert Settings.from_json(settings.to_json()) == settings
    assert settings.secure
    assert settings.url == "postgresql://host/db"


def test_the_database_is_a_file_in_the_data_folder_unless_said_otherwise(tmp_path: Path) -> None:
    assert Settings(data_dir=tmp_path).url == f"sqlite:///{tmp_path}/believable.db"

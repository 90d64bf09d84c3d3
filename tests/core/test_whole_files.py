"""Files and folders appear whole or not at all, and a disk that does not take them is told with
place and cure.
"""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from believable.core.errors import Refused, StorageFull
from believable.core.whole_files import (
    disk_error,
    put_in_place,
    whole_file,
    whole_folder,
    write_whole,
)


def write_half(path: Path) -> None:
    """The disk is full before the end; the system does not say which file it speaks of."""
    path.write_text("half")
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_what_fails_half_way_leaves_what_was_there(tmp_path: Path) -> None:
    file, folder = tmp_path / "a.csv", tmp_path / "report"
    write_whole(file, "old")
    folder.mkdir()
    (folder / "report.html").write_text("old")
    with pytest.raises(StorageFull) as caught, whole_file(file) as draft:
        write_half(draft)
    assert (
        str(caught.value)
        == f"{file}: No space left on device. Free space on that disk, or name another place."
    )
    with pytest.raises(StorageFull, match="No space left"), whole_folder(folder) as draft:
        write_half(draft / "report.html")
    assert file.read_text() == (folder / "report.html").read_text() == "old"
    with pytest.raises(StorageFull), whole_folder(tmp_path / "new") as draft:
        write_half(draft / "a.csv")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.csv", "report", "report.html"]


def test_a_finished_folder_joins_what_is_there(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "report"
    for text in ("first", "second"):
        with whole_folder(folder) as draft:
            (draft / "tables").mkdir()
            (draft / "tables" / "a.csv").write_text(text)
        (folder / "own.txt").write_text("kept")
    assert (folder / "tables" / "a.csv").read_text() == "second"
    assert (folder / "own.txt").read_text() == "kept"
    with whole_folder(tmp_path / "other") as draft:
        (draft / "b.csv").write_text("b")
    put_in_place(tmp_path / "other", folder)
    assert (folder / "b.csv").read_text() == "b"


def test_links_rights_and_devices_stay_what_they_are(tmp_path: Path) -> None:
    file, link = tmp_path / "a.csv", tmp_path / "link.csv"
    file.write_text("old")
    file.chmod(0o600)
    link.symlink_to(file)
    write_whole(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o600
    os.mkfifo(tmp_path / "pipe")
    with whole_file(tmp_path / "pipe") as draft:
        assert draft == tmp_path / "pipe"
    with whole_file(tmp_path / "secret", 0o600) as draft:
        draft.write_text("x")
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            PermissionError(errno.EACCES, "Permission denied", "a"),
            "a: Permission denied. Give this account the right to it",
        ),
        (
            OSError(errno.EROFS, "Read-only file system", "a"),
            "a: Read-only file system. Give this account the right to it",
        ),
        (
            NotADirectoryError(errno.ENOTDIR, "Not a directory", "a"),
            "a: Not a directory. Name another place, or move away",
        ),
        (
            FileNotFoundError(errno.ENOENT, "No such file or directory", "a"),
            "a: No such file or directory. Check that it is there",
        ),
        (OSError("something odd"), "a file: something odd. Check that it is there"),
        (
            shutil.Error([("a", "b", "[Errno 13] Permission denied: 'b'")]),
            "a file: Permission denied. Give this account",
        ),
    ],
)
def test_every_trouble_has_its_cure(error: OSError, message: str) -> None:
    told = disk_error(error)
    assert isinstance(told, Refused)
    assert str(told).startswith(message)
    assert "Errno" not in str(told)


def test_a_folder_in_the_way_of_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(Refused, match=r"a\.csv: Is a directory\. Name another place"):
        write_whole(tmp_path / "a.csv", "x")
    (tmp_path / "file").write_text("x")
    with pytest.raises(
        Refused, match=r"file: File exists\. Name another place, or move away the file in the way\."
    ):
        write_whole(tmp_path / "file" / "a.csv", "x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "file"]

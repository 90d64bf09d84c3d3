"""Files in a bucket and in a folder: the same contract, and errors that name the place and the
cure.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from believable.core import object_storage
from believable.core.errors import InvalidInput, MissingExtra, NotFound, Refused, Unavailable
from believable.core.object_storage import (
    Storage,
    digest_of,
    keep_medium,
    medium_file,
    remember_storage,
    storage_at,
    storage_behind,
)


@pytest.fixture(params=["folder", "bucket"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    if request.param == "folder":
        (tmp_path / "shared").mkdir()
        return storage_at(str(tmp_path / "shared"))
    return storage_at(f"{request.getfixturevalue('s3').new_bucket()}/some/prefix")


def test_what_goes_in_comes_out_to_the_byte(storage: Storage, tmp_path: Path) -> None:
    storage.check()
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(bytes(range(256)) * 40_000)  # more than one part of an upload
    assert not storage.has("clips/a")
    storage.put("clips/a", source)
    storage.put("b", source)
    assert storage.has("clips/a")
    assert storage.names() == ["b", "clips/a"]
    storage.fetch("clips/a", target, 0o600)
    assert target.read_bytes() == source.read_bytes()
    assert target.stat().st_mode & 0o777 == 0o600
    storage.remove("b")
    assert storage.names() == ["clips/a"]
    source.write_bytes(b"newer")
    storage.put("clips/a", source)
    storage.fetch("clips/a", target)
    assert target.read_bytes() == b"newer"


def test_what_is_not_there_leaves_nothing_behind(storage: Storage, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"there is no 'nothing'"):
        storage.fetch("nothing", tmp_path / "folder" / "nothing")
    assert not list(tmp_path.glob("folder/*"))


def test_a_media_folder_fetches_once_and_shares_what_it_has(
    storage: Storage, tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    content = b"pictures that move"
    for folder in (first, second):
        folder.mkdir()
        remember_storage(folder, storage.address)
    (first / "draft").write_bytes(content)
    name = digest_of(first / "draft")
    (first / "draft").rename(first / name)
    keep_medium(first, name)
    assert medium_file(second, name).read_bytes() == content
    storage.remove(name)
    assert medium_file(second, name).read_bytes() == content, "from then on it is here"
    assert not medium_file(second, "0" * 64).exists(), "missing in both"


def test_a_damaged_copy_is_not_kept(storage: Storage, tmp_path: Path) -> None:
    folder = tmp_path / "media"
    folder.mkdir()
    remember_storage(folder, storage.address)
    (tmp_path / "other").write_bytes(b"not what its name says")
    name = "ab" * 32
    storage.put(name, tmp_path / "other")
    with pytest.raises(Unavailable, match="another SHA-256 than its name"):
        medium_file(folder, name)
    assert not (folder / name).exists()


def test_a_folder_without_storage_is_just_a_folder(tmp_path: Path) -> None:
    assert storage_behind(tmp_path) is None
    assert medium_file(tmp_path, "x") == tmp_path / "x"
    keep_medium(tmp_path, "x")


@pytest.mark.parametrize("address", ["gs://bucket/x", "s3://", "s3://UPPER/x", "s3://b"])
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(InvalidInput, match="expected s3://BUCKET/PREFIX"):
        storage_at(address)


def test_a_folder_that_is_not_mounted(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"there is no such folder\. Mount it"):
        remember_storage(tmp_path, str(tmp_path / "nowhere"))
    assert storage_behind(tmp_path) is None


def test_a_bucket_that_is_not_there(s3: Any) -> None:
    with pytest.raises(NotFound, match=r"s3://never-made: there is no such bucket\. Make it"):
        storage_at("s3://never-made").check()


def test_nobody_answers(s3: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setattr(object_storage, "TRIES", 0)
    with pytest.raises(Unavailable, match=r"cannot be used now .*AWS_ENDPOINT_URL") as trouble:
        storage_at("s3://lab-media").check()
    assert len(str(trouble.value).splitlines()) == 1


class Forbidding(BaseHTTPRequestHandler):
    """Storage that knows the caller and lets them do nothing."""

    def do_GET(self) -> None:
        self.send_response(403)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        """Silent."""


@pytest.fixture
def forbidding() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Forbidding) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_without_rights(s3: Any, forbidding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", forbidding)
    with pytest.raises(Refused, match=r"the storage refuses .*AWS_ACCESS_KEY_ID"):
        storage_at("s3://lab-media").check()


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(MissingExtra, match=r"believable\[s3\]"):
        storage_at("s3://lab-media")

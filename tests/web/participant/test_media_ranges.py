"""Media: parts of files, and headers that give nothing away."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any

import pytest

from believable.web.participant import media_ranges

FILE = bytes(range(256)) * 40
SIZE = len(FILE)


def test_the_example_in_the_documentation() -> None:
    assert doctest.testmod(media_ranges).failed == 0


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", None),
        ("bytes=0-", (0, 99)),
        ("bytes=10-19", (10, 19)),
        ("bytes=90-500", (90, 99)),
        ("bytes=-5", (95, 99)),
        ("bytes=-500", (0, 99)),
        ("bytes=-", None),
        ("items=0-5", None),
        ("bytes=0-1,5-6", None),
        ("bytes=x-y", None),
    ],
)
def test_which_part_is_asked_for(header: str, expected: tuple[int, int] | None) -> None:
    assert media_ranges.asked_range(header, 100) == expected


@pytest.mark.parametrize("header", ["bytes=100-", "bytes=20-10", "bytes=-0"])
def test_parts_that_do_not_exist(header: str) -> None:
    with pytest.raises(ValueError):
        media_ranges.asked_range(header, 100)


@pytest.fixture
def medium(web: Any, session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a file of this session."""
    path = tmp_path / "x"
    path.write_bytes(FILE)

    async def stored(token: str, name: str) -> Path:
        return path

    monkeypatch.setattr(web.app.state.collect, "medium", stored)
    address: str = session.url("media/abc")
    return address


def test_the_whole_and_its_parts(web: Any, medium: str) -> None:
    whole = web.get(medium)
    assert (whole.status_code, whole.content) == (200, FILE)
    assert whole.headers["accept-ranges"] == "bytes"
    part = web.get(medium, headers={"range": "bytes=300-1299"})
    assert (part.status_code, part.content) == (206, FILE[300:1300])
    assert part.headers["content-range"] == f"bytes 300-1299/{SIZE}"
    beyond = web.get(medium, headers={"range": f"bytes={SIZE}-"})
    assert (beyond.status_code, beyond.headers["content-range"]) == (416, f"bytes */{SIZE}")


def test_no_header_tells_a_file_apart(web: Any, medium: str) -> None:
    headers = web.get(medium).headers
    assert headers["content-type"] == "application/octet-stream"
    assert headers["cache-control"] == "private, max-age=86400, immutable"
    assert not {"etag", "last-modified", "content-disposition"} & set(headers)

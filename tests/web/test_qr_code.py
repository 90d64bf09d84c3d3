"""QR codes, square by square as another tool draws them (`qr_witness.json`)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from believable.core.errors import InvalidInput
from believable.web.qr_code import qr_squares, qr_svg

CASES = json.loads(Path(__file__).with_name("qr_witness.json").read_text("utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{len(case['text'].encode())} bytes")
def test_every_square_is_where_another_tool_has_it(case: dict[str, object]) -> None:
    rows = ["".join("#" if dark else "." for dark in row) for row in qr_squares(str(case["text"]))]
    assert rows == case["rows"]


def test_versions_1_to_10_are_among_them() -> None:
    assert {(len(case["rows"]) - 17) // 4 for case in CASES} >= {1, 4, 6, 9, 10}


def test_a_longer_text_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at most 213 bytes, got 214"):
        qr_squares("x" * 214)


def test_the_picture_has_its_margin() -> None:
    assert 'viewBox="0 0 29 29"' in qr_svg("a")

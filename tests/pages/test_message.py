"""The trial message and its types for the scripts."""

from __future__ import annotations

from pathlib import Path

import believable
from believable.pages.message import TrialMessage

TYPES = Path(believable.__file__).parent / "web/static/participant/trial-message.d.ts"


def test_unions_lists_and_parts_have_their_types() -> None:
    written = TYPES.read_text(encoding="utf-8")
    assert "  several: SeveralPart | null;\n" in written
    assert "  later: (string[][] | null)[];\n" in written
    assert '  test: "visual" | "auditory";\n' in written
    assert "  corners: [number, number][];\n" in written
    assert "  orders: Record<string, string[]>;\n" in written


def test_whole_numbers_stay_whole_on_the_wire() -> None:
    signal = {"test": "visual", "duration_ms": 10, "corners": [[0, 0.5], [10, 1]]}
    message = TrialMessage(position=0, total=1, minutes_left=1, kind="qa", html="", signal=signal)
    assert '"corners":[[0,0.5],[10,1]]' in message.model_dump_json()

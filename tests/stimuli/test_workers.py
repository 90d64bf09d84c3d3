from __future__ import annotations

import pytest

from believable.stimuli.workers import side_by_side

#: Other processes know no test modules, so the work is an expression.
MASK = "__import__('believable.stimuli.recipe', fromlist=['Mask']).Mask.parse('no')"
CRASH = "__import__('os')._exit(11)"


def test_a_file_that_brings_its_process_down_stops_nothing_else() -> None:
    seen: list[tuple[int, int]] = []
    worked = side_by_side(
        eval,
        {"a": ("10",), "b": ("20",), "c": (MASK,), "d": (CRASH,)},
        workers=2,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert worked.results == {"a": 10, "b": 20}
    assert "got 'no'" in worked.failed["c"]
    assert "brought the decoder down" in worked.failed["d"]
    assert seen[-1] == (4, 4)


def test_trouble_that_is_not_the_files_is_raised() -> None:
    with pytest.raises(FileNotFoundError, match="/no/where"):
        side_by_side(eval, {"e": ("open('/no/where')",)})

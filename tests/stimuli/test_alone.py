from __future__ import annotations

import sys
from pathlib import Path

import pytest

from believable.core.errors import Conflict
from believable.stimuli.source_pool import alone


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is held on Windows")
def test_a_second_run_is_told_and_the_place_is_free_afterwards(tmp_path: Path) -> None:
    with alone(tmp_path), pytest.raises(Conflict, match="another run is working"), alone(tmp_path):
        pass
    with pytest.raises(ZeroDivisionError), alone(tmp_path):
        raise ZeroDivisionError
    with alone(tmp_path):
        pass

"""Three servers behind nginx on one PostgreSQL database and one bucket, without sticky sessions; a
server and the database go.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from validation.three_servers import drill

pytestmark = [
    pytest.mark.faults,
    pytest.mark.postgres,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        shutil.which("nginx") is None, reason="nginx is not installed: apt install nginx-light"
    ),
]


def test_nobody_loses_anything_or_sees_an_error(tmp_path: Path, postgres: Any, s3: Any) -> None:
    """The whole drill, `python -m validation.three_servers`, is for a thousand people."""
    outcome = drill(tmp_path, postgres, s3, people=60, within_s=5)
    assert outcome.passed, outcome.words()
    assert outcome.acknowledged > 60 * 10

"""What the attacks share. Every one of them is aimed at a server that the test itself starts, on this machine."""

from __future__ import annotations

import pytest

from believable.simulate.server import free_port as find_free_port


@pytest.fixture
def free_port() -> int:
    return find_free_port()

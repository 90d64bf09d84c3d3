"""PyAV is an optional part: asked for only where video is opened."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from believable.core.errors import MissingExtra


def have_av() -> bool:
    """Whether video can be opened here."""
    return importlib.util.find_spec("av") is not None


def load_av(what: str) -> Any:
    """The `av` module, or an error that says what needs it and how to install it."""
    try:
        return importlib.import_module("av")
    except ImportError:
        raise MissingExtra(what=what, extra="video") from None

"""Modules that are loaded when something of them is first used."""

from __future__ import annotations

import subprocess
import sys

import pytest

from believable.core.deferred import DeferredModule, special


def test_it_is_loaded_at_the_first_use_and_gives_the_same() -> None:
    code = (
        "import sys; from believable.core.deferred import DeferredModule; colours ="
        " DeferredModule('colorsys'); assert 'colorsys' not in sys.modules; halves ="
        " colours.rgb_to_hls(1, 0, 0); assert 'colorsys' in sys.modules; assert halves =="
        " sys.modules['colorsys'].rgb_to_hls(1, 0, 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert special.ndtr(0.0) == 0.5


def test_what_a_module_does_not_have_is_an_error_as_of_any_module() -> None:
    with pytest.raises(AttributeError, match="colorsys"):
        _ = DeferredModule("colorsys").nothing_of_this_name
    assert not hasattr(DeferredModule("colorsys"), "__wrapped__")

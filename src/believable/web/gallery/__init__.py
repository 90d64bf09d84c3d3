"""The gallery: every registered instrument and player on a page of its own, running for real.
Nothing outlives it.
"""

from __future__ import annotations

from believable.web.gallery.examples import EXAMPLES, Example
from believable.web.gallery.gallery_app import create_app, serve

__all__ = ["EXAMPLES", "Example", "create_app", "serve"]

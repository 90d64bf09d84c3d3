"""The gallery: a page for every registered instrument and player, running for real. Nothing is
stored.
"""

from __future__ import annotations

from believable.web.gallery.examples import EXAMPLES, Example
from believable.web.gallery.gallery_app import create_app, serve

__all__ = ["EXAMPLES", "Example", "create_app", "serve"]

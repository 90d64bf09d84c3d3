"""The gallery: every registered instrument and player on a page of its own, running for real. Nothing outlives it."""

from __future__ import annotations

from believable.web.gallery.app import create_app, serve
from believable.web.gallery.exhibits import EXHIBITS, Exhibit

__all__ = ["EXHIBITS", "Exhibit", "create_app", "serve"]

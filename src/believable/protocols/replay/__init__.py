"""`replay`: action believability of two architectures."""

from __future__ import annotations

from believable.contracts.protocol_file import read_protocol

REPLAY = read_protocol(__name__, __file__)
DECLARATION = REPLAY.declaration

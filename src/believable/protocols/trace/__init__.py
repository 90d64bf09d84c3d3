"""`trace`: time-continuous believability against the final choice."""

from __future__ import annotations

from believable.contracts.protocol_file import read_protocol

TRACE = read_protocol(__name__, __file__)
DECLARATION = TRACE.declaration

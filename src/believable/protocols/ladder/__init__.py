"""`ladder`: any number of agents, people among them, two at a time: which acts more like a person?"""

from __future__ import annotations

from believable.contracts.protocol_file import read_protocol

LADDER = read_protocol(__name__, __file__)
DECLARATION = LADDER.declaration

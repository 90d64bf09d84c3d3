"""`hntt`: which of two navigates more like a human?"""

from __future__ import annotations

from believable.contracts.protocol_file import read_protocol

HNTT = read_protocol(__name__, __file__)
DECLARATION = HNTT.declaration

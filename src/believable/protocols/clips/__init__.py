"""`clips`: human or artificial?"""

from __future__ import annotations

from believable.contracts.protocol_file import read_protocol

CLIPS = read_protocol(__name__, __file__)
DECLARATION = CLIPS.declaration

#: The three types of clips.
TYPES = ("human", "imitation", "artificial")

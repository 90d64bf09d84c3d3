"""`qa`: is this annotator reliable?"""

from __future__ import annotations

from believable.contracts.protocol_file import read_protocol

QA = read_protocol(__name__, __file__)
DECLARATION = QA.declaration

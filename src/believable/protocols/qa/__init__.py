"""`qa`: is this annotator reliable?"""

from __future__ import annotations

from believable.protocols.contract import read_protocol

QA = read_protocol(__name__, __file__)
DECLARATION = QA.declaration

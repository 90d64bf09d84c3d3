"""Ready-made protocols: one folder each, with study, analysis, simulated people and stimuli; see
`contract`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from believable.contracts.protocol import ReadyStudy
from believable.contracts.registries import PROTOCOLS
from believable.core.registry import OURS, RecordSource, Registry
from believable.protocols.demo import DEMO

__all__ = ["BUILT_IN", "READY_STUDIES"]

#: In the order in which they are shown to authors.
BUILT_IN = ("trace", "replay", "clips", "hntt", "ladder", "qa")


def _ready_studies() -> Iterator[RecordSource[ReadyStudy]]:
    yield RecordSource(DEMO.name, OURS, lambda: DEMO)
    for name in PROTOCOLS.names:
        yield RecordSource(name, OURS, partial(PROTOCOLS.__getitem__, name))


#: Every study to start from: the protocols and the demo.
READY_STUDIES: Registry[ReadyStudy] = Registry("protocol", sources=_ready_studies)

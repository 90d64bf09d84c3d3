"""Ready-made protocols: one folder each, with study, analysis, simulated people and stimuli; see `contract`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from believable.core.citation import Citation
from believable.core.registry import OURS, RecordSource, Registry
from believable.plugins import registry
from believable.protocols.contract import Protocol, ReadyStudy
from believable.protocols.demo import DEMO
from believable.protocols.trace.choice_time import CHOICE_TIME

__all__ = ["PROTOCOLS", "READY_STUDIES", "Citation", "Protocol", "ReadyStudy"]

#: In the order in which they are shown to authors.
BUILT_IN = ("trace", "replay", "clips", "hntt", "qa")

PROTOCOLS: Registry[Protocol] = registry("protocol", Protocol, __name__, BUILT_IN)


def _ready_studies() -> Iterator[RecordSource[ReadyStudy]]:
    yield RecordSource(DEMO.name, OURS, lambda: DEMO)
    for name in PROTOCOLS.names:
        yield RecordSource(name, OURS, partial(PROTOCOLS.__getitem__, name))
    yield RecordSource(CHOICE_TIME.name, OURS, lambda: CHOICE_TIME)


#: Every study to start from: the protocols, the demo, and variants of a protocol.
READY_STUDIES: Registry[ReadyStudy] = Registry("protocol", sources=_ready_studies)

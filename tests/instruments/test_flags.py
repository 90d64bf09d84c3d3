from __future__ import annotations

import random

import pytest

from believable.contracts.instrument import check_instrument
from believable.instruments.flags import FLAGS, FlagsParams


def test_flags_keep_the_contract() -> None:
    check_instrument(FLAGS)


@pytest.mark.parametrize("duration_ms", [1, 5_000, 60_000, 86_400_000])
def test_a_simulated_person_records_what_is_declared(duration_ms: int) -> None:
    declared = {stream.kind: set(stream.data) for stream in FLAGS.streams}
    for seed in range(30):
        acts = FLAGS.perform(FlagsParams(), random.Random(seed), duration_ms)
        assert acts
        assert all(set(act.data) == declared[act.kind] for act in acts)
        assert all(0 <= act.media_ms < duration_ms for act in acts)
        assert [act.media_ms for act in acts] == sorted(act.media_ms for act in acts)
        added = [act.data["flag"] for act in acts if act.kind == "flag.add"]
        assert len(set(added)) == len(added)
        assert {act.data["flag"] for act in acts} == set(added)


def test_without_reasons_nobody_gives_any() -> None:
    acts = [
        act
        for seed in range(30)
        for act in FLAGS.perform(FlagsParams(reason=False), random.Random(seed), 600_000)
    ]
    assert {act.kind for act in acts} == {"flag.add", "flag.remove"}

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from believable.stimuli.source_pool import SampleRequest, StimulusSource, sample


def source(number: int, condition: str, scenario: str, length_ms: int = 12_000) -> StimulusSource:
    return StimulusSource(
        name=f"n{number}",
        file=f"n{number}.mp4",
        original=f"{number}.mp4",
        digest=f"{number:064x}",
        condition=condition,
        scenario=scenario,
        length_ms=length_ms,
        width_px=2,
        height_px=2,
        frames=1,
        frames_per_s="25",
        audio="none",
    )


def test_too_short_and_too_long_ones_are_left_out_with_the_reason() -> None:
    found = sample(
        [source(1, "a", "x", 9_999), source(2, "a", "x", 10_000), source(3, "a", "x", 70_000)],
        SampleRequest(min_length_ms=10_000, max_length_ms=60_000),
    )
    assert [one.name for one in found.chosen] == ["n2"]
    assert [one.reason for one in found.left_out] == [
        "lasts 9999 ms, at least 10000 ms are wanted",
        "lasts 70000 ms, at most 60000 ms are wanted",
    ]


def test_a_scenario_that_one_condition_lacks_is_left_out_when_matching() -> None:
    given_ones = [source(1, "a", "x"), source(2, "b", "x"), source(3, "a", "y")]
    found = sample(given_ones, SampleRequest(match=True))
    assert [one.name for one in found.chosen] == ["n1", "n2"]
    assert found.left_out[0].reason == "its scenario has fewer than 1 of b"
    assert len(sample(given_ones, SampleRequest()).chosen) == 3


@given(
    cells=st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), max_size=40),
    per_cell=st.none() | st.integers(1, 4),
    match=st.booleans(),
    seed=st.integers(0, 5),
)
def test_every_source_is_chosen_or_has_a_reason_and_matching_balances(
    cells: list[tuple[str, str]], per_cell: int | None, match: bool, seed: int
) -> None:
    sources = [source(number, *cell) for number, cell in enumerate(cells)]
    wish = SampleRequest(match=match, per_cell=per_cell, seed=seed)
    found = sample(sources, wish)
    names = [one.name for one in found.chosen] + [one.source.name for one in found.left_out]
    assert sorted(names) == sorted(one.name for one in sources)
    assert all(one.reason for one in found.left_out)
    assert found == sample(sources[::-1], wish) or {one.name for one in found.chosen} == {
        one.name for one in sample(sources[::-1], wish).chosen
    }
    counts = Counter((one.scenario, one.condition) for one in found.chosen)
    assert all(count <= (per_cell or 40) for count in counts.values())
    if match:
        conditions = {one.condition for one in sources}
        for scenario in {one.scenario for one in found.chosen}:
            assert len({counts[scenario, condition] for condition in conditions}) == 1

"""Retrieval equal to cases computed by hand, for the paper's formula and the released code's."""

from __future__ import annotations

import json

import numpy as np
import pytest

from believable.worlds.town.checkpoint import from_tree, to_tree
from believable.worlds.town.minds.generative.memory_stream import Memory, MemoryStream
from believable.worlds.town.minds.generative.retrieval import (
    RULES,
    ScoredMemory,
    retrieve,
    scale,
    scores,
)
from tests.worlds.town.language.simple_models import ScriptedModel

HOUR = 360
NOW = 100 * HOUR
#: Three memories: accessed 10 h, 1 h and 0 h ago, of importance 2, 8 and 5.
MEMORIES = [
    Memory(
        number=0,
        kind="event",
        text="old and dull",
        created_step=NOW - 20 * HOUR,
        accessed_step=NOW - 10 * HOUR,
        importance=2,
    ),
    Memory(
        number=1,
        kind="event",
        text="recent and heavy",
        created_step=NOW - HOUR,
        accessed_step=NOW - HOUR,
        importance=8,
    ),
    Memory(number=2, kind="event", text="now", created_step=NOW, accessed_step=NOW, importance=5),
]
COSINES = [0.1, 0.5, 0.9]


def by_number(listed: list[ScoredMemory]) -> dict[int, ScoredMemory]:
    return {entry.memory.number: entry for entry in listed}


def test_the_papers_formula_by_hand() -> None:
    """recency .995^10 = .951110, .995^1 = .995, 1 → scaled 0, .897728, 1; importance 0, 1, .5;
    relevance 0, .5, 1; weights 1.
    """
    listed = scores(MEMORIES, COSINES, NOW, RULES["paper"])
    entries = by_number(listed)
    low = 0.995**10
    assert low == pytest.approx(0.951110, abs=1e-6)
    assert entries[1].recency == pytest.approx((0.995 - low) / (1 - low))
    assert entries[1].recency == pytest.approx(0.897728, abs=1e-5)
    assert [entries[n].importance for n in range(3)] == pytest.approx([0, 1, 0.5])
    assert [entries[n].relevance for n in range(3)] == pytest.approx([0, 0.5, 1])
    assert [entries[n].score for n in range(3)] == pytest.approx([0, 2.397728, 2.5], abs=1e-5)
    assert [entry.memory.number for entry in listed] == [2, 1, 0]


def test_the_released_codes_formula_by_hand() -> None:
    """Ranks from the longest ago: .99, .9801, .970299 → 1, .497487, 0: the oldest is the most
    "recent"; weights .5, 3, 2.
    """
    entries = by_number(scores(MEMORIES, COSINES, NOW, RULES["released"]))
    assert [entries[n].recency for n in range(3)] == pytest.approx([1, 0.497487, 0], abs=1e-6)
    assert [entries[n].score for n in range(3)] == pytest.approx(
        [0.5, 0.5 * 0.497487 + 3 * 0.5 + 2 * 1, 3 * 1 + 2 * 0.5], abs=1e-6
    )


def test_the_order_of_the_variants_differs() -> None:
    """Alike in meaning and weight, the newest comes first by the paper and last by the released
    code.
    """
    alike = [
        Memory(
            number=n,
            kind="event",
            text="tea",
            created_step=NOW,
            accessed_step=NOW - (3 - n) * HOUR,
            importance=3,
        )
        for n in range(3)
    ]
    assert [e.memory.number for e in scores(alike, [0.4] * 3, NOW, RULES["paper"])] == [2, 1, 0]
    assert [e.memory.number for e in scores(alike, [0.4] * 3, NOW, RULES["released"])] == [0, 1, 2]


def test_scaling_where_nothing_differs_or_is_known() -> None:
    assert scale([3, 3]) == [0.5, 0.5]
    assert scale([None, None]) == [0, 0]
    assert scale([None, 2, 4]) == [0, 0, 1]
    assert scale([]) == []


def test_equal_access_is_ranked_events_before_thoughts_newest_first() -> None:
    stream = MemoryStream()
    for kind, text in (("event", "a"), ("thought", "b"), ("event", "c"), ("thought", "d")):
        stream.add(kind, text, 5, 1)  # type: ignore[arg-type]
    assert [memory.text for memory in stream.candidates(6)] == ["c", "a", "d", "b"]


def test_what_comes_to_mind_counts_as_accessed() -> None:
    stream = MemoryStream()
    for text in ("Ada bakes bread", "Ben pours tea", "Ada reads", "the bench is idle"):
        stream.add("event", text, 0, 3)
    model = ScriptedModel(lambda request: "")
    best = retrieve(stream, model, "Ada bakes bread", 400, RULES["paper"], 1)
    assert [entry.memory.text for entry in best] == ["Ada bakes bread"]
    assert best[0].relevance == 1
    assert [memory.accessed_step for memory in stream.memories] == [400, 0, 0, 0]
    assert best[0].values() == {
        "memory": 0,
        "recency": 0.5,
        "relevance": 1.0,
        "importance": 0.5,
        "score": 2.0,
    }
    assert all(
        entry.memory.number != 3 for entry in retrieve(stream, model, "idle", 400, RULES["paper"])
    )
    assert retrieve(MemoryStream(), model, "anything", 0, RULES["paper"]) == []


def test_relevance_is_the_cosine() -> None:
    model = ScriptedModel(lambda request: "")
    a, b, c = model.embed(["warm bread", "warm tea", "cold soup"])
    assert float(a @ b) == pytest.approx(0.5, abs=1e-3)
    assert float(a @ c) == pytest.approx(0)
    assert np.linalg.norm(a) == pytest.approx(1, abs=1e-3)


def test_keywords_are_how_the_released_code_remembers() -> None:
    stream = MemoryStream()
    stream.add("event", "Ben serves", 0, 1, keywords=("Ben Okafor", "counter"))
    stream.add("event", "Ada bakes", 1, 1, keywords=("Ada Brandt",))
    stream.add("event", "Ben reads", 2, 1, keywords=("ben okafor",))
    assert [memory.number for memory in stream.about(["Ben Okafor"], 3)] == [2, 0]


def test_thoughts_expire_and_do_not_count_towards_reflection() -> None:
    stream = MemoryStream()
    stream.add("event", "a", 0, 4)
    stream.add("thought", "b", 0, 9, evidence=(0,), expires_step=10)
    stream.add("event", "c", 1, None)
    assert (stream.importance_sum, stream.unreflected) == (4, 2)
    assert [memory.text for memory in stream.latest(5, 10)] == ["a", "b", "c"]
    assert [memory.text for memory in stream.latest(5, 11)] == ["a", "c"]
    stream.restart_reflection()
    assert (stream.importance_sum, stream.unreflected) == (0, 0)


def test_evidence_must_be_there() -> None:
    with pytest.raises(IndexError, match=r"evidence \[3\] is not among the 0 memories"):
        MemoryStream().add("thought", "a", 0, 1, evidence=(3,))


def test_a_stream_is_kept_as_json() -> None:
    stream = MemoryStream()
    stream.add("event", "a", 0, 4, keywords=("x",))
    stream.add("thought", "b", 0, None, evidence=(0,), expires_step=10)
    assert from_tree(MemoryStream, json.loads(json.dumps(to_tree(stream)))) == stream

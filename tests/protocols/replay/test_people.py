"""Viewers rate, flag and choose as was planted, both ways."""

from __future__ import annotations

import asyncio
import math
import random
from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from believable.protocols.replay.people import mean_rating, values
from believable.protocols.replay.planted_truth import DEMONSTRATION, GAP, ReplayTruth, nothing
from believable.protocols.replay.viewer import Viewer
from believable.simulate import viewer as viewers
from believable.simulate.behaviour import SeenAction, SeenStimulus
from believable.simulate.pace import HastyPace

PEOPLE = 500


@pytest.fixture(scope="module")
def planted(simulated):
    return simulated("replay", PEOPLE, ReplayTruth(skips=0.0))


def test_ratings_differ_as_planted(planted):
    sessions, bundle = planted
    by_condition: dict[str, list[float]] = {}
    for row in bundle["answers"].rows():
        if row["question"] == "believability":
            by_condition.setdefault(str(row["condition"]), []).append(row["value_number"])
    gap = np.mean(by_condition["neurosymbolic"]) - np.mean(by_condition["generative"])
    assert gap == pytest.approx(values(ReplayTruth(skips=0.0), sessions)["believability"], abs=0.15)


def test_flags_are_as_frequent_as_planted(planted):
    sessions, bundle = planted
    per_day = Counter(
        (row["session"], row["position"]) for row in bundle["flags"].rows() if not row["undone"]
    )
    condition = {
        (row["session"], row["position"]): row["condition"]
        for row in bundle["trials"].rows()
        if row["trial"] == "day"
    }
    count = Counter(row["stimulus"] for row in bundle["actions"].rows())
    of_day = {
        (row["session"], row["position"]): row["stimulus"]
        for row in bundle["trials"].rows()
        if row["trial"] == "day"
    }
    rates: dict[str, list[float]] = {"generative": [], "neurosymbolic": []}
    for day, name in condition.items():
        rates[name].append(100 * per_day[day] / count[of_day[day]])
    gap = np.mean(rates["neurosymbolic"]) - np.mean(rates["generative"])
    assert gap == pytest.approx(values(ReplayTruth(skips=0.0), sessions)["rate"], abs=0.9)


def test_effects_differ_between_people_as_planted(simulated):
    """Each person's log odds of flagging, ours minus baseline: their variance beyond that of
    counting is the planted one.
    """
    spreads = {}
    for sd in (0.0, 0.8):
        _, bundle = simulated(
            "replay",
            200,
            ReplayTruth(skips=0.0, undone=0.0, flag_logit=0.0, flag_effect=0.0, effect_sd=sd),
        )
        days = [row for row in bundle["trials"].rows() if row["trial"] == "day"]
        flags = Counter((row["session"], row["position"]) for row in bundle["flags"].rows())
        count = Counter(row["stimulus"] for row in bundle["actions"].rows())
        logits: dict[str, dict[str, float]] = {}
        for row in days:
            hits, total = flags[row["session"], row["position"]] + 0.5, count[row["stimulus"]] + 1
            logits.setdefault(row["session"], {})[row["condition"]] = math.log(
                hits / (total - hits)
            )
        differences = [
            own["neurosymbolic"] - own["generative"] for own in logits.values() if len(own) == 2
        ]
        spreads[sd] = float(np.var(differences))
    assert math.sqrt(spreads[0.8] - spreads[0.0]) == pytest.approx(0.8, abs=0.16)


def test_the_choice_follows_the_ratings_as_planted(planted):
    sessions, bundle = planted
    first = {
        row["session"]: row["condition"]
        for row in bundle["shown"].rows()
        if row["trial"] == "choice" and row["player"] == 0
    }
    chosen = [
        (row["value_text"] == "first") == (first[row["session"]] == "neurosymbolic")
        for row in bundle["answers"].rows()
        if row["question"] == "preference"
    ]
    assert np.mean(chosen) == pytest.approx(values(ReplayTruth(), sessions)["preference"], abs=0.06)


def test_adherence_is_missing_where_the_plan_was_never_open(planted):
    _, bundle = planted
    opened = {
        (row["session"], row["stimulus"]) for row in bundle["views"].rows() if row["what"] == "plan"
    }
    asked = {
        (row["session"], row["stimulus"])
        for row in bundle["answers"].rows()
        if row["question"] == "adherence"
    }
    assert asked == {day for day in opened if day[1] != "example"}


def test_what_was_jumped_over_is_not_flagged(simulated):
    _, bundle = simulated("replay", 40, ReplayTruth(skips=1.0, flag_logit=3.0, flag_effect=0.0))
    ends: dict[tuple[object, object], list[tuple[float, float]]] = {}
    for row in bundle["views"].rows():
        if row["what"] == "stimulus" and not str(row["stimulus"]).startswith("example"):
            ends.setdefault((row["session"], row["position"]), []).append(
                (row["from_ms"], row["to_ms"])
            )
    actions = {(row["stimulus"], row["action"]): row for row in bundle["actions"].rows()}
    for flag in bundle["flags"].rows():
        if flag["action"] is None:
            continue
        action = actions[flag["stimulus"], flag["action"]]
        watched = ends[flag["session"], flag["position"]]
        overlap = sum(
            max(0, min(b, action["to_ms"]) - max(a, action["from_ms"])) for a, b in watched
        )
        begins = any(a <= action["from_ms"] < b for a, b in watched)
        assert begins or overlap >= 0.49 * (action["to_ms"] - action["from_ms"])


def test_in_the_demonstration_what_is_wrong_stands_out(simulated):
    sessions, bundle = simulated("replay", 100, DEMONSTRATION)
    wrong = {
        (name, action) for name, own in sessions.pool.material.violations.items() for action in own
    }
    flagged = [
        (row["stimulus"], row["action"])
        for row in bundle["flags"].rows()
        if row["action"] is not None
    ]
    assert sum(action in wrong for action in flagged) > 0.4 * len(flagged)


def test_no_effect_means_none(simulated):
    sessions, _ = simulated("replay", 2, nothing())
    found = values(nothing(), sessions)
    differences = (found["believability"], found["rate"], found["log_odds"], found["preference"])
    assert differences == pytest.approx((0, 0, 0, 0.5), abs=1e-12)


def test_the_mean_of_rounded_ratings():
    drawn = np.random.default_rng(1).normal(4.3, 1.2, 400_000)
    assert mean_rating(4.3, 1.2) == pytest.approx(np.clip(np.rint(drawn), 1, 7).mean(), abs=0.01)


def test_a_viewer_at_a_browser_follows_the_same_truth(ready):
    study = ready("replay").study
    truth = ReplayTruth(reason=1.0, undone=0.0)
    log = tuple(SeenAction(f"a{n}", n * 1000, n * 1000 + 900) for n in range(40))
    days = {
        name: SeenStimulus(
            stimulus=next(s for s in study.stimuli if s.id == name),
            length_ms=40_000,
            log=log,
            opened=frozenset({"plan"}),
        )
        for name in ("character_1_a", "character_1_b")
    }
    flags = dict.fromkeys(days, 0)
    gaps = []
    for number in range(400):
        viewer = Viewer(truth, study, random.Random(number), careless=False)
        ratings = {}
        for name, day in days.items():
            acts = viewer.acts("flags", day)
            assert acts is not None
            flags[name] += sum(act.kind == "flag.add" for act in acts)
            assert all(act.data["reason"] for act in acts if act.kind == "flag.edit")
            ratings[name] = viewer.answer("believability", [day], ())
        gaps.append(ratings["character_1_b"] - ratings["character_1_a"])
        assert viewer.answer("preference", (), list(days.values())) in ("first", "second")
    assert np.mean(gaps) == pytest.approx(
        mean_rating(4.7, math.hypot(0.8, 0.8)) - mean_rating(4.0, math.hypot(0.8, 0.8)), abs=0.2
    )
    assert flags["character_1_b"] < 0.65 * flags["character_1_a"]


class NotedEvents:
    """A participant's browser that only keeps its events."""

    def __init__(self) -> None:
        self.page = SimpleNamespace(trial="day")
        self.events: list[tuple[str, dict[str, Any]]] = []

    def note(self, kind: str, **data: Any) -> None:
        self.events.append((kind, data))

    async def send(self) -> None:
        pass


def _watch_day(
    ready: Any, truth: ReplayTruth, number: int, monkeypatch: pytest.MonkeyPatch
) -> list[tuple[str, dict[str, Any]]]:
    study = ready("replay").study
    stimulus = next(s for s in study.stimuli if s.id == "character_1_a")
    log = tuple(SeenAction(f"a{n}", n * 10_000, n * 10_000 + 9_000) for n in range(400))
    day = SeenStimulus(stimulus=stimulus, length_ms=4_000_000, log=log)

    async def open_copy(*_: Any) -> Any:
        return SimpleNamespace(shown=day)

    monkeypatch.setattr(viewers, "_open_copy", open_copy)
    browser, rng = NotedEvents(), random.Random(number)
    trial = {
        "media": [{}],
        "controls": {"speed": 50, "seek": True},
        "annotate": {"kind": "flags", "params": {}},
        "overlay": {"plan": True, "log": True},
    }
    recogniser: Any = SimpleNamespace(recognise=lambda copies: [copy.shown for copy in copies])
    mind = Viewer(truth, study, random.Random(number), careless=False)
    pace = HastyPace(0)
    asyncio.run(viewers.watch(browser, pace, rng, trial, recogniser, mind))  # type: ignore[arg-type]
    return browser.events


def test_a_viewer_at_a_browser_jumps_and_opens_as_often_as_planted(ready, monkeypatch):
    for share in (0.0, 0.3):
        truth = ReplayTruth(skips=share, opens=share, flag_logit=-30.0)
        seen = [_watch_day(ready, truth, number, monkeypatch) for number in range(300)]
        jumps = [data for events in seen for kind, data in events if kind == "media.seek"]
        opened = sum(kind == "overlay.open" for events in seen for kind, _ in events)
        assert len(jumps) / 300 == pytest.approx(share, abs=0.08)
        assert opened / 600 == pytest.approx(share, abs=0.06)
        assert all(
            jump["to_ms"] - jump["from_ms"] == pytest.approx(GAP * 4_000_000, abs=1)
            for jump in jumps
        )


def test_a_viewer_at_a_browser_neither_watches_nor_flags_what_was_jumped_over(ready, monkeypatch):
    events = _watch_day(ready, ReplayTruth(skips=1.0, flag_logit=0.0, undone=0.0), 3, monkeypatch)
    (jump,) = (
        data for kind, data in events if kind == "media.seek" and data["to_ms"] > data["from_ms"]
    )
    added = [data for kind, data in events if kind == "flag.add"]
    lost = {
        f"a{n}"
        for n in range(400)
        if jump["from_ms"] <= n * 10_000 < n * 10_000 + 9_000 <= jump["to_ms"]
    }
    assert len(added) > 100
    assert len(lost) > 20
    assert not lost & {data["action"] for data in added}
    assert not any(jump["from_ms"] <= data["media_ms"] < jump["to_ms"] for data in added)
    # A press steps back one second of viewing: only that much of what was jumped over can come into
    # sight.
    watched = [
        (data["from_ms"], data["to_ms"]) for kind, data in events if kind == "media.interval"
    ]
    assert not any(
        from_ms < jump["to_ms"] - 50_000 and to_ms > jump["from_ms"] for from_ms, to_ms in watched
    )
    assert events[-1] == ("media.ended", {"media_ms": 4_000_000, "view": 1})

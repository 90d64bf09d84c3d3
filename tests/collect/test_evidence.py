"""The rule `sequential` while a study runs: weighed when a session closes, the same on any server
and in any order, and the end of recruiting.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from believable.collect.context import Refusal
from believable.collect.desk import Collect
from believable.collect.evidence import evidence_state
from believable.core.clock import VirtualClock
from believable.store import evidence, sessions, studies
from believable.store.clip_draws import draws_of
from believable.store.engine import Store
from believable.study.definition import Definition, Medium
from believable.study.evidence_state import EvidenceState
from believable.study.load import load

from .conftest import KEY, Person

pytestmark = pytest.mark.both_databases

STUDY = """\
believable: 1
title: Sequential
seed: 7
conditions: [human, bot]
stimuli:
  - {id: h1, file: h1.mp4, condition: human, scenario: one}
  - {id: b1, file: b1.mp4, condition: bot, scenario: one}
  - {id: h2, file: h2.mp4, condition: human, scenario: two}
  - {id: b2, file: b2.mp4, condition: bot, scenario: two}
timeline:
  - consent: {id: consent, text: Please agree., require: [adult, agree]}
  - block:
      id: trials
      over: scenario
      order: random
      each:
        - compare:
            id: pairs
            of: [{condition: human}, {condition: bot}]
            controls: {must_finish: false}
            ask: [{id: which, prompt: Which?, preference: {forced: true}}]
  - finish: {id: end}
analysis:
  protocol: hntt
  about: these clips
  stopping: STOPPING
"""
MEDIA = {
    name: Medium(digest=name[0] * 63 + name[1], bytes=10, duration_ms=1000, media_type="video/mp4")
    for name in ("h1", "b1", "h2", "b2")
}
Define = Callable[..., Definition]


@pytest.fixture
def define(tmp_path: Path) -> Define:
    def make(stopping: str = "{rule: sequential}") -> Definition:
        folder = tmp_path / "study"
        folder.mkdir(exist_ok=True)
        (folder / "study.yaml").write_text(STUDY.replace("STOPPING", stopping), encoding="utf-8")
        return load(folder, clock=VirtualClock()).with_media(MEDIA)

    return make


def take_part(desk: Collect, clock: VirtualClock, link: str, right: int) -> Person:
    """Somebody who chooses the human one in the first `right` trials."""
    person = begin(desk, clock, link)
    end(person, right)
    return person


def begin(desk: Collect, clock: VirtualClock, link: str) -> Person:
    token = desk.join(link, {}, "en", True, {}).now().token
    claimed = desk.claim(token).now()
    return Person(desk, clock, token, claimed, claimed.head, claimed.ack)


def end(person: Person, right: int) -> None:
    person.submit({"adult": True, "agree": True})
    for trial in range(2):
        view = person.desk.view(person.token).now()
        human = next(place for place, name in enumerate(view.trial.stimulus_ids) if name[0] == "h")
        side = human if trial < right else 1 - human
        person.submit({"which": ("first", "second")[side]})
    person.finish()


def state(desk: Collect, pool: str = "real") -> EvidenceState:
    def read(conn: Any) -> EvidenceState | None:
        definition = studies.get(conn, "s").definition
        return evidence_state(conn, desk.context, study="s", definition=definition, pool=pool)

    found = desk.store.read(read)
    assert found is not None
    return found


def test_a_complete_session_is_weighed_and_a_running_one_is_not(
    desk: Collect, clock: VirtualClock, define: Define
) -> None:
    link = desk.publish("s", define()).links["open"]
    take_part(desk, clock, link, right=1)
    person = begin(desk, clock, link)
    person.submit({"adult": True, "agree": True})
    (agent,) = state(desk).agents
    assert (agent.evidence.n, agent.evidence.mean.value) == (1, 0.5)


def test_finishing_twice_counts_once(desk: Collect, clock: VirtualClock, define: Define) -> None:
    person = take_part(desk, clock, desk.publish("s", define()).links["open"], right=2)
    person.finish()
    assert state(desk).judges == 1


def test_recruiting_closes_with_the_answer(
    desk: Collect, clock: VirtualClock, define: Define
) -> None:
    links = desk.publish("s", define()).links
    before = begin(desk, clock, links["open"])
    n = 0
    while not state(desk).is_stopped:
        take_part(desk, clock, links["open"], right=2)
        n += 1
    assert 5 <= n <= 12
    assert state(desk).words == "stop: distinguishable"
    with pytest.raises(Refusal) as refused:
        begin(desk, clock, links["open"])
    assert refused.value.code == "full"
    begin(desk, clock, links["preview"])
    begin(desk, clock, links["simulated"])
    end(before, right=0)  # who is inside may finish, and changes no answer
    after = state(desk)
    assert (after.judges, after.words) == (n + 1, "stop: distinguishable")


def test_the_largest_number_of_judges_closes_it_too(
    desk: Collect, clock: VirtualClock, define: Define
) -> None:
    link = desk.publish("s", define("{rule: sequential, n: 2}")).links["open"]
    for right in (0, 2):
        take_part(desk, clock, link, right)
    with pytest.raises(Refusal):
        begin(desk, clock, link)


def test_rehearsals_are_weighed_apart(desk: Collect, clock: VirtualClock, define: Define) -> None:
    links = desk.publish("s", define("{rule: sequential, n: 1}")).links
    take_part(desk, clock, links["simulated"], right=2)
    take_part(desk, clock, links["preview"], right=2)
    assert (state(desk).judges, state(desk, "simulated").judges) == (0, 1)
    with pytest.raises(Refusal):
        begin(desk, clock, links["simulated"])
    begin(desk, clock, links["open"])


def test_any_order_two_servers_and_restarts_give_the_same_bytes(
    desk: Collect, clock: VirtualClock, define: Define, empty_database_url: str, tmp_path: Path
) -> None:
    """One server sees all judges; two others, each stopped and started again after every judge,
    share them in another order.
    """
    rights = [2, 1, 0, 2, 1, 2, 2, 1, 0, 1]
    link = desk.publish("s", define("{rule: sequential, n: 50}")).links["open"]
    for right in rights:
        take_part(desk, clock, link, right)
    random.Random(3).shuffle(rights)
    for number, right in enumerate(rights):
        with Store.open(empty_database_url, clock=clock) as store:
            other = Collect(store, clock=clock, key=KEY, media_dir=tmp_path / f"media-{number % 2}")
            link = other.publish("s", define("{rule: sequential, n: 50}")).links["open"]
            take_part(other, clock, link, right)
            found = state(other)
    assert repr(found) == repr(state(desk))


def test_two_open_servers_weigh_what_the_other_closed(
    desk: Collect, clock: VirtualClock, define: Define, database_url: str, tmp_path: Path
) -> None:
    link = desk.publish("s", define("{rule: sequential, n: 3}")).links["open"]
    with Store.open(database_url, clock=clock) as store:
        other = Collect(store, clock=clock, key=KEY, media_dir=tmp_path / "other")
        for server in (desk, other, desk):
            take_part(server, clock, link, right=1)
        assert repr(state(desk)) == repr(state(other))
        for server in (desk, other):
            with pytest.raises(Refusal):
                begin(server, clock, link)


def test_exclusions_stay_in_the_rule_and_leave_the_second_line(
    desk: Collect, clock: VirtualClock, define: Define
) -> None:
    person = take_part(desk, clock, desk.publish("s", define()).links["open"], right=2)
    session = desk.view(person.token).now().session.id
    desk.store.write(lambda conn: sessions.change(conn, session, excluded=True))
    assert state(desk).judges == 1
    kept = desk.store.read(lambda conn: evidence.get_shares(conn, "s", "real", included_only=True))
    assert kept.judges == 0


def test_sessions_from_before_the_rule_count_once_it_is_declared(
    desk: Collect, clock: VirtualClock, define: Define
) -> None:
    links = desk.publish("s", define("{rule: complete, n: 50}")).links
    for right in (0, 1):
        take_part(desk, clock, links["simulated"], right)
    desk.publish("s", define())
    take_part(desk, clock, links["simulated"], right=2)
    stored = desk.store.read(lambda conn: evidence.get_shares(conn, "s", "simulated"))
    assert [float(share) for share in stored.by_agent["bot"]] == [0, 0.5, 1]


def test_who_withdraws_takes_the_share_along(
    desk: Collect, clock: VirtualClock, define: Define
) -> None:
    person = take_part(desk, clock, desk.publish("s", define()).links["open"], right=2)
    token = person.token
    session = desk.view(token).now().session
    desk.store.write(lambda conn: sessions.withdraw(conn, session, clock.now_ms()))
    assert state(desk).judges == 0


def test_a_rule_that_looks_at_nothing_stores_nothing(
    desk: Collect, clock: VirtualClock, define: Define
) -> None:
    take_part(desk, clock, desk.publish("s", define("{rule: complete, n: 9}")).links["open"], 2)
    assert desk.store.read(lambda conn: evidence.count_judges(conn, "s", "real")) == 0


STAR = """\
believable: 1
title: Star
seed: 7
conditions: [human, bot_a, bot_b]
arms: {agent: [bot_a, bot_b]}
stimuli:
  - {id: h1, file: h1.mp4, condition: human, scenario: one}
  - {id: a1, file: a1.mp4, condition: bot_a, scenario: one}
  - {id: b1, file: b1.mp4, condition: bot_b, scenario: one}
timeline:
  - consent: {id: consent, text: Please agree., require: [adult, agree]}
  - compare:
      id: pair_a
      skip_if: {arm: agent, is_not: bot_a}
      of: [{condition: human}, {condition: bot_a}]
      controls: {must_finish: false}
      ask: [{id: which, prompt: Which?, preference: {forced: true}}]
  - compare:
      id: pair_b
      skip_if: {arm: agent, is_not: bot_b}
      of: [{condition: human}, {condition: bot_b}]
      controls: {must_finish: false}
      ask: [{id: which, prompt: Which?, preference: {forced: true}}]
  - finish: {id: end}
analysis:
  protocol: hntt
  roles: {human: human, choice: which}
  about: these clips
  stopping: {rule: sequential, until: difference, assign: aimed}
"""


@pytest.fixture
def star(tmp_path: Path) -> Definition:
    folder = tmp_path / "star"
    folder.mkdir()
    (folder / "study.yaml").write_text(STAR, encoding="utf-8")
    names = ("h1", "a1", "b1")
    media = dict.fromkeys(names, MEDIA["h1"])
    return load(folder, clock=VirtualClock()).with_media(media)


def judge_star(person: Person, right: set[str]) -> str:
    """Right about the agents in `right`, wrong and right in turn about others."""
    agent = person.desk.view(person.token).now().session.arms["agent"]
    person.submit({"adult": True, "agree": True})
    view = person.desk.view(person.token).now()
    human = view.trial.stimulus_ids.index("h1")
    correct = agent in right or view.session.number % 2 == 0
    person.submit({"which": ("first", "second")[human if correct else 1 - human]})
    person.finish()
    return agent


def test_aimed_assignment_leaves_the_agent_that_has_its_answer(
    desk: Collect, clock: VirtualClock, star: Definition
) -> None:
    link = desk.publish("s", star).links["open"]
    before: list[str] = []
    while "bot_a" not in state(desk).decided_agents:
        before.append(judge_star(begin(desk, clock, link), {"bot_a"}))
    assert abs(before.count("bot_a") - before.count("bot_b")) <= 4, "spread until then"
    after = [judge_star(begin(desk, clock, link), {"bot_a"}) for _ in range(20)]
    assert after.count("bot_b") >= 15
    assert not state(desk).is_stopped


def test_the_probability_of_each_draw_is_stored(
    desk: Collect, clock: VirtualClock, star: Definition
) -> None:
    link = desk.publish("s", star).links["open"]
    tokens = [begin(desk, clock, link).token for _ in range(6)]
    ids = [desk.view(token).now().session.id for token in tokens]
    drawn = desk.store.read(lambda conn: evidence.get_draws(conn, ids))
    assert set(drawn) == set(ids)
    assert {round(probability, 9) for probability in drawn.values()} <= {0.5, 0.95, 0.05}


def test_many_who_join_on_two_servers_are_spread(
    desk: Collect, clock: VirtualClock, star: Definition, database_url: str, tmp_path: Path
) -> None:
    link = desk.publish("s", star).links["open"]
    with Store.open(database_url, clock=clock) as store:
        other = Collect(store, clock=clock, key=KEY, media_dir=tmp_path / "other")
        with ThreadPoolExecutor(8) as crowd:
            people = list(crowd.map(lambda n: begin((desk, other)[n % 2], clock, link), range(40)))
    arms = [desk.view(person.token).now().session.arms["agent"] for person in people]
    assert abs(arms.count("bot_a") - arms.count("bot_b")) <= 6  # even, but for the floor


LADDER = """\
believable: 1
title: Ladder
seed: 7
draw: pool
conditions: [human, bot_a, bot_b, bot_c]
stimuli:
STIMULI
timeline:
  - consent: {id: consent, text: Please agree., require: [adult, agree]}
  - block:
      id: trials
      over: pair
      order: random
      sample: 2
      each:
        - compare:
            id: pairs
            of: [{pair: first}, {pair: second}]
            controls: {must_finish: false}
            ask: [{id: which, prompt: Which?, preference: {forced: true}}]
  - finish: {id: end}
analysis:
  protocol: ladder
  roles: {people: human, choice: pairs.which}
  stopping: {rule: sequential, until: difference, assign: aimed, clip_sd: 0.02}
"""


@pytest.fixture
def ladder(tmp_path: Path) -> Definition:
    names = [
        (f"{condition}_{number}", condition, number)
        for condition in ("human", "bot_a", "bot_b", "bot_c")
        for number in range(4)
    ]
    stimuli = "\n".join(
        f"  - {{id: {name}, file: {name}.mp4, condition: {condition}, scenario: s{number}}}"
        for name, condition, number in names
    )
    folder = tmp_path / "ladder"
    folder.mkdir()
    (folder / "study.yaml").write_text(LADDER.replace("STIMULI", stimuli), encoding="utf-8")
    media = {name: MEDIA["h1"] for name, _, _ in names}
    return load(folder, clock=VirtualClock()).with_media(media)


def judge_ladder(person: Person) -> list[frozenset[str]]:
    """People always win against agents, and two agents in turn."""
    person.submit({"adult": True, "agree": True})
    pairs = []
    for _ in range(2):
        view = person.desk.view(person.token).now()
        shown = [name.rpartition("_")[0] for name in view.trial.stimulus_ids]
        best = shown.index("human") if "human" in shown else view.session.number % 2
        pairs.append(frozenset(shown))
        person.submit({"which": ("first", "second")[best]})
    person.finish()
    return pairs


def test_aimed_pairs_of_a_ladder_leave_those_that_have_their_answer(
    desk: Collect, clock: VirtualClock, ladder: Definition
) -> None:
    link = desk.publish("s", ladder).links["open"]
    seen: list[frozenset[str]] = []
    while sum("human" in pair for pair in state(desk).decided_agents) < 3:
        seen += judge_ladder(begin(desk, clock, link))
    assert state(desk).decided_agents >= {
        name for name in state(desk).design.names if "human" in name
    }
    counts = [seen.count(pair) for pair in set(seen)]
    assert len(counts) == 6
    after = [pair for _ in range(10) for pair in judge_ladder(begin(desk, clock, link))]
    assert sum("human" not in pair for pair in after) >= 15


def test_pairs_are_balanced_and_their_probability_is_stored(
    desk: Collect, clock: VirtualClock, ladder: Definition
) -> None:
    link = desk.publish("s", ladder).links["open"]
    ids = [desk.view(begin(desk, clock, link).token).now().session.id for _ in range(30)]
    drawn = desk.store.read(lambda conn: draws_of(conn, ids))
    pairs = [entry for own in drawn.values() for entry in own if entry.kind == "level"]
    assert len(pairs) == 60
    assert all(entry.probability is not None and 0 < entry.probability <= 1 for entry in pairs)
    counts = Counter(entry.name for entry in pairs)
    assert max(counts.values()) - min(counts.values()) <= 3  # even, but for the floor
    views = Counter(entry.name for own in drawn.values() for entry in own if entry.kind != "level")
    assert max(views.values()) - min(views.values()) <= 3

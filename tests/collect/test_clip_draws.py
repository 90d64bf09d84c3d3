"""Clips from pools: many people who join at once on several servers get different ones."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from believable.collect.desk import Collect
from believable.core.clock import VirtualClock
from believable.store import sessions, studies
from believable.store.clip_draws import count_views
from believable.store.engine import Store
from believable.store.sessions import POOLS
from believable.study.definition import Definition, Medium
from believable.study.load import load

pytestmark = pytest.mark.both_databases

WORKER = Path(__file__).parent / "joiner.py"
STUDY = """\
believable: 1
title: Pools
seed: 7
draw: {draw}
conditions: [human, agent]
stimuli:
  - {{pool: pools/human, condition: human, scenario: maze}}
  - {{pool: pools/agent, condition: agent, scenario: maze}}
timeline:
  - consent: {{text: Please agree.}}
  - block:
      id: trials
      repeat: 6
      each:
        - compare:
            id: pair
            of: [{{condition: human}}, {{condition: agent}}]
            ask: [{{id: which, prompt: Which?, preference: {{}}}}]
  - finish: {{}}
"""


@pytest.fixture
def make_pools(tmp_path: Path) -> Any:
    def make(draw: str, clips: int) -> Definition:
        folder = tmp_path / "pooled"
        for condition in ("human", "agent"):
            (folder / "pools" / condition).mkdir(parents=True)
            for number in range(clips):
                (folder / "pools" / condition / f"run-{number:03d}.mp4").touch()
        (folder / "study.yaml").write_text(STUDY.format(draw=draw), encoding="utf-8")
        definition = load(folder, clock=VirtualClock())
        media = {
            stimulus.id: Medium(
                digest=f"{number:064d}", bytes=10, duration_ms=6000, media_type="video/mp4"
            )
            for number, stimulus in enumerate(definition.study.stimuli)
        }
        return definition.with_media(media)

    return make


def clips_of(desk: Collect, token: str) -> list[str]:
    return [clip for page in desk.view(token).now().plan for clip in page.played_stimuli]


def join_at_once(database_url: str, link: str, servers: int, each: int) -> list[str]:
    workers = [
        subprocess.Popen(
            [sys.executable, str(WORKER), database_url, link, str(each)], stdout=subprocess.PIPE
        )
        for _ in range(servers)
    ]
    return [token for worker in workers for token in json.loads(worker.communicate(timeout=300)[0])]


@pytest.mark.parametrize("clips", [pytest.param(300, marks=pytest.mark.slow), 55])
def test_views_differ_by_one_at_most_after_200_joins_on_two_servers(
    desk: Collect, database_url: str, make_pools: Any, clips: int
) -> None:
    definition = make_pools("pool", clips)
    link = desk.publish("s", definition).links["open"]
    tokens = join_at_once(database_url, link, servers=2, each=100)
    assert len(set(tokens)) == 200
    views = Counter({stimulus.id: 0 for stimulus in definition.study.stimuli})
    for token in tokens:
        shown = clips_of(desk, token)
        assert len(set(shown)) == 12
        views.update(shown)
    assert sum(views.values()) == 2400
    assert max(views.values()) - min(views.values()) <= 1


def test_fresh_judges_share_no_clip_until_the_pool_is_used_up(
    desk: Collect, database_url: str, make_pools: Any
) -> None:
    link = desk.publish("s", make_pools("fresh", 120)).links["open"]
    tokens = join_at_once(database_url, link, servers=2, each=10)
    shown = [clip for token in tokens for clip in clips_of(desk, token)]
    assert len(shown) == len(set(shown)) == 240
    later = join_at_once(database_url, link, servers=1, each=3)
    again = Counter(clip for token in later for clip in clips_of(desk, token))
    assert set(again.values()) == {1}, "then each clip gets its second view"


@pytest.mark.parametrize(("draw", "kept"), [("pool", 0), ("fresh", 12)])
def test_clips_of_a_session_that_was_left_return_unless_every_judge_gets_fresh_ones(
    desk: Collect, clock: VirtualClock, make_pools: Any, enter: Any, draw: str, kept: int
) -> None:
    link = desk.publish("s", make_pools(draw, 30)).links["open"]
    person = enter(link)
    person.note("page.loaded")
    idle = desk.join(link, {}, "en", True).now()
    assert idle.token != person.token
    clock.advance(10 * 60 * 60_000)
    counted = desk.store.read(
        lambda conn: count_views(conn, "s", POOLS["real"], clock.now_ms(), fresh=draw == "fresh")
    )
    assert sum(counted.stimuli.values()) == kept, "an untouched session showed nothing"


def test_a_withdrawn_session_leaves_no_draw(desk: Collect, make_pools: Any, enter: Any) -> None:
    link = desk.publish("s", make_pools("pool", 30)).links["open"]
    token = enter(link).token
    session = desk.view(token).now().session
    desk.store.write(lambda conn: sessions.withdraw(conn, session, 5))
    left = desk.store.read(lambda conn: count_views(conn, "s", POOLS["real"], 0, fresh=True))
    assert not left.stimuli


def test_real_and_simulated_sessions_are_counted_apart(
    desk: Collect, clock: VirtualClock, make_pools: Any, enter: Any
) -> None:
    links = desk.publish("s", make_pools("pool", 30)).links
    enter(links["simulated"])
    now_ms = clock.now_ms()
    for pool, views in (("simulated", 12), ("real", 0)):
        counted = desk.store.read(
            partial(count_views, study="s", kinds=POOLS[pool], now_ms=now_ms, fresh=False)
        )
        assert sum(counted.stimuli.values()) == views


def test_judges_who_are_added_later_continue_the_same_study(
    database_url: str, clock: VirtualClock, make_pools: Any, tmp_path: Path
) -> None:
    """The study is closed, the server ends, another one opens it again: clips go on being fresh."""
    seen: list[str] = []
    numbers: list[int] = []
    definition = make_pools("fresh", 60)
    for state in ("closed", "open"):
        with Store.open(database_url, clock=clock) as store:
            desk = Collect(store, clock=clock, key=b"k" * 32, media_dir=tmp_path / "media")
            link = desk.publish("s", definition).links["open"]
            store.write(lambda conn: studies.set_state(conn, "s", "open"))
            for _ in range(5):
                token = desk.join(link, {}, "en", True).now().token
                seen += clips_of(desk, token)
                numbers.append(desk.view(token).now().session.number)
            store.write(partial(studies.set_state, study_id="s", state=state))
    assert len(seen) == len(set(seen)) == 120
    assert numbers == list(range(1, 11))

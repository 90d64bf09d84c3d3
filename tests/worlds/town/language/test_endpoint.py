"""An endpoint that dies, answers nonsense, says 429 or is slow: the run waits, goes on, counts; it
never invents an answer.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from believable.core.errors import InvalidInput
from believable.worlds.town.language.endpoint import EndpointModel, EndpointSettings, WaitNotice
from believable.worlds.town.language.model import (
    ChoiceForm,
    ModelRefused,
    ModelRequest,
    ModelUnavailable,
)
from believable.worlds.town.language.recorded_answers import AnswerBook, RememberingModel
from believable.worlds.town.language.spending import RateLimit, TokenPrices
from tests.worlds.town.language.endpoint_server import Reply, served
from tests.worlds.town.language.simple_models import ScriptedModel

REQUEST = ModelRequest(
    name="choose",
    prompt="Tea or coffee?",
    form=ChoiceForm(("tea", "coffee"), "morning"),
    seed=7,
    most_tokens=20,
)


class Waiting:
    """A clock that only waiting moves, and what was waited for."""

    def __init__(self) -> None:
        self.at_s = 0.0
        self.notices: list[WaitNotice] = []

    def sleep(self, seconds: float) -> None:
        self.at_s += seconds


def model_at(url: str, waiting: Waiting, **changes: object) -> EndpointModel:
    settings = replace(
        EndpointSettings(url=url, model="small", embedding_model="vectors"), **changes
    )  # type: ignore[arg-type]
    return EndpointModel(
        settings=settings,
        on_wait=waiting.notices.append,
        now_s=lambda: waiting.at_s,
        sleep=waiting.sleep,
    )


def test_a_request_carries_prompt_seed_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_KEY", "s3cret")
    with served([Reply(text="tea")]) as server:
        model = model_at(server.url, Waiting(), key_variable="LAB_KEY")
        assert model.answer(REQUEST).text == "tea"
        model.close()
    assert server.keys == ["Bearer s3cret"]
    request = server.requests[0]
    assert (request["path"], request["model"], request["seed"], request["max_tokens"]) == (
        "/v1/chat/completions",
        "small",
        7,
        20,
    )
    assert request["messages"][1] == {"role": "user", "content": "Tea or coffee?"}


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(429), "status 429"),
        (Reply(503), "status 503"),
        (Reply(500), "status 500"),
        (Reply(body=b"<html>down for repairs</html>"), "unreadable: JSONDecodeError"),
        (Reply(body=b'{"choices": []}'), "unreadable: IndexError"),
        (Reply(body=b'{"choices": [{"message": {"content": null}}]}'), "unreadable: TypeError"),
        (Reply(hang_up=True), "connection: RemoteProtocolError"),
    ],
)
def test_what_passes_is_waited_for_and_counted(reply: Reply, reason: str) -> None:
    waiting = Waiting()
    with served([reply, reply, Reply(text="coffee")]) as server:
        model = model_at(server.url, waiting)
        assert model.answer(REQUEST).text == "coffee"
        model.close()
    assert waiting.notices == [WaitNotice(reason, 1.0), WaitNotice(reason, 2.0)]
    assert model.usage.waits == {reason: 2}
    assert (model.usage.waited_s, model.usage.answers) == (3.0, 1)


@pytest.mark.parametrize("status", [400, 422])
def test_refused_parameters_are_renamed_or_left_out(status: int) -> None:
    newer = (
        '{"error": {"message": "Unsupported parameter: max_tokens. Use max_completion_tokens.",'
        ' "param": "max_tokens"}}'
    )
    replies = [
        Reply(status, body=newer.encode()),
        Reply(status, body=b"temperature does not support 0.7 with this model"),
        Reply(text="tea"),
    ]
    waiting = Waiting()
    with served(replies) as server:
        model = model_at(server.url, waiting)
        assert model.answer(REQUEST).text == "tea"
        assert model.answer(replace(REQUEST, prompt="And now?")).text == "tea"
        model.close()
    assert len(server.requests) == 4, "the second request is accepted at once"
    for request in server.requests[2:]:
        assert (request["max_completion_tokens"], request["seed"]) == (20, 7)
        assert not {"max_tokens", "temperature"} & set(request)
    assert model.usage.left_out == ["max_tokens", "temperature"]
    assert waiting.notices == []


def test_another_refusal_is_final() -> None:
    with served(
        [Reply(400, body=b'{"error": {"message": "no such model", "param": "model"}}')]
    ) as s:
        model = model_at(s.url, Waiting())
        with pytest.raises(ModelRefused, match="no such model"):
            model.answer(REQUEST)
        model.close()


def test_the_server_says_how_long_to_wait() -> None:
    waiting = Waiting()
    with served([Reply(429, headers=(("retry-after", "17"),)), Reply()]) as server:
        model = model_at(server.url, waiting)
        model.answer(REQUEST)
        model.close()
    assert [notice.seconds for notice in waiting.notices] == [17.0]


def test_a_slow_answer_is_waited_for_and_a_slower_one_asked_again() -> None:
    """As 30 s within a limit of 120 s, and beyond it, in hundredths."""
    waiting = Waiting()
    with served([Reply(delay_s=0.3, text="slow")]) as server:
        model = model_at(server.url, waiting, timeout_s=30)
        assert model.answer(REQUEST).text == "slow"
        model.close()
    assert waiting.notices == []
    with served([Reply(delay_s=1.5, text="too slow"), Reply(text="in time")]) as server:
        model = model_at(server.url, waiting, timeout_s=0.5)
        assert model.answer(REQUEST).text == "in time"
        model.close()
    assert [notice.reason for notice in waiting.notices] == ["no answer within 0.5 s"]


def test_patience_ends_without_an_answer() -> None:
    waiting = Waiting()
    with served([Reply(503)]) as server:
        model = model_at(server.url, waiting, patience_s=100, longest_wait_s=16)
        with pytest.raises(
            ModelUnavailable,
            match=r"status 503, for 95 s now\. Nothing was put in place of the answer",
        ):
            model.answer(REQUEST)
        model.close()
    assert [notice.seconds for notice in waiting.notices] == [1, 2, 4, 8, 16, 16, 16, 16, 16]
    assert model.usage.answers == 0


def test_a_dead_endpoint_stops_the_run_which_goes_on_later(tmp_path: Path) -> None:
    """Two answers, then the server is gone; with a new one the first two are not asked again."""
    requests = [replace(REQUEST, prompt=f"question {number}") for number in range(4)]
    waiting = Waiting()
    with served([Reply(text="a"), Reply(text="b")]) as server:
        port = int(server.url.split(":")[2].partition("/")[0])
        first = RememberingModel(
            AnswerBook(tmp_path / "answers.jsonl"), model_at(server.url, waiting, patience_s=5)
        )
        assert [first.answer(request).text for request in requests[:2]] == ["a", "b"]
    with pytest.raises(ModelUnavailable, match="connection: ConnectError"):
        first.answer(requests[2])
    first.close()
    with served([Reply(text="c"), Reply(text="d")], port=port) as server:
        second = RememberingModel(
            AnswerBook(tmp_path / "answers.jsonl"), model_at(server.url, waiting)
        )
        assert [second.answer(request).text for request in requests] == ["a", "b", "c", "d"]
        second.close()
    assert len(server.requests) == 2
    assert (second.usage.answers, second.usage.repeated, second.usage.tokens_in) == (4, 2, 400)


@pytest.mark.parametrize(
    ("status", "cure"), [(401, "OPENAI_API_KEY"), (404, "model's name, 'small'"), (400, "for good")]
)
def test_what_will_not_pass_is_refused_at_once(status: int, cure: str) -> None:
    waiting = Waiting()
    with served([Reply(status, body=b"no")]) as server:
        model = model_at(server.url, waiting)
        with pytest.raises(ModelRefused, match=cure):
            model.answer(REQUEST)
        model.close()
    assert waiting.notices == []


def test_the_money_is_counted_and_never_exceeded() -> None:
    prices = TokenPrices(million_in=2.0, million_out=10.0)  # 100 and 10 tokens: 0.0003 an answer
    with served([Reply(text="tea")]) as server:
        model = model_at(server.url, Waiting(), prices=prices, spend_limit=0.001)
        for _ in range(3):
            assert model.answer(REQUEST).cost == pytest.approx(0.0003)
        with pytest.raises(ModelRefused, match=r"spend limit: 0\.0009 of 0\.001 are spent"):
            model.answer(REQUEST)
        model.close()
    assert len(server.requests) == 3
    assert model.usage.cost == pytest.approx(0.0009)


def test_without_counts_the_worst_case_is_paid() -> None:
    body = b'{"choices": [{"message": {"content": "tea"}}]}'
    with served([Reply(body=body)]) as server:
        model = model_at(server.url, Waiting(), prices=TokenPrices(0, 10.0))
        answer = model.answer(REQUEST)
        model.close()
    assert (answer.tokens_in, answer.cost) == (None, pytest.approx(20 * 10 / 1e6))
    assert model.usage.answers_without_counts == 1


def test_requests_are_spread_over_the_minute() -> None:
    waiting = Waiting()
    rate = RateLimit(30, lambda: waiting.at_s, waiting.sleep)
    for _ in range(4):
        rate.wait()
    assert waiting.at_s == pytest.approx(6.0)


def test_vectors_come_in_the_order_of_the_texts() -> None:
    body = b'{"data": [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3, 0]}]}'
    with served([Reply(body=b'{"data": []}'), Reply(body=body)]) as server:
        model = model_at(server.url, Waiting())
        assert [vector.tolist() for vector in model.embed(["a", "b"])] == [[1, 0], [0, 1]]
        model.close()
    assert model.usage.waits == {"unreadable: ValueError": 1}
    assert server.requests[0]["input"] == ["a", "b"]


def test_an_endpoint_without_embeddings_needs_another_model() -> None:
    settings = EndpointSettings(url="http://127.0.0.1:9/v1", model="small")
    with pytest.raises(InvalidInput, match="believable town models"):
        EndpointModel(settings=settings)
    model = EndpointModel(settings=settings, sentences=ScriptedModel(lambda request: ""))
    assert len(model.embed(["a", "b"])) == 2
    assert model.name == "endpoint small t0.7 · scripted"
    model.close()


def test_the_server_of_the_tests_is_a_real_one() -> None:
    with served([Reply(418)]) as server:
        assert httpx.post(server.url, json={}).status_code == 418

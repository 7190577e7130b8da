"""Many questions in one request: one under way to each broker, and nobody is forgotten."""

import asyncio

import pytest

from penstock.coordinators.peer_batches import TOGETHER_MAX, PeerBatches
from penstock.errors import NetworkFailure
from penstock.model import BrokerId

ONE, TWO = BrokerId(1), BrokerId(2)


class Post:
    """Takes letters, and delivers when the test says so."""

    def __init__(self) -> None:
        self.sent: list[tuple[BrokerId, list[str]]] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.failure: Exception | None = None
        self.batches: PeerBatches[str, str] = PeerBatches(
            self.send, about=lambda question: question[0], spawn=asyncio.ensure_future
        )

    async def send(self, broker_id: BrokerId, questions: list[str]) -> list[str]:
        self.sent.append((broker_id, questions))
        await self.may_answer.wait()
        if self.failure is not None:
            raise self.failure
        return [question.upper() for question in questions]

    def ask(self, question: str, broker_id: BrokerId = ONE) -> "asyncio.Task[str]":
        return asyncio.ensure_future(self.batches.ask(broker_id, question))


async def turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_what_comes_while_one_is_under_way_leaves_together_afterwards() -> None:
    post = Post()
    post.may_answer.clear()
    asked = [post.ask("a")]
    await turns()
    asked += [post.ask("b"), post.ask("c"), post.ask("d", TWO)]
    await turns()
    assert post.sent == [(ONE, ["a"]), (TWO, ["d"])]
    post.may_answer.set()
    assert await asyncio.gather(*asked) == ["A", "B", "C", "D"]
    assert post.sent[2:] == [(ONE, ["b", "c"])]
    assert await post.ask("e") == "E"


async def test_two_questions_about_the_same_never_share_a_request() -> None:
    post = Post()
    post.may_answer.clear()
    asked = [post.ask("x")]
    await turns()
    asked += [post.ask(question) for question in ("a1", "b1", "a2")]
    await turns()
    post.may_answer.set()
    assert await asyncio.gather(*asked) == ["X", "A1", "B1", "A2"]
    assert [questions for _, questions in post.sent] == [["x"], ["a1", "b1"], ["a2"]]


async def test_whoever_has_gone_is_not_asked_for() -> None:
    post = Post()
    post.may_answer.clear()
    asked = [post.ask("a")]
    await turns()
    gone = post.ask("b")
    await turns()
    gone.cancel()
    await turns()
    post.may_answer.set()
    await asyncio.gather(*asked)
    await turns()
    assert post.sent == [(ONE, ["a"])]
    assert await post.ask("c") == "C"


async def test_a_request_has_an_end() -> None:
    post = Post()
    post.may_answer.clear()
    asked = [post.ask("x")]
    await turns()
    asked += [post.ask(chr(0x4E00 + number)) for number in range(TOGETHER_MAX + 5)]
    await turns()
    post.may_answer.set()
    await asyncio.gather(*asked)
    assert [len(questions) for _, questions in post.sent] == [1, TOGETHER_MAX, 5]


async def test_a_refusal_is_for_all_of_a_request_and_the_next_is_tried() -> None:
    post = Post()
    post.failure = NetworkFailure("gone")
    outcomes = await asyncio.gather(post.ask("a"), post.ask("b"), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [NetworkFailure, NetworkFailure]
    assert outcomes[0] is not outcomes[1]
    post.failure = None
    assert await post.ask("a") == "A"


async def test_a_bug_is_told_to_whoever_asked_and_ends_nothing_else() -> None:
    post = Post()
    post.failure = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError):
        await post.ask("a")
    post.failure = None
    assert await post.ask("b") == "B"


async def test_who_has_gone_is_not_asked_for() -> None:
    post = Post()
    post.may_answer.clear()
    first = post.ask("a")
    await turns()
    gone, stays = post.ask("b"), post.ask("c")
    await turns()
    gone.cancel()
    await turns()
    post.may_answer.set()
    assert (await first, await stays) == ("A", "C")
    assert post.sent[1] == (ONE, ["c"])

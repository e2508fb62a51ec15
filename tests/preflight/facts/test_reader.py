"""Facts: each request once, in parallel, with limits and a deadline; refusals stay refusals."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.preflight.facts.fact import Fact, Reading, answered, ask
from clusterwright.preflight.facts.reader import AwsFactReader

SESSION = AwsSession("us-east-1")


class Aws:
    """A stub session that counts requests, and how many are open at a time."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.open = 0
        self.most_open = 0
        self.delay_seconds = 0.0
        self._lock = threading.Lock()

    def answer(self, name: str) -> str:
        with self._lock:
            self.asked.append(name)
            self.open += 1
            self.most_open = max(self.most_open, self.open)
        time.sleep(self.delay_seconds)
        with self._lock:
            self.open -= 1
        if name == "denied":
            raise AwsUnavailable(
                service="ec2", operation="Op", region="us-east-1", reason="denied", detail="no"
            )
        if name == "odd":
            raise KeyError("Vpcs")
        return name.upper()


AWS = Aws()


@pytest.fixture(autouse=True)
def aws() -> Aws:
    AWS.__init__()  # type: ignore[misc]
    return AWS


def question(session: AwsSession, name: str) -> str:
    return AWS.answer(name)


@dataclass(frozen=True)
class One(Fact[str]):
    name: str
    actions: ClassVar = ("ec2:Op",)

    def read(self) -> Reading[str]:
        (value,) = yield [ask(question, self.name)]
        return str(answered(value))


@dataclass(frozen=True)
class Chain(Fact[tuple[str, ...]]):
    """Requests `first`, then all names at once."""

    first: str
    then: tuple[str, ...]
    actions: ClassVar = ("ec2:Op", "ec2:More")

    def read(self) -> Reading[tuple[str, ...]]:
        (first,) = yield [ask(question, self.first)]
        more = yield [ask(question, name) for name in self.then]
        return (answered(first), *map(answered, more))


def test_equal_calls_are_made_once(aws: Aws) -> None:
    reader = AwsFactReader(SESSION)
    values = reader.read([One("a"), One("a"), One("b"), Chain("a", ("b", "c"))])
    assert sorted(aws.asked) == ["a", "b", "c"]
    assert values[One("a")] == "A"
    assert values[Chain("a", ("b", "c"))] == ("A", "B", "C")
    assert reader.calls == 3
    assert reader.read([One("a")])[One("a")] == "A"
    assert sorted(aws.asked) == ["a", "b", "c"]


def test_calls_run_concurrently_within_the_pool_size(aws: Aws) -> None:
    aws.delay_seconds = 0.05
    AwsFactReader(SESSION, pool_size=8).read([One(str(n)) for n in range(16)])
    assert aws.most_open == 8


def test_waiting_facts_use_no_thread(aws: Aws) -> None:
    aws.delay_seconds = 0.01
    facts = [Chain(f"f{n}", (f"g{n}", f"h{n}")) for n in range(20)]
    values = AwsFactReader(SESSION, pool_size=1).read(facts)
    assert values[facts[19]] == ("F19", "G19", "H19")
    assert aws.most_open == 1


def test_wall_time_is_that_of_the_longest_chain(aws: Aws) -> None:
    aws.delay_seconds = 2.0
    started = time.perf_counter()
    AwsFactReader(SESSION).read([One("a"), One("b"), Chain("c", ("d", "e"))])
    assert time.perf_counter() - started < 9.0  # two in sequence, not five


def test_error_affects_only_its_fact() -> None:
    values = AwsFactReader(SESSION).read([One("denied"), One("a"), Chain("a", ("denied", "b"))])
    assert values[One("a")] == "A"
    for fact in (One("denied"), Chain("a", ("denied", "b"))):
        with pytest.raises(AwsUnavailable) as caught:
            values[fact]
        assert caught.value.reason == "denied"


def test_an_answer_in_an_unexpected_form_is_a_refusal() -> None:
    values = AwsFactReader(SESSION).read([One("odd"), One("a")])
    assert values[One("a")] == "A"
    with pytest.raises(AwsUnavailable) as caught:
        values[One("odd")]
    assert caught.value.reason == "other"
    assert "unexpected format: KeyError: 'Vpcs'" in caught.value.detail


def test_exception_in_a_fact_is_an_error() -> None:
    @dataclass(frozen=True)
    class Parses(Fact[int]):
        actions: ClassVar = ("ec2:Op",)

        def read(self) -> Reading[int]:
            (value,) = yield [ask(question, "a")]
            return int(answered(value))

    values = AwsFactReader(SESSION).read([Parses()])
    with pytest.raises(AwsUnavailable) as caught:
        values[Parses()]
    assert caught.value.iam_action == "ec2:Op"


def test_open_calls_time_out_at_the_deadline(aws: Aws) -> None:
    aws.delay_seconds = 2
    quick: Fact[Any] = Ready()
    started = time.perf_counter()
    reader = AwsFactReader(SESSION, deadline_seconds=0.05)
    values = reader.read([One("slow"), quick])
    assert time.perf_counter() - started < aws.delay_seconds - 0.2
    assert values[quick] == "ready"
    with pytest.raises(AwsUnavailable) as caught:
        values[One("slow")]
    assert (caught.value.reason, caught.value.iam_action) == ("timeout", "ec2:Op")
    assert "0.05 s" in caught.value.detail


@dataclass(frozen=True)
class Ready(Fact[str]):
    """A fact without requests."""

    actions: ClassVar = ("ec2:Op",)

    def read(self) -> Reading[str]:
        return "ready"
        yield []


def test_no_facts_make_no_calls(aws: Aws) -> None:
    reader = AwsFactReader(SESSION)
    reader.read([])
    assert (reader.calls, aws.asked) == (0, [])


def test_progress_is_reported_after_each_answer() -> None:
    told: list[tuple[int, int]] = []
    AwsFactReader(
        SESSION, pool_size=1, progress=lambda done, known: told.append((done, known))
    ).read([Chain("a", ("b", "c"))])
    assert told == [(1, 1), (2, 3), (3, 3)]


def test_waiting_for_calls_does_not_wait_for_answers() -> None:
    session, go_on = AwsSession("us-east-1"), threading.Event()

    def held(asked: AwsSession, name: str) -> str:
        asked._note_sending()
        go_on.wait(30)
        return name

    @dataclass(frozen=True)
    class Held(Fact[str]):
        name: str
        actions: ClassVar = ("ec2:Op",)

        def read(self) -> Reading[str]:
            (value,) = yield [ask(held, self.name)]
            return str(answered(value))

    reader, facts = AwsFactReader(session, pool_size=4), [Held(str(n)) for n in range(9)]
    found: list[Any] = []
    reading = threading.Thread(target=lambda: found.append(reader.read(facts)), daemon=True)
    reading.start()
    reader.until_asked(30)
    # Four are open and use the whole pool; five wait.
    assert reading.is_alive()
    assert reader._run is not None
    assert len(reader._run._answering) == 4
    go_on.set()
    reader.until_asked(30)
    reading.join(30)
    assert found[0][facts[8]] == "8"


def test_calls_that_never_start_do_not_block() -> None:
    AwsFactReader(SESSION).until_asked(0.0)
    reader = AwsFactReader(SESSION)
    reader.read([One("a")])
    reader.until_asked(60)

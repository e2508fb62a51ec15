"""Reading of facts: every request once, in parallel, with a deadline."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from clusterwright.aws.errors import AwsUnavailable, iam_action_of
from clusterwright.aws.session import AwsSession
from clusterwright.preflight.facts.fact import Ask, Fact, FactValues, Reading

POOL_SIZE: Final = 64
"""Number of threads: the connections that the session keeps for each service."""

DEADLINE_SECONDS: Final = 60.0
_LOOK_AGAIN_SECONDS: Final = 0.005


Progress = Callable[[int, int], None]
"""Called after each response with the numbers of responses and of known requests."""


class FactReader(Protocol):
    """Source of the values of facts: AWS, or a table in a test."""

    calls: int
    """Number of requests so far."""

    api_calls: int
    """Number of API calls, each page counted."""

    longest_chain: int
    """Longest chain of dependent calls, which no pool can shorten."""

    def read(self, facts: Iterable[Fact[Any]]) -> FactValues: ...

    def until_asked(self, timeout_seconds: float) -> None:
        """Wait, while another thread reads, until all independent requests have been sent."""


class AwsFactReader:
    """Reader of facts from AWS with a bounded pool of threads.

    A fact that waits for responses does not occupy a thread, so the pool cannot deadlock, and the
    wall time is that of the longest chain of dependent requests. Threads are daemons: a response
    after the deadline delays nothing, not even the end of the program.
    """

    def __init__(
        self,
        session: AwsSession,
        *,
        pool_size: int = POOL_SIZE,
        deadline_seconds: float = DEADLINE_SECONDS,
        progress: Progress | None = None,
    ) -> None:
        self._session = session
        self._pool_size = pool_size
        self._deadline_seconds = deadline_seconds
        self._progress = progress
        self._answers: dict[Ask, Any] = {}
        self._run: _Run | None = None
        self._read_all = threading.Event()
        self.calls = 0
        self.api_calls = 0
        self.longest_chain = 0

    def until_asked(self, timeout_seconds: float) -> None:
        """Wait, while another thread reads, until all independent requests have been sent.

        CPU-bound work is done after that, while responses are pending; earlier it would delay the
        requests.
        """
        deadline = time.monotonic() + timeout_seconds
        while time.monotonic() < deadline and not self._read_all.is_set():
            if self._run is not None and self._run.all_sent():
                return
            self._read_all.wait(_LOOK_AGAIN_SECONDS)

    def read(self, facts: Iterable[Fact[Any]]) -> FactValues:
        """Return each fact's value, or the AwsUnavailable with the reason."""
        self._read_all.clear()
        try:
            return self._read(tuple(dict.fromkeys(facts)))
        finally:
            self._read_all.set()

    def _read(self, wanted: tuple[Fact[Any], ...]) -> FactValues:
        try:
            self._session.require_credentials(service="sts", operation="GetCallerIdentity")
        except AwsUnavailable as refusal:
            return FactValues({fact: _instead(fact, refusal) for fact in wanted})
        run = self._run = _Run(self._session, self._pool_size, self._answers, self._progress)
        deadline = time.monotonic() + self._deadline_seconds
        values = run.read(wanted, deadline, self._deadline_seconds)
        self.calls += run.calls
        self.api_calls += sum(run.took.values())
        self.longest_chain += max(run.depths.values(), default=0)
        return FactValues(values)


@dataclass(eq=False)
class _Pending:
    """A fact that waits for responses."""

    fact: Fact[Any]
    reading: Reading[Any]
    asks: tuple[Ask, ...] = ()
    open: set[Ask] = field(default_factory=set)
    depth: int = 0
    """Number of sequential calls so far."""


class _Run:
    def __init__(
        self,
        session: AwsSession,
        pool_size: int,
        answers: dict[Ask, Any],
        progress: Progress | None,
    ) -> None:
        self._session = session
        self._pool_size = pool_size
        self._answers = answers
        self._progress = progress
        self._answered = 0
        self._todo: queue.SimpleQueue[Ask | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[Ask, Any]] = queue.SimpleQueue()
        self._waiting: dict[Ask, list[_Pending]] = {}
        self._values: dict[Fact[Any], Any] = {}
        self._answering: dict[Ask, int] = {}
        self._not_sent: dict[Ask, int] = {}
        self._gone = 0
        self._all_put = False
        self._threads = 0
        self.calls = 0
        self.took: dict[Ask, int] = {}
        self.depths: dict[Ask, int] = {}

    def read(
        self, facts: tuple[Fact[Any], ...], deadline: float, allowed_seconds: float
    ) -> dict[Fact[Any], Any]:
        # Facts that may yield more requests first: they have the longest chains.
        for fact in sorted(facts, key=lambda fact: -len(fact.actions)):
            pending = _Pending(fact, fact.read())
            self._advance(pending, None)
        self._all_put = True
        while self._waiting:
            try:
                ask, answer = self._done.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                self._give_up(allowed_seconds)
                break
            self._answers[ask] = answer
            self._answered += 1
            self.depths[ask] += self.took[ask]
            if self._progress is not None:
                self._progress(self._answered, self.calls)
            for pending in self._waiting.pop(ask, ()):
                pending.open.discard(ask)
                if not pending.open:
                    self._advance(pending, self._taken(pending))
        for _ in range(self._threads):
            self._todo.put(None)
        return self._values

    def all_sent(self) -> bool:
        """Return whether every request has been sent, or waits for a thread."""
        if not self._all_put:
            return False
        # Sent requests are checked only once, because this is called often.
        for ask, before in list(self._not_sent.items()):
            if ask in self.took or self._session.sent_times(self._answering[ask]) > before:
                del self._not_sent[ask]
                self._gone += 1
        return self._gone >= min(self.calls, self._pool_size)

    def _advance(self, pending: _Pending, answers: list[Any] | None) -> None:
        """Run a fact until it must wait again or is done."""
        while True:
            try:
                asks = pending.reading.send(answers)  # type: ignore[arg-type]
            except StopIteration as stop:
                self._values[pending.fact] = stop.value
                return
            except AwsUnavailable as refusal:
                self._values[pending.fact] = refusal
                return
            except Exception as error:  # noqa: BLE001
                # A response in an unexpected format is an error; the rules that need it become
                # unknown, the others continue.
                self._values[pending.fact] = _not_understood(pending.fact.actions[0], error)
                return
            pending.asks = tuple(asks)
            pending.open = {a for a in pending.asks if a not in self._answers}
            if pending.open:
                for ask in pending.open:
                    self._put(ask, pending)
                return
            answers = self._taken(pending)

    def _taken(self, pending: _Pending) -> list[Any]:
        depths = [self.depths.get(ask, 0) for ask in pending.asks]
        pending.depth = max([pending.depth, *depths])
        return [self._answers[ask] for ask in pending.asks]

    def _put(self, ask: Ask, pending: _Pending) -> None:
        if ask in self._waiting:
            self._waiting[ask].append(pending)
            return
        self._waiting[ask] = [pending]
        self.depths[ask] = pending.depth
        self.calls += 1
        self._todo.put(ask)
        if self._threads < min(self._pool_size, self.calls):
            self._threads += 1
            threading.Thread(target=self._work, name="clusterwright-facts", daemon=True).start()

    def _work(self) -> None:
        while (ask := self._todo.get()) is not None:
            thread = self._answering[ask] = threading.get_ident()
            before = self._session.asked_times(thread)
            self._not_sent[ask] = self._session.sent_times(thread)
            try:
                answer = ask.put(self._session)
            except AwsUnavailable as refusal:
                answer = refusal
            except Exception as error:  # noqa: BLE001 - a lost answer would hold the run up
                module = ask.function.__module__.rpartition(".")[2]
                answer = _not_understood(f"{module}:{ask.function.__name__}", error)
            self.took[ask] = self._session.asked_times(thread) - before
            self._done.put((ask, answer))

    def _give_up(self, allowed_seconds: float) -> None:
        for ask, pendings in self._waiting.items():
            thread = self._answering.get(ask)
            asked = self._session.asked_by(thread) if thread is not None else None
            for pending in pendings:
                action = pending.fact.actions[0]
                service, _, operation = action.partition(":")
                if asked is not None and iam_action_of(*asked) in pending.fact.actions:
                    service, operation = asked
                    action = iam_action_of(service, operation)
                self._values.setdefault(
                    pending.fact,
                    AwsUnavailable(
                        service=service,
                        operation=operation,
                        region=None,
                        reason="timeout",
                        detail=f"no response within {allowed_seconds:g} s in total",
                        iam_action=action,
                    ),
                )


def _instead(fact: Fact[Any], refusal: AwsUnavailable) -> AwsUnavailable:
    """Return the error of a request as the error of the fact's own request, which is then not
    sent.
    """
    service, _, operation = fact.actions[0].partition(":")
    return AwsUnavailable(
        service=service,
        operation=operation,
        region=refusal.region,
        reason=refusal.reason,
        detail=refusal.detail,
        iam_action=fact.actions[0],
    )


def _not_understood(action: str, error: Exception) -> AwsUnavailable:
    service, _, operation = action.partition(":")
    return AwsUnavailable(
        service=service,
        operation=operation,
        region=None,
        reason="other",
        detail=f"the response has an unexpected format: {type(error).__name__}: {error}",
        iam_action=action,
    )

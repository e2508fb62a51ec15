"""Name the bad node, or the bad path between two good nodes, in the fewest rounds. Pure.

Nodes are tested in disjoint pairs, in rounds. A test of two nodes cannot tell which of them is
bad, so two rounds are the least for one bad node: the second tests both nodes of the bad pair with
partners that were good. Only suspects and their partners are tested then: n + 4 node tests.

- A node is *cleared* by a good test.
- A node is bad after bad tests with two different partners that are cleared.
- Two cleared nodes whose pair was bad twice are a bad *path*; if it was good the second time, the
  first is not explained and reported as such.
- A hung test counts as a bad one. A node that stops during a test is lost; its partner is tested
  again with another.
- A test that did not start says nothing: both nodes are tried once more, with other partners.
- Without any good pair nothing can be concluded about single nodes. Of a few nodes all pairs are
  tested: then one node at most is good. Of more, after three rounds with different partners, every
  tested pair has a bad node, so the cause is common to all, or about half of them are bad.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

GOOD, BAD, HUNG, LOST = "good", "bad", "hung", "lost"
NOT_STARTED = "not-started"
TRIES = 2
"""Of a node whose tests do not start."""
FEW = 6
"""Up to so many nodes all pairs are tested, if none is good."""
ROUNDS_WITHOUT_A_GOOD_PAIR = 3
TESTS_OF_A_PATH = 2


@dataclass(frozen=True)
class Test:
    """The result of one pair. `lost` are nodes that stopped during it.

    `reason` says why it is not good, or did not start.
    """

    __test__ = False

    first: str
    second: str
    verdict: str
    value: Optional[float] = None
    lost: tuple[str, ...] = ()
    reason: str = ""

    @property
    def pair(self) -> frozenset[str]:
        return frozenset((self.first, self.second))


@dataclass(frozen=True)
class Suspect:
    """`kind` is node, path, lost, unexplained, or cluster for a cause common to all nodes."""

    kind: str
    names: tuple[str, ...]
    evidence: str


@dataclass(frozen=True)
class Conclusion:
    """`unknown` are nodes about which the tests say nothing; of `not_started` none ran."""

    suspects: tuple[Suspect, ...]
    cleared: tuple[str, ...]
    unknown: tuple[str, ...]
    not_started: tuple[str, ...] = ()


def next_round(nodes: Sequence[str], tests: Sequence[Test]) -> list[tuple[str, str]]:
    """The disjoint pairs to test next, from all results so far; empty if all is concluded.

    It depends on its arguments only: after a restart it gives the same pairs.
    """
    state = _State(nodes, tests)
    is_many = len(state.order) > FEW
    if is_many and not state.cleared and _rounds_done(state) >= ROUNDS_WITHOUT_A_GOOD_PAIR:
        return []
    pairs: list[tuple[str, str]] = []
    used = state.given_up()

    def take(first: str, second: str) -> None:
        pairs.append((first, second))
        used.update((first, second))

    for pair in state.paths_to_repeat():
        if not used & set(pair):
            take(*pair)
    waiting = [node for node in state.unresolved() if node not in used]
    suspects = [node for node in waiting if state.partners.get(node)]
    helpers = [node for node in state.order if node in state.cleared and node not in used]
    for node in suspects:
        helper = next((one for one in helpers if one not in state.tried[node]), None)
        if helper is not None:
            helpers.remove(helper)
            take(node, helper)
    rest = [node for node in waiting if node not in used]
    while rest:
        node = rest.pop(0)
        known = state.tried.get(node, set())
        other = next((one for one in rest if one not in known), None)
        if other is not None:
            rest.remove(other)
            take(node, other)
            continue
        helper = next((one for one in helpers if one not in known), None)
        if helper is not None:
            helpers.remove(helper)
            take(node, helper)
    return pairs


def conclude(nodes: Sequence[str], tests: Sequence[Test]) -> Conclusion:
    """What the results say; call it when `next_round` gives no more pairs, or at any time."""
    state = _State(nodes, tests)
    suspects = [Suspect("lost", (node,), "stopped during a test") for node in state.lost]
    if tests and not state.cleared and not state.bad:
        alive = tuple(node for node in state.order if node not in state.lost)
        tested = tuple(node for node in alive if node in state.tested)
        text = _common_cause(state, tested)
        if len(tested) > 2 and text is not None:
            text += state.reason_of(tested[0])
            suspects.append(Suspect("cluster", tested, text))
        return Conclusion(tuple(suspects), (), alive, state.not_started())
    for node in state.order:
        if node in state.bad:
            partners = sorted(state.bad_with(node))
            text = f"bad with {', '.join(partners)}{state.reason_of(node)}"
            suspects.append(Suspect("node", (node,), text))
    for pair, results in state.bad_pairs().items():
        first, second = sorted(pair, key=state.order.index)
        if pair & (state.bad | state.lost) or not pair <= state.cleared:
            continue
        bad = sum(result.verdict != GOOD for result in results)
        if len(results) < TESTS_OF_A_PATH:
            continue
        reason = _last_reason(results)
        if bad == len(results):
            text = f"bad {bad} times, both nodes are good with others{reason}"
            suspects.append(Suspect("path", (first, second), text))
        else:
            text = f"bad {bad} of {len(results)} times, both nodes are good with others{reason}"
            suspects.append(Suspect("unexplained", (first, second), text))
    cleared = tuple(node for node in state.order if node in state.cleared - state.bad)
    unknown = tuple(state.unresolved())
    return Conclusion(tuple(suspects), cleared, unknown, state.not_started())


def _common_cause(state: _State, tested: Sequence[str]) -> Optional[str]:
    """What it says that no pair is good; None if too few were tested."""
    count = len(tested)
    if all(len(state.partners[node] & set(tested)) == count - 1 for node in tested):
        return f"no pair of {count} nodes is good: the cause is common to all, or to all but one"
    if _rounds_done(state) >= ROUNDS_WITHOUT_A_GOOD_PAIR:
        text = "the cause is common to all, or to about half"
        return f"no tested pair of {count} nodes is good: {text}"
    return None


def optimum_rounds(bad_nodes: int) -> int:
    """The least rounds of disjoint pairs that name the bad nodes: 1 without any, else 2."""
    return 2 if bad_nodes else 1


class _State:
    """What the results say about each node."""

    def __init__(self, nodes: Iterable[str], tests: Sequence[Test]) -> None:
        self.order = list(dict.fromkeys(nodes))
        self.tests = [test for test in tests if test.pair <= set(self.order)]
        self.lost = {node for test in self.tests for node in test.lost}
        # A test in which a node stopped says nothing about the other.
        whole = [test for test in self.tests if not test.lost and test.verdict != LOST]
        self.counted = [test for test in whole if test.verdict != NOT_STARTED]
        self.idle = [test for test in whole if test.verdict == NOT_STARTED]
        self.partners = _partners(self.counted)
        self.tried = _partners(whole)
        self.tested = set(self.partners)
        good = {node for test in self.counted if test.verdict == GOOD for node in test.pair}
        self.cleared = good - self.lost
        self.bad = self._bad()
        self.cleared -= self.bad

    def bad_with(self, node: str) -> set[str]:
        return {
            other
            for test in self.counted
            if test.verdict != GOOD and node in test.pair
            for other in test.pair - {node}
        }

    def reason_of(self, node: str) -> str:
        """Why the node's last bad test was bad, as the end of a sentence."""
        return _last_reason([test for test in self.counted if node in test.pair])

    def bad_pairs(self) -> Mapping[frozenset[str], list[Test]]:
        """Pairs with a bad result, and all their results."""
        found: dict[frozenset[str], list[Test]] = {}
        for test in self.counted:
            found.setdefault(test.pair, []).append(test)
        return {
            pair: results
            for pair, results in found.items()
            if any(result.verdict != GOOD for result in results)
        }

    def paths_to_repeat(self) -> list[tuple[str, str]]:
        found = []
        for pair, results in self.bad_pairs().items():
            idle = any(test.pair == pair for test in self.idle)
            if pair <= self.cleared and len(results) < TESTS_OF_A_PATH and not idle:
                first, second = sorted(pair, key=self.order.index)
                found.append((first, second))
        return found

    def unresolved(self) -> list[str]:
        """Nodes that are neither cleared, bad nor lost."""
        known = self.cleared | self.bad | self.lost
        return [node for node in self.order if node not in known]

    def given_up(self) -> set[str]:
        """Nodes whose tests did not start with several partners."""
        return {node for node, others in _partners(self.idle).items() if len(others) >= TRIES}

    def not_started(self) -> tuple[str, ...]:
        """Nodes of which no test started."""
        tried = _partners(self.idle)
        return tuple(
            node for node in self.unresolved() if node in tried and node not in self.tested
        )

    def _bad(self) -> set[str]:
        """Nodes with bad tests with two cleared partners.

        A partner that is bad explains its test, and one cleared partner may have a bad path.
        """
        return {
            node
            for node in self.order
            if node not in self.lost and len(self.bad_with(node) & self.cleared) >= 2
        }


def _last_reason(tests: Sequence[Test]) -> str:
    """Why the last bad one was bad, as the end of a sentence."""
    reasons = [test.reason for test in tests if test.verdict != GOOD and test.reason]
    return f": {reasons[-1]}" if reasons else ""


def _partners(tests: Iterable[Test]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for test in tests:
        found.setdefault(test.first, set()).add(test.second)
        found.setdefault(test.second, set()).add(test.first)
    return found


def _rounds_done(state: _State) -> int:
    """The most tests of one node."""
    counts: dict[str, int] = {}
    for test in state.counted:
        for node in test.pair:
            counts[node] = counts.get(node, 0) + 1
    return max(counts.values(), default=0)

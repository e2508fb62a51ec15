"""The bad node is named, in the fewest rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from clusterwright_acceptance.pairs import (
    BAD,
    GOOD,
    HUNG,
    LOST,
    NOT_STARTED,
    Conclusion,
    Suspect,
    Test,
    conclude,
    next_round,
    optimum_rounds,
)
from hypothesis import given, settings
from hypothesis import strategies as st

Verdict = Callable[[str, str, int], Test]


def names(count: int) -> list[str]:
    return [f"n{number}" for number in range(count)]


def judge(bad: Sequence[str] = (), paths: Sequence[frozenset[str]] = ()) -> Verdict:
    def verdict(first: str, second: str, _: int) -> Test:
        is_bad = first in bad or second in bad or frozenset((first, second)) in paths
        return Test(first, second, BAD if is_bad else GOOD)

    return verdict


def search(nodes: list[str], verdict: Verdict) -> tuple[Conclusion, list[int]]:
    """The conclusion, and the pairs of each round."""
    tests: list[Test] = []
    rounds: list[int] = []
    while pairs := next_round(nodes, tests):
        used = [node for pair in pairs for node in pair]
        assert len(used) == len(set(used)), "pairs of a round are disjoint"
        assert pairs == next_round(nodes, list(tests)), "a restart gives the same pairs"
        tests += [verdict(first, second, len(rounds)) for first, second in pairs]
        rounds.append(len(pairs))
        assert len(rounds) <= len(nodes) + 2, "it ends"
    return conclude(nodes, tests), rounds


@given(st.integers(2, 128))
@settings(max_examples=40)
def test_healthy_nodes_take_one_round_or_two_with_an_odd_count(count: int) -> None:
    found, rounds = search(names(count), judge())
    assert found == Conclusion((), tuple(names(count)), ())
    assert len(rounds) == 1 + count % 2
    assert sum(rounds) == (count + 1) // 2


@given(st.integers(3, 128), st.data())
@settings(max_examples=150)
def test_one_bad_node_is_named(count: int, data: st.DataObject) -> None:
    nodes = names(count)
    bad = data.draw(st.sampled_from(nodes))
    found, rounds = search(nodes, judge([bad]))
    assert [(one.kind, one.names) for one in found.suspects] == [("node", (bad,))]
    assert set(found.cleared) == set(nodes) - {bad}
    assert found.unknown == ()
    # Four nodes at least are needed for two good partners at once.
    allowed = optimum_rounds(1) if count % 2 == 0 and count >= 4 else 3
    assert len(rounds) <= allowed
    if count % 2 == 0 and count >= 4:
        assert sum(rounds) == count // 2 + 2


@given(st.integers(5, 128), st.data())
@settings(max_examples=150)
def test_two_bad_nodes_are_named(count: int, data: st.DataObject) -> None:
    nodes = names(count)
    bad = data.draw(st.lists(st.sampled_from(nodes), min_size=2, max_size=2, unique=True))
    found, rounds = search(nodes, judge(bad))
    assert {one.names[0] for one in found.suspects} == set(bad)
    assert {one.kind for one in found.suspects} == {"node"}
    assert set(found.cleared) == set(nodes) - set(bad)
    assert len(rounds) <= 4


@given(st.integers(4, 128), st.data())
@settings(max_examples=100)
def test_bad_path_between_good_nodes_is_named(count: int, data: st.DataObject) -> None:
    nodes = names(count)
    # Only a pair that is tested can be found: that of the first round.
    first = data.draw(st.sampled_from(next_round(nodes, [])))
    found, rounds = search(nodes, judge(paths=[frozenset(first)]))
    assert [(one.kind, one.names) for one in found.suspects] == [("path", first)]
    assert found.suspects[0].evidence == "bad 2 times, both nodes are good with others"
    assert set(found.cleared) == set(nodes)
    assert len(rounds) <= 4


def test_good_node_between_a_bad_path_and_a_bad_node_is_not_accused() -> None:
    # No pair of the first round is good: n0-n1 is a bad path, and n2 is a bad node.
    found, _ = search(names(4), judge(["n2"], [frozenset(("n0", "n1"))]))
    assert [(one.kind, one.names) for one in found.suspects] == [
        ("node", ("n2",)),
        ("path", ("n0", "n1")),
    ]


@given(st.integers(4, 64), st.data())
@settings(max_examples=300)
def test_no_good_node_is_accused_beside_a_bad_path(count: int, data: st.DataObject) -> None:
    nodes = names(count)
    most = 1 if count < 6 else 3
    bad = data.draw(st.lists(st.sampled_from(nodes), max_size=most, unique=True))
    path = data.draw(st.lists(st.sampled_from(nodes), min_size=2, max_size=2, unique=True))
    found, rounds = search(nodes, judge(bad, [frozenset(path)]))
    named = {one.names[0] for one in found.suspects if one.kind == "node"}
    assert named <= set(bad)
    if count >= 8:
        assert named == set(bad)
    assert {one.names for one in found.suspects if one.kind == "path"} <= {
        tuple(sorted(path, key=nodes.index))
    }
    assert len(rounds) <= 6


def test_bad_pair_that_is_good_again_is_not_explained() -> None:
    def verdict(first: str, second: str, number: int) -> Test:
        return Test(first, second, BAD if (first, number) == ("n0", 0) else GOOD)

    found, _ = search(names(8), verdict)
    assert found.suspects == (
        Suspect("unexplained", ("n0", "n1"), "bad 1 of 2 times, both nodes are good with others"),
    )
    assert len(found.cleared) == 8


@given(st.integers(4, 64), st.data())
@settings(max_examples=80)
def test_hung_pairs_name_the_node(count: int, data: st.DataObject) -> None:
    nodes = names(count)
    bad = data.draw(st.sampled_from(nodes))

    def verdict(first: str, second: str, _: int) -> Test:
        return Test(first, second, HUNG if bad in (first, second) else GOOD)

    found, _ = search(nodes, verdict)
    assert [one.names for one in found.suspects] == [(bad,)]


@given(st.integers(4, 64), st.data())
@settings(max_examples=80)
def test_node_that_stops_is_lost_and_its_partner_tested_again(
    count: int, data: st.DataObject
) -> None:
    nodes = names(count)
    gone = data.draw(st.sampled_from(nodes))

    def verdict(first: str, second: str, _: int) -> Test:
        if gone in (first, second):
            return Test(first, second, LOST, lost=(gone,))
        return Test(first, second, GOOD)

    found, rounds = search(nodes, verdict)
    assert found.suspects == (Suspect("lost", (gone,), "stopped during a test"),)
    assert set(found.cleared) == set(nodes) - {gone}
    assert len(rounds) <= 3


@given(st.integers(4, 64), st.data())
@settings(max_examples=80)
def test_a_node_whose_tests_do_not_start_leaves_the_others_alone(
    count: int, data: st.DataObject
) -> None:
    nodes = names(count)
    busy = data.draw(st.sampled_from(nodes))
    bad = data.draw(st.sampled_from([None, *nodes]))

    def verdict(first: str, second: str, _: int) -> Test:
        if busy in (first, second):
            return Test(first, second, NOT_STARTED, reason="busy")
        return judge([] if bad is None else [bad])(first, second, 0)

    found, _ = search(nodes, verdict)
    assert found.not_started == (busy,)
    assert set(found.cleared) <= set(nodes) - {busy, bad}
    if bad in (None, busy) or count > 5:
        assert set(found.cleared) == set(nodes) - {busy, bad}


def test_nodes_of_which_no_test_starts_are_tried_twice() -> None:
    found, rounds = search(names(8), lambda first, second, _: Test(first, second, NOT_STARTED))
    assert found == Conclusion((), (), tuple(names(8)), tuple(names(8)))
    assert rounds == [4, 4]


def test_a_path_whose_second_test_does_not_start_is_not_named() -> None:
    def verdict(first: str, second: str, number: int) -> Test:
        words = {("n0", 0): BAD, ("n0", 2): NOT_STARTED}
        return Test(first, second, words.get((first, number), GOOD))

    found, _ = search(names(8), verdict)
    assert found == Conclusion((), tuple(names(8)), ())


def test_two_nodes_cannot_be_distinguished() -> None:
    found, rounds = search(names(2), judge(["n0"]))
    assert found == Conclusion((), (), ("n0", "n1"))
    assert rounds == [1]


@given(st.integers(3, 6), st.data())
@settings(max_examples=60)
def test_two_good_nodes_of_few_meet(count: int, data: st.DataObject) -> None:
    """Also where all others are bad: each node is named that has two good partners."""
    nodes = names(count)
    good = data.draw(st.lists(st.sampled_from(nodes), min_size=2, max_size=2, unique=True))
    bad = set(nodes) - set(good)
    found, _ = search(nodes, judge(sorted(bad)))
    assert set(found.cleared) == set(good)
    assert {(one.kind, one.names[0]) for one in found.suspects} == {("node", one) for one in bad}


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (3, "no pair of 3 nodes is good: the cause is common to all, or to all but one"),
        (6, "no pair of 6 nodes is good: the cause is common to all, or to all but one"),
        (7, "no tested pair of 7 nodes is good: the cause is common to all, or to about half"),
        (64, "no tested pair of 64 nodes is good: the cause is common to all, or to about half"),
    ],
)
def test_what_bad_pairs_alone_say_of_the_cause(count: int, text: str) -> None:
    nodes = names(count)
    found, _ = search(nodes, judge(nodes[1:]))
    assert [(one.kind, one.evidence) for one in found.suspects] == [("cluster", text)]


@pytest.mark.parametrize("count", [7, 32])
def test_cause_that_is_common_to_all_is_named_as_such(count: int) -> None:
    nodes = names(count)
    found, rounds = search(nodes, judge(nodes))
    (suspect,) = found.suspects
    assert (suspect.kind, suspect.names) == ("cluster", tuple(nodes))
    assert found.unknown == tuple(nodes)
    assert len(rounds) <= 3


def test_node_that_is_bad_with_two_good_ones_is_bad_although_it_was_good_once() -> None:
    tests = [
        Test("n0", "n1", BAD), Test("n2", "n3", GOOD), Test("n4", "n5", GOOD),
        Test("n0", "n2", GOOD), Test("n1", "n4", GOOD), Test("n0", "n5", BAD),
    ]  # fmt: skip
    assert conclude(names(6), tests).suspects == (Suspect("node", ("n0",), "bad with n1, n5"),)


def test_evidence_of_a_path_has_the_figure_of_its_last_bad_test() -> None:
    tests = [
        Test("n0", "n1", BAD, 1.0, reason="1 GB/s, the floor is 40 GB/s"),
        Test("n2", "n3", GOOD, 50.0),
        Test("n0", "n2", GOOD, 50.0),
        Test("n1", "n3", GOOD, 50.0),
        Test("n0", "n1", BAD, 2.0, reason="2 GB/s, the floor is 40 GB/s"),
    ]
    text = "bad 2 times, both nodes are good with others: 2 GB/s, the floor is 40 GB/s"
    assert conclude(names(4), tests).suspects == (Suspect("path", ("n0", "n1"), text),)
    again = [*tests[:-1], Test("n0", "n1", GOOD, 50.0)]
    text = "bad 1 of 2 times, both nodes are good with others: 1 GB/s, the floor is 40 GB/s"
    assert conclude(names(4), again).suspects == (Suspect("unexplained", ("n0", "n1"), text),)


def test_results_of_other_nodes_are_not_used() -> None:
    found = conclude(names(2), [Test("n0", "x", BAD), Test("n0", "n1", GOOD)])
    assert found == Conclusion((), ("n0", "n1"), ())


@given(st.integers(2, 40), st.data())
@settings(max_examples=150)
def test_any_results_end_and_never_clear_a_node_without_a_good_test(
    count: int, data: st.DataObject
) -> None:
    nodes = names(count)
    good: set[str] = set()

    def verdict(first: str, second: str, _: int) -> Test:
        word = data.draw(st.sampled_from([GOOD, BAD, HUNG, NOT_STARTED]))
        if word == GOOD:
            good.update((first, second))
        return Test(first, second, word)

    found, _ = search(nodes, verdict)
    assert set(found.cleared) <= good
    named = {name for one in found.suspects if one.kind == "node" for name in one.names}
    assert not named & set(found.cleared)
    assert set(found.cleared) | named | set(found.unknown) == set(nodes)

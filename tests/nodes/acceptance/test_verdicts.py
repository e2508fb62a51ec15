"""The verdict of a node, with waivers."""

from __future__ import annotations

import pytest
from clusterwright_acceptance.outcome import Outcome, failed, hung, passed, skipped, unknown
from clusterwright_acceptance.verdicts import NodeVerdict, Waiver, decide, waivers_of

TODAY = "2026-11-23"


def verdict(*waivers: Waiver, **outcomes: Outcome) -> NodeVerdict:
    return decide(outcomes, "workers-1", TODAY, waivers)


def test_all_passed_is_accepted() -> None:
    found = verdict(a=passed(), b=skipped("no GPUs"))
    assert (found.verdict, found.reason, found.action) == ("accepted", "", "none")


def test_the_most_severe_failure_is_the_reason() -> None:
    found = verdict(a=failed("slow", "reboot"), b=failed("gone", "replace"), c=unknown("?"))
    assert found == NodeVerdict("rejected", "b: gone; 1 more", "replace", found.outcomes)


def test_hung_check_rejects() -> None:
    found = verdict(a=hung("dcgmi", 900.0))
    assert found.reason == "a: dcgmi did not end within 900 s"
    assert (found.verdict, found.action) == ("rejected", "reboot")


def test_failure_without_an_action_is_reported() -> None:
    assert verdict(a=Outcome("fail", "why")).action == "report"


def test_unknown_does_not_open() -> None:
    found = verdict(a=passed(), b=unknown("no tool"))
    assert (found.verdict, found.reason) == ("unknown", "b: no tool")


def test_check_that_has_not_run_is_unknown() -> None:
    found = decide({"a": passed()}, "workers-1", TODAY, (), ("a", "b"))
    assert (found.verdict, found.reason) == ("unknown", "b has not run")
    assert decide({}, "workers-1", TODAY).reason == "no check ran on this node"
    assert verdict(a=skipped("no")).verdict == "unknown"


@pytest.mark.parametrize("outcome", [failed("slow", "replace"), unknown("slow")])
def test_waiver_accepts_until_its_day(outcome: Outcome) -> None:
    waiver = Waiver("a", "known cable", TODAY)
    found = verdict(waiver, a=outcome)
    assert (found.verdict, found.action) == ("accepted", "none")
    assert found.outcomes["a"].verdict == "waived"
    assert "waived until 2026-11-23: known cable" in found.outcomes["a"].reason
    expired = verdict(Waiver("a", "known cable", "2026-11-22"), a=outcome)
    assert expired.verdict != "accepted"
    assert expired.reason == "a: slow (its waiver expired 2026-11-22)"


def test_waiver_covers_only_its_check_and_nodes() -> None:
    slow = failed("slow", "replace")
    assert verdict(Waiver("b", "why", TODAY), a=slow).verdict == "rejected"
    assert verdict(Waiver("a", "why", TODAY, ("workers-2",)), a=slow).verdict == "rejected"
    assert verdict(Waiver("a", "why", TODAY, ("workers-1",)), a=slow).verdict == "accepted"
    # The later of two counts.
    both = (Waiver("a", "old", "2026-01-01"), Waiver("a", "new", "2027-01-01"))
    assert verdict(*both, a=slow).verdict == "accepted"


def test_waiver_does_not_change_a_pass() -> None:
    assert verdict(Waiver("a", "why", TODAY), a=passed()).outcomes["a"].verdict == "pass"


def test_waivers_of_the_input() -> None:
    row = {"check": "a", "reason": "why", "expires": TODAY, "nodes": ["workers-1"]}
    # One that is not valid waives nothing.
    assert waivers_of([row, {"check": "a"}]) == [Waiver("a", "why", TODAY, ("workers-1",))]


def test_waiver_covers_a_node_of_kubernetes_by_its_first_label() -> None:
    waiver = Waiver("xid", "agreed with the vendor", "2027-01-31", ("ip-10-0-0-5",))
    assert waiver.covers("xid", "ip-10-0-0-5.ec2.internal")
    assert not waiver.covers("xid", "ip-10-0-0-50.ec2.internal")

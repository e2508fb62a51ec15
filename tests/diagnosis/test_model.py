"""Exit codes of a diagnosis, and names of nodes in evidence."""

from __future__ import annotations

from clusterwright.diagnosis.model import Diagnosis, NotRead
from tests.diagnosis.made import findings, item


def test_exit_code_prefers_a_finding_to_what_is_unknown() -> None:
    found = findings(item("scheduler-node", "Not responding", node="w-1"))
    unread = (NotRead("the stacks", "denied"),)
    assert Diagnosis(found, (), unread).exit_code == 1
    assert Diagnosis((), (), unread).exit_code == 2
    assert Diagnosis((), ("stacks",), ()).exit_code == 0


def test_information_does_not_change_the_exit_code() -> None:
    spare = item("reservation", "in the reservation clusterwright_spares_workers", node="w-1")
    found = findings(spare)
    assert [finding.severity for finding in found] == ["info"]
    assert Diagnosis(found, (), ()).exit_code == 0
    assert Diagnosis(found, (), (NotRead("the stacks", "denied"),)).exit_code == 2
    both = findings(spare, item("scheduler-node", "Not responding", node="w-1"))
    assert [finding.severity for finding in both] == ["error", "info"]
    assert Diagnosis(both, (), ()).exit_code == 1


def test_evidence_gets_the_name_of_its_instance() -> None:
    names = {"i-1": "workers-1"}
    assert item("log", "x", instance="i-1").about(names).node == "workers-1"
    assert item("log", "x", instance="i-2").about(names).node == ""
    assert item("log", "x", instance="i-1", node="n").about(names).node == "n"

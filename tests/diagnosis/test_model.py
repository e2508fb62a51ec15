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


def test_evidence_gets_the_name_of_its_instance() -> None:
    names = {"i-1": "workers-1"}
    assert item("log", "x", instance="i-1").about(names).node == "workers-1"
    assert item("log", "x", instance="i-2").about(names).node == ""
    assert item("log", "x", instance="i-1", node="n").about(names).node == "n"

"""Which evidence concerns a deployment, a node or a job."""

from __future__ import annotations

import dataclasses
import datetime as dt

from clusterwright.diagnosis.model import Target
from clusterwright.diagnosis.targets import concerning, known_nodes
from tests.diagnosis.made import NOW, item

NAMES = {"i-1": "w-1"}
EVIDENCE = (
    item("stack-event", "s", stack="prod-x"),
    item("node-status", "n", instance="i-1"),
    item("scheduler-node", "d", node="w-2"),
    item("job", "j", job="9", fields={"nodes": "w-2"}),
)


def about(subject: str, name: str = "") -> list[str]:
    target = Target(subject, name)  # type: ignore[arg-type]
    return [e.text for e in concerning(EVIDENCE, target, NAMES, None)]


def test_subjects() -> None:
    assert about("deploy") == ["s", "n"]
    assert about("node", "w-1") == about("node", "i-1") == ["n"]
    assert about("job", "9") == ["j", "d"]
    assert [e.node for e in concerning(EVIDENCE, Target(), NAMES, None)][1] == "w-1"


def test_what_happened_on_a_node_after_the_job_is_left_out() -> None:
    job = dataclasses.replace(item("job", "j", job="9", fields={"nodes": "w-2"}), time=NOW)
    late = dataclasses.replace(EVIDENCE[2], time=NOW + dt.timedelta(hours=1))
    assert [e.text for e in concerning((job, late), Target("job", "9"), {}, None)] == ["j"]
    again = {"running": [{"id": 9, "nodes": "w-2"}]}
    found = concerning((job, late), Target("job", "9"), {}, again)
    assert [e.text for e in found] == ["j", "d"], "it was requeued and runs again"


def test_known_nodes_have_names_and_instances() -> None:
    assert known_nodes(NAMES, EVIDENCE) == {"i-1", "w-1", "w-2"}

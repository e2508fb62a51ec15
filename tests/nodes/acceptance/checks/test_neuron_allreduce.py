"""All-reduce over the Neuron cores of a node."""

from __future__ import annotations

import json

import pytest
from clusterwright_acceptance import running
from clusterwright_acceptance.checks.neuron_allreduce import REPORT, SIZE_BYTES

from tests.nodes.acceptance.fake_node import Node


def nccom(node: Node, busbw: float | None, code: int = 0) -> None:
    node.expect(instance_type="trn1.32xlarge", kind="neuron")
    (node.root / "run").mkdir(exist_ok=True)
    row = {"size(B)": SIZE_BYTES, "busbw(GB/s)": busbw}
    text = "" if busbw is None else json.dumps({"results": [row]})
    node.command("nccom-test", f"cat > {node.root}{REPORT} <<'E'\n{text}\nE\nexit {code}")


def test_figure_is_read_from_the_report(node: Node) -> None:
    nccom(node, 60.0)
    found = node.look("neuron-allreduce")
    assert (found.verdict, found.value, found.unit) == ("unknown", 60.0, "GB/s")
    assert found.facts == {"ranks": 32}
    node.expect(floors={"neuron-allreduce": 70.0})
    assert node.look("neuron-allreduce").verdict == "fail"


def test_failing_and_silent_runs_are_no_pass(node: Node) -> None:
    nccom(node, None, code=1)
    assert node.look("neuron-allreduce").reason == "nccom-test: exit code 1"
    nccom(node, 60.0, code=1)
    assert node.look("neuron-allreduce").verdict == "fail"
    nccom(node, None)
    with pytest.raises(running.Unreadable):
        node.look("neuron-allreduce")

"""All-reduce in one node."""

from __future__ import annotations

import pytest
from clusterwright_acceptance import running

from tests.nodes.acceptance.fake_node import Node

ROW = (
    "17179869184    4294967296     float     sum      -1"
    "    62000  277.1   {}      {}    62000  277.1   {}      {}"
)


def output(busbw: float, wrong: int = 0) -> str:
    return (
        f"{ROW.format(busbw, wrong, busbw, wrong)}\n# Out of bounds values : 0 OK\n"
        f"# Avg bus bandwidth    : {busbw}\n"
    )


def test_fast_node_passes(node: Node) -> None:
    node.command(
        "all_reduce_perf", f"echo \"$@\" > {node.root}/asked; cat <<'E'\n{output(476.0)}\nE"
    )
    found = node.look("nvlink-allreduce")
    assert (found.verdict, found.value, found.unit) == ("pass", 476.0, "GB/s")
    assert found.floor == pytest.approx(452.2)
    assert (node.root / "asked").read_text() == "-b 16384M -e 16384M -f 2 -g 8 -c 1 -n 20 -w 5\n"


def test_slow_node_fails(node: Node) -> None:
    node.prints("all_reduce_perf", output(400.0))
    found = node.look("nvlink-allreduce")
    assert (found.verdict, found.action) == ("fail", "reboot")
    assert found.reason == "400 GB/s, the floor is 452.2 GB/s"


def test_wrong_values_and_failing_runs_fail(node: Node) -> None:
    node.prints("all_reduce_perf", output(476.0, wrong=2))
    assert node.look("nvlink-allreduce").reason == "4 wrong values"
    node.prints("all_reduce_perf", output(476.0), 1)
    assert node.look("nvlink-allreduce").reason == "all_reduce_perf exited 1"
    node.prints("all_reduce_perf", "Test NCCL failure common.cu:1279 'unhandled cuda error'", 3)
    assert "Test NCCL failure" in node.look("nvlink-allreduce").reason


def test_unfinished_and_missing_runs_are_no_pass(node: Node) -> None:
    node.prints("all_reduce_perf", output(476.0).split("# Out")[0])
    with pytest.raises(running.Unreadable):
        node.look("nvlink-allreduce")
    node.without("all_reduce_perf")
    with pytest.raises(running.Missing):
        node.look("nvlink-allreduce")


def test_without_a_floor_it_is_unknown_with_the_figure(node: Node) -> None:
    node.expect(instance_type="p6-b200.48xlarge")
    text = output(600.0).replace("17179869184", str(4096 * 2**20))
    node.prints("all_reduce_perf", text)
    found = node.look("nvlink-allreduce")
    assert (found.verdict, found.value) == ("unknown", 600.0)

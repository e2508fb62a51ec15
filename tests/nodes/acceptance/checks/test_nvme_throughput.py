"""Throughput of the scratch disks."""

from __future__ import annotations

import json

import pytest
from clusterwright_acceptance import running
from clusterwright_acceptance.checks import nvme_throughput

from tests.nodes.acceptance.fake_node import Node


def fio(node: Node, write: float, read: float, error: int = 0) -> None:
    job = {"error": error, "write": {"bw_bytes": write * 1e6}, "read": {"bw_bytes": read * 1e6}}
    node.expect(scratch_path="/opt/dlami/nvme")
    node.write("/opt/dlami/nvme/.clusterwright-acceptance.fio", "x")
    node.prints("fio", "fio: some warning\n" + json.dumps({"jobs": [job]}))


def test_the_slower_direction_counts_and_the_file_is_deleted(node: Node) -> None:
    fio(node, 9000, 14000)
    found = node.look("nvme-throughput")
    assert (found.verdict, found.value, found.unit) == ("unknown", 9000.0, "MB/s")
    assert list((node.root / "opt/dlami/nvme").iterdir()) == []
    node.expect(floors={"nvme-throughput": 9500.0})
    assert node.look("nvme-throughput").verdict == "fail"


def test_errors_and_strange_output_are_no_pass(node: Node) -> None:
    fio(node, 9000, 9000, error=28)
    with pytest.raises(running.Unreadable, match="fio reports error 28"):
        node.look("nvme-throughput")
    node.prints("fio", "strange")
    with pytest.raises(running.Unreadable):
        node.look("nvme-throughput")


def test_it_applies_with_a_scratch_file_system(node: Node) -> None:
    assert nvme_throughput.applies(node.expected) == "the group has no scratch file system"
    node.expect(scratch_path="/scratch")
    assert nvme_throughput.applies(node.expected) is None

"""NVLink: links and error counters."""

from __future__ import annotations

import pytest
from clusterwright_acceptance import running
from clusterwright_acceptance.checks import nvlink

from tests.nodes.acceptance.fake_node import Node, nvlink_errors, nvlink_status


def test_all_links_pass(node: Node) -> None:
    found = node.look("nvlink")
    assert (found.verdict, found.value, found.floor) == ("pass", 144.0, 144.0)


def test_inactive_links_fail(node: Node) -> None:
    node.nvlinks(nvlink_status(((3, 5), (3, 6))))
    found = node.look("nvlink")
    assert (found.verdict, found.action) == ("fail", "reboot")
    assert found.reason == "GPU 3 link 5 is inactive; 1 more"
    node.nvlinks(nvlink_status(((3, 5), (4, 6))))
    assert node.look("nvlink").action == "replace"


def test_links_that_are_not_listed_fail(node: Node) -> None:
    lines = nvlink_status().splitlines()
    node.nvlinks("\n".join(lines[:-1]) + "\n")
    assert node.look("nvlink").reason == "GPU 7 has 17 links, others 18"
    node.nvlinks("\n".join(line for line in lines if line.startswith("GPU")) + "\n")
    assert node.look("nvlink").reason == "no NVLink is active on any GPU"


def test_error_counters_fail(node: Node) -> None:
    node.nvlinks(errors=nvlink_errors(((2, 0, "CRC", 3), (2, 1, "Replay", 1))))
    assert node.look("nvlink").reason == "GPU 2 link 0: 3 crc errors; 1 more"


def test_types_without_nvlink_are_left_out(node: Node) -> None:
    assert nvlink.applies(node.expected) is None
    node.expect(instance_type="g5.12xlarge")
    assert nvlink.applies(node.expected) == "the type's GPUs have no NVLink"
    node.expect(instance_type="p99.48xlarge")
    node.nvlinks("\n")
    with pytest.raises(running.Unreadable):
        node.look("nvlink")

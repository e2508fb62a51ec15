"""Copies between host and GPUs."""

from __future__ import annotations

import pytest
from clusterwright_acceptance import running

from tests.nodes.acceptance.fake_node import Node


def bandwidths(node: Node, *values: float) -> None:
    cells = "".join(f"{value:10.2f}" for value in values)
    columns = "".join(f"{index:10d}" for index in range(len(values)))
    node.command(
        "nvbandwidth",
        f"cat <<E\nRunning $2.\nmemcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n"
        f"  {columns}\n 0{cells}\n\nSUM $2 {sum(values):.2f}\nE",
    )


def test_the_slowest_gpu_counts(node: Node) -> None:
    bandwidths(node, *[55.2] * 7, 52.4)
    found = node.look("host-copy")
    assert (found.verdict, found.value, found.floor) == ("pass", 52.4, 52.0)
    bandwidths(node, *[55.2] * 7, 26.1)
    found = node.look("host-copy")
    assert found.reason == "GPU 7, device_to_host_memcpy_ce: 26.1 GB/s, the floor is 52 GB/s"


def test_missing_gpu_and_strange_output_are_no_pass(node: Node) -> None:
    bandwidths(node, *[55.2] * 7)
    with pytest.raises(running.Unreadable, match="nvbandwidth shows 7 GPUs"):
        node.look("host-copy")
    node.prints("nvbandwidth", "strange")
    with pytest.raises(running.Unreadable):
        node.look("host-copy")

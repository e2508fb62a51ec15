"""Copies within the GPUs' memory."""

from __future__ import annotations

from tests.nodes.acceptance.fake_node import Node


def test_figure_without_a_floor_is_unknown(node: Node) -> None:
    cells = " ".join(["1450.12"] * 7 + ["1401.50"])
    node.prints("nvbandwidth", f"memcpy local GPU(column) bandwidth (GB/s)\n 0 {cells}\n")
    found = node.look("hbm-copy")
    assert (found.verdict, found.value, found.unit) == ("unknown", 1401.5, "GB/s")
    node.expect(floors={"hbm-copy": 1400.0})
    assert node.look("hbm-copy").verdict == "pass"
    node.expect(floors={"hbm-copy": 1402.0})
    assert node.look("hbm-copy").reason.startswith("GPU 7, device_local_copy: 1402 GB/s")

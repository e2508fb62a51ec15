"""GPUs: memory errors, lanes, heat."""

from __future__ import annotations

import pytest
from clusterwright_acceptance import running

from tests.nodes.acceptance.fake_node import Node, health_row


def test_healthy_gpus_pass(node: Node) -> None:
    found = node.look("gpu-health")
    assert (found.verdict, found.value, found.unit) == ("pass", 31.0, "°C")


@pytest.mark.parametrize(
    ("row", "reason", "action"),
    [
        (health_row(7, errors="4"), "GPU 7: 4 uncorrected memory errors", "replace"),
        (health_row(7, width="8"), "GPU 7: 8 of 16 PCIe lanes", "reboot"),
        (health_row(7, heat="88"), "GPU 7: 88 °C", "replace"),
        (health_row(7, slow="Active"), "GPU 7 is throttled by its hardware", "replace"),
    ],
)
def test_sick_gpu_fails(node: Node, row: str, reason: str, action: str) -> None:
    node.nvidia_smi(health="\n".join([health_row(index) for index in range(7)] + [row]))
    found = node.look("gpu-health")
    assert (found.verdict, found.reason, found.action) == ("fail", reason, action)


@pytest.mark.parametrize(
    ("row", "reason", "action"),
    [
        ("00000000:53:00.0, 0, 1", "GPU 00000000:53:00.0: a row could not be remapped", "replace"),
        (
            "00000000:53:00.0, Yes, No",
            "GPU 00000000:53:00.0: a row remapping is pending",
            "reboot",
        ),
    ],
)
def test_remapped_rows_fail(node: Node, row: str, reason: str, action: str) -> None:
    node.nvidia_smi(remapped=row)
    found = node.look("gpu-health")
    assert (found.verdict, found.reason, found.action) == ("fail", reason, action)


def test_unsupported_values_are_no_failure(node: Node) -> None:
    row = health_row(0, errors="[N/A]", width="[N/A]", heat="[N/A]", slow="[N/A]")
    node.nvidia_smi(health=row, remapped="[Not Supported]")
    assert node.look("gpu-health").verdict == "pass"


def test_strange_output_is_no_pass(node: Node) -> None:
    node.nvidia_smi(health="1, 2")
    with pytest.raises(running.Unreadable):
        node.look("gpu-health")

"""GPUs: number, model and memory of the type."""

from __future__ import annotations

import pytest
from clusterwright_acceptance import running
from clusterwright_acceptance.checks import gpu_count

from tests.nodes.acceptance.fake_node import MODEL, Node, gpu_row


def test_the_types_gpus_pass(node: Node) -> None:
    found = node.look("gpu-count")
    assert (found.verdict, found.value, found.floor, found.unit) == ("pass", 8.0, 8.0, "GPUs")
    assert found.facts == {"gpu_model": MODEL}


@pytest.mark.parametrize(
    ("rows", "reason", "action"),
    [
        ([gpu_row(index) for index in range(7)], "7 GPUs, p5.48xlarge has 8", "replace"),
        ([gpu_row(index) for index in range(9)], "9 GPUs, p5.48xlarge has 8", "report"),
        (
            [gpu_row(index) for index in range(7)] + [gpu_row(7, "NVIDIA H200")],
            f"GPUs of several models: {MODEL}, NVIDIA H200",
            "replace",
        ),
        (
            [gpu_row(index) for index in range(7)] + [gpu_row(7, mib=65536)],
            "GPU 7 (00000000:C3:00.0) has 64.0 GiB, the type 80 GiB",
            "replace",
        ),
    ],
)
def test_anything_else_fails(node: Node, rows: list[str], reason: str, action: str) -> None:
    node.nvidia_smi("\n".join(rows))
    found = node.look("gpu-count")
    assert (found.verdict, found.reason, found.action) == ("fail", reason, action)


def test_memory_that_cannot_be_read_fails(node: Node) -> None:
    rows = [gpu_row(index) for index in range(8)]
    rows[3] = rows[3].replace("81559", "[Unknown Error]")
    node.nvidia_smi("\n".join(rows))
    assert "GPU 3" in node.look("gpu-count").reason


def test_failing_nvidia_smi_fails(node: Node) -> None:
    text = "Unable to determine the device handle for GPU0: 0000:53:00.0: Unknown Error"
    node.nvidia_smi(text, code=15)
    assert node.look("gpu-count").action == "replace"
    node.nvidia_smi("NVIDIA-SMI has failed because it couldn't communicate", code=9)
    assert node.look("gpu-count").action == "reboot"


def test_missing_hanging_and_strange_programs_are_no_pass(node: Node) -> None:
    node.nvidia_smi("strange output")
    with pytest.raises(running.Unreadable):
        node.look("gpu-count")
    node.hangs("nvidia-smi")
    with pytest.raises(running.Hung):
        node.look("gpu-count", seconds=0.5)
    node.without("nvidia-smi")
    with pytest.raises(running.Missing):
        node.look("gpu-count")


def test_type_without_a_known_count_is_unknown(node: Node) -> None:
    node.expect(instance_type="p99.48xlarge")
    assert node.look("gpu-count").verdict == "unknown"


def test_it_applies_to_nvidia_only(node: Node) -> None:
    assert gpu_count.applies(node.expected) is None
    node.expect(kind="neuron")
    assert gpu_count.applies(node.expected) == "the type has no NVIDIA GPUs"

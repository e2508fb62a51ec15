"""CW-J070: Nodes have the devices that a pod requests."""

from __future__ import annotations

from typing import Any

import pytest

from tests.jobs.made_manifests import (
    HOPPER,
    HYPERPOD,
    SPEC,
    SYSTEM,
    WHOLE,
    fails,
    passes,
    pod,
    pytorch_job,
)


@pytest.mark.parametrize(
    ("limits", "most"),
    [
        ({"nvidia.com/gpu": 16}, 8),
        ({"nvidia.com/gpu": "9"}, 8),
        ({"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 64}, 32),
        ({"aws.amazon.com/neuron": 16}, 0),
        ({"nvidia.com/mig-1g.10gb": 1}, 0),
    ],
)
def test_more_than_a_node_has(limits: dict[str, object], most: int) -> None:
    found = fails("CW-J070", pytorch_job(pod(limits)))
    assert found.limit == most


def test_more_than_the_selected_nodes_have() -> None:
    selected = pod(nodeSelector={"clusterwright.dev/group": "system"})
    found = fails("CW-J070", pytorch_job(selected))
    assert found.message == "the pod requests 8 nvidia.com/gpu, a node of system has none"
    assert found.position is not None
    assert '"nvidia.com/gpu": 8' in found.position.source_line


@pytest.mark.parametrize(
    "limits",
    [
        None,
        {"nvidia.com/gpu": "$GPUS"},
        {"nvidia.com/gpu": 0},
        {"nvidia.com/gpu.shared": 40},
        {"example.com/device": 1},
        {"cpu": "190", "memory": "1900Gi"},
        {"cpu": "$CPUS", "memory": "9 TB"},
    ],
)
def test_what_a_node_has_or_users_install(limits: dict[str, object] | None) -> None:
    passes("CW-J070", pytorch_job(pod(limits)))


def first(gpus: int, **more: Any) -> dict[str, Any]:
    """An init container."""
    return {"name": "first", "resources": {"limits": {"nvidia.com/gpu": gpus}}, **more}


@pytest.mark.parametrize(
    ("containers", "number"),
    [
        ([first(16)], 16),
        ([first(1, restartPolicy="Always")], 9),
        ([first(4, restartPolicy="Always"), first(8)], 12),
    ],
)
def test_init_containers_request_devices(containers: list[Any], number: int) -> None:
    """They run before the others, beside those that are restarted always."""
    found = fails("CW-J070", pytorch_job(pod(initContainers=containers)))
    assert found.requested == number


def test_init_containers_have_the_devices_in_turn() -> None:
    passes("CW-J070", pytorch_job(pod(initContainers=[first(8), first(8)])))
    beside = [first(8), first(1, restartPolicy="Always")]
    passes("CW-J070", pytorch_job(pod({"nvidia.com/gpu": 7}, initContainers=beside)))


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"cpu": 192}, "the pod requests 192 CPUs, and a node has 192, of which the kubelet"),
        ({"memory": "2Ti"}, "the pod requests 2,199,023,255,552 bytes of memory, and a node has"),
    ],
)
def test_the_kubelet_reserves_a_part_of_a_node(limits: dict[str, Any], message: str) -> None:
    selected = pod(limits, nodeSelector={"clusterwright.dev/group": "hopper"})
    assert fails("CW-J070", pytorch_job(selected)).message.startswith(message)


def test_storage_of_a_node_is_that_of_its_root_volume_or_its_own_disks() -> None:
    text = pytorch_job(pod({**WHOLE, "ephemeral-storage": "500Gi"}))
    found = fails("CW-J070", text)
    assert found.limit == 200 * 1024**3
    disks = {**SPEC, "compute": [SYSTEM, {**HOPPER, "scratch": {}}]}
    passes("CW-J070", text, disks)
    fails("CW-J070", text.replace("500Gi", "90Ti"), disks)
    passes("CW-J070", pytorch_job(pod({**WHOLE, "ephemeral-storage": "100Gi"})))
    passes("CW-J070", text.replace("500Gi", "90Ti"), HYPERPOD)

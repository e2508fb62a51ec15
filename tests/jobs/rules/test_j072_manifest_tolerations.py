"""CW-J072: Pods tolerate the taints of the nodes that they need."""

from __future__ import annotations

from typing import Any

import pytest

from tests.jobs.made_manifests import (
    HOPPER,
    SPEC,
    SYSTEM,
    TAINTED,
    fails,
    in_list,
    passes,
    pod,
    pytorch_job,
)

QUEUED = {"labels": {"kueue.x-k8s.io/queue-name": "jobs"}}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}]},
        {"tolerations": [{"key": "dedicated", "operator": "Exists", "effect": "NoExecute"}]},
        {"tolerations": [{"key": "dedicated", "value": "cpu", "effect": "NoSchedule"}]},
        {"tolerations": [{"key": "dedicated"}]},
        {"tolerations": []},
        {"tolerations": None},
    ],
)
def test_only_tainted_nodes_fit(more: dict[str, Any]) -> None:
    found = fails("CW-J072", pytorch_job(pod(**more)), TAINTED)
    assert found.message.startswith("the pod does not tolerate dedicated=gpu:NoSchedule of hopper")


@pytest.mark.parametrize(
    "toleration",
    [
        {"operator": "Exists"},
        {"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "dedicated", "value": "gpu"},
        {"key": "$KEY", "value": "gpu"},
        {"key": "dedicated", "operator": "$OPERATOR"},
        "$TOLERATION",
    ],
)
def test_tolerated(toleration: object) -> None:
    passes("CW-J072", pytorch_job(pod(tolerations=[toleration])), TAINTED)


def test_other_nodes_fit_or_a_controller_adds_tolerations() -> None:
    passes("CW-J072", pytorch_job(pod({"cpu": "1"})), TAINTED)
    passes("CW-J072", pytorch_job(pod({"habana.ai/gaudi": 8})), TAINTED)
    passes("CW-J072", pytorch_job(pod(), **QUEUED), TAINTED)
    passes("CW-J072", in_list(pytorch_job(pod(), **QUEUED)), TAINTED)
    passes("CW-J072", pytorch_job(pod(tolerations="$TOLERATIONS")), TAINTED)
    own = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    spec = {**SPEC, "compute": [SYSTEM, {**HOPPER, "taints": [own]}]}
    passes("CW-J072", pytorch_job(pod()), spec)
    spec = {**SPEC, "compute": [SYSTEM, {**HOPPER, "taints": [{**own, "effect": "NoExecute"}]}]}
    fails("CW-J072", pytorch_job(pod()), spec)

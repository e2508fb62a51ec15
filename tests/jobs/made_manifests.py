"""Manifests and clusters with Kubernetes for the tests of rules on manifests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.jobs import engine
from clusterwright.jobs.manifest_file import read_manifests
from clusterwright.jobs.manifests import Manifests
from clusterwright.jobs.registry import rules_for_manifests
from clusterwright.preflight.results import CheckResult, Finding
from tests.jobs.made import loaded

SYSTEM = {"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2}
HOPPER: dict[str, Any] = {
    "name": "hopper",
    "role": "compute",
    "instance_type": "p5.48xlarge",
    "count": 8,
}
SPEC: dict[str, Any] = {
    "environment": "test",
    "account": "111122223333",
    "region": "us-east-1",
    "platform": "eks",
    "network": {
        "availability_zone_id": "use1-az6",
        "second_availability_zone_id": "use1-az4",
        "egress": "nat",
    },
    "compute": [SYSTEM, HOPPER],
}
HYPERPOD = {**SPEC, "platform": "hyperpod-eks"}
DEDICATED = {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}
TAINTED = {**SPEC, "compute": [SYSTEM, {**HOPPER, "taints": [DEDICATED]}]}

MEMORY = {"volumes": [{"name": "shm", "emptyDir": {"medium": "Memory"}}]}
MOUNT = [{"name": "shm", "mountPath": "/dev/shm"}]
WHOLE = {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}


def pod(limits: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """A pod with shared memory that requests a whole node, or other limits."""
    container = {
        "name": "pytorch",
        "image": "pytorch",
        "resources": {"limits": WHOLE if limits is None else limits},
        "volumeMounts": MOUNT,
    }
    return {"containers": [container], **MEMORY, **more}


def pytorch_job(spec: Mapping[str, Any], replicas: Any = 2, **metadata: Any) -> str:
    """A PyTorchJob of workers."""
    worker = {"replicas": replicas, "template": {"spec": spec}}
    return json.dumps(
        {
            "apiVersion": "kubeflow.org/v1",
            "kind": "PyTorchJob",
            "metadata": {"name": "train", **metadata},
            "spec": {
                "runPolicy": {"cleanPodPolicy": "Running", "backoffLimit": 3},
                "pytorchReplicaSpecs": {"Worker": worker},
            },
        },
        indent=1,
    )


def in_list(*manifests: str) -> str:
    """A List of the manifests."""
    items = [json.loads(text) for text in manifests]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=1)


def check(text: str, spec: Mapping[str, Any] = SPEC) -> CheckResult:
    """The result of every rule on manifests."""
    subject = Manifests(read_manifests(text, "job.yaml"), loaded(dict(spec)), load_catalog())
    result = engine.run(rules_for_manifests(), subject)
    assert not result.crashed, result.crashed
    return result


def fails(rule: str, text: str, spec: Mapping[str, Any] = SPEC) -> Finding:
    """The first finding of a rule."""
    result = check(text, spec)
    found = [finding for finding in result.findings if finding.rule == rule]
    assert found, f"{rule} finds nothing; found: {[f.message for f in result.findings]}"
    return found[0]


def passes(rule: str, text: str, spec: Mapping[str, Any] = SPEC) -> None:
    """Assert that a rule finds nothing."""
    result = check(text, spec)
    assert [f.message for f in result.findings if f.rule == rule] == []
    assert rule in {found.rule for found in result.rules}

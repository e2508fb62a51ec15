"""CW-J091: Groups of an autoscaled Ray cluster state their CPUs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.jobs.made_manifests import fails, passes

HEAD: dict[str, Any] = {"limits": {"cpu": 2}}


def ray(
    resources: dict[str, Any], *, scaled: bool = True, job: bool = False, parameters: Any = ()
) -> str:
    """A RayCluster, or a RayJob, with a group of workers."""

    def group(own: dict[str, Any]) -> dict[str, Any]:
        container = {"name": "ray", "image": "ray", "resources": own}
        return {"rayStartParams": {}, "template": {"spec": {"containers": [container]}}}

    workers = {"groupName": "workers", **group(resources), "rayStartParams": dict(parameters)}
    spec: dict[str, Any] = {"headGroupSpec": group(HEAD), "workerGroupSpecs": [workers]}
    if scaled:
        spec["enableInTreeAutoscaling"] = True
    spec = {"rayClusterSpec": spec} if job else spec
    kind = "RayJob" if job else "RayCluster"
    named = {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "ray"}}
    return json.dumps({**named, "spec": spec})


@pytest.mark.parametrize("job", [False, True])
def test_a_group_without_cpus(job: bool) -> None:
    found = fails("CW-J091", ray({"limits": {"memory": "4Gi"}}, job=job))
    assert found.severity == "error"
    assert found.message.startswith("the group workers has no CPU limit or request")


def test_a_request_is_not_read_by_every_version() -> None:
    assert fails("CW-J091", ray({"requests": {"cpu": 2}})).severity == "warning"


def test_groups_with_cpus() -> None:
    passes("CW-J091", ray({"limits": {"cpu": 2}}))
    passes("CW-J091", ray({}, parameters={"num-cpus": "2"}))
    passes("CW-J091", ray({}, scaled=False))

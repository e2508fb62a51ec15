"""Elastic and checkpointless jobs: settings of the operator, the launcher and the library."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms.kubernetes.jobs import job_manifests
from tests.platforms.kubernetes import validator
from tests.platforms.kubernetes.conftest import Load
from tests.platforms.kubernetes.specs import HYPERPOD
from tests.support.rich_specs import changed

JOB = "kubernetes__workloads__jobs__0"
COMMAND = ["hyperpodrun", "--inprocess-restart", "train.py"]


def job(load: Load, **changes: Any) -> dict[str, Any]:
    spec = changed(HYPERPOD, **{f"{JOB}__{key}": value for key, value in changes.items()})
    manifest = next(iter(job_manifests(load(spec), load_catalog())))
    assert validator.errors(manifest, "1.35") == []
    found: dict[str, Any] = manifest["spec"]
    return found


def test_elastic_job_has_its_policy(load: Load) -> None:
    elastic = {"min_nodes": 2, "step": 3, "graceful_shutdown_seconds": 600}
    elastic |= {"scale_up_delay_seconds": 60, "fault_wait_seconds": 30}
    assert job(load, elastic=elastic)["elasticPolicy"] == {
        "minReplicas": 2,
        "maxReplicas": 8,
        "replicaIncrementStep": 3,
        "gracefulShutdownTimeoutInSeconds": 600,
        "scalingTimeoutInSeconds": 60,
        "faultyScaleDownTimeoutInSeconds": 30,
    }


def test_omitted_times_have_the_operator_defaults(load: Load) -> None:
    policy = job(load)["elasticPolicy"]
    assert set(policy) == {"minReplicas", "maxReplicas", "replicaIncrementStep"}


@pytest.mark.parametrize("rootless", [False, True])
def test_checkpointless_job_has_its_environment(load: Load, rootless: bool) -> None:
    wanted = {"restart_timeout_seconds": 900, "rootless": rootless}
    spec = job(load, elastic=None, checkpointless=wanted, command=COMMAND)
    assert "elasticPolicy" not in spec
    pod = spec["replicaSpecs"][0]["template"]["spec"]
    variables = {v["name"]: v["value"] for v in pod["containers"][0]["env"]}
    assert variables == {
        "INPROCESS_RESTART": "1",
        "INPROCESS_RESTART_TIMEOUT": "900",
        **({"HPCT_USE_ROOTLESS": "1"} if rootless else {}),
    }
    ports = [{"name": "net.ipv4.ip_local_port_range", "value": "20000 65535"}]
    assert pod.get("securityContext") == ({"sysctls": ports} if rootless else None)
    # Namespaces enforce the baseline: a container with more privileges would be refused.
    assert "securityContext" not in pod["containers"][0]

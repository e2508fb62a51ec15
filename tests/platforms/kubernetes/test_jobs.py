"""Elastic and checkpointless jobs: settings of the operator, the launcher and the library."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms.hyperpod_eks.capabilities import CELLS
from clusterwright.platforms.kubernetes.jobs import job_manifests
from tests.platforms.kubernetes import validator
from tests.platforms.kubernetes.conftest import Load
from tests.platforms.kubernetes.specs import EKS, HYPERPOD
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


def pytorch_annotations(load: Load, base: dict[str, Any], **changes: Any) -> Any:
    """The annotations of the first PyTorchJob of a spec."""
    jobs = job_manifests(load(changed(base, **changes)), load_catalog())
    return next(job for job in jobs if job["kind"] == "PyTorchJob")["metadata"].get("annotations")


PYTORCH_ON_HYPERPOD = {
    f"{JOB}__kind": "pytorch",
    f"{JOB}__elastic": None,
    f"{JOB}__max_restarts": 3,
}
# Karpenter, with its groups of no nodes, requires node recovery.
WITHOUT_RECOVERY = {
    "resilience": {"node_recovery": "none"},
    "compute__3__count": 2,
    "compute__3__max_count": None,
    "hyperpod": {},
}


def test_pytorch_job_on_hyperpod_resumes_after_its_node_is_replaced(load: Load) -> None:
    assert pytorch_annotations(load, HYPERPOD, **PYTORCH_ON_HYPERPOD) == {
        "sagemaker.amazonaws.com/enable-job-auto-resume": "true",
        "sagemaker.amazonaws.com/job-max-retry-count": "3",
    }


@pytest.mark.parametrize(
    ("base", "changes"),
    [
        (EKS, {}),
        (HYPERPOD, {**PYTORCH_ON_HYPERPOD, f"{JOB}__max_restarts": 0}),
        (HYPERPOD, {**PYTORCH_ON_HYPERPOD, **WITHOUT_RECOVERY}),
    ],
    ids=["plain EKS", "no restarts", "no node recovery"],
)
def test_pytorch_job_has_no_annotations_without_recovery(
    load: Load, base: dict[str, Any], changes: dict[str, Any]
) -> None:
    assert pytorch_annotations(load, base, **changes) is None


def test_page_of_the_platforms_names_the_annotations_that_jobs_have() -> None:
    assert "annotations that `render kubernetes` writes" in CELLS["auto_resume"].words

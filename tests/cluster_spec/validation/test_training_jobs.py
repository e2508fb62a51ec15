"""Elastic and checkpointless jobs."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.problems import path_text
from clusterwright.cluster_spec.validation.training_jobs import problems
from tests.support.rich_specs import ON_EKS
from tests.support.validation import cluster

HERE = "kubernetes.workloads.jobs[0]"
JOB = "kubernetes.workloads.jobs.0"
ELASTIC = {
    f"{JOB}.kind": "hyperpod-pytorch",
    f"{JOB}.node_count": 4,
    f"{JOB}.elastic": {"min_nodes": 2, "step": 2},
}
CHECKPOINTLESS = {
    f"{JOB}.kind": "hyperpod-pytorch",
    f"{JOB}.command": ["hyperpodrun", "--inprocess-restart"],
    f"{JOB}.checkpointless": {},
}


def found(*changes: dict[str, Any]) -> dict[str, str]:
    together = {key: value for change in changes for key, value in change.items()}
    spec = cluster(together, ON_EKS)
    job = spec.kubernetes.workloads.jobs[0]
    here = ("kubernetes", "workloads", "jobs", 0)
    return {path_text(p.path): p.message for p in problems(spec, job, here)}


def test_jobs_that_are_neither_pass() -> None:
    assert found() == {}


def test_valid_jobs_pass() -> None:
    assert found(ELASTIC) == {}
    assert found(CHECKPOINTLESS) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {f"{JOB}.kind": "nccl-tests"},
            f"{HERE}.elastic",
            "elastic training requires HyperPod's training operator",
        ),
        (
            {"compute.1.capacity": {"kind": "spot"}},
            f"{HERE}.elastic",
            "elastic training does not support spot instances",
        ),
        (
            {"hyperpod.addons.0.version": "v1.1.9-eksbuild.1"},
            "hyperpod.addons[0].version",
            "elastic training requires the training operator v1.2 or later, not v1.1.9-eksbuild.1",
        ),
        (
            {f"{JOB}.elastic": {"min_nodes": 5}},
            f"{HERE}.elastic.min_nodes",
            "min_nodes 5 must be at most node_count 4",
        ),
        (
            {f"{JOB}.elastic": {"min_nodes": 1, "step": 2}},
            f"{HERE}.elastic.step",
            "the range 1 to 4 must be a multiple of step 2",
        ),
    ],
)
def test_elastic_jobs(changes: dict[str, Any], path: str, message: str) -> None:
    assert found(ELASTIC, changes) == {path: message}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {f"{JOB}.kind": "nccl-tests"},
            f"{HERE}.checkpointless",
            "restarting processes in place requires HyperPod's training operator",
        ),
        (
            {f"{JOB}.node_count": 1},
            f"{HERE}.checkpointless",
            "a failed process recovers its state from another node, so one node is not enough",
        ),
        (
            {f"{JOB}.elastic": {"min_nodes": 1, "step": 1}},
            f"{HERE}.checkpointless",
            "elastic training does not support checkpointless training",
        ),
        (
            {f"{JOB}.command": ["hyperpodrun", "train.py"]},
            f"{HERE}.command",
            "hyperpodrun restarts processes in place only with --inprocess-restart",
        ),
    ],
)
def test_checkpointless_jobs(changes: dict[str, Any], path: str, message: str) -> None:
    assert found(CHECKPOINTLESS, changes) == {path: message}

"""Elastic and checkpointless jobs: requirements and exclusions.

Sources: SageMaker developer guide, "Using elastic training in Amazon SageMaker HyperPod" (version
of the operator, limitations) and "In-process recovery and checkpointless
training"; aws/sagemaker-hyperpod-checkpointless-training, examples/llama3/launch (24520b4).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.workloads import Elastic, Job
from clusterwright.cluster_spec.problems import Path, Problem

ELASTIC_OPERATOR: Final = (1, 2, 0)
"""The first version of the training operator with elastic training."""

MINIMUM_REPLICAS: Final = 2
RESTART_OPTION: Final = "--inprocess-restart"
"""An option of hyperpodrun."""


def problems(cluster: Cluster, job: Job, here: Path) -> Iterator[Problem]:
    """Yield the problems of the job at `here`."""
    if job.checkpointless is not None:
        yield from _checkpointless(job, here)
    if job.elastic is not None:
        yield from _elastic(cluster, job, job.elastic, here)


def _checkpointless(job: Job, here: Path) -> Iterator[Problem]:
    path: Path = (*here, "checkpointless")
    if job.kind != "hyperpod-pytorch":
        yield Problem(
            "restarting processes in place requires HyperPod's training operator",
            path,
            hint="kind: hyperpod-pytorch",
            other_path=(*here, "kind"),
        )
    if job.elastic is not None:
        yield Problem(
            "elastic training does not support checkpointless training",
            path,
            hint="remove one of them",
            other_path=(*here, "elastic"),
        )
    if job.node_count < MINIMUM_REPLICAS:
        yield Problem(
            "a failed process recovers its state from another node, so one node is not enough",
            path,
            hint=f"node_count: {MINIMUM_REPLICAS} or more",
            other_path=(*here, "node_count"),
        )
    if not any(RESTART_OPTION in word for word in job.command):
        yield Problem(
            f"hyperpodrun restarts processes in place only with {RESTART_OPTION}",
            (*here, "command"),
            hint=f"command: [hyperpodrun, {RESTART_OPTION}, ...]",
            other_path=path,
        )


def _elastic(cluster: Cluster, job: Job, elastic: Elastic, here: Path) -> Iterator[Problem]:
    group = next((g for g in cluster.compute if g.name == job.group), None)
    if group is not None and group.capacity.kind == "spot":
        yield Problem(
            "elastic training does not support spot instances",
            (*here, "elastic"),
            hint="use a group with another kind of capacity",
            other_path=(*here, "group"),
        )
    for number, addon in enumerate(cluster.hyperpod.addons):
        version = addon.version if addon.name == "training-operator" else None
        if version is not None and _numbers(version) < ELASTIC_OPERATOR:
            yield Problem(
                f"elastic training requires the training operator v1.2 or later, not {version}",
                ("hyperpod", "addons", number, "version"),
                hint="use a later version, or omit it",
                other_path=(*here, "elastic"),
            )
    if job.kind != "hyperpod-pytorch":
        yield Problem(
            "elastic training requires HyperPod's training operator",
            (*here, "elastic"),
            hint="kind: hyperpod-pytorch",
            other_path=(*here, "kind"),
        )
    if elastic.min_nodes > job.node_count:
        yield Problem(
            f"min_nodes {elastic.min_nodes} must be at most node_count {job.node_count}",
            (*here, "elastic", "min_nodes"),
            other_path=(*here, "node_count"),
        )
    elif (job.node_count - elastic.min_nodes) % elastic.step:
        yield Problem(
            f"the range {elastic.min_nodes} to {job.node_count} must be a multiple of step "
            f"{elastic.step}",
            (*here, "elastic", "step"),
            other_path=(*here, "node_count"),
        )


def _numbers(version: str) -> tuple[int, ...]:
    """`v1.2.0-eksbuild.1` → 1, 2, 0."""
    return tuple(int(part) for part in version.removeprefix("v").partition("-")[0].split("."))

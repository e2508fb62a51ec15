"""Specs and facts of quotas and their usage."""

from __future__ import annotations

import dataclasses
from typing import Any

from clusterwright.aws.fsx import FileSystem
from clusterwright.aws.sagemaker import Cluster, ClusterGroup
from clusterwright.preflight.facts import hyperpod
from tests.preflight.harness import quota

ON_DEMAND = ClusterGroup("a", "ml.p5.48xlarge", 6, False, None, 0)

OWN = Cluster("test", "arn", "InService", (ON_DEMAND,))


def clusters(*found: Cluster) -> dict[Any, Any]:
    return {hyperpod.HyperPodClusters(): found}


def usage(p5: float, m5: float = 100, measured: float | None = None) -> dict[Any, Any]:
    return {
        **quota("sagemaker", "L-8762A75F", p5, measured),
        **quota("sagemaker", "L-24520F3F", m5),
    }


LUSTRE = FileSystem(
    id="fs-1",
    kind="LUSTRE",
    lifecycle="AVAILABLE",
    storage_type="SSD",
    deployment_type="PERSISTENT_2",
    capacity_gib=50_000,
    throughput_mbps=0,
    efa=False,
    vpc_id=None,
    subnet_ids=(),
    dns_name=None,
    mount_name=None,
    stack=None,
)

HOME = dataclasses.replace(
    LUSTRE,
    id="fs-2",
    kind="OPENZFS",
    deployment_type="SINGLE_AZ_2",
    capacity_gib=1000,
    throughput_mbps=64,
)

"""Facts and specs for the tests of quotas."""

from __future__ import annotations

from typing import Any

from clusterwright.aws.ec2.instances import Instance
from clusterwright.aws.ec2.vpc import Subnet
from clusterwright.aws.fsx import FileSystem
from clusterwright.aws.sagemaker import Cluster, ClusterGroup
from clusterwright.preflight.facts import storage
from clusterwright.preflight.facts.instances import Instances
from tests.preflight.quota_facts import ON_DEMAND
from tests.support import specs

PLAN = {"compute.1.capacity": {"kind": "training-plan", "arn": specs.PLAN}}

SPOT = {"compute.1.capacity": {"kind": "spot"}}

OTHERS = Cluster(
    "another",
    "arn",
    "InService",
    (
        ON_DEMAND,
        ClusterGroup("b", "ml.p5.48xlarge", 3, True, None, 0),
        ClusterGroup("c", "ml.p5.48xlarge", 2, False, specs.PLAN, 0),
        ClusterGroup("d", "ml.m5.4xlarge", 1, False, None, 0),
    ),
)


def instances(*found: Instance) -> dict[Any, Any]:
    return {Instances(): found}


RUNNING = (
    Instance("p4d.24xlarge", 96, "on-demand", None),
    Instance("p5.48xlarge", 192, "spot", None),
    Instance("p5.48xlarge", 192, "capacity-block", None),
    Instance("p5.48xlarge", 192, "on-demand", "test-cluster"),
    Instance("m5.large", 2, "on-demand", None),
)


def systems(*found: FileSystem) -> dict[Any, Any]:
    return {storage.FileSystems(): found}


NAT = {"network.egress": "nat"}


def subnet(subnet_id: str, zone_id: str) -> Subnet:
    return Subnet(subnet_id, "vpc-1", "10.0.0.0/24", "", zone_id, 251, False, "", None)

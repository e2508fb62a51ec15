"""Common wrong claims about the platforms, with the correct facts."""

from __future__ import annotations

from typing import Final, NamedTuple


class Misconception(NamedTuple):
    """A claim, the correct fact, and its source."""

    claim: str
    fact: str
    source: str


_API = "botocore 1.44.5, SageMaker"

MISCONCEPTIONS: Final[tuple[Misconception, ...]] = (
    Misconception(
        "ParallelCluster schedules with Slurm, SGE or Torque",
        "Slurm only",
        "aws-parallelcluster 3.16.1, SchedulerValidator",
    ),
    Misconception(
        "recovery on ParallelCluster is manual",
        "it replaces static nodes that Slurm or EC2 reports as unhealthy; their jobs are requeued",
        "aws-parallelcluster-node, clustermgtd",
    ),
    Misconception(
        "recovery on EKS is manual",
        "node repair reboots or replaces nodes, if it is enabled for the node group",
        "EKS user guide, Automatically repair nodes in EKS clusters",
    ),
    Misconception(
        "HyperPod with Slurm has no Spot",
        "instance groups support Spot with both orchestrators",
        f"{_API}, ClusterCapacityRequirements",
    ),
    Misconception(
        "Spot for every instance type",
        "not for p6e-gb200 and trn2u",
        "EC2 DescribeInstanceTypes, as packaged in moto 5.2.5",
    ),
    Misconception(
        "Spot saves up to 90 %",
        "Spot prices change by the hour; read the current price",
        "prices of 2026-09-19: p5 62 %, p4d 24 % below on-demand",
    ),
    Misconception(
        "HyperPod supports Trn3, Inf2 and P6e-GB300",
        "none of them is in its list of types, nor are trn2u and trn1.2xlarge",
        f"{_API}, ClusterInstanceType",
    ),
    Misconception(
        "EKS supports every instance type",
        "the VPC CNI has no address limits for p6e-gb200",
        "aws/amazon-vpc-cni-k8s, vpc_ip_resource_limit.go",
    ),
    Misconception(
        "ml.p6e.48xlarge, with 72 GPUs in an instance",
        "ml.p6e-gb200.36xlarge has 4; 18 of them make an UltraServer of 72",
        f"{_API}, ClusterInstanceType",
    ),
    Misconception(
        "MIG of an A100 with 80 GB on ml.p4d.24xlarge",
        "p4d has 40 GB; p4de has 80 GB",
        "EC2 DescribeInstanceTypes, as packaged in moto 5.2.5",
    ),
    Misconception(
        "Slurm allocates statically",
        "ParallelCluster adds nodes for pending jobs; HyperPod's groups change with the spec",
        "aws-parallelcluster 3.16.1, MinCount and MaxCount",
    ),
)

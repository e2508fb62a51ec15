"""What the founding documents say of the four platforms and is not so, with what is."""

from __future__ import annotations

from typing import Final, NamedTuple


class Correction(NamedTuple):
    """A claim, and what is true instead. Documents are named by their first three digits."""

    document: str
    claim: str
    truth: str
    source: str


_API = "botocore 1.44.5, SageMaker"

CORRECTIONS: Final[tuple[Correction, ...]] = (
    Correction(
        "003",
        "ParallelCluster schedules with Slurm, SGE or Torque",
        "Slurm alone",
        "aws-parallelcluster 3.16.1, SchedulerValidator",
    ),
    Correction(
        "003",
        "recovery on ParallelCluster is by hand",
        "it replaces static nodes that Slurm or EC2 calls unhealthy; their jobs are queued again",
        "aws-parallelcluster-node, clustermgtd",
    ),
    Correction(
        "003",
        "recovery on EKS is by hand",
        "node repair reboots or replaces, where it is on for the node group",
        "EKS user guide, Automatically repair nodes in EKS clusters",
    ),
    Correction(
        "003",
        "HyperPod with Slurm has no Spot",
        "instance groups take Spot under either orchestrator",
        f"{_API}, ClusterCapacityRequirements",
    ),
    Correction(
        "003",
        "Spot for every instance type",
        "not for p6e-gb200 and trn2u",
        "EC2 DescribeInstanceTypes, as packaged in moto 5.2.5",
    ),
    Correction(
        "003",
        "Spot saves up to 90 %",
        "quotes move by the hour; read them on the day",
        "prices of 2026-09-19: p5 62 %, p4d 24 % below on-demand",
    ),
    Correction(
        "003",
        "HyperPod takes Trn3, Inf2 and P6e-GB300",
        "none of them is in its list of types, nor are trn2u and trn1.2xlarge",
        f"{_API}, ClusterInstanceType",
    ),
    Correction(
        "003",
        "EKS takes every instance type",
        "the VPC CNI has no address limits for p6e-gb200",
        "aws/amazon-vpc-cni-k8s, vpc_ip_resource_limit.go",
    ),
    Correction(
        "003",
        "ml.p6e.48xlarge, with 72 GPUs in an instance",
        "ml.p6e-gb200.36xlarge has 4; 18 of them make an UltraServer of 72",
        f"{_API}, ClusterInstanceType",
    ),
    Correction(
        "003",
        "MIG of an A100 with 80 GB on ml.p4d.24xlarge",
        "p4d has 40 GB; p4de has 80 GB",
        "EC2 DescribeInstanceTypes, as packaged in moto 5.2.5",
    ),
    Correction(
        "000",
        "Slurm allocates statically",
        "ParallelCluster adds nodes as jobs wait; HyperPod's groups change with the file",
        "aws-parallelcluster 3.16.1, MinCount and MaxCount",
    ),
)

"""Specs of the two platforms with Kubernetes with all features of tenants and workloads."""

from __future__ import annotations

from typing import Any

ACCOUNT = "111122223333"
DIGEST = "0123456789abcdef" * 4
IMAGE = f"{ACCOUNT}.dkr.ecr.us-east-1.amazonaws.com/training@sha256:{DIGEST}"

EKS: dict[str, Any] = {
    "environment": "test",
    "account": ACCOUNT,
    "region": "us-east-1",
    "platform": "eks",
    "network": {"availability_zone_id": "use1-az6", "second_availability_zone_id": "use1-az4"},
    "compute": [
        {"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2},
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 8},
        {
            "name": "trainium",
            "role": "compute",
            "instance_type": "trn2.48xlarge",
            "count": 3,
            "taints": [{"key": "aws.amazon.com/neuron", "effect": "NoSchedule"}],
        },
    ],
    "storage": {
        "lustre": [{"capacity_gib": 4800, "throughput_mbps_per_tib": 1000, "efa": True}],
    },
    "kubernetes": {
        "access": [
            {
                "principal_arn": f"arn:aws:iam::{ACCOUNT}:role/researchers",
                "groups": ["researchers", "guests"],
            }
        ],
        "workloads": {
            "queueing": "kueue",
            "priorities": [{"name": "urgent", "value": 100}, {"name": "low", "value": -10}],
            "charts": [
                {"name": "kueue", "version": "0.12.3", "sha256": DIGEST},
                {
                    "name": "nvidia-device-plugin",
                    "sha256": DIGEST,
                    "values": {"migStrategy": "none", "gfd.enabled": True},
                },
                {"name": "aws-efa-k8s-device-plugin", "sha256": DIGEST},
                {"name": "neuron-helm-chart", "version": "1.2.3", "sha256": DIGEST},
            ],
            "jobs": [
                {
                    "name": "fsdp",
                    "kind": "pytorch",
                    "tenant": "pretraining",
                    "group": "workers",
                    "node_count": 4,
                    "image": IMAGE,
                    "command": ["torchrun", "train.py"],
                    "shared_memory_gib": 64,
                },
                {
                    "name": "nccl",
                    "kind": "nccl-tests",
                    "tenant": "post-training",
                    "group": "workers",
                    "node_count": 2,
                    "image": IMAGE,
                    "command": ["mpirun", "all_reduce_perf", "-b", "8", "-e", "2G"],
                },
            ],
        },
        "capabilities": {
            "argocd": {
                "repository": "https://github.com/acme/clusters.git",
                "path": "clusters/test",
                "identity_center_arn": "arn:aws:sso:::instance/ssoins-1234567890abcdef",
            }
        },
    },
    "tenants": [
        {
            "name": "pretraining",
            "weight": 3,
            "groups": ["researchers"],
            "priority": "urgent",
        },
        {"name": "post-training", "max_nodes": 4, "egress_cidrs": ["10.0.0.0/16"]},
        {"name": "guests", "borrowing": False, "groups": ["guests"]},
    ],
}

HYPERPOD: dict[str, Any] = {
    **EKS,
    "platform": "hyperpod-eks",
    "storage": {**EKS["storage"], "home": {"kind": "openzfs", "capacity_gib": 512}},
    "compute": [
        *EKS["compute"],
        {
            "name": "Elastic-1",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 0,
            "max_count": 6,
            "labels": {"team.example.com/model": "large"},
            "taints": [{"key": "team.example.com/model", "value": "large", "effect": "NoExecute"}],
        },
    ],
    "kubernetes": {
        **EKS["kubernetes"],
        "workloads": {
            "queueing": "kueue",
            "topology_api": "v1alpha1",
            "priorities": EKS["kubernetes"]["workloads"]["priorities"],
            "charts": [{"name": "hyperpod-helm-chart", "sha256": DIGEST}],
            "jobs": [
                {
                    "name": "fsdp",
                    "kind": "hyperpod-pytorch",
                    "tenant": "pretraining",
                    "group": "workers",
                    "node_count": 8,
                    "image": IMAGE,
                    "command": ["hyperpodrun", "train.py"],
                    "elastic": {"min_nodes": 2, "step": 2},
                },
                {
                    "name": "nccl",
                    "kind": "nccl-tests",
                    "tenant": "guests",
                    "group": "Elastic-1",
                    "node_count": 2,
                    "image": IMAGE,
                    "command": ["mpirun", "all_reduce_perf"],
                },
            ],
        },
    },
    "hyperpod": {"autoscaling": "karpenter", "addons": [{"name": "training-operator"}]},
}

KARPENTER: dict[str, Any] = {
    **EKS,
    "compute": [
        {
            "name": "system",
            "role": "system",
            "instance_type": "m5.4xlarge",
            "count": 2,
            "max_count": 5,
        },
        {
            "name": "workers",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 4,
            "max_count": 12,
            "scratch": {},
            "labels": {"team.example.com/model": "large"},
            "taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}],
        },
        {
            "name": "Block-1",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 0,
            "max_count": 2,
            "capacity": {"kind": "capacity-block", "id": "cr-0a1b2c3d4e5f60718"},
        },
        {
            "name": "reserved",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 1,
            "max_count": 2,
            "capacity": {"kind": "reservation", "id": "cr-0f1e2d3c4b5a69788"},
            "placement_group": True,
        },
        {
            "name": "spot",
            "role": "compute",
            "instance_type": "g6e.48xlarge",
            "count": 0,
            "max_count": 3,
            "capacity": {"kind": "spot"},
        },
        {"name": "trainium", "role": "compute", "instance_type": "trn2.48xlarge", "count": 3},
    ],
    "kubernetes": {
        **EKS["kubernetes"],
        "autoscaling": "karpenter",
        "workloads": {
            **EKS["kubernetes"]["workloads"],
            "charts": [
                *EKS["kubernetes"]["workloads"]["charts"],
                {"name": "karpenter", "sha256": DIGEST, "values": {"logLevel": "debug"}},
            ],
        },
    },
    "tags": {"owner": "research"},
}
"""Karpenter on plain EKS, with a group of every capacity kind."""

OUTPUTS = {
    "LustreDnsName": "fs-0a1b2c3d4e5f60718.fsx.us-east-1.amazonaws.com",
    "LustreMountName": "abcdefgh",
    "HomeDnsName": "fs-0f1e2d3c4b5a69788.fsx.us-east-1.amazonaws.com",
    "KarpenterInstanceProfile": "test-karpenter-NodeProfile-ABCDEFGHIJKL",
    "KarpenterSubnetIds": "subnet-0a1b2c3d4e5f60718",
    "KarpenterSecurityGroupIds": "sg-0a1b2c3d4e5f60718,sg-0f1e2d3c4b5a69788",
    "KarpenterKeyArn": f"arn:aws:kms:us-east-1:{ACCOUNT}:key/1234abcd-12ab-34cd-56ef-1234567890ab",
    "KarpenterPlacementGroups": '{"workers":"test-cluster-w","reserved":"test-cluster-r"}',
}
"""Outputs of a deployment of either platform."""

HELD = {
    "image": IMAGE,
    "hold": True,
    "level": "standard",
    "floors": [{"check": "nvlink-allreduce", "minimum": 440, "unit": "GB/s"}],
    "waivers": [
        {"check": "clock", "reason": "no chronyd there", "expires": "2027-01-31"},
    ],
}

"""Small specs for the tests of the stacks, and one that uses every feature."""

from __future__ import annotations

import copy
from typing import Any

ACCOUNT = "111122223333"

MINIMAL: dict[str, Any] = {
    "environment": "test",
    "account": ACCOUNT,
    "region": "us-east-1",
    "platform": "hyperpod-slurm",
    "network": {"availability_zone_id": "use1-az6"},
    "compute": [
        {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4},
    ],
}

FULL: dict[str, Any] = {
    **MINIMAL,
    "network": {
        "cidr": "10.0.0.0/16",
        "secondary_cidrs": ["10.1.0.0/24"],
        "availability_zone_id": "use1-az6",
        "second_availability_zone_id": "use1-az4",
        "egress": "closed",
        "flow_log_retention_days": 30,
        "address_headroom_percent": 20,
    },
    "compute": [
        {
            "name": "controller",
            "role": "controller",
            "instance_type": "m5.4xlarge",
            "count": 1,
            "ebs": {"capacity_gib": 500},
        },
        {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1},
        {
            "name": "workers",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 8,
            "min_count": 6,
            "spare_count": 1,
            "capacity": {
                "kind": "training-plan",
                "arn": f"arn:aws:sagemaker:us-east-1:{ACCOUNT}:training-plan/tests",
            },
            "scratch": {"mount_path": "/scratch"},
            "threads_per_core": 1,
            "network_interface": "efa-only",
        },
        {
            "name": "spot",
            "role": "compute",
            "instance_type": "p5.4xlarge",
            "count": 2,
            "capacity": {"kind": "spot"},
        },
    ],
    "storage": {
        "lustre": [
            {
                "mount_path": "/fsx",
                "capacity_gib": 9600,
                "throughput_mbps_per_tib": 500,
                "efa": True,
                "metadata": {"mode": "provisioned", "iops": 12000},
                "compression": "lz4",
                "maintenance_window": "6:04:30",
                "repositories": [
                    {
                        "s3": "s3://test-corpus/tokens",
                        "path": "/data",
                        "import": ["NEW", "CHANGED", "DELETED"],
                    },
                    {
                        "s3": "s3://test-checkpoints",
                        "path": "/checkpoints",
                        "export": ["NEW", "CHANGED"],
                        "create": True,
                    },
                ],
            },
            {
                "mount_path": "/archive",
                "deployment_type": "PERSISTENT_1",
                "storage_type": "HDD",
                "capacity_gib": 6000,
                "throughput_mbps_per_tib": 12,
                "hdd_read_cache": True,
                "backup_retention_days": 7,
            },
            {
                "mount_path": "/lake",
                "storage_type": "INTELLIGENT_TIERING",
                "throughput_mbps": 4000,
                "metadata": {"mode": "provisioned", "iops": 6000},
                "read_cache": {"mode": "provisioned", "capacity_gib": 4000},
            },
        ],
        "buckets": [
            {"name": "test-datasets", "mount_path": "/s3/datasets"},
            {"name": "test-results", "create": True, "expire_noncurrent_days": 30},
            {"name": "test-shuffle", "create": True, "directory": True},
        ],
        "home": {
            "kind": "openzfs",
            "capacity_gib": 128,
            "throughput_mbps": 256,
            "backup_retention_days": 7,
        },
        "checkpoint_path": "/fsx/checkpoints",
    },
    "identity": {"permissions_boundary_arn": f"arn:aws:iam::{ACCOUNT}:policy/boundary"},
    "slurm": {
        "configuration": "managed",
        "partitions": [
            {"name": "training", "groups": ["workers"]},
            {"name": "spot", "groups": ["spot"]},
        ],
        "accounting": {
            "kind": "rds",
            "instance_class": "db.t3.large",
            "capacity_gib": 100,
            "multi_az": True,
            "backup_retention_days": 14,
        },
        "containers": {"pyxis": True},
        "user_groups": [{"name": "research", "gid": 20000}],
        "users": [
            {
                "name": "ada",
                "uid": 20001,
                "groups": ["research"],
                "ssh_public_keys": ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExample ada"],
                "slurm_account": "research",
                "sudo": True,
            }
        ],
    },
    "image": {
        "auto_patch": {"strategy": "when-idle"},
    },
    "resilience": {
        "node_recovery": "automatic",
        "node_provisioning": "continuous",
        "deep_health_checks": ["instance-stress", "instance-connectivity"],
    },
    "observability": {
        "log_retention_days": 30,
        "prometheus": True,
        "alarm_emails": ["ml@example.com"],
    },
    "budget": {
        "monthly_usd": 1000000,
        "run_usd": 2000000,
        "alert_emails": ["ml@example.com"],
        "alert_thresholds_percent": [50, 100],
    },
    "run": {"hours": 720},
    "tags": {"owner": "research", "cost-centre": "4711"},
}

HYPERPOD_EKS_MINIMAL: dict[str, Any] = {
    **MINIMAL,
    "platform": "hyperpod-eks",
    "compute": [
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4},
    ],
}

HYPERPOD_EKS: dict[str, Any] = {
    **MINIMAL,
    "platform": "hyperpod-eks",
    "compute": [
        {
            "name": "system",
            "role": "system",
            "instance_type": "m5.4xlarge",
            "count": 2,
            "ebs": {"capacity_gib": 200},
        },
        {
            "name": "workers",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 8,
            "min_count": 6,
            "capacity": {
                "kind": "training-plan",
                "arn": f"arn:aws:sagemaker:us-east-1:{ACCOUNT}:training-plan/tests",
            },
            "scratch": {"mount_path": "/scratch"},
            "threads_per_core": 1,
            "network_interface": "efa-only",
            "labels": {"team.example.com/model": "seven-b"},
            "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}],
        },
        {
            "name": "parts",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 2,
            "capacity": {"kind": "spot"},
            "mig_profile": "mixed-1-3g.40gb-1-4g.40gb",
        },
        {
            "name": "nova",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 1,
            "restricted": True,
        },
        {
            "name": "elastic",
            "role": "compute",
            "instance_type": "g6e.48xlarge",
            "count": 0,
            "max_count": 4,
        },
    ],
    "storage": {"lustre": [{"capacity_gib": 9600, "throughput_mbps_per_tib": 500, "efa": True}]},
    "hyperpod": {
        "autoscaling": "karpenter",
        "tiered_storage": {"memory_percent": 20},
        "task_governance": {
            "priority_classes": [
                {"name": "training", "weight": 90},
                {"name": "inference", "weight": 10},
            ],
            "fair_share": True,
            "share_idle": True,
            "addon_version": "v1.3.0-eksbuild.1",
        },
        "addons": [
            {"name": "training-operator", "version": "v1.2.0-eksbuild.1"},
            {"name": "observability"},
        ],
        "restricted_lustre": {
            "capacity_gib": 4800,
            "throughput_mbps_per_tib": 250,
            "on_delete": "keep",
        },
    },
    "tenants": [
        {"name": "pretraining", "weight": 3},
        {"name": "evaluation", "borrowing": False},
    ],
    "image": {"release_version": "1.2.3", "auto_patch": {"strategy": "when-idle"}},
    "resilience": {"deep_health_checks": ["instance-stress", "instance-connectivity"]},
    "observability": {
        "log_retention_days": 30,
        "prometheus": True,
        "alarm_emails": ["ml@example.com"],
    },
    "budget": {"monthly_usd": 1000000, "alert_emails": ["ml@example.com"]},
    "run": {"hours": 720},
}
"""HyperPod with EKS, with every feature of its own."""

EKS_MINIMAL: dict[str, Any] = {
    **MINIMAL,
    "platform": "eks",
    "compute": [
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4},
    ],
}

EKS_KARPENTER: dict[str, Any] = {
    **EKS_MINIMAL,
    "compute": [
        {"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2},
        {
            "name": "workers",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 1,
            "max_count": 4,
        },
        {
            "name": "block",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 0,
            "max_count": 2,
            "capacity": {"kind": "capacity-block", "id": "cr-0a1b2c3d4e5f60718"},
        },
    ],
    "kubernetes": {"autoscaling": "karpenter"},
}
"""EKS with Karpenter: fixed nodes, nodes that come and go, and a group that begins with none."""

EKS: dict[str, Any] = {
    **MINIMAL,
    "platform": "eks",
    "network": {
        "availability_zone_id": "use1-az6",
        "second_availability_zone_id": "use1-az4",
        "egress": "closed",
    },
    "compute": [
        {
            "name": "system",
            "role": "system",
            "instance_type": "m5.4xlarge",
            "count": 2,
            "max_count": 4,
        },
        {
            "name": "workers",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 4,
            "min_count": 2,
            "max_count": 6,
            "scratch": {},
            "threads_per_core": 1,
            "labels": {"team.example.com/model": "seven-b"},
            "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}],
        },
        {
            "name": "block",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 2,
            "capacity": {"kind": "capacity-block", "id": "cr-0a1b2c3d4e5f60718"},
            "network_interface": "efa",
        },
        {
            "name": "reserved",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 1,
            "capacity": {"kind": "reservation", "id": "cr-0f1e2d3c4b5a69788"},
            "placement_group": True,
        },
        {
            "name": "spot",
            "role": "compute",
            "instance_type": "g6e.48xlarge",
            "count": 1,
            "capacity": {"kind": "spot"},
        },
    ],
    "storage": {
        "lustre": [{"capacity_gib": 9600, "throughput_mbps_per_tib": 500, "efa": True}],
        "buckets": [
            {"name": "test-results", "create": True},
            {"name": "test-datasets", "mount_path": "/s3/datasets"},
        ],
    },
    "identity": {"permissions_boundary_arn": f"arn:aws:iam::{ACCOUNT}:policy/boundary"},
    "kubernetes": {
        "version": "1.34",
        "support": "extended",
        "public_access_cidrs": ["198.51.100.0/24"],
        "private_access_cidrs": ["10.8.0.0/16"],
        "access": [
            {
                "principal_arn": f"arn:aws:iam::{ACCOUNT}:role/researchers",
                "policy": "edit",
                "namespaces": ["pretraining"],
                "groups": ["researchers"],
            }
        ],
        "control_plane_logs": ["audit", "controller-manager"],
        "addons": [
            {"name": "vpc-cni", "version": "v1.19.0-eksbuild.1"},
            {"name": "amazon-cloudwatch-observability"},
        ],
        "pod_identities": [
            {
                "namespace": "pretraining",
                "service_account": "data-loader",
                "role_arn": f"arn:aws:iam::{ACCOUNT}:role/data-loader",
            }
        ],
        "node_volume_gib": 500,
        "max_unavailable_percent": 25,
    },
    "resilience": {"node_recovery": "none"},
    "observability": {
        "log_retention_days": 30,
        "alarm_emails": ["ml@example.com"],
        "prometheus": True,
        "metrics": {
            "image": f"{ACCOUNT}.dkr.ecr.us-east-1.amazonaws.com/python@sha256:{'0123abcd' * 8}",
            "interval_seconds": 120,
        },
    },
    "budget": {"monthly_usd": 1000000, "alert_emails": ["ml@example.com"]},
    "run": {"hours": 720},
    "tags": {"owner": "research"},
}
"""EKS with managed node groups, with every feature of its own."""


PARALLELCLUSTER_MINIMAL: dict[str, Any] = {
    **MINIMAL,
    "platform": "parallelcluster",
    "slurm": {"accounting": {"kind": "none"}},
}

PARALLELCLUSTER: dict[str, Any] = {
    **MINIMAL,
    "platform": "parallelcluster",
    "network": {
        "availability_zone_id": "use1-az6",
        "second_availability_zone_id": "use1-az4",
        "egress": "closed",
    },
    "compute": [
        {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
        {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1},
        {
            "name": "workers",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 4,
            "scratch": {"mount_path": "/scratch"},
            "threads_per_core": 1,
        },
        {
            "name": "spot",
            "role": "compute",
            "instance_type": "p5.4xlarge",
            "count": 2,
            "max_count": 4,
            "capacity": {"kind": "spot"},
        },
    ],
    "storage": {
        "lustre": [
            {"capacity_gib": 9600, "throughput_mbps_per_tib": 500, "efa": True},
            {"mount_path": "/archive", "deployment_type": "SCRATCH_2", "capacity_gib": 1200},
        ],
        "buckets": [
            {"name": "test-datasets", "mount_path": "/s3/datasets"},
            {"name": "test-results", "create": True},
            {"name": "test-shuffle", "create": True, "directory": True},
        ],
        "home": {"kind": "openzfs", "capacity_gib": 128},
        "checkpoint_path": "/fsx/checkpoints",
    },
    "identity": {
        "permissions_boundary_arn": f"arn:aws:iam::{ACCOUNT}:policy/parallelcluster-boundary"
    },
    "slurm": {
        "partitions": [
            {"name": "training", "groups": ["workers"]},
            {"name": "spare", "groups": ["spot"]},
        ],
        "accounting": {"kind": "rds"},
        "containers": {"pyxis": True},
        "users": [{"name": "ada", "uid": 20001, "sudo": True}],
    },
    "observability": {"prometheus": True, "alarm_emails": ["ml@example.com"]},
    "tags": {"owner": "research"},
}
"""ParallelCluster with everything that stacks build for it."""


def changed(spec: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A copy of `spec` with values at dotted paths (`storage__lustre__0__efa=False`).

    `None` takes the key away.
    """
    result = copy.deepcopy(spec)
    for path, value in changes.items():
        *parents, last = path.split("__")
        here: Any = result
        for part in parents:
            here = here[int(part)] if isinstance(here, list) else here.setdefault(part, {})
        if isinstance(here, list):
            here[int(last)] = value
        elif value is None:
            here.pop(last, None)
        else:
            here[last] = value
    return result


SCRIPTED = changed(
    MINIMAL,
    slurm={"configuration": "scripted", "accounting": {"kind": "rds"}},
    protection="destroy",
    budget={"monthly_usd": 100.0},
    storage={"buckets": [{"name": "test-results", "create": True}]},
)

SPECS = {
    "full": FULL,
    "minimal": MINIMAL,
    "scripted": SCRIPTED,
    "hyperpod-eks": HYPERPOD_EKS,
    "hyperpod-eks that serves models": changed(
        HYPERPOD_EKS, network__egress="nat", protection="destroy", hyperpod__inference={}
    ),
    "hyperpod-eks minimal": HYPERPOD_EKS_MINIMAL,
    "parallelcluster": PARALLELCLUSTER,
    "parallelcluster minimal": PARALLELCLUSTER_MINIMAL,
    "eks": EKS,
    "eks minimal": EKS_MINIMAL,
    "eks karpenter": EKS_KARPENTER,
}

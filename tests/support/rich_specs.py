"""Specs of every platform, small ones and ones with every feature, for tests to change."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from tests.support import specs

Path = tuple[str | int, ...]
ACCOUNT = specs.ACCOUNT


def changed(spec: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A copy of `spec` with values at paths (`storage__lustre__0__efa=False`).

    `None` removes the key.
    """
    return specs.changed({p.replace("__", "."): value for p, value in changes.items()}, spec)


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

BUILT: dict[str, Any] = {
    "environment": "rich",
    "account": "111122223333",
    "region": "us-east-1",
    "partition": "aws",
    "platform": "hyperpod-slurm",
    "protection": "destroy",
    "network": {
        "cidr": "10.0.0.0/16",
        "secondary_cidrs": ["10.1.0.0/24"],
        "availability_zone_id": "use1-az6",
        "second_availability_zone_id": "use1-az4",
        "egress": "nat",
        "address_headroom_percent": 20,
        "flow_log_retention_days": 30,
    },
    "compute": [
        {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
        {"name": "login", "role": "login", "instance_type": "m5.2xlarge", "count": 1},
        {
            "name": "workers",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 8,
            "min_count": 6,
            "spare_count": 1,
            "capacity": {
                "kind": "training-plan",
                "arn": "arn:aws:sagemaker:us-east-1:111122223333:training-plan/rich",
            },
            "ebs": {"capacity_gib": 500},
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
                "name": "main",
                "mount_path": "/fsx",
                "deployment_type": "PERSISTENT_2",
                "storage_type": "SSD",
                "capacity_gib": 4800,
                "throughput_mbps_per_tib": 1000,
                "efa": True,
                "metadata": {"mode": "provisioned", "iops": 12000},
                "compression": "none",
                "version": "2.15",
                "maintenance_window": "6:04:30",
                "repositories": [
                    {
                        "s3": "s3://acme-corpus/tokens",
                        "path": "/data",
                        "import": ["NEW", "CHANGED", "DELETED"],
                        "import_metadata_on_create": False,
                        "imported_file_chunk_mib": 2048,
                    },
                    {
                        "s3": "s3://acme-rich-checkpoints",
                        "path": "/checkpoints",
                        "export": ["NEW", "CHANGED"],
                        "create": True,
                    },
                ],
            },
            {
                "name": "archive",
                "mount_path": "/archive",
                "deployment_type": "PERSISTENT_1",
                "storage_type": "HDD",
                "capacity_gib": 6000,
                "throughput_mbps_per_tib": 12,
                "hdd_read_cache": True,
                "backup_retention_days": 7,
            },
            {
                "name": "lake",
                "mount_path": "/lake",
                "storage_type": "INTELLIGENT_TIERING",
                "throughput_mbps": 4000,
                "metadata": {"mode": "provisioned", "iops": 6000},
                "read_cache": {"mode": "provisioned", "capacity_gib": 4000},
            },
        ],
        "buckets": [
            {"name": "acme-datasets", "mount_path": "/s3/datasets"},
            {"name": "acme-rich-logs", "create": True, "expire_noncurrent_days": 30},
            {"name": "acme-rich", "create": True, "directory": True},
        ],
        "image_repositories": [
            {"name": "acme-rich/training", "create": True, "keep_images": 20},
            {"name": "evaluation"},
        ],
        "home": {
            "kind": "openzfs",
            "mount_path": "/home",
            "capacity_gib": 128,
            "throughput_mbps": 256,
            "backup_retention_days": 3,
        },
        "checkpoint_path": "/fsx/checkpoints",
    },
    "identity": {
        "kms_key_arn": "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef",
        "permissions_boundary_arn": "arn:aws:iam::111122223333:policy/boundary",
        "session_manager": False,
    },
    "slurm": {
        "configuration": "managed",
        "partitions": [
            {"name": "training", "groups": ["workers"]},
            {"name": "spot", "groups": ["spot"]},
        ],
        "accounting": {
            "kind": "rds",
            "instance_class": "db.m5.large",
            "capacity_gib": 200,
            "multi_az": True,
            "backup_retention_days": 14,
        },
        "containers": {"pyxis": True, "install": "image"},
        "topology": "auto",
        "qos": [
            {"name": "urgent", "priority": 100},
            {"name": "low", "max_nodes_per_user": 4, "max_time_minutes": 1440},
        ],
        "accounts": [
            {"name": "research", "fair_share": 10, "max_nodes": 6, "qos": ["urgent", "normal"]}
        ],
        "user_groups": [{"name": "research", "gid": 20000}],
        "users": [
            {
                "name": "ada",
                "uid": 20001,
                "gid": 20000,
                "groups": ["research"],
                "ssh_public_keys": ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA ada@acme.example"],
                "slurm_account": "research",
                "sudo": True,
            },
            {"name": "grace", "uid": 20002},
        ],
    },
    "image": {
        "release_version": "1.2.3",
        "released": "2026-09-17",
        "auto_patch": {"strategy": "when-idle"},
    },
    "resilience": {
        "node_recovery": "none",
        "node_provisioning": "continuous",
        "deep_health_checks": ["instance-stress"],
    },
    "observability": {
        "log_retention_days": 30,
        "prometheus": True,
        "grafana": {"login": "identity-center"},
        "metrics": {"listen": "private"},
        "alarm_emails": ["alarm@acme.example"],
    },
    "budget": {
        "monthly_usd": 100000,
        "run_usd": 50000.5,
        "alert_emails": ["money@acme.example"],
        "alert_thresholds_percent": [50, 90],
    },
    "run": {"hours": 168},
    "acceptance": {
        "level": "standard",
        "hold": True,
        "recheck_hours": 168,
        "floors": [
            {
                "check": "cluster-allreduce",
                "minimum": 200,
                "unit": "GB/s",
                "size_mib": 1024,
                "node_count": 8,
                "groups": ["workers"],
            }
        ],
        "waivers": [
            {
                "check": "nvlink",
                "reason": "the vendor replaces the cable",
                "expires": "2027-01-31",
                "nodes": ["ip-10-0-0-5"],
                "groups": ["workers"],
            }
        ],
    },
    "tags": {"owner": "ml-infrastructure"},
    "waivers": [
        {
            "rule": "CW-N003",
            "path": "network.cidr",
            "reason": "agreed with the network team",
            "expires": "2027-01-31",
        }
    ],
}
"""All resources are created. Every value differs from its default, where possible."""

FULL: dict[str, Any] = changed(
    BUILT,
    environment="test",
    partition=None,
    protection=None,
    network__egress="closed",
    compute__0__ebs={"capacity_gib": 500},
    compute__1__instance_type="m5.4xlarge",
    compute__2__capacity__arn=f"arn:aws:sagemaker:us-east-1:{ACCOUNT}:training-plan/tests",
    compute__2__ebs=None,
    storage__lustre__0__name=None,
    storage__lustre__0__deployment_type=None,
    storage__lustre__0__storage_type=None,
    storage__lustre__0__capacity_gib=9600,
    storage__lustre__0__throughput_mbps_per_tib=500,
    storage__lustre__0__compression="lz4",
    storage__lustre__0__version=None,
    storage__lustre__0__repositories__0__s3="s3://test-corpus/tokens",
    storage__lustre__0__repositories__0__import_metadata_on_create=None,
    storage__lustre__0__repositories__0__imported_file_chunk_mib=None,
    storage__lustre__0__repositories__1__s3="s3://test-checkpoints",
    storage__lustre__1__name=None,
    storage__lustre__2__name=None,
    storage__buckets__0__name="test-datasets",
    storage__buckets__1__name="test-results",
    storage__buckets__2__name="test-shuffle",
    storage__home__mount_path=None,
    storage__home__backup_retention_days=7,
    identity__kms_key_arn=None,
    identity__session_manager=None,
    slurm__accounting__instance_class="db.t3.large",
    slurm__accounting__capacity_gib=100,
    slurm__containers__install=None,
    slurm__topology=None,
    slurm__qos=None,
    slurm__accounts=None,
    slurm__users=[
        {
            "name": "ada",
            "uid": 20001,
            "groups": ["research"],
            "ssh_public_keys": ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExample ada"],
            "slurm_account": "research",
            "sudo": True,
        }
    ],
    image__release_version=None,
    image__released=None,
    resilience__node_recovery="automatic",
    resilience__deep_health_checks=["instance-stress", "instance-connectivity"],
    observability__metrics=None,
    observability__alarm_emails=["ml@example.com"],
    budget__monthly_usd=1000000,
    budget__run_usd=2000000,
    budget__alert_emails=["ml@example.com"],
    budget__alert_thresholds_percent=[50, 100],
    run__hours=720,
    tags={"owner": "research", "cost-centre": "4711"},
    acceptance=None,
    waivers=None,
)
"""As BUILT, with resources that the stacks create, for the tests of templates."""

EXISTING: dict[str, Any] = {
    **{k: BUILT[k] for k in ("environment", "account", "region", "platform", "image")},
    "network": {
        "availability_zone_id": "use1-az6",
        "existing": {
            "vpc_id": "vpc-0a1b2c3d4e5f60718",
            "subnet_ids": ["subnet-0a1b2c3d4e5f60718"],
            "security_group_ids": ["sg-0a1b2c3d4e5f60718"],
        },
    },
    "compute": BUILT["compute"][:3],
    "storage": {
        "lustre": [
            {
                "mount_path": "/fsx",
                "efa": True,
                "existing": {
                    "id": "fs-0a1b2c3d4e5f60718",
                    "dns_name": "fs-0a1b2c3d4e5f60718.fsx.us-east-1.amazonaws.com",
                    "mount_name": "abcdefgh",
                    "security_group_id": "sg-0f1e2d3c4b5a69788",
                },
            }
        ],
        "home": {
            "kind": "openzfs",
            "existing": {
                "dns_name": "fs-0f1e2d3c4b5a69788.fsx.us-east-1.amazonaws.com",
                "security_group_id": "sg-0f1e2d3c4b5a69788",
            },
        },
    },
    "slurm": {
        "accounting": {
            "kind": "rds",
            "existing": {
                "endpoint": "slurm.example.us-east-1.rds.amazonaws.com",
                "port": 3307,
                "database_name": "accounting",
                "secret_arn": "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-AbC",
            },
        }
    },
}
"""All resources that can exist do."""


_RESILIENCE: dict[str, Any] = BUILT["resilience"]

SCRIPTED: dict[str, Any] = {
    **copy.deepcopy(BUILT),
    "compute": [
        {key: value for key, value in group.items() if key != "min_count"}
        for group in BUILT["compute"]
    ],
    "slurm": {
        **copy.deepcopy(BUILT["slurm"]),
        "configuration": "scripted",
        "topology": "tree",
        "partitions": [
            {
                "name": "training",
                "groups": ["workers"],
                "max_time_minutes": 10080,
                "priority_tier": 2,
            },
            {"name": "spot", "groups": ["spot"]},
        ],
        "priority_weights": {
            "age": 1,
            "fair_share": 2,
            "job_size": 3,
            "partition": 4,
            "qos": 5,
        },
        "timeouts": {
            "node_down_seconds": 120,
            "message_seconds": 30,
            "credential_seconds": 90,
            "kill_wait_seconds": 45,
        },
        "preemption": "requeue",
        "qos": [
            {"name": "urgent", "priority": 100, "preempts": ["low"]},
            {"name": "low", "grace_seconds": 120, "max_nodes_per_user": 4},
        ],
    },
    "resilience": {**_RESILIENCE, "node_provisioning": "all-at-once"},
}
"""As BUILT, with Slurm configured by the lifecycle script."""


AT_ONCE: dict[str, Any] = {
    **SCRIPTED,
    "network": {
        key: value
        for key, value in BUILT["network"].items()
        if key != "second_availability_zone_id"
    },
    "slurm": {
        **copy.deepcopy(BUILT["slurm"]),
        "strategy": "Merge",
        "accounting": {"kind": "local"},
    },
}
"""As BUILT, with nodes that start at once, and a strategy, which HyperPod then supports."""


ON_EKS: dict[str, Any] = {
    "environment": "rich",
    "account": "111122223333",
    "region": "us-east-1",
    "platform": "hyperpod-eks",
    "network": {"cidr": "10.0.0.0/16", "availability_zone_id": "use1-az6"},
    "compute": [
        {"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2},
        {
            "name": "workers",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 4,
            "taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}],
        },
        {
            "name": "nova",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 1,
            "restricted": True,
        },
    ],
    "kubernetes": {
        "support": "standard",
        "control_plane_logs": ["audit"],
        "access": [
            {
                "principal_arn": "arn:aws:iam::111122223333:role/trainers",
                "policy": "view",
            }
        ],
        "addons": [{"name": "metrics-server"}],
        "workloads": {
            "queueing": "kueue",
            "topology_api": "v1beta1",
            "charts": [{"name": "hyperpod-helm-chart"}],
            "jobs": [
                {
                    "name": "bandwidth",
                    "kind": "nccl-tests",
                    "group": "workers",
                    "tenant": "research",
                    "node_count": 2,
                    "command": ["all_reduce_perf"],
                    "image": "registry.example/nccl@sha256:" + "0" * 64,
                }
            ],
        },
    },
    "hyperpod": {
        "autoscaling": "off",
        "addons": [{"name": "training-operator"}],
        "restricted_lustre": {
            "capacity_gib": 1200,
            "throughput_mbps_per_tib": 125,
            "on_delete": "keep",
        },
    },
    "tenants": [{"name": "research"}],
}
"""Keys of Kubernetes and HyperPod with EKS."""


ON_PLAIN_EKS: dict[str, Any] = {
    **{key: ON_EKS[key] for key in ("environment", "account", "region", "network")},
    "platform": "eks",
    "compute": ON_EKS["compute"][:2],
    "kubernetes": {"autoscaling": "off"},
}
"""Keys of EKS without HyperPod."""


ON_PARALLELCLUSTER: dict[str, Any] = {
    "environment": "rich",
    "account": "111122223333",
    "region": "us-east-1",
    "platform": "parallelcluster",
    "network": {"cidr": "10.0.0.0/16", "availability_zone_id": "use1-az6"},
    "compute": [
        {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4},
    ],
    "slurm": {"accounting": {"kind": "none"}},
    "parallelcluster": {
        "os": "ubuntu2204",
        "queue_update_strategy": "drain",
        "scaling_strategy": "all-or-nothing",
    },
}
"""Keys of ParallelCluster."""

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
"""HyperPod with EKS, with every feature."""

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
"""EKS with Karpenter: static nodes, scaled nodes, and a group with 0 nodes."""

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
"""EKS with managed node groups, with every feature."""


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
"""ParallelCluster with all resources that stacks create for it."""


SCRIPTED_MINIMAL = changed(
    MINIMAL,
    slurm={"configuration": "scripted", "accounting": {"kind": "rds"}},
    protection="destroy",
    budget={"monthly_usd": 100.0},
    storage={"buckets": [{"name": "test-results", "create": True}]},
)

PCS_MINIMAL: dict[str, Any] = {
    **MINIMAL,
    "platform": "pcs",
    "compute": [
        {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1},
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4},
    ],
    "slurm": {"accounting": {"kind": "none"}},
}

PCS: dict[str, Any] = {
    **MINIMAL,
    "platform": "pcs",
    "network": {"availability_zone_id": "use1-az6", "egress": "closed"},
    "compute": [
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
            "max_count": 40,
            "capacity": {"kind": "spot"},
        },
    ],
    "storage": PARALLELCLUSTER["storage"],
    "identity": {"permissions_boundary_arn": f"arn:aws:iam::{ACCOUNT}:policy/boundary"},
    "slurm": {
        "partitions": [
            {"name": "training", "groups": ["workers"], "max_time_minutes": 1440},
            {"name": "spare", "groups": ["spot"]},
        ],
        "accounting": {"kind": "managed"},
        "containers": {"pyxis": True},
        "qos": [{"name": "urgent", "priority": 10, "preempts": ["normal"]}],
        "preemption": "requeue",
        "users": [{"name": "ada", "uid": 20001, "sudo": True}],
    },
    "pcs": {
        "slurm_version": "25.05",
        "max_jobs": 1000,
        "rest_api": True,
        "accounting_purge_days": 365,
        "scaledown_idle_seconds": 1200,
        "slurm_settings": {"SelectTypeParameters": "CR_CPU_Memory"},
        "slurmdbd_settings": {"PrivateData": "jobs"},
        "cgroup_settings": {"ConstrainRAMSpace": "yes"},
        "root_volume_gib": 200,
        "ssh_key_name": "operators",
    },
    "observability": {"prometheus": True, "alarm_emails": ["ml@example.com"]},
    "tags": {"owner": "research"},
}
"""AWS PCS with every feature."""

SPECS = {
    "full": FULL,
    "minimal": MINIMAL,
    "scripted": SCRIPTED_MINIMAL,
    "hyperpod-eks": HYPERPOD_EKS,
    "hyperpod-eks that serves models": changed(
        HYPERPOD_EKS, network__egress="nat", protection="destroy", hyperpod__inference={}
    ),
    "hyperpod-eks minimal": HYPERPOD_EKS_MINIMAL,
    "parallelcluster": PARALLELCLUSTER,
    "parallelcluster minimal": PARALLELCLUSTER_MINIMAL,
    "pcs": PCS,
    "pcs minimal": PCS_MINIMAL,
    "eks": EKS,
    "eks minimal": EKS_MINIMAL,
    "eks karpenter": EKS_KARPENTER,
}


def paths(data: Any, path: Path = ()) -> Iterator[Path]:
    """Every path of the data, including mappings and lists, except the root."""
    children: Any = ()
    if isinstance(data, dict):
        children = data.items()
    elif isinstance(data, list):
        children = enumerate(data)
    for key, child in children:
        yield (*path, key)
        yield from paths(child, (*path, key))


def value_at(data: Any, path: Path) -> Any:
    for part in path:
        data = data[part]
    return data


def with_value(data: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """A copy of `data` with `value` at `path`."""
    result = copy.deepcopy(data)
    value_at(result, path[:-1])[path[-1]] = value
    return result


def without(data: dict[str, Any], path: Path) -> dict[str, Any]:
    """A copy of `data` without the value at `path`."""
    result = copy.deepcopy(data)
    del value_at(result, path[:-1])[path[-1]]
    return result


def renamed(data: dict[str, Any], path: Path, name: str) -> dict[str, Any]:
    """A copy of `data` in which the key at `path` is called `name`."""
    result = copy.deepcopy(data)
    parent = value_at(result, path[:-1])
    entries = [(name if key == path[-1] else key, value) for key, value in parent.items()]
    parent.clear()
    parent.update(entries)
    return result

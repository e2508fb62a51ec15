"""Specs of every platform that together use every feature that it supports."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.problems import SpecErrors
from clusterwright.cost.retiring import find_file_system
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.registry import KUBERNETES
from clusterwright.preflight.context import Context
from clusterwright.preflight.registry import all_rules, rule_files
from tests.support import rich_specs, specs

TODAY = dt.date(2026, 11, 20)
ACCOUNT = specs.ACCOUNT
KEY = f"arn:aws:kms:us-east-1:{ACCOUNT}:key/1234abcd-12ab-34cd-56ef-1234567890ab"
SECRET = f"arn:aws:secretsmanager:us-east-1:{ACCOUNT}:secret:slurm-AbCdEf"
RESERVATION = "cr-0a1b2c3d4e5f60718"

BASES: Mapping[str, tuple[dict[str, Any], ...]] = {
    "hyperpod-slurm": (
        rich_specs.MINIMAL,
        rich_specs.FULL,
        rich_specs.SCRIPTED_MINIMAL,
    ),
    "hyperpod-eks": (rich_specs.HYPERPOD_EKS_MINIMAL, rich_specs.HYPERPOD_EKS),
    "parallelcluster": (rich_specs.PARALLELCLUSTER_MINIMAL, rich_specs.PARALLELCLUSTER),
    "pcs": (rich_specs.PCS_MINIMAL, rich_specs.PCS),
    "eks": (rich_specs.EKS_MINIMAL, rich_specs.EKS, rich_specs.EKS_KARPENTER),
}

_NETWORK: dict[str, Any] = {
    "availability_zone_id": "use1-az6",
    "existing": {
        "vpc_id": "vpc-0a1b2c3d4e5f60718",
        "subnet_ids": ["subnet-0a1b2c3d4e5f60718"],
        "security_group_ids": ["sg-0a1b2c3d4e5f60718"],
    },
}
_CONTROL_PLANE = {
    "control_plane_subnet_ids": ["subnet-0a1b2c3d4e5f60719", "subnet-0a1b2c3d4e5f6071a"]
}
_DATABASE = {"database_subnet_ids": ["subnet-0a1b2c3d4e5f60719", "subnet-0a1b2c3d4e5f6071a"]}
_EFA_LUSTRE = {"capacity_gib": 9600, "throughput_mbps_per_tib": 500, "efa": True}
_LUSTRE_ID = {
    "id": "fs-0a1b2c3d4e5f60718",
    "dns_name": "fs-0a1b2c3d4e5f60718.fsx.us-east-1.amazonaws.com",
    "mount_name": "fsxmount",
    "security_group_id": "sg-0f1e2d3c4b5a69788",
}
_HOME_ID = {
    "dns_name": "fs-0f1e2d3c4b5a69788.fsx.us-east-1.amazonaws.com",
    "security_group_id": "sg-0f1e2d3c4b5a69789",
}
_RUN = {
    "hours": 168,
    "start": "2026-12-01",
    "checkpoint_gib": 1000,
    "checkpoint_interval_minutes": 30,
    "max_checkpoint_seconds": 300,
}

CHANGES: tuple[dict[str, Any], ...] = (
    {},
    {"network.egress": "nat"},
    {"network.egress": "nat", "hyperpod.inference": {}},
    {"pcs.root_volume_gib": 500},
    {"parallelcluster.root_volume_gib": 500},
    {"network.peered_cidrs": ["10.200.0.0/16"]},
    {"network": _NETWORK},
    {"network": _NETWORK, "hyperpod.inference": {}},
    {
        "network": {**_NETWORK, "existing": {**_NETWORK["existing"], **_DATABASE}},
        "slurm.accounting": {"kind": "rds"},
    },
    {"network": _NETWORK, "storage": {"lustre": [_EFA_LUSTRE]}},
    {"network": _NETWORK, "compute.-1.max_count": 16},
    {"compute.-1.max_count": 16},
    {"compute.-1.capacity": {"kind": "spot"}, "run": {"hours": 168}},
    {"compute.-1.capacity": {"kind": "reservation", "id": RESERVATION}, "run": {"hours": 168}},
    {"compute.-1.capacity": {"kind": "capacity-block", "id": RESERVATION}},
    {
        "compute.-1.instance_type": "p6e-gb200.36xlarge",
        "compute.-1.count": 9,
        "compute.-1.capacity": {"kind": "capacity-block", "id": RESERVATION},
    },
    {
        "compute.0.instance_type": "m7g.4xlarge",
        "compute.-1.instance_type": "p6e-gb200.36xlarge",
        "compute.-1.count": 9,
        "compute.-1.capacity": {"kind": "capacity-block", "id": RESERVATION},
    },
    {"compute.-1.capacity": {"kind": "training-plan", "arn": specs.PLAN}, "run": {"hours": 168}},
    {"compute.-1.ebs": {"capacity_gib": 500}},
    {"compute.-1.placement_group": True},
    {"slurm.restrict_ssh_to_jobs": True},
    {"compute.-1.scratch": {"mount_path": "/scratch"}, "run": _RUN},
    {
        "compute.-1.scratch": {"mount_path": "/scratch"},
        "storage.lustre": [_EFA_LUSTRE],
        "storage.checkpoint_path": "/scratch/checkpoints",
        "run": _RUN,
    },
    {
        "storage.lustre": [_EFA_LUSTRE],
        "storage.checkpoint_path": "/fsx/checkpoints",
        "run": _RUN,
    },
    {"identity.kms_key_arn": KEY},
    {"identity.permissions_boundary_arn": f"arn:aws:iam::{ACCOUNT}:policy/boundary"},
    {"budget": {"monthly_usd": 100, "run_usd": 100}, "run": {"hours": 100}},
    {"acceptance": {"level": "quick", "hold": False}},
    {"required_tags": ["owner"], "tags": {"owner": "research"}},
    {"tags": {"owner": "research"}, "network": _NETWORK},
    {"lifecycle": {"steps": ["configs/examples/steps/memlock.py"]}},
    {"image": {"image_id": "ami-0123456789abcdef0"}},
    {"image": {"release_version": "1.2.3"}},
    {"image": {"image_id": "ami-0123456789abcdef0", "nvidia_driver": "535.1.1"}},
    {
        "image": {"image_id": "ami-0123456789abcdef0", "nvidia_driver": "535.1.1"},
        "slurm.containers": {"pyxis": True, "cuda": "12.4"},
    },
    {"slurm.containers": {"pyxis": True, "install": "mirrored"}},
    {"storage.home": {"kind": "openzfs", "capacity_gib": 512}},
    {"storage.home": {"kind": "openzfs", "existing": _HOME_ID}, "network": _NETWORK},
    {
        "storage.home": {
            "kind": "openzfs",
            "existing": {**_HOME_ID, "volume_id": "fsvol-0a1b2c3d4e5f60718"},
        },
        "network": _NETWORK,
    },
    {"storage.lustre": [{"mount_path": "/fsx", "existing": _LUSTRE_ID}], "network": _NETWORK},
    {
        "storage.lustre": [{"mount_path": "/fsx", "existing": _LUSTRE_ID}],
        "storage.checkpoint_path": "/fsx/checkpoints",
        "run": _RUN,
        "network": _NETWORK,
    },
    {
        "storage.lustre": [
            {
                "capacity_gib": 4800,
                "throughput_mbps_per_tib": 500,
                "repositories": [
                    {"s3": "s3://acme-corpus/tokens", "path": "/data", "import": ["NEW"]}
                ],
            }
        ]
    },
    {
        "storage.lustre": [
            {
                "deployment_type": "PERSISTENT_1",
                "storage_type": "HDD",
                "capacity_gib": 6000,
                "throughput_mbps_per_tib": 12,
            }
        ]
    },
    {
        "storage.lustre": [
            {
                "storage_type": "INTELLIGENT_TIERING",
                "throughput_mbps": 4000,
                "read_cache": {"mode": "provisioned", "capacity_gib": 4000},
            }
        ]
    },
    {"storage.buckets": [{"name": "test-datasets", "mount_path": "/s3/datasets"}]},
    {"storage.image_repositories": [{"name": "new", "create": True}, {"name": "python"}]},
    {
        "slurm.accounting": {
            "kind": "rds",
            "existing": {
                "endpoint": "slurm.cluster-example.us-east-1.rds.amazonaws.com",
                "database_name": "slurm_acct_db",
                "secret_arn": SECRET,
            },
        },
        "network": _NETWORK,
    },
    {
        "slurm.accounting": {
            "kind": "rds",
            "existing": {
                "endpoint": "slurm.cluster-example.us-east-1.rds.amazonaws.com",
                "secret_arn": SECRET,
                "user_name": "slurm",
            },
        },
        "network": _NETWORK,
    },
    {"parallelcluster": {"ssh_key_name": "team"}},
    {"observability.prometheus": True, "observability.grafana": {}},
    {
        "kubernetes": {
            "access": [{"principal_arn": f"arn:aws:iam::{ACCOUNT}:role/team", "policy": "view"}],
            "pod_identities": [
                {
                    "namespace": "training",
                    "service_account": "data-loader",
                    "role_arn": f"arn:aws:iam::{ACCOUNT}:role/data-loader",
                }
            ],
            "capabilities": {
                "argocd": {
                    "repository": "https://git.example.com/clusters.git",
                    "path": "clusters/dev",
                    "identity_center_arn": "arn:aws:sso:::instance/ssoins-0123456789abcdef",
                }
            },
        },
        "observability.metrics": {
            "image": f"{ACCOUNT}.dkr.ecr.us-east-1.amazonaws.com/python@sha256:{'0' * 64}"
        },
    },
    {
        "storage.image_repositories": [{"name": "tests"}],
        "acceptance": {
            "image": f"{ACCOUNT}.dkr.ecr.us-east-1.amazonaws.com/tests@sha256:{'0' * 64}",
            "hold": True,
        },
    },
    {"slurm.accounting": {"kind": "rds"}},
    {"slurm.accounting": {"kind": "local"}},
    {"slurm.accounting": {"kind": "none"}},
    {
        "waivers": [
            {
                "rule": "CW-N003",
                "path": "network",
                "reason": "agreed with the network team",
                "expires": "2027-01-31",
            }
        ]
    },
)
"""Values at dotted paths, tried on every base of every platform; `compute.-1` is the last group.

A platform that refuses a change does not support it.
"""


def contexts(platform: str, folder: Path) -> Iterator[Context]:
    """The contexts of every spec that the platform accepts."""
    catalog = load_catalog()
    ids = frozenset(file.id for file in rule_files())
    for base in BASES[platform]:
        last = len(base["compute"]) - 1
        for changes in CHANGES:
            there = {path.replace("-1", str(last)): value for path, value in changes.items()}
            if changes.get("network") is _NETWORK and platform in KUBERNETES:
                existing = {**_NETWORK["existing"], **_CONTROL_PLANE}
                there["network"] = {**_NETWORK, "existing": existing}
            try:
                spec = load_cluster(specs.write(folder / "spec.yaml", specs.changed(there, base)))
            except SpecErrors:
                continue
            lustre = [fs for fs in spec.cluster.storage.lustre if fs.existing is None]
            retire = find_file_system(spec.cluster, str(lustre[0].name)) if lustre else None
            yield Context(spec, catalog, TODAY, retire=retire, rule_ids=ids)


@cache
def rules_with_subjects(platform: str, folder: Path) -> frozenset[str]:
    """The ids of the rules that have a subject in any spec of the platform."""
    found: set[str] = set()
    for context in contexts(platform, folder):
        found |= {r.id for r in all_rules() if r.id not in found and any(_subjects(r, context))}
    return frozenset(found)


def _subjects(rule: Any, context: Context) -> Iterator[bool]:
    for _ in rule.subjects(context):
        yield True

"""A case for each leaf of the spec: a change and where its effect shows."""

from __future__ import annotations

import dataclasses
import datetime as dt
import functools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel

import stacks
from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cost.budget import gates, increase_gate
from clusterwright.cost.delta import cost_delta
from clusterwright.cost.estimate import estimate
from clusterwright.platforms.kubernetes.charts import UnknownChartError, pinned_charts
from clusterwright.platforms.kubernetes.render import PARTS
from clusterwright.platforms.kubernetes.render import manifests as manifests_of
from clusterwright.platforms.kubernetes.values import chart_values
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.parallelcluster.document import render
from clusterwright.platforms.parallelcluster.supplied import placeholders
from clusterwright.preflight import engine
from clusterwright.preflight.context import Context
from clusterwright.preflight.registry import rule_files
from clusterwright.review.gates import Allowances, replacement_gates
from clusterwright.review.results import ResourceChange
from stacks.base.spec_metadata import KEY
from stacks.lifecycle import node_files
from tests.platforms.kubernetes.specs import DIGEST, IMAGE, OUTPUTS
from tests.platforms.kubernetes.specs import EKS as KUBERNETES
from tests.platforms.kubernetes.specs import HYPERPOD as KUBERNETES_ON_HYPERPOD
from tests.support.rich_specs import (
    ACCOUNT,
    EKS,
    EKS_MINIMAL,
    FULL,
    HYPERPOD_EKS,
    MINIMAL,
    PCS_MINIMAL,
    changed,
)

TODAY = dt.date(2026, 11, 20)

SCALED_BY_KARPENTER = {"compute__1__min_count": None, "compute__1__threads_per_core": None}
"""Of `EKS`: keys that groups scaled by Karpenter cannot have."""

WITHOUT_VALIDATION = {"builtin_cloud_formation_validation": False, "tree_metadata": False}

SCRIPTED = changed(
    FULL,
    slurm__configuration="scripted",
    resilience__node_provisioning=None,
    compute__2__min_count=None,
    compute__2__spare_count=0,
    slurm__accounting={"kind": "none"},
    network__second_availability_zone_id=None,
)

SCHEDULED = changed(
    FULL,
    slurm__configuration="scripted",
    resilience__node_provisioning=None,
    compute__2__min_count=None,
    slurm__preemption="requeue",
    slurm__qos=[
        {"name": "urgent", "preempts": ["low", "idle"]},
        {"name": "low"},
        {"name": "idle"},
    ],
    slurm__accounts=[{"name": "research", "qos": ["urgent"]}],
)

EXISTING = changed(
    MINIMAL,
    network={
        "availability_zone_id": "use1-az6",
        "existing": {
            "vpc_id": "vpc-0a1b2c3d4e5f60718",
            "subnet_ids": ["subnet-0a1b2c3d4e5f60718"],
            "security_group_ids": ["sg-0a1b2c3d4e5f60718"],
            "database_subnet_ids": ["subnet-0a1b2c3d4e5f60719", "subnet-0a1b2c3d4e5f6071a"],
        },
    },
    storage={
        "lustre": [
            {
                "mount_path": "/fsx",
                "existing": {
                    "id": "fs-0a1b2c3d4e5f60718",
                    "dns_name": "fs-0a1b2c3d4e5f60718.fsx.us-east-1.amazonaws.com",
                    "mount_name": "fsxmount",
                    "security_group_id": "sg-0f1e2d3c4b5a69788",
                },
            }
        ],
        "home": {
            "kind": "openzfs",
            "existing": {
                "dns_name": "fs-0f1e2d3c4b5a69788.fsx.us-east-1.amazonaws.com",
                "security_group_id": "sg-0f1e2d3c4b5a69789",
            },
        },
    },
    slurm={"accounting": {"kind": "rds"}},
)

WITHOUT_CHECKPOINTS = changed(
    KUBERNETES_ON_HYPERPOD,
    kubernetes__workloads__jobs__0__elastic=None,
    kubernetes__workloads__jobs__0__checkpointless={},
    kubernetes__workloads__jobs__0__command=["hyperpodrun", "--inprocess-restart", "train.py"],
)

SERVING = changed(HYPERPOD_EKS, network__egress="nat", hyperpod__inference={})

EKS_EXISTING = changed(
    EKS_MINIMAL,
    network={
        "availability_zone_id": "use1-az6",
        "existing": {
            "vpc_id": "vpc-0a1b2c3d4e5f60718",
            "subnet_ids": ["subnet-0a1b2c3d4e5f60718"],
            "security_group_ids": ["sg-0a1b2c3d4e5f60718"],
            "control_plane_subnet_ids": ["subnet-0a1b2c3d4e5f60719", "subnet-0a1b2c3d4e5f6071a"],
        },
    },
)

EXISTING_DATABASE = changed(
    MINIMAL,
    slurm={
        "accounting": {
            "kind": "rds",
            "existing": {
                "endpoint": "slurm.cluster-example.us-east-1.rds.amazonaws.com",
                "port": 3306,
                "database_name": "slurm_acct_db",
                "secret_arn": f"arn:aws:secretsmanager:us-east-1:{ACCOUNT}:secret:slurm-AbCdEf",
            },
        }
    },
)

HARD_DISKS = changed(
    MINIMAL,
    storage={
        "lustre": [
            {
                "deployment_type": "PERSISTENT_1",
                "storage_type": "HDD",
                "capacity_gib": 18000,
                "throughput_mbps_per_tib": 40,
            }
        ]
    },
)

PERSISTENT_1 = changed(
    MINIMAL,
    storage={
        "lustre": [
            {
                "deployment_type": "PERSISTENT_1",
                "capacity_gib": 2400,
                "throughput_mbps_per_tib": 100,
            }
        ]
    },
)

PLAIN_LUSTRE = changed(
    MINIMAL,
    storage={"lustre": [{"capacity_gib": 9600, "throughput_mbps_per_tib": 500}]},
)

SCRATCH = changed(
    MINIMAL, storage={"lustre": [{"deployment_type": "SCRATCH_2", "capacity_gib": 1200}]}
)

NO_EXPIRY = changed(FULL, storage__buckets__1__expire_noncurrent_days=None)

NO_MEMBERS = changed(FULL, slurm__users__0__groups=[])

MIXED = changed(
    MINIMAL,
    compute=[
        {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
        {
            "name": "workers",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 8,
            "capacity": {
                "kind": "mix",
                "shares": [
                    {
                        "percent": 75,
                        "capacity": {
                            "kind": "training-plan",
                            "arn": f"arn:aws:sagemaker:us-east-1:{ACCOUNT}:training-plan/run",
                        },
                    },
                    {"percent": 25, "capacity": {"kind": "spot"}},
                ],
                "fallback": ["on-demand"],
            },
        },
    ],
)

NO_ACCOUNTING = changed(MINIMAL, slurm={"accounting": {"kind": "none"}})

MIRRORED = changed(FULL, slurm__containers__install="mirrored")

AT_ONCE = changed(MINIMAL, resilience={"node_provisioning": "all-at-once"})

# Two login nodes, to have one fewer.
COUNTED = changed(
    MINIMAL,
    compute=[
        {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
        {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 2},
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4},
    ],
)

# Too few addresses for headroom, so that the headroom shows.
TIGHT = changed(MINIMAL, network__cidr="10.0.0.0/23", network__address_headroom_percent=0)

WAIVED = changed(
    MINIMAL,
    slurm={"containers": {"pyxis": True}},
    waivers=[
        {
            "rule": "CW-L002",
            "path": "slurm.containers.pyxis",
            "reason": "the image is our own and has Pyxis",
            "expires": "2027-01-31",
        }
    ],
)

REPLACED = ResourceChange(
    stack="test-storage",
    logical_id="HomeFileSystem",
    type="AWS::FSx::FileSystem",
    effect="replace",
    action="replace",
    holds="files",
    data_loss=True,
    outcome="lost: files",
)

ALLOWING = changed(
    MINIMAL,
    allow_replacement=[
        {"resource": "test-storage/HomeFileSystem", "reason": "the files are in the new one"}
    ],
)

ALLOWED = "allow_replacement__0"

ACCEPTANCE = changed(
    MINIMAL,
    acceptance={
        "floors": [
            {
                "check": "cluster-allreduce",
                "minimum": 200,
                "unit": "GB/s",
                "size_mib": 1024,
                "node_count": 8,
            }
        ],
        "waivers": [
            {
                "check": "nvlink",
                "reason": "the vendor replaces the cable",
                "expires": "2027-01-31",
            }
        ],
    },
)

WITH_LOGIN = changed(
    MINIMAL,
    compute=[
        *MINIMAL["compute"],
        {"name": "extra", "role": "login", "instance_type": "m5.4xlarge", "count": 1},
    ],
)

OWN_IMAGE = changed(
    MINIMAL,
    image={"image_id": "ami-0123456789abcdef0", "released": "2026-09-17"},
    slurm={"accounting": {"kind": "rds"}},
)


@dataclass(frozen=True)
class Case:
    """One change of one leaf, and where it must show.

    `also` holds what has to change with it for the new spec to be consistent.
    """

    base: dict[str, Any]
    path: str
    value: Any
    shows: str
    also: dict[str, Any] = field(default_factory=dict)

    def after(self) -> dict[str, Any]:
        return changed(self.base, **self.also, **{self.path: self.value})


def template(path: str, value: Any, base: dict[str, Any] = FULL, **also: Any) -> Case:
    return Case(base, path, value, "template", also)


def cluster_json(path: str, value: Any, base: dict[str, Any] = FULL, **also: Any) -> Case:
    return Case(base, path, value, "cluster.json", also)


def finding(path: str, value: Any, base: dict[str, Any] = FULL, **also: Any) -> Case:
    return Case(base, path, value, "finding", also)


def cost(path: str, value: Any, base: dict[str, Any] = FULL, **also: Any) -> Case:
    return Case(base, path, value, "cost", also)


def manifests(path: str, value: Any, base: dict[str, Any] = KUBERNETES, **also: Any) -> Case:
    return Case(base, path, value, "manifests", also)


def document(path: str, value: Any, base: dict[str, Any], **also: Any) -> Case:
    return Case(base, path, value, "ParallelCluster's configuration", also)


def refused(path: str, value: Any, base: dict[str, Any] = FULL, **also: Any) -> Case:
    return Case(base, path, value, "refused", also)


def gate(path: str, value: Any, base: dict[str, Any] = FULL, **also: Any) -> Case:
    return Case(base, path, value, "gate of a change", also)


PC = changed(
    COUNTED,
    platform="parallelcluster",
    parallelcluster={"version": "3.16.1"},
    slurm={"accounting": {"kind": "none"}},
)

ON_PCS = changed(
    PCS_MINIMAL, pcs={"slurm_version": "25.11"}, slurm={"accounting": {"kind": "managed"}}
)

PC_EXISTING = changed(
    EXISTING,
    platform="parallelcluster",
    network__existing__database_subnet_ids=None,
    storage__home__existing__volume_id="fsvol-0a1b2c3d4e5f60718",
    slurm=changed(EXISTING_DATABASE["slurm"], accounting__existing__user_name="slurm"),
)

GOVERNANCE = "hyperpod__task_governance"

WORKLOADS = "kubernetes__workloads"

JOB = f"{WORKLOADS}__jobs__0"

CHART = f"{WORKLOADS}__charts__1"

ARGOCD = "kubernetes__capabilities__argocd"

# Weights are used only with queues.
QUEUELESS = changed(
    KUBERNETES,
    tenants__0__weight=None,
    tenants__2__borrowing=None,
    kubernetes__workloads__charts=[],
)

ONE_CHART = changed(
    KUBERNETES, kubernetes__workloads__charts=KUBERNETES["kubernetes"]["workloads"]["charts"][:2]
)

TENANTS = changed(
    FULL,
    tenants=[{"name": "pretraining", "weight": 3}, {"name": "interns", "borrowing": False}],
)

LUSTRE = "storage__lustre__0"

REPOSITORY = f"{LUSTRE}__repositories__0"

PLAN = f"arn:aws:sagemaker:us-east-1:{ACCOUNT}:training-plan/other"

RESERVATION = {"kind": "reservation", "id": "cr-0123456789abcdef0"}
RESERVED_ELSEWHERE = changed(MINIMAL, platform="parallelcluster", compute__1__capacity=RESERVATION)
LENT = {**RESERVATION, "interruptible": True}
RESERVED_ON_PCS = changed(PCS_MINIMAL, compute__1__capacity=RESERVATION)
MIXED_ON_PCS = changed(
    PCS_MINIMAL,
    compute__1__capacity={
        "kind": "mix",
        "shares": [
            {"percent": 75, "capacity": RESERVATION},
            {"percent": 25, "capacity": {"kind": "spot"}},
        ],
    },
)


def leaves(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Paths of all fields that hold a value: `storage.lustre[].efa`."""
    for name, info in model.model_fields.items():
        path = f"{prefix}.{info.alias or name}".removeprefix(".")
        inner = list(dict.fromkeys(_models(info.annotation)))
        if not inner:
            yield path
        for part in inner:
            yield from leaves(part, path + ("[]" if _is_list(info.annotation) else ""))


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        return
    for argument in get_args(annotation):
        yield from _models(argument)


def _is_list(annotation: Any) -> bool:
    return get_origin(annotation) is list or any(map(_is_list, get_args(annotation)))


CASES: dict[str, tuple[Case, ...]] = {
    "environment": (template("environment", "other"),),
    "account": (template("account", "444455556666", MINIMAL),),
    "region": (
        template("region", "us-east-2", MINIMAL, network__availability_zone_id="use2-az1"),
    ),
    "partition": (refused("partition", "aws-us-gov", MINIMAL),),
    "platform": (
        cost("platform", "parallelcluster", MINIMAL),
        template("platform", "parallelcluster", MINIMAL),
        refused("platform", "hyperpod-eks", MINIMAL),
        refused("platform", "eks", MINIMAL),
    ),
    "protection": (template("protection", "destroy"),),
    "network.cidr": (template("network__cidr", "10.8.0.0/16"),),
    "network.secondary_cidrs": (template("network__secondary_cidrs", ["10.2.0.0/24"]),),
    "network.availability_zone_id": (
        template("network__availability_zone_id", "use1-az2"),
        cluster_json("network__availability_zone_id", "use1-az2"),
    ),
    "network.second_availability_zone_id": (
        template("network__second_availability_zone_id", "use1-az2"),
    ),
    "network.egress": (template("network__egress", "nat"),),
    "network.address_headroom_percent": (
        template("network__address_headroom_percent", 100, TIGHT),
    ),
    "network.peered_cidrs": (finding("network__peered_cidrs", ["10.0.7.0/24"]),),
    "network.flow_log_retention_days": (template("network__flow_log_retention_days", 60),),
    "network.existing.vpc_id": (
        template("network__existing__vpc_id", "vpc-0a1b2c3d4e5f60719", EXISTING),
    ),
    "network.existing.subnet_ids": (
        template("network__existing__subnet_ids", ["subnet-0a1b2c3d4e5f60999"], EXISTING),
    ),
    "network.existing.security_group_ids": (
        template("network__existing__security_group_ids", ["sg-0a1b2c3d4e5f60999"], EXISTING),
    ),
    "network.existing.owner_account": (
        template("network__existing__owner_account", "222233334444", EXISTING),
    ),
    "network.existing.control_plane_subnet_ids": (
        template(
            "network__existing__control_plane_subnet_ids",
            ["subnet-0a1b2c3d4e5f60719", "subnet-0a1b2c3d4e5f6071b"],
            EKS_EXISTING,
        ),
        refused(
            "network__existing__control_plane_subnet_ids",
            ["subnet-0a1b2c3d4e5f60719"],
            EKS_EXISTING,
        ),
    ),
    "network.existing.database_subnet_ids": (
        template(
            "network__existing__database_subnet_ids",
            ["subnet-0a1b2c3d4e5f60719", "subnet-0a1b2c3d4e5f60999"],
            EXISTING,
        ),
    ),
    "compute[].name": (
        template("compute__1__name", "front"),
        cluster_json("compute__1__name", "front"),
    ),
    "compute[].role": (
        template("compute__2__role", "compute", WITH_LOGIN),
        cluster_json("compute__2__role", "compute", WITH_LOGIN),
    ),
    "compute[].instance_type": (
        template("compute__3__instance_type", "p5.48xlarge"),
        cost("compute__0__instance_type", "m5.8xlarge"),
    ),
    "compute[].count": (template("compute__2__count", 16), cost("compute__1__count", 1, COUNTED)),
    "compute[].min_count": (template("compute__2__min_count", 5),),
    "compute[].max_count": (finding("compute__1__max_count", 6000, MINIMAL),),
    "compute[].spare_count": (cluster_json("compute__2__spare_count", 2),),
    "compute[].capacity.kind": (
        template("compute__3__capacity", {"kind": "on-demand"}),
        refused("compute__3__capacity", RESERVATION),
        refused("compute__3__capacity", {**RESERVATION, "kind": "capacity-block"}),
    ),
    "compute[].capacity.arn": (template("compute__2__capacity__arn", PLAN),),
    "compute[].capacity.shares[].percent": (
        template(
            "compute__1__capacity__shares__0__percent",
            50,
            MIXED,
            compute__1__capacity__shares__1__percent=50,
        ),
        refused("compute__1__capacity__shares__0__percent", 70, MIXED),
    ),
    "compute[].capacity.shares[].capacity.kind": (
        template("compute__1__capacity__shares__1__capacity__kind", "on-demand", MIXED),
    ),
    "compute[].capacity.shares[].capacity.arn": (
        template("compute__1__capacity__shares__0__capacity__arn", PLAN, MIXED),
    ),
    "compute[].capacity.shares[].capacity.id": (
        refused("compute__1__capacity__shares__1__capacity", RESERVATION, MIXED),
    ),
    "compute[].capacity.shares[].capacity.interruptible": (
        template("compute__1__capacity__shares__0__capacity__interruptible", True, MIXED_ON_PCS),
        refused("compute__1__capacity__shares__1__capacity", LENT, MIXED),
    ),
    "compute[].capacity.fallback": (
        template("compute__1__capacity__fallback", [], MIXED),
        cost("compute__1__capacity__fallback", [], MIXED),
    ),
    "compute[].labels": (
        template("compute__1__labels", {"team": "a"}, HYPERPOD_EKS),
        refused("compute__1__labels", {"team": "a"}, MINIMAL),
    ),
    "compute[].taints[].key": (template("compute__1__taints__0__key", "a", HYPERPOD_EKS),),
    "compute[].taints[].value": (template("compute__1__taints__0__value", "b", HYPERPOD_EKS),),
    "compute[].taints[].effect": (
        template("compute__1__taints__0__effect", "NoExecute", HYPERPOD_EKS),
    ),
    "compute[].mig_profile": (
        template("compute__2__mig_profile", "all-1g.10gb", HYPERPOD_EKS),
        refused("compute__2__mig_profile", "all-1g.5gb", HYPERPOD_EKS),
    ),
    "compute[].restricted": (
        template("compute__3__restricted", False, HYPERPOD_EKS, hyperpod__restricted_lustre=None),
    ),
    "hyperpod.autoscaling": (
        template("hyperpod__autoscaling", "off", HYPERPOD_EKS),
        refused("hyperpod__autoscaling", "karpenter", HYPERPOD_EKS, compute__4__max_count=None),
    ),
    "hyperpod.tiered_storage.memory_percent": (
        template("hyperpod__tiered_storage__memory_percent", 30, HYPERPOD_EKS),
    ),
    "hyperpod.task_governance.priority_classes[].name": (
        template(f"{GOVERNANCE}__priority_classes__0__name", "urgent", HYPERPOD_EKS),
    ),
    "hyperpod.task_governance.priority_classes[].weight": (
        template(f"{GOVERNANCE}__priority_classes__0__weight", 80, HYPERPOD_EKS),
    ),
    "hyperpod.task_governance.fair_share": (
        template(f"{GOVERNANCE}__fair_share", False, HYPERPOD_EKS),
    ),
    "hyperpod.task_governance.share_idle": (
        template(f"{GOVERNANCE}__share_idle", False, HYPERPOD_EKS),
    ),
    "hyperpod.task_governance.addon_version": (
        template(f"{GOVERNANCE}__addon_version", "v1.3.1-eksbuild.1", HYPERPOD_EKS),
    ),
    "hyperpod.addons[].name": (
        template("hyperpod__addons", [{"name": "observability"}], HYPERPOD_EKS),
    ),
    "hyperpod.addons[].version": (
        template("hyperpod__addons__0__version", "v1.2.1-eksbuild.1", HYPERPOD_EKS),
    ),
    "hyperpod.inference.addon_version": (
        template("hyperpod__inference__addon_version", "v1.0.1-eksbuild.1", SERVING),
        refused("hyperpod__inference__addon_version", "v0.9.1-eksbuild.1", SERVING),
    ),
    "hyperpod.inference.gated_models": (
        template("hyperpod__inference__gated_models", True, SERVING),
    ),
    "hyperpod.restricted_lustre.capacity_gib": (
        template("hyperpod__restricted_lustre__capacity_gib", 7200, HYPERPOD_EKS),
        cost("hyperpod__restricted_lustre__capacity_gib", 7200, HYPERPOD_EKS),
    ),
    "hyperpod.restricted_lustre.throughput_mbps_per_tib": (
        template("hyperpod__restricted_lustre__throughput_mbps_per_tib", 500, HYPERPOD_EKS),
        cost("hyperpod__restricted_lustre__throughput_mbps_per_tib", 500, HYPERPOD_EKS),
    ),
    "hyperpod.restricted_lustre.on_delete": (
        template("hyperpod__restricted_lustre__on_delete", "delete-if-not-used", HYPERPOD_EKS),
    ),
    "compute[].part_of": (cost("compute__1__part_of", "everything", MINIMAL),),
    # Only kinds that HyperPod refuses have an id.
    "compute[].capacity.id": (refused("compute__3__capacity", RESERVATION),),
    "compute[].capacity.interruptible": (
        template("compute__1__capacity__interruptible", True, RESERVED_ON_PCS),
        cost("compute__1__capacity__interruptible", True, RESERVED_ON_PCS),
        refused("compute__1__capacity__interruptible", True, RESERVED_ELSEWHERE),
    ),
    "compute[].ebs.capacity_gib": (
        template("compute__0__ebs__capacity_gib", 600),
        cost("compute__0__ebs__capacity_gib", 600),
    ),
    "compute[].scratch.mount_path": (cluster_json("compute__2__scratch__mount_path", "/nvme"),),
    "compute[].threads_per_core": (template("compute__2__threads_per_core", 2),),
    "compute[].network_interface": (template("compute__2__network_interface", "efa"),),
    "compute[].placement_group": (refused("compute__1__placement_group", True, MINIMAL),),
    "storage.lustre[].name": (cluster_json(f"{LUSTRE}__name", "fast"),),
    "storage.lustre[].mount_path": (
        template("storage__lustre__0__mount_path", "/data", PLAIN_LUSTRE),
        cluster_json("storage__lustre__0__mount_path", "/data", PLAIN_LUSTRE),
    ),
    "storage.lustre[].deployment_type": (
        template(f"{LUSTRE}__deployment_type", "SCRATCH_1", SCRATCH),
    ),
    "storage.lustre[].storage_type": (template(f"{LUSTRE}__storage_type", "SSD", HARD_DISKS),),
    "storage.lustre[].capacity_gib": (
        template(f"{LUSTRE}__capacity_gib", 19200),
        cost(f"{LUSTRE}__capacity_gib", 19200),
        finding(f"{LUSTRE}__capacity_gib", 9601),
    ),
    "storage.lustre[].throughput_mbps_per_tib": (
        template(f"{LUSTRE}__throughput_mbps_per_tib", 1000),
        finding(f"{LUSTRE}__throughput_mbps_per_tib", 130),
    ),
    "storage.lustre[].throughput_mbps": (
        template("storage__lustre__2__throughput_mbps", 8000),
        finding("storage__lustre__2__throughput_mbps", 4001),
    ),
    "storage.lustre[].efa": (
        template(f"{LUSTRE}__efa", False),
        cluster_json(f"{LUSTRE}__efa", False),
    ),
    "storage.lustre[].metadata.mode": (template(f"{LUSTRE}__metadata", {"mode": "automatic"}),),
    "storage.lustre[].metadata.iops": (
        template(f"{LUSTRE}__metadata__iops", 24000),
        finding(f"{LUSTRE}__metadata__iops", 13000),
    ),
    "storage.lustre[].read_cache.mode": (
        template("storage__lustre__2__read_cache", {"mode": "none"}),
    ),
    "storage.lustre[].read_cache.capacity_gib": (
        template("storage__lustre__2__read_cache__capacity_gib", 5000),
    ),
    "storage.lustre[].hdd_read_cache": (template("storage__lustre__1__hdd_read_cache", False),),
    "storage.lustre[].compression": (template(f"{LUSTRE}__compression", "none"),),
    "storage.lustre[].version": (template(f"{LUSTRE}__version", "2.12", PERSISTENT_1),),
    "storage.lustre[].backup_retention_days": (
        template("storage__lustre__1__backup_retention_days", 8),
    ),
    "storage.lustre[].maintenance_window": (template(f"{LUSTRE}__maintenance_window", "5:04:30"),),
    "storage.lustre[].repositories[].s3": (
        template(f"{REPOSITORY}__s3", "s3://test-corpus/other"),
    ),
    "storage.lustre[].repositories[].path": (template(f"{REPOSITORY}__path", "/corpus"),),
    "storage.lustre[].repositories[].import": (template(f"{REPOSITORY}__import", ["NEW"]),),
    "storage.lustre[].repositories[].export": (template(f"{REPOSITORY}__export", ["NEW"]),),
    "storage.lustre[].repositories[].import_metadata_on_create": (
        template(f"{REPOSITORY}__import_metadata_on_create", False),
    ),
    "storage.lustre[].repositories[].imported_file_chunk_mib": (
        template(f"{REPOSITORY}__imported_file_chunk_mib", 2048),
    ),
    "storage.lustre[].repositories[].create": (template(f"{REPOSITORY}__create", True),),
    "storage.lustre[].repositories[].preload": (
        cluster_json(f"{REPOSITORY}__preload", ["/tokens"]),
    ),
    "storage.lustre[].existing.id": (
        template(f"{LUSTRE}__existing__id", "fs-0a1b2c3d4e5f60999", EXISTING),
    ),
    "storage.lustre[].existing.dns_name": (
        template(
            f"{LUSTRE}__existing__dns_name",
            "fs-0a1b2c3d4e5f60999.fsx.us-east-1.amazonaws.com",
            EXISTING,
        ),
    ),
    "storage.lustre[].existing.mount_name": (
        template(f"{LUSTRE}__existing__mount_name", "other", EXISTING),
    ),
    "storage.lustre[].existing.security_group_id": (
        template(f"{LUSTRE}__existing__security_group_id", "sg-0a1b2c3d4e5f60999", EXISTING),
    ),
    "storage.buckets[].name": (
        template("storage__buckets__1__name", "test-other"),
        cluster_json("storage__buckets__2__name", "test-other"),
    ),
    "storage.buckets[].create": (template("storage__buckets__0__create", True),),
    "storage.buckets[].directory": (
        template("storage__buckets__1__directory", True, NO_EXPIRY),
        cluster_json("storage__buckets__1__directory", True, NO_EXPIRY),
    ),
    "storage.buckets[].mount_path": (
        template("storage__buckets__1__mount_path", "/s3/results"),
        cluster_json("storage__buckets__0__mount_path", "/s3/other"),
    ),
    "storage.buckets[].expire_noncurrent_days": (
        template("storage__buckets__1__expire_noncurrent_days", 60),
    ),
    "storage.image_repositories[].name": (
        template("storage__image_repositories__0__name", "test-other"),
    ),
    "storage.image_repositories[].create": (
        template("storage__image_repositories__1__create", True),
    ),
    "storage.image_repositories[].keep_images": (
        template("storage__image_repositories__0__keep_images", 30),
    ),
    # The only value so far: any other is refused.
    "storage.home.kind": (refused("storage__home__kind", "efs"),),
    "storage.home.mount_path": (
        template("storage__home__mount_path", "/homes"),
        cluster_json("storage__home__mount_path", "/homes"),
    ),
    "storage.home.capacity_gib": (template("storage__home__capacity_gib", 256),),
    "storage.home.throughput_mbps": (template("storage__home__throughput_mbps", 512),),
    "storage.home.backup_retention_days": (template("storage__home__backup_retention_days", 8),),
    "storage.home.existing.dns_name": (
        template(
            "storage__home__existing__dns_name",
            "fs-0a1b2c3d4e5f60999.fsx.us-east-1.amazonaws.com",
            EXISTING,
        ),
    ),
    "storage.home.existing.security_group_id": (
        template("storage__home__existing__security_group_id", "sg-0a1b2c3d4e5f60999", EXISTING),
    ),
    "storage.checkpoint_path": (cluster_json("storage__checkpoint_path", "/fsx/other"),),
    "identity.kms_key_arn": (
        template(
            "identity__kms_key_arn",
            f"arn:aws:kms:us-east-1:{ACCOUNT}:key/1234abcd-12ab-34cd-56ef-1234567890ab",
        ),
    ),
    "identity.permissions_boundary_arn": (
        template("identity__permissions_boundary_arn", f"arn:aws:iam::{ACCOUNT}:policy/other"),
    ),
    "identity.session_manager": (template("identity__session_manager", False),),
    "slurm.configuration": (
        template("slurm__configuration", "scripted", NO_ACCOUNTING),
        cluster_json("slurm__configuration", "scripted", NO_ACCOUNTING),
    ),
    "slurm.strategy": (template("slurm__strategy", "Merge", AT_ONCE),),
    "slurm.partitions[].name": (
        template("slurm__partitions__0__name", "train"),
        cluster_json("slurm__partitions__0__name", "train"),
    ),
    "slurm.partitions[].groups": (
        template("slurm__partitions", [{"name": "training", "groups": ["workers", "spot"]}]),
    ),
    "slurm.accounting.kind": (
        template("slurm__accounting__kind", "rds", MINIMAL),
        cluster_json("slurm__accounting__kind", "none", MINIMAL),
    ),
    "slurm.accounting.instance_class": (
        template("slurm__accounting__instance_class", "db.m6g.large"),
    ),
    "slurm.accounting.capacity_gib": (template("slurm__accounting__capacity_gib", 200),),
    "slurm.accounting.multi_az": (template("slurm__accounting__multi_az", False),),
    "slurm.accounting.backup_retention_days": (
        template("slurm__accounting__backup_retention_days", 3),
    ),
    "slurm.accounting.existing.endpoint": (
        template("slurm__accounting__existing__endpoint", "db.example.com", EXISTING_DATABASE),
    ),
    "slurm.accounting.existing.port": (
        template("slurm__accounting__existing__port", 3307, EXISTING_DATABASE),
    ),
    "slurm.accounting.existing.database_name": (
        template("slurm__accounting__existing__database_name", "other", EXISTING_DATABASE),
    ),
    "slurm.accounting.existing.secret_arn": (
        template(
            "slurm__accounting__existing__secret_arn",
            f"arn:aws:secretsmanager:us-east-1:{ACCOUNT}:secret:other-AbCdEf",
            EXISTING_DATABASE,
        ),
    ),
    "slurm.containers.pyxis": (
        template("slurm__containers__pyxis", False),
        cluster_json("slurm__containers__pyxis", False),
    ),
    "slurm.containers.install": (
        cluster_json("slurm__containers__install", "mirrored"),
        finding("slurm__containers__install", "mirrored"),
        refused("slurm__containers__install", "mirrored", MINIMAL),
    ),
    "slurm.topology": (
        cluster_json("slurm__topology", "none", SCRIPTED),
        template("slurm__topology", "tree", PC),
        refused("slurm__topology", "block", PC),
    ),
    "slurm.partitions[].max_time_minutes": (
        cluster_json("slurm__partitions__0__max_time_minutes", 600, SCHEDULED),
        refused("slurm__partitions__0__max_time_minutes", 600),
    ),
    "slurm.partitions[].priority_tier": (
        cluster_json("slurm__partitions__0__priority_tier", 3, SCHEDULED),
        refused("slurm__partitions__0__priority_tier", 3),
    ),
    **{
        f"slurm.priority_weights.{name}": (
            cluster_json(f"slurm__priority_weights__{name}", 77, SCHEDULED),
            refused(f"slurm__priority_weights__{name}", 77),
        )
        for name in ("age", "fair_share", "job_size", "partition", "qos")
    },
    "slurm.preemption": (
        cluster_json("slurm__preemption", "cancel", SCHEDULED),
        refused("slurm__preemption", "off", SCHEDULED),
        refused("slurm__preemption", "requeue"),
    ),
    **{
        f"slurm.timeouts.{name}": (
            cluster_json(f"slurm__timeouts__{name}", 99, SCHEDULED),
            refused(f"slurm__timeouts__{name}", 99),
        )
        for name in (
            "node_down_seconds",
            "message_seconds",
            "credential_seconds",
            "kill_wait_seconds",
        )
    },
    "slurm.qos[].name": (cluster_json("slurm__qos", [{"name": "night"}]),),
    "slurm.qos[].priority": (cluster_json("slurm__qos__0__priority", 9, SCHEDULED),),
    "slurm.qos[].preempts": (
        cluster_json("slurm__qos__0__preempts", ["low"], SCHEDULED),
        refused("slurm__qos", [{"name": "a", "preempts": ["b"]}, {"name": "b"}]),
    ),
    "slurm.qos[].grace_seconds": (
        cluster_json("slurm__qos__1__grace_seconds", 60, SCHEDULED),
        refused("slurm__qos", [{"name": "a", "grace_seconds": 60}]),
    ),
    "slurm.qos[].max_nodes_per_user": (
        cluster_json("slurm__qos__0__max_nodes_per_user", 2, SCHEDULED),
    ),
    "slurm.qos[].max_time_minutes": (
        cluster_json("slurm__qos__0__max_time_minutes", 60, SCHEDULED),
    ),
    "slurm.accounts[].name": (cluster_json("slurm__accounts__0__name", "other", SCHEDULED),),
    "slurm.accounts[].fair_share": (cluster_json("slurm__accounts__0__fair_share", 5, SCHEDULED),),
    "slurm.accounts[].max_nodes": (cluster_json("slurm__accounts__0__max_nodes", 5, SCHEDULED),),
    "slurm.accounts[].qos": (cluster_json("slurm__accounts__0__qos", ["low"], SCHEDULED),),
    "slurm.restrict_ssh_to_jobs": (cluster_json("slurm__restrict_ssh_to_jobs", True),),
    "slurm.metadata_service_users": (cluster_json("slurm__metadata_service_users", ["dd-agent"]),),
    "slurm.user_groups[].name": (
        cluster_json("slurm__user_groups__0__name", "other", NO_MEMBERS),
    ),
    "slurm.user_groups[].gid": (cluster_json("slurm__user_groups__0__gid", 20005),),
    "slurm.users[].name": (cluster_json("slurm__users__0__name", "lovelace"),),
    "slurm.users[].uid": (cluster_json("slurm__users__0__uid", 20009),),
    "slurm.users[].gid": (cluster_json("slurm__users__0__gid", 20000),),
    "slurm.users[].groups": (cluster_json("slurm__users__0__groups", []),),
    "slurm.users[].ssh_public_keys": (cluster_json("slurm__users__0__ssh_public_keys", []),),
    "slurm.users[].slurm_account": (cluster_json("slurm__users__0__slurm_account", "other"),),
    "slurm.users[].sudo": (cluster_json("slurm__users__0__sudo", False),),
    "lifecycle.steps": (
        template("lifecycle__steps", ["configs/examples/steps/memlock.py"]),
        refused("lifecycle__steps", ["configs/examples/steps/absent.py"]),
        refused("lifecycle__steps", ["lifecycle_scripts/clusterwright_node/steps/motd.py"]),
    ),
    "lifecycle.artefacts": (
        cluster_json("lifecycle__artefacts", "tests/artefacts/data/pinned.json", MIRRORED),
        finding("lifecycle__artefacts", "tests/artefacts/data/pinned.json", MIRRORED),
        refused("lifecycle__artefacts", "tests/artefacts/data/absent.json", MIRRORED),
    ),
    "image.release_version": (template("image__release_version", "1.2.3", MINIMAL),),
    "image.released": (refused("image__released", "2026-08-30", OWN_IMAGE),),
    "image.image_id": (template("image__image_id", "ami-0123456789abcdef9", OWN_IMAGE),),
    "image.nvidia_driver": (
        finding(
            "image__nvidia_driver",
            "570.86.15",
            OWN_IMAGE,
            slurm__containers={"pyxis": True, "cuda": "13.0"},
        ),
    ),
    "slurm.containers.cuda": (finding("slurm__containers__cuda", "13.0"),),
    "software": (
        cluster_json("software", {"nvidia_driver": "595.91.07"}, MINIMAL),
        finding("software", {"nvidia_driver": "570.86.15", "cuda": "13.0"}, MINIMAL),
    ),
    "compute[].software": (
        cluster_json("compute__1__software", {"nvidia_driver": "595.91.07"}, MINIMAL),
        finding("compute__1__software", {"nvidia_driver": "570.86.15", "cuda": "13.0"}, MINIMAL),
    ),
    "image.auto_patch.strategy": (template("image__auto_patch__strategy", "when-all-idle"),),
    "resilience.node_recovery": (template("resilience__node_recovery", "none"),),
    "resilience.node_provisioning": (
        template("resilience__node_provisioning", "all-at-once", MINIMAL),
    ),
    "resilience.deep_health_checks": (
        template("resilience__deep_health_checks", ["instance-stress"]),
    ),
    "observability.log_retention_days": (template("observability__log_retention_days", 60),),
    "observability.metrics.listen": (cluster_json("observability__metrics__listen", "loopback"),),
    "observability.metrics.port": (cluster_json("observability__metrics__port", 9999),),
    "observability.metrics.interval_seconds": (
        cluster_json("observability__metrics__interval_seconds", 30),
    ),
    "observability.metrics.slurm_openmetrics": (
        cluster_json("observability__metrics__slurm_openmetrics", True, SCRIPTED),
    ),
    "observability.metrics.image": (
        manifests(
            "observability__metrics",
            {"image": f"{ACCOUNT}.dkr.ecr.us-east-1.amazonaws.com/python@sha256:{'0' * 64}"},
        ),
    ),
    "observability.prometheus": (template("observability__prometheus", True, MINIMAL),),
    "observability.grafana.login": (template("observability__grafana__login", "saml"),),
    "observability.alarm_emails": (
        template("observability__alarm_emails", ["other@example.com"]),
    ),
    "budget.monthly_usd": (
        template("budget__monthly_usd", 2000000),
        cost("budget__monthly_usd", 10),
    ),
    "budget.run_usd": (cost("budget__run_usd", 10),),
    "budget.max_increase_percent": (gate("budget__max_increase_percent", 50),),
    "budget.alert_emails": (template("budget__alert_emails", ["other@example.com"]),),
    "budget.alert_thresholds_percent": (template("budget__alert_thresholds_percent", [70, 90]),),
    "run.hours": (cost("run__hours", 100),),
    "run.start": (finding("run__start", "2026-11-01"),),
    "run.checkpoint_gib": (finding("run__checkpoint_gib", 9000),),
    "run.max_checkpoint_seconds": (
        finding("run__max_checkpoint_seconds", 1, run__checkpoint_gib=1000),
    ),
    "run.checkpoint_interval_minutes": (
        finding("run__checkpoint_interval_minutes", 0.1, run__checkpoint_gib=1000),
    ),
    "storage.home.existing.volume_id": (
        document("storage__home__existing__volume_id", "fsvol-0a1b2c3d4e5f60719", PC_EXISTING),
        refused("storage__home__existing__volume_id", "fsvol-0a1b2c3d4e5f60719", EXISTING),
    ),
    "slurm.accounting.existing.user_name": (
        document("slurm__accounting__existing__user_name", "other", PC_EXISTING),
        refused("slurm__accounting__existing__user_name", "other", EXISTING_DATABASE),
    ),
    # Sections of other platforms, with the cases of the platforms' own stacks.
    "pcs.slurm_version": (template("pcs__slurm_version", "26.05", ON_PCS),),
    "pcs.size": (
        template("pcs__size", "LARGE", ON_PCS),
        refused("pcs__size", "SMALL", changed(ON_PCS, compute__1__count=40)),
        refused("pcs", {"size": "LARGE"}, MINIMAL),
    ),
    "pcs.max_jobs": (template("pcs__max_jobs", 1000, ON_PCS),),
    "pcs.rest_api": (template("pcs__rest_api", True, ON_PCS),),
    "pcs.accounting_purge_days": (
        template("pcs__accounting_purge_days", 30, ON_PCS),
        refused("pcs__accounting_purge_days", 30, PCS_MINIMAL),
    ),
    "pcs.scaledown_idle_seconds": (template("pcs__scaledown_idle_seconds", 60, ON_PCS),),
    "pcs.slurm_settings": (
        template("pcs__slurm_settings", {"JobRequeue": "0"}, ON_PCS),
        refused("pcs__slurm_settings", {"SlurmdTimeout": "300"}, ON_PCS),
        refused("pcs__slurm_settings", {}, ON_PCS),
    ),
    "pcs.slurmdbd_settings": (
        template("pcs__slurmdbd_settings", {"PrivateData": "jobs"}, ON_PCS),
        refused("pcs__slurmdbd_settings", {"PrivateData": "jobs"}, PCS_MINIMAL),
    ),
    "pcs.cgroup_settings": (template("pcs__cgroup_settings", {"ConstrainCores": "yes"}, ON_PCS),),
    "pcs.root_volume_gib": (template("pcs__root_volume_gib", 200, ON_PCS),),
    "pcs.ssh_key_name": (template("pcs__ssh_key_name", "ml", ON_PCS),),
    "parallelcluster.version": (
        refused("parallelcluster__version", "3.16.2", PC),
        refused("parallelcluster", {"version": "3.16.1"}, MINIMAL),
    ),
    "parallelcluster.os": (
        document("parallelcluster__os", "rhel9", PC),
        refused("parallelcluster", {"os": "rhel9"}, MINIMAL),
    ),
    "parallelcluster.ssh_key_name": (document("parallelcluster__ssh_key_name", "ml", PC),),
    "parallelcluster.head_node_root_volume_gib": (
        document("parallelcluster__head_node_root_volume_gib", 200, PC),
    ),
    "parallelcluster.root_volume_gib": (document("parallelcluster__root_volume_gib", 200, PC),),
    "parallelcluster.queue_update_strategy": (
        document("parallelcluster__queue_update_strategy", "terminate", PC),
    ),
    "parallelcluster.scaling_strategy": (
        document("parallelcluster__scaling_strategy", "best-effort", PC),
    ),
    "parallelcluster.scaledown_idle_minutes": (
        document("parallelcluster__scaledown_idle_minutes", 30, PC),
    ),
    "parallelcluster.gpu_health_check": (document("parallelcluster__gpu_health_check", True, PC),),
    "parallelcluster.login_grace_minutes": (
        document("parallelcluster__login_grace_minutes", 30, PC),
    ),
    "parallelcluster.detailed_monitoring": (
        document("parallelcluster__detailed_monitoring", True, PC),
    ),
    "kubernetes.version": (
        template("kubernetes__version", "1.35", EKS),
        cost("kubernetes__version", "1.32", EKS),
        refused("kubernetes", {"version": "1.34"}, MINIMAL),
    ),
    "kubernetes.support": (template("kubernetes__support", "standard", EKS),),
    "kubernetes.public_access_cidrs": (
        template("kubernetes__public_access_cidrs", ["203.0.113.0/24"], EKS),
        refused("kubernetes__public_access_cidrs", ["0.0.0.0/0"], EKS),
    ),
    "kubernetes.service_cidr": (
        template("kubernetes__service_cidr", "192.168.0.0/20", EKS),
        refused("kubernetes__service_cidr", "10.0.0.0/16", EKS),
    ),
    "kubernetes.private_access_cidrs": (
        template("kubernetes__private_access_cidrs", ["10.9.0.0/16"], EKS),
        refused("kubernetes__private_access_cidrs", ["0.0.0.0/0"], EKS),
    ),
    "kubernetes.admin_role": (
        template(
            "kubernetes__admin_role",
            False,
            EKS,
            kubernetes__access__0__policy="cluster-admin",
            kubernetes__access__0__namespaces=[],
        ),
        refused("kubernetes__admin_role", False, EKS),
    ),
    "kubernetes.access[].principal_arn": (
        template(
            "kubernetes__access__0__principal_arn", f"arn:aws:iam::{ACCOUNT}:role/others", EKS
        ),
    ),
    "kubernetes.access[].policy": (template("kubernetes__access__0__policy", "view", EKS),),
    "kubernetes.access[].namespaces": (template("kubernetes__access__0__namespaces", [], EKS),),
    "kubernetes.access[].groups": (template("kubernetes__access__0__groups", ["guests"], EKS),),
    "kubernetes.control_plane_logs": (template("kubernetes__control_plane_logs", ["api"], EKS),),
    "kubernetes.addons[].name": (template("kubernetes__addons__1__name", "metrics-server", EKS),),
    "kubernetes.addons[].version": (
        template("kubernetes__addons__0__version", "v1.20.0-eksbuild.1", EKS),
        refused("kubernetes__addons__0__version", "v1.18.2-eksbuild.1", EKS),
    ),
    "kubernetes.pod_identities[].namespace": (
        template("kubernetes__pod_identities__0__namespace", "evaluation", EKS),
    ),
    "kubernetes.pod_identities[].service_account": (
        template("kubernetes__pod_identities__0__service_account", "writer", EKS),
    ),
    "kubernetes.pod_identities[].role_arn": (
        template(
            "kubernetes__pod_identities__0__role_arn",
            f"arn:aws:iam::{ACCOUNT}:role/writer",
            EKS,
        ),
    ),
    "kubernetes.node_volume_gib": (
        template("kubernetes__node_volume_gib", 300, EKS),
        cost("kubernetes__node_volume_gib", 300, EKS),
        refused("kubernetes", {"node_volume_gib": 300}, HYPERPOD_EKS),
    ),
    "kubernetes.autoscaling": (
        template("kubernetes__autoscaling", "karpenter", EKS, **SCALED_BY_KARPENTER),
        manifests("kubernetes__autoscaling", "karpenter", KUBERNETES, compute__1__max_count=12),
        # No group may grow, and on HyperPod another section applies.
        refused(
            "kubernetes__autoscaling",
            "karpenter",
            EKS,
            compute__0__max_count=None,
            compute__1__max_count=None,
        ),
        refused("kubernetes", {"autoscaling": "karpenter"}, HYPERPOD_EKS),
    ),
    "kubernetes.max_unavailable_percent": (
        template("kubernetes__max_unavailable_percent", 50, EKS),
        refused("kubernetes", {"max_unavailable_percent": 50}, HYPERPOD_EKS),
    ),
    "required_tags": (finding("required_tags", ["project"]),),
    "tags": (template("tags", {"owner": "another user"}),),
    "tenants[].name": (
        manifests("tenants__2__name", "visitors"),
        cluster_json("tenants__1__name", "visitors", TENANTS),
    ),
    "tenants[].weight": (
        manifests("tenants__0__weight", 5),
        cluster_json("tenants__0__weight", 5, TENANTS),
    ),
    "tenants[].max_nodes": (
        manifests("tenants__1__max_nodes", 3),
        cluster_json("tenants__0__max_nodes", 3, TENANTS),
    ),
    "tenants[].borrowing": (
        manifests("tenants__2__borrowing", True),
        cluster_json("tenants__1__borrowing", True, TENANTS),
    ),
    "tenants[].users": (
        cluster_json(
            "tenants__0__users",
            ["grace"],
            TENANTS,
            slurm__users__0={
                "name": "grace",
                "uid": 20011,
            },
        ),
        refused("tenants__0__users", ["nobody"], TENANTS),
        refused("tenants__0__users", ["grace"], KUBERNETES),
    ),
    "tenants[].groups": (
        manifests("tenants__0__groups", ["guests"]),
        refused("tenants__0__groups", ["researchers"], TENANTS),
    ),
    "tenants[].priority": (
        manifests("tenants__0__priority", "low"),
        refused("tenants__0__priority", "low", TENANTS),
    ),
    "tenants[].egress_cidrs": (
        manifests("tenants__0__egress_cidrs", []),
        refused("tenants__0__egress_cidrs", ["10.0.0.1/8"], KUBERNETES),
    ),
    "tenants[].container_defaults.cpu_cores": (
        manifests("tenants__0__container_defaults", {"cpu_cores": 2}),
    ),
    "tenants[].container_defaults.memory_gib": (
        manifests("tenants__0__container_defaults", {"memory_gib": 8}),
    ),
    "kubernetes.workloads.queueing": (manifests(f"{WORKLOADS}__queueing", "none", QUEUELESS),),
    "kubernetes.workloads.topology_api": (
        manifests(f"{WORKLOADS}__topology_api", "v1beta1", KUBERNETES_ON_HYPERPOD),
        refused(f"{WORKLOADS}__topology_api", "v1beta1", KUBERNETES),
    ),
    "kubernetes.workloads.priorities[].name": (
        manifests(f"{WORKLOADS}__priorities__1__name", "idle"),
    ),
    "kubernetes.workloads.priorities[].value": (
        manifests(f"{WORKLOADS}__priorities__1__value", 7),
    ),
    "kubernetes.workloads.charts[].name": (
        refused(f"{CHART}__name", "hyperpod-helm-chart", KUBERNETES),
        manifests(f"{CHART}__name", "aws-efa-k8s-device-plugin", ONE_CHART),
    ),
    "kubernetes.workloads.charts[].version": (
        manifests(f"{WORKLOADS}__charts__3__version", "1.2.4"),
    ),
    "kubernetes.workloads.charts[].sha256": (manifests(f"{CHART}__sha256", DIGEST[::-1]),),
    "kubernetes.workloads.charts[].values": (
        manifests(f"{CHART}__values", {"gfd.enabled": False}),
        refused(f"{CHART}__values", {"gfd.enabled": 7}, KUBERNETES),
    ),
    "kubernetes.workloads.jobs[].name": (manifests(f"{JOB}__name", "other"),),
    "kubernetes.workloads.jobs[].kind": (manifests(f"{JOB}__kind", "nccl-tests"),),
    "kubernetes.workloads.jobs[].tenant": (manifests(f"{JOB}__tenant", "guests"),),
    "kubernetes.workloads.jobs[].group": (
        manifests(f"{JOB}__group", "trainium", **{f"{JOB}__node_count": 3}),
    ),
    "kubernetes.workloads.jobs[].node_count": (
        manifests(f"{JOB}__node_count", 3),
        refused(f"{JOB}__node_count", 9, KUBERNETES),
    ),
    "kubernetes.workloads.jobs[].image": (
        manifests(f"{JOB}__image", IMAGE.replace("training", "other")),
        refused(f"{JOB}__image", "training:latest", KUBERNETES),
    ),
    "kubernetes.workloads.jobs[].command": (manifests(f"{JOB}__command", ["sleep", "60"]),),
    "kubernetes.workloads.jobs[].hugepages_mib": (manifests(f"{JOB}__hugepages_mib", 1024),),
    "kubernetes.workloads.jobs[].shared_memory_gib": (manifests(f"{JOB}__shared_memory_gib", 32),),
    "kubernetes.workloads.jobs[].max_restarts": (manifests(f"{JOB}__max_restarts", 3),),
    "kubernetes.workloads.jobs[].elastic.min_nodes": (
        manifests(f"{JOB}__elastic__min_nodes", 4, KUBERNETES_ON_HYPERPOD),
    ),
    "kubernetes.workloads.jobs[].elastic.graceful_shutdown_seconds": (
        manifests(f"{JOB}__elastic__graceful_shutdown_seconds", 600, KUBERNETES_ON_HYPERPOD),
    ),
    "kubernetes.workloads.jobs[].elastic.scale_up_delay_seconds": (
        manifests(f"{JOB}__elastic__scale_up_delay_seconds", 60, KUBERNETES_ON_HYPERPOD),
    ),
    "kubernetes.workloads.jobs[].elastic.fault_wait_seconds": (
        manifests(f"{JOB}__elastic__fault_wait_seconds", 30, KUBERNETES_ON_HYPERPOD),
    ),
    "kubernetes.workloads.jobs[].checkpointless.restart_timeout_seconds": (
        manifests(f"{JOB}__checkpointless__restart_timeout_seconds", 900, WITHOUT_CHECKPOINTS),
    ),
    "kubernetes.workloads.jobs[].checkpointless.rootless": (
        manifests(f"{JOB}__checkpointless__rootless", True, WITHOUT_CHECKPOINTS),
    ),
    "kubernetes.workloads.jobs[].elastic.step": (
        manifests(f"{JOB}__elastic__step", 3, KUBERNETES_ON_HYPERPOD),
        refused(f"{JOB}__elastic__step", 4, KUBERNETES_ON_HYPERPOD),
    ),
    "kubernetes.capabilities.argocd.repository": (
        manifests(f"{ARGOCD}__repository", "https://github.com/acme/other.git"),
    ),
    "kubernetes.capabilities.argocd.path": (manifests(f"{ARGOCD}__path", "other"),),
    "kubernetes.capabilities.argocd.revision": (manifests(f"{ARGOCD}__revision", "v1"),),
    "kubernetes.capabilities.argocd.prune": (manifests(f"{ARGOCD}__prune", True),),
    "kubernetes.capabilities.argocd.identity_center_arn": (
        template(
            f"{ARGOCD}__identity_center_arn",
            "arn:aws:sso:::instance/ssoins-fedcba0987654321",
            KUBERNETES,
        ),
    ),
    "kubernetes.capabilities.argocd.identity_center_region": (
        template(f"{ARGOCD}__identity_center_region", "eu-west-1", KUBERNETES),
    ),
    "kubernetes.capabilities.argocd.admin_group_ids": (
        template(
            f"{ARGOCD}__admin_group_ids", ["3f3c7f5e-0000-4000-8000-3f3c7f5e0001"], KUBERNETES
        ),
    ),
    "kubernetes.capabilities.ack": (template("kubernetes__capabilities__ack", True, KUBERNETES),),
    "kubernetes.capabilities.kro": (template("kubernetes__capabilities__kro", True, KUBERNETES),),
    "allow_replacement[].resource": (
        gate(f"{ALLOWED}__resource", "test-storage/Other", ALLOWING),
    ),
    "allow_replacement[].reason": (gate(f"{ALLOWED}__reason", "somebody said so once", ALLOWING),),
    "allow_replacement[].expires": (gate(f"{ALLOWED}__expires", "2026-01-31", ALLOWING),),
    "acceptance.level": (cluster_json("acceptance__level", "standard"),),
    "acceptance.hold": (cluster_json("acceptance__hold", False),),
    "acceptance.recheck_hours": (cluster_json("acceptance__recheck_hours", 168),),
    "acceptance.image": (
        manifests(
            "acceptance",
            {"image": f"{ACCOUNT}.dkr.ecr.us-east-1.amazonaws.com/tests@sha256:{'0' * 64}"},
        ),
    ),
    "acceptance.floors[].check": (
        refused("acceptance__floors__0__check", "cluster-alreduce", ACCEPTANCE),
        cluster_json(
            "acceptance__floors__0",
            {"check": "pairs", "minimum": 200, "unit": "GB/s"},
            ACCEPTANCE,
        ),
    ),
    "acceptance.floors[].minimum": (
        cluster_json("acceptance__floors__0__minimum", 300, ACCEPTANCE),
    ),
    "acceptance.floors[].unit": (refused("acceptance__floors__0__unit", "MB/s", ACCEPTANCE),),
    "acceptance.floors[].size_mib": (
        cluster_json("acceptance__floors__0__size_mib", 2048, ACCEPTANCE),
        refused("acceptance__floors__0__size_mib", 1000, ACCEPTANCE),
    ),
    "acceptance.floors[].node_count": (
        cluster_json("acceptance__floors__0__node_count", 4, ACCEPTANCE),
    ),
    "acceptance.floors[].groups": (
        cluster_json("acceptance__floors__0__groups", ["workers"], ACCEPTANCE),
        refused("acceptance__floors__0__groups", ["controller"], ACCEPTANCE),
    ),
    "acceptance.waivers[].check": (
        cluster_json("acceptance__waivers__0__check", "equal-versions", ACCEPTANCE),
    ),
    "acceptance.waivers[].reason": (
        cluster_json("acceptance__waivers__0__reason", "agreed with the vendor", ACCEPTANCE),
    ),
    "acceptance.waivers[].expires": (
        cluster_json("acceptance__waivers__0__expires", "2027-02-28", ACCEPTANCE),
        finding("acceptance__waivers__0__expires", "2026-01-31", ACCEPTANCE),
    ),
    "acceptance.waivers[].nodes": (
        cluster_json("acceptance__waivers__0__nodes", ["ip-10-1-0-31"], ACCEPTANCE),
    ),
    "acceptance.waivers[].groups": (
        cluster_json("acceptance__waivers__0__groups", ["workers"], ACCEPTANCE),
    ),
    "waivers[].rule": (finding("waivers__0__rule", "CW-C006", WAIVED),),
    "waivers[].path": (finding("waivers__0__path", "compute[1]", WAIVED),),
    "waivers[].reason": (finding("waivers__0__reason", "somebody said so once", WAIVED),),
    "waivers[].expires": (finding("waivers__0__expires", "2026-01-31", WAIVED),),
}


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Callable[[dict[str, Any]], LoadedSpec]:
    folder = tmp_path_factory.mktemp("leaves")

    @functools.cache
    def load_text(text: str) -> LoadedSpec:
        path = folder / "spec.yaml"
        path.write_text(text, encoding="utf-8")
        return load_cluster(path)

    return lambda spec: load_text(json.dumps(spec, indent=1))


@pytest.fixture(scope="module")
def look(
    load: Callable[[dict[str, Any]], LoadedSpec], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str, dict[str, Any]], Any]:
    """`look("cost", spec)`: one aspect of a spec, as comparable data."""
    folder = tmp_path_factory.mktemp("leaf-templates")
    known: dict[str, dict[str, str]] = {}

    def templates(spec: dict[str, Any]) -> Any:
        text = json.dumps(spec)
        if text not in known:
            directory = folder / str(len(known))
            app = stacks.open_app(
                directory, {"aws:cdk:disable-asset-staging": True}, **WITHOUT_VALIDATION
            )
            stacks.build(app, load(spec))
            app.synth()
            known[text] = {
                p.name: _without_record(p.read_text()) for p in directory.glob("*.template.json")
            }
        return known[text]

    def bill(spec: dict[str, Any]) -> Any:
        loaded = load(spec)
        found = estimate(loaded.cluster, load_catalog(), today=TODAY)
        return repr(found), [(g.path, g.limit_usd, g.status) for g in gates(loaded, found)]

    def increase(spec: dict[str, Any]) -> Any:
        """What the gates say of a change that adds all of the cluster to the bill's first line,
        and replaces a file system.
        """
        loaded = load(spec)
        after = estimate(loaded.cluster, load_catalog(), today=TODAY)
        before = dataclasses.replace(after, lines=after.lines[:1])
        allowances = Allowances(loaded.cluster.allow_replacement, TODAY)
        guarded = list(replacement_gates([REPLACED], allowances))
        return (
            repr(increase_gate(loaded, cost_delta(before, after))),
            guarded,
            list(allowances.gates()),
        )

    def findings(spec: dict[str, Any]) -> Any:
        context = Context(load(spec), load_catalog(), TODAY)
        result = engine.run(rule_files(), context, None, engine.Selection(offline=True))
        return (
            [(rule.rule, rule.status) for rule in result.rules],
            [(f.rule, f.message) for f in result.findings],
            repr(result.waived),
        )

    def applied(spec: dict[str, Any]) -> Any:
        """The output of `clusterwright render kubernetes`, part by part."""
        cluster, catalog = load(spec).cluster, load_catalog()
        groups = {group.name: f"test-{group.name}" for group in cluster.compute}
        outputs = {**OUTPUTS, "KarpenterPlacementGroups": json.dumps(groups)}
        parts = [manifests_of(cluster, catalog, part, outputs) for part in PARTS]
        try:
            charts: Any = pinned_charts(cluster, catalog)
        except UnknownChartError as error:
            charts = error.labels
        return parts, chart_values(cluster, catalog), charts

    def configuration(spec: dict[str, Any]) -> Any:
        """The configuration of the ParallelCluster stack, with placeholder ids."""
        cluster = load(spec).cluster
        return render(cluster, load_catalog(), placeholders(cluster))

    aspects: dict[str, Callable[[dict[str, Any]], Any]] = {
        "manifests": applied,
        "ParallelCluster's configuration": configuration,
        "template": templates,
        "cluster.json": lambda s: node_files.cluster_json(load(s).cluster, load_catalog()),
        "cost": bill,
        "finding": findings,
        "gate of a change": increase,
    }

    @functools.lru_cache(maxsize=256)
    def seen(aspect: str, text: str) -> Any:
        """The bases are those of hundreds of cases."""
        return aspects[aspect](json.loads(text))

    return lambda aspect, spec: seen(aspect, json.dumps(spec))


def _without_record(text: str) -> str:
    """A template without the recorded spec, in which every leaf would be visible."""
    body = json.loads(text)
    for resource in body["Resources"].values():
        resource.get("Metadata", {}).pop(KEY, None)
    return json.dumps(body)

"""Quotas of EC2 in vCPUs and of volumes, on platforms whose nodes are EC2 instances.

HyperPod's instances count against SageMaker's quotas instead: there the rules have no subjects.
"""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.catalog import Known, QuotaUse
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.root_volumes import root_volume
from clusterwright.preflight.facts.counts import GeneralPurposeVolumes
from clusterwright.preflight.facts.instances import Instances
from clusterwright.preflight.facts.reservations import Reservations
from clusterwright.preflight.rule import Context, FactValues, Path, Subjects
from clusterwright.preflight.rules.compute_groups import by_type, largest
from clusterwright.preflight.rules.quotas.quota_rule import (
    Demands,
    QuotaDemand,
    QuotaRule,
    QuotaUsage,
    ServiceQuota,
    Usage,
)
from clusterwright.preflight.rules.reservations.reservation_rule import ENDED, by_reservation

_GIB_PER_TIB = 1024
_SOURCE = "AWS documentation, EC2 instance quotas; aws/aws-parallelcluster #1375, #3863"


def _of_each_family(use: QuotaUse, *capacity: str) -> Demands:
    """The vCPUs that count against each quota."""

    def demands(context: Context) -> Subjects[QuotaDemand]:
        if context.on_hyperpod:
            return
        by_code: dict[str, list[tuple[Path, ComputeGroup, int]]] = {}
        names: dict[str, str] = {}
        for path, group in context.groups(*capacity):
            if not group.count:
                continue
            quota = context.catalog.quota_for(group.instance_type, use)
            known = quota.value if isinstance(quota, Known) else None
            vcpus = _vcpus(context, group.instance_type)
            if known is None or known.code is None or vcpus is None:
                reason = getattr(
                    quota, "reason", f"the vCPUs of {group.instance_type} are unknown"
                )
                what = f"{group.count} × {group.instance_type} need"
                demand = QuotaDemand(group.count, what, "vCPUs", "ec2", None, reason=reason)
                yield (*path, "count"), demand
                continue
            names[known.code] = known.name
            by_code.setdefault(known.code, []).append((path, group, vcpus))
        for code, found in by_code.items():
            parts = " and ".join(f"{g.count} × {g.instance_type}" for _, g, _ in found)
            amount = sum(group.count * vcpus for _, group, vcpus in found)
            demand = QuotaDemand(amount, f"{parts} need", names[code], "ec2", code, code, "vCPU")
            yield largest((path, group) for path, group, _ in found), demand

    return demands


def _of_instances(use: QuotaUse) -> Usage:
    """The vCPUs of running instances; those of capacity blocks do not count."""

    def count(demand: QuotaDemand, context: Context, facts: FactValues) -> Iterator[QuotaUsage]:
        spot = use == "ec2-spot"
        for instance in facts[Instances()]:
            if instance.lifecycle == "capacity-block" or (instance.lifecycle == "spot") != spot:
                continue
            quota = context.catalog.quota_for(instance.instance_type, use)
            if isinstance(quota, Known) and quota.value.code == demand.key:
                yield QuotaUsage(instance.vcpus, context.instance_is_ours(instance))

    return Usage((Instances(),), count)


def _of_capacity_blocks(context: Context) -> Subjects[QuotaDemand]:
    if "capacity-block" not in context.platform.capacity_kinds:
        return
    for instance_type, groups in by_type(context.groups("capacity-block")).items():
        count = sum(group.count for _, group in groups)
        quota = context.catalog.quota_for(instance_type, "capacity-block")
        vcpus = _vcpus(context, instance_type)
        what = f"{count} × {instance_type} need"
        if isinstance(quota, Known) and quota.value.code and vcpus is not None:
            name, code = quota.value.name, quota.value.code
            demand = QuotaDemand(count * vcpus, what, name, "ec2", code, instance_type, "vCPU")
        else:
            reason = getattr(quota, "reason", f"the vCPUs of {instance_type} are unknown")
            demand = QuotaDemand(count, what, "capacity blocks", "ec2", None, reason=reason)
        yield largest(groups), demand


def _in_capacity_blocks(
    demand: QuotaDemand, context: Context, facts: FactValues
) -> Iterator[QuotaUsage]:
    # The blocks of this spec hold what is demanded: counting them again would count it twice.
    own = {use.id for use in by_reservation(context)}
    for block in facts[Reservations()]:
        vcpus = _vcpus(context, block.instance_type)
        same = block.instance_type.partition(".")[0] == demand.key.partition(".")[0]
        counts = block.kind == "capacity-block" and block.state not in ENDED and same
        if counts and vcpus is not None:
            yield QuotaUsage(block.total_count * vcpus, block.id in own)


def _root_volumes(context: Context) -> Subjects[QuotaDemand]:
    """Root volumes whose capacity the spec states; others have that of their image."""
    quota = ServiceQuota(
        "ebs", "L-7A658B76", "Storage for General Purpose SSD (gp3) volumes, in TiB", "TiB"
    )
    capacity_gib: dict[Path, int] = {}
    nodes: dict[Path, int] = {}
    for _, group in context.groups():
        path, each_gib = root_volume(context.cluster, group) or ((), None)
        if each_gib is not None and group.count:
            nodes[path] = nodes.get(path, 0) + group.count
            capacity_gib[path] = capacity_gib.get(path, 0) + group.count * each_gib
    if capacity_gib:
        count = sum(nodes.values())
        needed_by = f"the root volumes of {count} nodes need"
        yield (
            max(capacity_gib, key=lambda path: capacity_gib[path]),
            quota.demand(sum(capacity_gib.values()) / _GIB_PER_TIB, needed_by),
        )


def _volumes(demand: QuotaDemand, context: Context, facts: FactValues) -> Iterator[QuotaUsage]:
    for volume in facts[GeneralPurposeVolumes()]:
        own = volume.node_of == context.cluster.environment
        ours = own or context.stack_is_ours(volume.stack)
        yield QuotaUsage(volume.capacity_gib / _GIB_PER_TIB, ours)


def _vcpus(context: Context, instance_type: str) -> int | None:
    instance = context.catalog.instance(instance_type)
    return instance.vcpus.value if instance and isinstance(instance.vcpus, Known) else None


RULES = (
    QuotaRule(
        id="CW-Q020",
        title="EC2 quota of on-demand vCPUs",
        prevents="RunInstances fails with VcpuLimitExceeded",
        source=_SOURCE,
        demands=_of_each_family("ec2-on-demand", "on-demand", "reservation"),
        usage=_of_instances("ec2-on-demand"),
    ),
    QuotaRule(
        id="CW-Q021",
        title="EC2 quota of Spot vCPUs",
        prevents="RunInstances fails with MaxSpotInstanceCountExceeded",
        source=_SOURCE,
        demands=_of_each_family("ec2-spot", "spot"),
        usage=_of_instances("ec2-spot"),
    ),
    QuotaRule(
        id="CW-Q022",
        title="EC2 quota of vCPUs in capacity blocks",
        prevents="a capacity block of that size cannot be bought, nor the block that replaces it: "
        "the quota of vCPUs in concurrent blocks is 0 in a new account",
        source="AWS documentation, EC2 instance quotas and Capacity Blocks for ML",
        demands=_of_capacity_blocks,
        usage=Usage((Reservations(),), _in_capacity_blocks),
    ),
    QuotaRule(
        id="CW-Q023",
        title="EBS storage of gp3 volumes",
        prevents="instances terminate while they start: Client.VolumeLimitExceeded; the default "
        "is 50 TiB",
        source="AWS's guide to best practices of EKS, known limits and service quotas; "
        "kubernetes-sigs/aws-ebs-csi-driver #2512",
        demands=_root_volumes,
        usage=Usage((GeneralPurposeVolumes(),), _volumes),
    ),
)

"""Tenants: names, users, groups, priorities and shares."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterator

from clusterwright.cluster_spec.apportionment import apportion
from clusterwright.cluster_spec.karpenter import is_scaled
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.models.tenants import Tenant
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.cluster_spec.suggest import did_you_mean

LONGEST_SLURM_ACCOUNT = 32
"""Maximum length of `slurm.accounts[].name`."""

RESERVED_NAMESPACES = frozenset(
    {
        *("default", "argocd", "aws-hyperpod", "cert-manager", "kubeflow", "kueue-system"),
        *("amazon-cloudwatch", "hyperpod-inference-system", "hyperpod-observability"),
        *("clusterwright-metrics", "mount-s3"),
    }
)
"""Namespaces of Kubernetes, EKS, HyperPod, charts, drivers and rendered manifests.

Mountpoint's driver starts its pods in `mount-s3` (awslabs/mountpoint-s3-csi-driver, 2.0)."""

RESERVED_ACCOUNTS = frozenset({"root"})


def problems(cluster: Cluster) -> Iterator[Problem]:
    seen: dict[str, Path] = {}
    for index, tenant in enumerate(cluster.tenants):
        here: Path = ("tenants", index)
        if tenant.name in seen:
            yield Problem(
                f"duplicate `{tenant.name}`", (*here, "name"), other_path=seen[tenant.name]
            )
        seen.setdefault(tenant.name, (*here, "name"))
        if cluster.uses_slurm:
            yield from _slurm(cluster, tenant, here)
        else:
            yield from _kubernetes(cluster, tenant, here)
    yield from _shares(cluster)
    if cluster.uses_slurm and cluster.tenants and cluster.slurm.accounting.kind == "none":
        yield Problem(
            "tenants require an accounting database, and accounting is none",
            ("tenants",),
            on_key=True,
            hint=f"slurm.accounting: {{kind: {_accounting_kind(cluster)}}}",
            other_path=("slurm", "accounting", "kind"),
        )


def _accounting_kind(cluster: Cluster) -> str:
    if cluster.traits.managed_accounting:
        return "managed"
    return "local" if cluster.traits.accounting_on_controller else "rds"


def node_shares(cluster: Cluster, node_count: int) -> list[int]:
    """Return each tenant's share of `node_count` nodes, in the order of the spec."""
    return apportion(
        node_count,
        [tenant.weight for tenant in cluster.tenants],
        [tenant.max_nodes for tenant in cluster.tenants],
    )


def _slurm(cluster: Cluster, tenant: Tenant, here: Path) -> Iterator[Problem]:
    if len(tenant.name) > LONGEST_SLURM_ACCOUNT:
        yield Problem(
            f"a Slurm account name has at most {LONGEST_SLURM_ACCOUNT} characters; "
            f"this name has {len(tenant.name)}",
            (*here, "name"),
            other_path=("platform",),
        )
    if tenant.name in RESERVED_ACCOUNTS:
        yield Problem(f"the account `{tenant.name}` is reserved by Slurm", (*here, "name"))
    names = [user.name for user in cluster.slurm.users]
    for number, name in enumerate(tenant.users):
        if name not in names:
            yield Problem(
                f"user `{name}` does not exist in slurm.users",
                (*here, "users", number),
                hint=did_you_mean(name, names),
                rests_on=(("slurm", "users"),),
            )


def _kubernetes(cluster: Cluster, tenant: Tenant, here: Path) -> Iterator[Problem]:
    if tenant.name in RESERVED_NAMESPACES or tenant.name.startswith("kube-"):
        yield Problem(
            f"the namespace `{tenant.name}` is reserved",
            (*here, "name"),
            hint="use another name",
        )
    groups = sorted({group for entry in cluster.kubernetes.access for group in entry.groups})
    for number, group in enumerate(tenant.groups):
        if group not in groups:
            yield Problem(
                f"group `{group}` does not exist",
                (*here, "groups", number),
                hint=did_you_mean(group, groups)
                or "add it to `groups` of an entry in kubernetes.access",
                rests_on=(("kubernetes", "access"),),
            )
    known = [priority.name for priority in cluster.kubernetes.workloads.priorities]
    if tenant.priority is not None and tenant.priority not in known:
        yield Problem(
            f"priority `{tenant.priority}` does not exist",
            (*here, "priority"),
            hint=did_you_mean(tenant.priority, known)
            or "add it to kubernetes.workloads.priorities",
            rests_on=(("kubernetes", "workloads", "priorities"),),
        )
    for number, text in enumerate(tenant.egress_cidrs):
        try:
            ipaddress.IPv4Network(text)
        except ValueError:
            yield Problem(
                f"{text} is not a CIDR range",
                (*here, "egress_cidrs", number),
                hint="use the first address of the range and the prefix length",
            )


def _shares(cluster: Cluster) -> Iterator[Problem]:
    """A tenant that may not borrow needs a share of at least one node."""
    jobs = [g for g in cluster.compute if g.role == "compute" and not g.restricted]
    if any(group.mig_profile is not None for group in jobs):
        return  # shares are counted in partitions, so several tenants can share a node
    pools = _pools(cluster, jobs)
    shares = [0] * len(cluster.tenants)
    for nodes in pools:
        shares = [a + b for a, b in zip(shares, node_shares(cluster, nodes), strict=True)]
    whole = sum(pools)
    what = f"{whole} nodes" + (", divided by groups," if pools[1:] else "")
    for index, (tenant, share) in enumerate(zip(cluster.tenants, shares, strict=True)):
        if not tenant.borrowing and share == 0:
            yield Problem(
                f"its share of {what} is 0 nodes, and it may not borrow",
                ("tenants", index, "borrowing"),
                hint="borrowing: true, or a larger weight",
                other_path=("tenants", index, "name"),
                rests_on=(("compute",),),
            )


def _pools(cluster: Cluster, jobs: list[ComputeGroup]) -> list[int]:
    """Return the sizes of the pools that are divided, including nodes added by Karpenter.

    On Slurm shares are of all nodes; on Kubernetes of each group, with task governance of each
    instance type.
    """
    pools: Counter[str] = Counter()
    for group in jobs:
        most = max(group.count, group.max_count or 0) if is_scaled(cluster, group) else group.count
        if cluster.uses_slurm:
            key = ""
        elif cluster.hyperpod.task_governance is not None:
            key = group.instance_type
        else:
            key = group.name
        pools[key] += most - group.spare_count
    return list(pools.values())

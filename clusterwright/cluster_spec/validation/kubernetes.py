"""The EKS control plane: endpoint access, access entries, add-ons, duplicates.

Sources: EKS API (botocore 1.44.5: CreateAccessEntry, AssociateAccessPolicy, VpcConfigRequest); EKS
user guide, "Create access entries" (reserved groups), "Control network access to
cluster API server endpoint" and "Learn how EKS Pod Identity grants pods access to AWS services".
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from ipaddress import IPv4Network

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.kubernetes import AccessEntry
from clusterwright.cluster_spec.problems import Path, Problem

HERE: Path = ("kubernetes",)

RESERVED_GROUPS = ("amazon:", "aws:", "eks:", "iam:", "system:")
"""Reserved prefixes of groups, which no access entry can have."""

LEAST = {
    "vpc-cni": ((1, 18, 3), "does not manage EFA interfaces"),
    "aws-mountpoint-s3-csi-driver": ((2, 0, 0), "supports EKS Pod Identity"),
}
"""First versions of add-ons with a required feature (SageMaker developer guide, "Prerequisites for
using SageMaker HyperPod with Amazon EKS"; awslabs/mountpoint-s3-csi-driver, CHANGELOG.md and
docs/CONFIGURATION.md, pull requests 451 and 495)."""

PRIVATE = tuple(IPv4Network(text) for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))
"""RFC 1918."""

ZONES_WITHOUT_CONTROL_PLANES = frozenset({"cac1-az3", "use1-az3", "usw1-az2"})
"""Zones where EKS supports no control plane subnet (EKS user guide, "View Amazon EKS networking
requirements for VPC and subnets"); local zones are not supported either."""

MINIMUM_CONTROL_PLANE_SUBNETS = 2

LARGEST_SERVICES, SMALLEST_SERVICES = 12, 24
"""Prefix lengths of the service CIDR range (EKS API, KubernetesNetworkConfigRequest, botocore
1.44.5)."""


def problems(cluster: Cluster) -> Iterator[Problem]:
    if not cluster.uses_kubernetes:
        if cluster.network.existing is not None:
            yield from _no_control_plane(cluster)
        return
    yield from _network(cluster)
    yield from _zones(cluster)
    yield from _endpoint(cluster)
    yield from _private_access(cluster)
    yield from _services(cluster)
    yield from _access(cluster)
    yield from _addons(cluster)
    yield from _pod_identities(cluster)
    if len(set(cluster.kubernetes.control_plane_logs)) < len(
        cluster.kubernetes.control_plane_logs
    ):
        yield from _duplicates(
            "log", (*HERE, "control_plane_logs"), cluster.kubernetes.control_plane_logs
        )


def _no_control_plane(cluster: Cluster) -> Iterator[Problem]:
    existing = cluster.network.existing
    if existing is not None and existing.control_plane_subnet_ids:
        yield Problem(
            f"these subnets have no effect: {cluster.platform} has no EKS control plane",
            ("network", "existing", "control_plane_subnet_ids"),
            other_path=("platform",),
        )


def _network(cluster: Cluster) -> Iterator[Problem]:
    existing = cluster.network.existing
    if existing is None:
        return
    here: Path = ("network", "existing", "control_plane_subnet_ids")
    ids = existing.control_plane_subnet_ids
    if len(ids) < MINIMUM_CONTROL_PLANE_SUBNETS:
        yield Problem(
            "the EKS control plane requires two subnets in two zones",
            here,
            hint="control_plane_subnet_ids: [subnet-..., subnet-...], six free addresses each",
            other_path=("platform",),
        )
    yield from _duplicates("subnet", here, ids)


def _private_access(cluster: Cluster) -> Iterator[Problem]:
    """CIDR ranges with private access to the API server."""
    here: Path = (*HERE, "private_access_cidrs")
    for index, text in enumerate(cluster.kubernetes.private_access_cidrs):
        try:
            network = IPv4Network(text)
        except ValueError:
            yield Problem(f"{text} is not a CIDR range", (*here, index))
            continue
        if network.prefixlen == 0:
            yield Problem(
                "every connected network could reach the API server",
                (*here, index),
                hint="list the allowed ranges, such as that of your VPN",
            )
    yield from _duplicates("range", here, cluster.kubernetes.private_access_cidrs)
    if cluster.network.existing is not None and cluster.kubernetes.private_access_cidrs:
        yield Problem(
            "security groups of an existing network are never modified",
            here,
            hint="allow these ranges on port 443 in one of its security groups",
            other_path=("network", "existing"),
        )


def _services(cluster: Cluster) -> Iterator[Problem]:
    """The service CIDR range (EKS API, KubernetesNetworkConfigRequest): position, size,
    overlaps.
    """
    here: Path = (*HERE, "service_cidr")
    text = cluster.kubernetes.service_cidr
    if text is None:
        return
    try:
        network = IPv4Network(text)
    except ValueError:
        yield Problem(f"{text} is not a CIDR range", here)
        return
    if not any(network.subnet_of(private) for private in PRIVATE):
        yield Problem(
            f"{text} is not within {', '.join(map(str, PRIVATE))}", here, hint="172.20.0.0/16"
        )
    if not LARGEST_SERVICES <= network.prefixlen <= SMALLEST_SERVICES:
        yield Problem(
            f"the service range must be between /{SMALLEST_SERVICES} and /{LARGEST_SERVICES}",
            here,
            hint="172.20.0.0/16",
        )
    for path, other in reached_ranges(cluster):
        try:
            overlaps = network.overlaps(IPv4Network(other))
        except ValueError:
            continue  # reported for the range itself
        if overlaps:
            yield Problem(
                f"{text} overlaps {other}: pods could not reach these addresses",
                here,
                other_path=path,
            )


def reached_ranges(cluster: Cluster) -> Iterator[tuple[Path, str]]:
    """Yield the CIDR ranges of the spec that nodes and pods reach.

    The ranges of an existing network are unknown.
    """
    if cluster.network.existing is None:
        yield ("network", "cidr"), cluster.network.cidr
        for index, text in enumerate(cluster.network.secondary_cidrs):
            yield ("network", "secondary_cidrs", index), text
    for index, text in enumerate(cluster.network.peered_cidrs):
        yield ("network", "peered_cidrs", index), text
    for index, text in enumerate(cluster.kubernetes.private_access_cidrs):
        yield (*HERE, "private_access_cidrs", index), text


def _zones(cluster: Cluster) -> Iterator[Problem]:
    zone = cluster.network.second_availability_zone_id
    if zone is not None and (zone in ZONES_WITHOUT_CONTROL_PLANES or zone.count("-") != 1):
        yield Problem(
            f"EKS does not support control plane subnets in {zone}",
            ("network", "second_availability_zone_id"),
            hint="use another zone of the region, or omit the key",
            other_path=("platform",),
        )


def _endpoint(cluster: Cluster) -> Iterator[Problem]:
    here: Path = (*HERE, "public_access_cidrs")
    for index, text in enumerate(cluster.kubernetes.public_access_cidrs):
        try:
            network = IPv4Network(text)
        except ValueError:
            yield Problem(f"{text} is not a CIDR range", (*here, index))
            continue
        if network.prefixlen == 0:
            yield Problem(
                "the API server would be reachable from the whole internet",
                (*here, index),
                hint="list the allowed ranges, or omit the key: the API server is reachable from "
                "within the network",
            )
        elif any(network.overlaps(private) for private in PRIVATE):
            yield Problem(
                f"{text} is a private range, which is not routed on the internet",
                (*here, index),
                hint="omit it: the private endpoint serves the network",
            )
    yield from _duplicates("range", here, cluster.kubernetes.public_access_cidrs)


def _access(cluster: Cluster) -> Iterator[Problem]:
    kubernetes = cluster.kubernetes
    here: Path = (*HERE, "access")
    for index, entry in enumerate(kubernetes.access):
        yield from _entry(cluster, entry, (*here, index))
    principals = [entry.principal_arn for entry in kubernetes.access]
    yield from _duplicates("principal", here, principals, "principal_arn")
    administers = any(
        entry.policy == "cluster-admin" and not entry.namespaces for entry in kubernetes.access
    )
    if not kubernetes.admin_role and not administers:
        yield Problem(
            "no principal could administer the cluster: its creator has no permissions",
            (*HERE, "admin_role"),
            hint="admin_role: true, or add an entry with policy: cluster-admin to `access`",
        )


def _entry(cluster: Cluster, entry: AccessEntry, here: Path) -> Iterator[Problem]:
    if entry.principal_arn.split(":")[1] != cluster.partition:
        yield Problem(
            f"the ARN is not in the partition {cluster.partition}",
            (*here, "principal_arn"),
            other_path=("region",),
        )
    if entry.policy is None and not entry.groups:
        yield Problem(
            "an entry without a policy and groups has no effect",
            here,
            hint="policy: view, or groups: [...] of an RBAC binding",
        )
    if entry.policy is None and entry.namespaces:
        yield Problem(
            "`namespaces` requires a policy",
            (*here, "namespaces"),
            hint="policy: edit",
        )
    if entry.policy == "cluster-admin" and entry.namespaces:
        yield Problem(
            "cluster-admin cannot be limited to namespaces",
            (*here, "namespaces"),
            hint="policy: admin",
            other_path=(*here, "policy"),
        )
    for index, group in enumerate(entry.groups):
        if group.startswith(RESERVED_GROUPS):
            yield Problem(
                f"the group {group} is reserved",
                (*here, "groups", index),
                hint="use a group of an RBAC binding",
            )
    yield from _duplicates("group", (*here, "groups"), entry.groups)
    yield from _duplicates("namespace", (*here, "namespaces"), entry.namespaces)


def _addons(cluster: Cluster) -> Iterator[Problem]:
    here: Path = (*HERE, "addons")
    addons = cluster.kubernetes.addons
    yield from _duplicates("add-on", here, [addon.name for addon in addons], "name")
    for index, addon in enumerate(addons):
        if addon.name not in LEAST or addon.version is None:
            continue
        least, why = LEAST[addon.name]
        found = tuple(int(part) for part in re.findall(r"\d+", addon.version)[:3])
        if found < least:
            first = ".".join(map(str, least))
            yield Problem(
                f"{addon.name} must be version {first} or later, which {why}",
                (*here, index, "version"),
                hint="use a later version, or omit it: EKS then uses its default",
            )
    mounted = any(bucket.mount_path is not None for bucket in cluster.storage.buckets)
    idle = {
        "aws-fsx-csi-driver": (bool(cluster.storage.lustre), "Lustre file system", "lustre"),
        "aws-mountpoint-s3-csi-driver": (mounted, "bucket with a mount_path", "buckets"),
    }
    for index, addon in enumerate(addons):
        used, what, key = idle.get(addon.name, (True, "", ""))
        # The inference operator requires both drivers.
        if not used and cluster.hyperpod.inference is None:
            yield Problem(
                f"no {what} uses this driver",
                (*here, index, "name"),
                other_path=("storage", key),
            )


def _pod_identities(cluster: Cluster) -> Iterator[Problem]:
    here: Path = (*HERE, "pod_identities")
    found = cluster.kubernetes.pod_identities
    yield from _duplicates(
        "association", here, [f"{each.namespace}/{each.service_account}" for each in found]
    )
    for index, association in enumerate(found):
        _, partition, _, _, account, _ = association.role_arn.split(":", 5)
        if (partition, account) != (cluster.partition, cluster.account):
            yield Problem(
                f"the role is in account {account}, the cluster in {cluster.account}",
                (*here, index, "role_arn"),
                hint="use a role of the cluster's account, which may assume another role",
                other_path=("account",),
            )


def _duplicates(
    kind: str, path: Path, values: Iterable[Hashable], field: str | None = None
) -> Iterator[Problem]:
    seen: dict[Hashable, int] = {}
    for index, value in enumerate(values):
        first = seen.setdefault(value, index)
        if first != index:
            where: Path = (*path, index, field) if field else (*path, index)
            other: Path = (*path, first, field) if field else (*path, first)
            yield Problem(f"duplicate {kind} {value}", where, other_path=other)

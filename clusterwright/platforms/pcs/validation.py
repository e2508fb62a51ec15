"""Validation of combinations of values in a spec of AWS PCS."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.platforms.pcs import settings, sizes
from clusterwright.platforms.pcs.groups import (
    GROUPS_PER_CLUSTER,
    QUEUES_PER_CLUSTER,
    supports_block,
)
from clusterwright.platforms.slurm_settings import OPENMETRICS_SINCE, openmetrics_settings
from clusterwright.platforms.traits import RESERVED_KINDS

CLUSTER_NAME = re.compile(r"(?!pcs_)[A-Za-z][A-Za-z0-9-]{2,39}")
NAME = re.compile(r"(?!pcs_)[A-Za-z][A-Za-z0-9-]{2,24}")
"""Names of clusters, and of groups and queues (botocore 1.44.5, ClusterName and so on)."""

ACCOUNTING = ("none", "managed")


def problems(cluster: Cluster) -> Iterator[Problem]:
    yield from _names(cluster)
    yield from _counts(cluster)
    yield from _network(cluster)
    yield from _size(cluster)
    yield from _slurm(cluster)
    yield from _settings(cluster)
    for index, group in enumerate(cluster.compute):
        if group.role == "compute":
            yield from _group(cluster, index)


def _names(cluster: Cluster) -> Iterator[Problem]:
    if not CLUSTER_NAME.fullmatch(cluster.environment):
        yield Problem(
            f"`{cluster.environment}` is the name of the cluster: on PCS 3 to 40 letters, digits "
            "and hyphens that begin with a letter",
            ("environment",),
            other_path=("platform",),
        )
    named = [
        *((("compute", i, "name"), group.name) for i, group in enumerate(cluster.compute)),
        *(
            (("slurm", "partitions", i, "name"), partition.name)
            for i, partition in enumerate(cluster.slurm.partitions)
        ),
    ]
    for path, name in named:
        if not NAME.fullmatch(name):
            yield Problem(
                f"`{name}`: on PCS a name has 3 to 25 letters, digits and hyphens and begins with "
                "a letter",
                path,
                other_path=("platform",),
            )


def _counts(cluster: Cluster) -> Iterator[Problem]:
    for path, what, number, most in (
        (("compute",), "groups", len(cluster.compute), GROUPS_PER_CLUSTER),
        (("slurm", "partitions"), "queues", len(cluster.slurm.partitions), QUEUES_PER_CLUSTER),
    ):
        if number > most:
            yield Problem(
                f"{number} {what}: a PCS cluster has at most {most}, which AWS does not raise",
                path,
                on_key=True,
                other_path=("platform",),
            )


def _network(cluster: Cluster) -> Iterator[Problem]:
    network = cluster.network.existing
    if network is not None and network.owner_account not in (None, cluster.account):
        yield Problem(
            "whether PCS launches instances in subnets that another account shares is not "
            "documented",
            ("network", "existing", "owner_account"),
            hint="use subnets of this account, or platform: hyperpod-slurm",
            other_path=("platform",),
        )


def _size(cluster: Cluster) -> Iterator[Problem]:
    need = sizes.needed(cluster)
    largest = sizes.SIZES[-1]
    if need.size is None:
        yield Problem(
            f"{need.instances:,} instances exceed the largest PCS cluster, {largest.name} with "
            f"{largest.instances:,} instances",
            ("compute",),
            on_key=True,
            hint="two clusters, or platform: hyperpod-slurm",
            other_path=("platform",),
        )
        return
    chosen = next((size for size in sizes.SIZES if size.name == cluster.pcs.size), None)
    if chosen is None:
        return
    if chosen.instances < need.instances or chosen.jobs < need.jobs:
        yield Problem(
            f"{chosen.name} has at most {chosen.instances:,} instances and {chosen.jobs:,} jobs: "
            f"{need.reason}",
            ("pcs", "size"),
            hint=f"size: {need.size.name}, or omit it",
        )


def _slurm(cluster: Cluster) -> Iterator[Problem]:
    slurm, pcs = cluster.slurm, cluster.pcs
    if slurm.configuration != "managed":
        yield Problem(
            "PCS configures Slurm itself; only HyperPod supports a scripted configuration",
            ("slurm", "configuration"),
            hint="configuration: managed, or platform: hyperpod-slurm",
            other_path=("platform",),
        )
    if slurm.accounting.kind not in ACCOUNTING:
        yield Problem(
            f"PCS supports no accounting of kind {slurm.accounting.kind}: its slurmdbd is managed",
            ("slurm", "accounting", "kind"),
            hint="kind: managed or none, or platform: hyperpod-slurm",
            other_path=("platform",),
        )
    if slurm.topology != "auto":
        yield Problem(
            "PCS's controller has no setting of a topology",
            ("slurm", "topology"),
            hint="topology: auto, or platform: hyperpod-slurm",
            other_path=("platform",),
        )
    if pcs.accounting_purge_days is not None and slurm.accounting.kind != "managed":
        yield Problem(
            "accounting_purge_days requires managed accounting",
            ("pcs", "accounting_purge_days"),
            hint="slurm.accounting: {kind: managed}, or remove it",
            other_path=("slurm", "accounting", "kind"),
        )
    if pcs.rest_api and not settings.at_least(pcs.slurm_version, settings.REST_SINCE):
        yield Problem(
            f"Slurm's REST API requires Slurm {settings.REST_SINCE}",
            ("pcs", "rest_api"),
            other_path=("pcs", "slurm_version"),
        )


def _settings(cluster: Cluster) -> Iterator[Problem]:
    for key, allowed in settings.LISTS.items():
        written: Mapping[str, str] = getattr(cluster.pcs, key) or {}
        known = {name.lower(): name for name in allowed}
        seen: dict[str, str] = {}
        for name in written:
            here: Path = ("pcs", key, name)
            if name.lower() not in known:
                yield Problem(
                    f"PCS does not know the setting {name}",
                    here,
                    hint=f"supported: {', '.join(sorted(allowed))}",
                    on_key=True,
                )
            elif name.lower() in seen:
                yield Problem(
                    f"{name} is the same setting as {seen[name.lower()]}", here, on_key=True
                )
            seen[name.lower()] = name
    yield from _versions(cluster)
    if cluster.pcs.slurmdbd_settings and cluster.slurm.accounting.kind != "managed":
        yield Problem(
            "settings of slurmdbd require managed accounting",
            ("pcs", "slurmdbd_settings"),
            on_key=True,
            other_path=("slurm", "accounting", "kind"),
        )


def _versions(cluster: Cluster) -> Iterator[Problem]:
    version = cluster.pcs.slurm_version
    if openmetrics_settings(cluster) and not settings.at_least(version, OPENMETRICS_SINCE):
        yield Problem(
            f"Slurm {version} has no metrics of its own: they came with {OPENMETRICS_SINCE}",
            ("observability", "metrics", "slurm_openmetrics"),
            other_path=("pcs", "slurm_version"),
        )
    since_name = {name.lower(): since for name, since in settings.SINCE.items()}
    since_value = {
        (name.lower(), value.lower()): since
        for (name, value), since in settings.VALUES_SINCE.items()
    }
    for name, value in (cluster.pcs.slurm_settings or {}).items():
        needed = [since_name.get(name.lower())]
        needed += [
            since_value.get((name.lower(), part.strip())) for part in value.lower().split(",")
        ]
        for since in sorted({one for one in needed if one is not None}):
            if not settings.at_least(version, since):
                yield Problem(
                    f"{name}={value} requires Slurm {since}",
                    ("pcs", "slurm_settings", name),
                    other_path=("pcs", "slurm_version"),
                )
        least = settings.LEAST_MIN_JOB_AGE_SECONDS
        if name.lower() == "minjobage" and not (value.isdecimal() and int(value) >= least):
            yield Problem(
                f"{name} must be at least {least} seconds on PCS, not {value}",
                ("pcs", "slurm_settings", name),
            )


def _group(cluster: Cluster, index: int) -> Iterator[Problem]:
    group = cluster.compute[index]
    kind = group.capacity.kind
    here: Path = ("compute", index)
    if group.spare_count and kind not in RESERVED_KINDS:
        yield Problem(
            f"{kind} capacity has no free instances: PCS requests a new instance to replace a "
            "failed node",
            (*here, "spare_count"),
            hint="remove spare_count; spares stay free in a reservation or capacity block",
            other_path=(*here, "capacity", "kind"),
            rests_on=((*here, "capacity"),),
        )
    if kind == "capacity-block":
        if not supports_block(group.instance_type):
            yield Problem(
                f"PCS does not support capacity blocks of {group.instance_type}",
                (*here, "instance_type"),
                hint="P6-B300, P6-B200, P5en, P5e, P5 and P4d, or platform: eks",
                other_path=(*here, "capacity", "kind"),
            )
        if group.max_count is not None and group.max_count > group.count:
            yield Problem(
                "a group has at most as many instances as its capacity block",
                (*here, "max_count"),
                hint="remove max_count",
                other_path=(*here, "count"),
            )
    if group.placement_group and kind in RESERVED_KINDS:
        yield Problem(
            f"a {kind} has a fixed placement: in a separate placement group fewer of its "
            "instances can be launched",
            (*here, "placement_group"),
            hint="placement_group: false, or omit it",
            other_path=(*here, "capacity", "kind"),
        )

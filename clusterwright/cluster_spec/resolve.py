"""Derivation of values from other values, before validation, so that `expand` shows them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import Any

from clusterwright.cluster_spec.document import Document, kind_of, read_document
from clusterwright.cluster_spec.layering import Layers, without_nulls
from clusterwright.cluster_spec.mixed_capacity import unmix
from clusterwright.cluster_spec.problems import Path, Problem, SpecErrors
from clusterwright.cluster_spec.slurm_accounts import slurm_tenancy
from clusterwright.platforms.registry import DEFAULT, traits_or_none
from clusterwright.platforms.traits import Platform

DEFAULT_PARTITION = "training"
USERS_FILE_KEYS = ("user_groups", "users")


@dataclass
class Resolved:
    """Merged data with derived values, ready to be validated."""

    data: dict[str, Any]
    written: dict[str, Any]
    """The same without derived values."""

    derived: set[Path] = field(default_factory=set)
    """Paths of derived values."""

    problems: list[Problem] = field(default_factory=list)
    """Problems of the users file."""


def resolve(layers: Layers) -> Resolved:
    """Return the merged data with derived values; the models report wrong types."""
    resolved = Resolved(dict(layers.data), layers.data)
    _partition(resolved)
    _unmix(resolved, layers)
    _name_lustre(resolved)
    _read_users(resolved, layers)
    _default_partition(resolved)
    _default_accounting(resolved)
    _tenants(resolved)
    _default_provisioning(resolved)
    _default_hold(resolved)
    return resolved


def partition_of(region: str) -> str:
    """Return the AWS partition of a region."""
    if region.startswith("us-gov-"):
        return "aws-us-gov"
    return "aws-cn" if region.startswith("cn-") else "aws"


def _partition(resolved: Resolved) -> None:
    if "partition" not in resolved.data:
        # Without a valid region, only the region is reported.
        region = resolved.data.get("region")
        resolved.data["partition"] = partition_of(region) if isinstance(region, str) else "aws"
        resolved.derived.add(("partition",))


def _unmix(resolved: Resolved, layers: Layers) -> None:
    """Replace mixed groups by the groups that are created, in partitions too."""
    compute = resolved.data.get("compute")
    if not isinstance(compute, list):
        return
    mixing = unmix(compute, layers)
    resolved.problems += mixing.problems
    if mixing.compute == compute:
        return
    resolved.data["compute"] = mixing.compute
    resolved.derived |= mixing.derived
    slurm = resolved.data.get("slurm")
    partitions = slurm.get("partitions") if isinstance(slurm, dict) else None
    if isinstance(slurm, dict) and isinstance(partitions, list):
        whole = [_with_parts(partition, mixing.parts) for partition in partitions]
        resolved.data["slurm"] = {**slurm, "partitions": whole}


def _with_parts(partition: Any, parts: dict[str, list[str]]) -> Any:
    """Replace a mixed group in a partition by all its parts."""
    groups = partition.get("groups") if isinstance(partition, dict) else None
    if not isinstance(groups, list):
        return partition
    named = [part for g in groups for part in (parts.get(g, [g]) if isinstance(g, str) else [g])]
    return {**partition, "groups": named}


def _name_lustre(resolved: Resolved) -> None:
    storage = resolved.data.get("storage")
    file_systems = storage.get("lustre") if isinstance(storage, dict) else None
    if not isinstance(storage, dict) or not isinstance(file_systems, list):
        return
    named = []
    for index, item in enumerate(file_systems):
        if isinstance(item, dict) and "name" not in item:
            mount_path = item.get("mount_path", "/fsx")
            if isinstance(mount_path, str):
                named.append({**item, "name": _words(mount_path) or "fsx"})
                resolved.derived.add(("storage", "lustre", index, "name"))
                continue
        named.append(item)
    resolved.data["storage"] = {**storage, "lustre": named}


def _words(mount_path: str) -> str:
    """Return a path as a name of at most 63 letters, digits and hyphens."""
    letters = "".join(c if c.isascii() and c.isalnum() else "-" for c in mount_path)
    return "-".join(word for word in letters.split("-") if word)[:63].rstrip("-")


def _read_users(resolved: Resolved, layers: Layers) -> None:
    slurm = resolved.data.get("slurm")
    if not isinstance(slurm, dict) or not isinstance(slurm.get("users"), str):
        return
    slurm = {**slurm}
    named = slurm.pop("users")
    resolved.data["slurm"] = slurm
    position = layers.position(("slurm", "users"))
    origin = layers.origin.get(("slurm", "users"))
    folder = FilePath(origin.file).parent if origin else FilePath()
    try:
        document = read_document(os.fspath(folder / named))
    except SpecErrors as errors:
        resolved.problems += [
            Problem(p.message, ("slurm", "users"), p.hint, position=p.position or position)
            for p in errors
        ]
        return
    resolved.problems += [
        replace(problem, path=("slurm", *problem.path)) for problem in document.problems
    ]
    for key, value in document.data.items():
        if key not in USERS_FILE_KEYS:
            message = f"a users file has the keys `users` and `user_groups`, not `{key}`"
        elif not isinstance(value, list):
            message = f"expected a list, got {kind_of(value)}"
        elif key in slurm:
            message = f"`{key}` is both in the users file and in the spec: remove one of them"
        else:
            slurm[key] = without_nulls(value)
            continue
        resolved.problems.append(
            Problem(message, ("slurm", key), position=document.position((key,), on_key=True))
        )
    if "users" not in document.data:
        resolved.problems.append(
            Problem(
                "a users file must have a list `users`",
                ("slurm", "users"),
                position=document.position(()),
            )
        )
    _adopt(document, layers, [key for key in USERS_FILE_KEYS if key in slurm])


def _adopt(document: Document, layers: Layers, keys: list[str]) -> None:
    """Map paths below `slurm` to positions in the users file."""
    moved = Document(document.file, document.data, document.lines)
    for table, target in ((document.values, moved.values), (document.keys, moved.keys)):
        for path, position in table.items():
            if (
                path
                and path[0] in keys
                and (path[0] == "users" or ("slurm", path[0]) not in layers.origin)
            ):
                target[("slurm", *path)] = position
    for path in [*moved.values, *moved.keys]:
        layers.origin[path] = moved


def _platform(resolved: Resolved) -> Platform | None:
    """Return the traits of the platform; None if the name is not valid."""
    return traits_or_none(resolved.data.get("platform", DEFAULT))


def _uses_slurm(resolved: Resolved) -> bool:
    """Return whether Slurm runs the jobs, or the platform is unknown."""
    platform = _platform(resolved)
    return platform is None or platform.uses_slurm


def _tenants(resolved: Resolved) -> None:
    """With Slurm, tenants are Slurm accounts."""
    if not _uses_slurm(resolved) or not resolved.data.get("tenants"):
        return
    found = slurm_tenancy(resolved.data)
    resolved.data["slurm"] = found.slurm
    resolved.derived |= found.derived
    resolved.problems += found.problems


def _default_partition(resolved: Resolved) -> None:
    slurm = resolved.data.get("slurm", {})
    compute = resolved.data.get("compute")
    if not _uses_slurm(resolved):
        return
    if not isinstance(slurm, dict) or slurm.get("partitions") or not isinstance(compute, list):
        return
    names = [
        group["name"]
        for group in compute
        if isinstance(group, dict)
        and group.get("role") == "compute"
        and isinstance(group.get("name"), str)
    ]
    if not names:
        return
    platform = _platform(resolved)
    if platform is not None and platform.partitions_are_queues:
        # There a partition is a queue, and a queue has one kind of capacity.
        partitions = [{"name": name, "groups": [name]} for name in names]
    else:
        partitions = [{"name": DEFAULT_PARTITION, "groups": names}]
    resolved.data["slurm"] = {**slurm, "partitions": partitions}
    resolved.derived.add(("slurm", "partitions"))


def _default_accounting(resolved: Resolved) -> None:
    """ParallelCluster has no database on its head node: accounting is none or external."""
    slurm = resolved.data.get("slurm", {})
    platform = _platform(resolved)
    if platform is None or not platform.uses_slurm or platform.accounting_on_controller:
        return
    if not isinstance(slurm, dict):
        return
    accounting = slurm.get("accounting", {})
    if isinstance(accounting, dict) and "kind" not in accounting:
        resolved.data["slurm"] = {**slurm, "accounting": {**accounting, "kind": "none"}}
        resolved.derived.add(("slurm", "accounting", "kind"))


def _default_provisioning(resolved: Resolved) -> None:
    """In scripted mode all nodes start at once: continuous provisioning requires managed Slurm.

    Source: SageMaker developer guide, "Continuous provisioning for enhanced cluster operations
    with Slurm": every instance group needs a SlurmConfig.
    """
    slurm, resilience = resolved.data.get("slurm"), resolved.data.get("resilience", {})
    if not isinstance(slurm, dict) or not isinstance(resilience, dict):
        return
    platform = _platform(resolved)
    if platform is None or not (platform.on_hyperpod and platform.uses_slurm):
        # Elsewhere the mode itself is refused, and `resilience` is not in the file.
        return
    if slurm.get("configuration") == "scripted" and "node_provisioning" not in resilience:
        resolved.data["resilience"] = {**resilience, "node_provisioning": "all-at-once"}
        resolved.derived.add(("resilience", "node_provisioning"))


def _default_hold(resolved: Resolved) -> None:
    """No node takes a job before it is accepted, unless the file says otherwise.

    On Kubernetes nodes are tested only with an image, which the user has to provide.
    """
    acceptance = resolved.data.get("acceptance", {})
    platform = _platform(resolved)
    if platform is None or not isinstance(acceptance, dict) or "hold" in acceptance:
        return
    if platform.uses_slurm or acceptance.get("image") is not None:
        resolved.data["acceptance"] = {**acceptance, "hold": True}
        resolved.derived.add(("acceptance", "hold"))

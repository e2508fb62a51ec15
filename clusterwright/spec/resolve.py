"""Fills in what follows from other values, before validation, so that `expand` shows it."""

from __future__ import annotations

import os
from pathlib import Path as FilePath
from typing import Any

from clusterwright.spec.document import Document, read_document
from clusterwright.spec.layering import Layers
from clusterwright.spec.problems import Problem, SpecErrors

DEFAULT_PARTITION = "training"


def resolve(layers: Layers) -> dict[str, Any]:
    """The merged data with derived values; wrong types are left for the models to report.

    Raises
    ------
    SpecErrors
        The file that `slurm.users` names cannot be read.
    """
    data = dict(layers.data)
    region = data.get("region")
    if isinstance(region, str) and data.get("partition") is None:
        data["partition"] = partition_of(region)
    _name_lustre(data)
    _read_users(data, layers)
    _default_partition(data)
    return data


def partition_of(region: str) -> str:
    """The AWS partition of a region."""
    if region.startswith("us-gov-"):
        return "aws-us-gov"
    return "aws-cn" if region.startswith("cn-") else "aws"


def _name_lustre(data: dict[str, Any]) -> None:
    storage = data.get("storage")
    file_systems = storage.get("lustre") if isinstance(storage, dict) else None
    if not isinstance(storage, dict) or not isinstance(file_systems, list):
        return
    named = []
    for item in file_systems:
        if isinstance(item, dict) and item.get("name") is None:
            mount_path = item.get("mount_path", "/fsx")
            if isinstance(mount_path, str):
                words = "".join(c if c.isalnum() else "-" for c in mount_path).strip("-")
                item = {**item, "name": "-".join(w for w in words.split("-") if w) or "fsx"}
        named.append(item)
    data["storage"] = {**storage, "lustre": named}


def _read_users(data: dict[str, Any], layers: Layers) -> None:
    slurm = data.get("slurm")
    if not isinstance(slurm, dict) or not isinstance(slurm.get("users"), str):
        return
    position = layers.position(("slurm", "users"))
    origin = layers.origin.get(("slurm", "users"))
    folder = FilePath(origin.file).parent if origin else FilePath()
    path = folder / slurm["users"]
    try:
        document = read_document(os.fspath(path))
    except SpecErrors as errors:
        raise SpecErrors(
            problem if problem.position else problem.at(position) for problem in errors
        ) from None
    users = document.data.get("users")
    if set(document.data) != {"users"} or not isinstance(users, list):
        raise SpecErrors(
            [
                Problem(
                    "a users file holds one key, `users`, with a list",
                    position=document.position(()),
                )
            ]
        )
    data["slurm"] = {**slurm, "users": users}
    _adopt(document, layers)


def _adopt(document: Document, layers: Layers) -> None:
    """Makes positions of the users file answer for paths under `slurm.users`."""
    prefix = ("slurm", "users")
    moved = Document(document.file, document.data, document.lines)
    for table, target in ((document.values, moved.values), (document.keys, moved.keys)):
        for path, position in table.items():
            if path[:1] == ("users",):
                target[(*prefix, *path[1:])] = position
    for path in [*moved.values, *moved.keys]:
        layers.origin[path] = moved


def _default_partition(data: dict[str, Any]) -> None:
    slurm = data.get("slurm", {})
    compute = data.get("compute")
    if not isinstance(slurm, dict) or slurm.get("partitions") or not isinstance(compute, list):
        return
    names = [
        group["name"]
        for group in compute
        if isinstance(group, dict) and group.get("role") == "compute" and isinstance(group.get("name"), str)
    ]
    if names:
        data["slurm"] = {**slurm, "partitions": [{"name": DEFAULT_PARTITION, "groups": names}]}

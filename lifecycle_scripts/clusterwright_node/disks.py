"""Local NVMe disks and the signatures on them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from clusterwright_node.errors import StepError
from clusterwright_node.machine import failure_of
from clusterwright_node.node import Node

# EC2's names of NVMe controllers: EBS volumes say "Amazon Elastic Block Store".
INSTANCE_STORE_MODEL = "Amazon EC2 NVMe Instance Storage"


@dataclass(frozen=True)
class Disk:
    """One instance-store disk and the block devices on it."""

    path: str
    mount_paths: tuple[str, ...]
    children: tuple[tuple[str, str], ...]  # (path, type) of the block devices directly on it


@dataclass(frozen=True)
class Signature:
    """The signature on a device: its type (xfs, linux_raid_member, ...), label and UUID."""

    kind: str
    label: str
    uuid: str


def instance_store_disks(node: Node) -> list[Disk]:
    """The instance-store disks by path. EBS volumes are never among them."""
    result = node.machine.query(
        "lsblk", "--json", "--paths", "--output", "NAME,TYPE,MODEL,MOUNTPOINT"
    )
    rows = _rows(result.stdout, "blockdevices", "lsblk", result.said)
    disks = []
    for row in rows:
        if row.get("type") == "disk" and (row.get("model") or "").strip() == INSTANCE_STORE_MODEL:
            below = list(_below(row))
            mounted = [item["mountpoint"] for item in [row, *below] if item.get("mountpoint")]
            children = [
                (item["name"], item.get("type") or "") for item in row.get("children") or ()
            ]
            disks.append(Disk(row["name"], tuple(mounted), tuple(children)))
    return sorted(disks, key=lambda disk: disk.path)


def signature(node: Node, device: str) -> Signature | None:
    """The signature on `device`, read from the device itself; None for a blank device."""
    result = node.machine.query("wipefs", "--no-act", "--json", device)
    if not result.ok:
        raise failure_of(result)
    if not result.stdout.strip():
        return None  # older versions print nothing at all for a blank device
    rows = _rows(result.stdout, "signatures", "wipefs", result.said)
    if not rows:
        return None
    first = rows[0]
    return Signature(
        first.get("type") or "unknown", first.get("label") or "", first.get("uuid") or ""
    )


def array_name(node: Node, device: str) -> str:
    """The name in a RAID superblock, without the host: of an array, or of one of its disks. Empty
    if unreadable.
    """
    option = "--detail" if device.startswith("/dev/md") else "--examine"
    result = node.machine.query("mdadm", option, "--export", device)
    for line in result.stdout.splitlines():
        if line.startswith("MD_NAME="):
            return line.split("=", 1)[1].rsplit(":", 1)[-1]
    return ""


def _rows(text: str, key: str, command: str, said: str) -> list[dict[str, Any]]:
    try:
        rows = json.loads(text)[key]
    except (ValueError, KeyError, TypeError):
        raise StepError(
            f"`{command}` did not print JSON: {said}", "use a HyperPod image"
        ) from None
    return list(rows)


def _below(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for child in row.get("children") or ():
        yield child
        yield from _below(child)

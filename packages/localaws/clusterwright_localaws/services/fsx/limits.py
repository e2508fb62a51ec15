"""Quotas of FSx: file systems and capacity per deployment type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from clusterwright_localaws.core import quotas
from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.fsx.state import FileSystem, store

COUNT = {
    "PERSISTENT_2": "L-FD6F2F22",
    "PERSISTENT_1": "L-9AFA1F09",
    "SCRATCH": "L-C48231E5",
    "OPENZFS": "L-59D0763F",
}
CAPACITY_GIB = {
    "PERSISTENT_2": "L-8F1B9C74",
    "PERSISTENT_1": "L-C8640C82",
    "SCRATCH": "L-AD2FC696",
    "OPENZFS": "L-88479C21",
}
TIERING_MBPS = "L-0CD18A5D"
TIERING_CACHE_GIB = "L-B7391FCE"
HDD_GIB_PER_FILE_SYSTEM = "L-736F3D6F"
OPENZFS_GIB_PER_FILE_SYSTEM = "L-7D5FDD38"
OPENZFS_MBPS = "L-4EDE4065"


def check(
    call: Call, kind: str, request: Mapping[str, Any], before: Mapping[str, Any] | None = None
) -> None:
    """Refuse a file system, or its growth from `before`, that exceeds a quota.

    Raises
    ------
    AwsError
        ServiceLimitExceeded with the limit's name.
    """
    family = family_of(kind, request)
    if before is None:
        _require(call, COUNT[family], 1, "FILE_SYSTEM_COUNT")
    tiering = request.get("StorageType") == "INTELLIGENT_TIERING"
    if not tiering:
        old = int((before or {}).get("StorageCapacity") or 0)
        more = int(request.get("StorageCapacity") or 0) - old
        _require(call, CAPACITY_GIB[family], more, "TOTAL_STORAGE")
        if request.get("StorageType") == "HDD":
            _at_most(call, HDD_GIB_PER_FILE_SYSTEM, request["StorageCapacity"])
        if kind == "OPENZFS":
            _at_most(call, OPENZFS_GIB_PER_FILE_SYSTEM, request["StorageCapacity"])
    if kind == "OPENZFS":
        more = _mbps(kind, request) - _mbps(kind, before or {})
        _require(call, OPENZFS_MBPS, more, "TOTAL_THROUGHPUT_CAPACITY")
    elif tiering:
        more = _mbps(kind, request) - _mbps(kind, before or {})
        _require(call, TIERING_MBPS, more, "TOTAL_THROUGHPUT_CAPACITY")
        _require(call, TIERING_CACHE_GIB, _cache(request) - _cache(before or {}), "TOTAL_STORAGE")


def family_of(kind: str, request: Mapping[str, Any]) -> str:
    if kind == "OPENZFS":
        return "OPENZFS"
    deployment = str((request.get("LustreConfiguration") or {}).get("DeploymentType", "SCRATCH_1"))
    return "SCRATCH" if deployment.startswith("SCRATCH") else deployment


def register_usage() -> None:
    """Return the usage of a quota by file systems."""
    for family, code in COUNT.items():
        _count(code, family, lambda _: 1.0)
    for family, code in CAPACITY_GIB.items():
        _count(code, family, lambda fs: float(fs.capacity_gib))
    _count(
        TIERING_MBPS,
        "PERSISTENT_2",
        lambda fs: _mbps(fs.kind, fs.request) if fs.storage_type == "INTELLIGENT_TIERING" else 0.0,
    )
    _count(TIERING_CACHE_GIB, "PERSISTENT_2", lambda fs: float(_cache(fs.request)))
    _count(OPENZFS_MBPS, "OPENZFS", lambda fs: float(_mbps(fs.kind, fs.request)))


def _count(code: str, family: str, measure: Callable[[FileSystem], float]) -> None:
    @quotas.counts_usage("fsx", code)
    def used(runtime: Runtime, account: str, region: str) -> float:
        return sum(
            measure(fs)
            for fs in store(runtime, account, region).file_systems.values()
            if family_of(fs.kind, fs.request) == family
        )


def _require(call: Call, code: str, more: float, limit: str) -> None:
    found = quotas.quota(call.runtime, call.region, "fsx", code)
    if found is None or found.value is None or more <= 0:
        return
    used = quotas.in_use(call.runtime, call.account, call.region, "fsx", code)
    if used + more > found.value:
        raise AwsError(
            "ServiceLimitExceeded",
            f"{found.name}: the limit is {found.value:g}, {used:g} are in use and {more:g} more "
            f"are requested ({code}).",
            Limit=limit,
        )


def _at_most(call: Call, code: str, value: float) -> None:
    found = quotas.quota(call.runtime, call.region, "fsx", code)
    if found is not None and found.value is not None and value > found.value:
        raise AwsError(
            "ServiceLimitExceeded",
            f"{found.name}: the limit is {found.value:g}, {value:g} are requested ({code}).",
            Limit="TOTAL_STORAGE",
        )


def _mbps(kind: str, request: Mapping[str, Any]) -> int:
    name = "OpenZFSConfiguration" if kind == "OPENZFS" else "LustreConfiguration"
    return int((request.get(name) or {}).get("ThroughputCapacity") or 0)


def _cache(request: Mapping[str, Any]) -> int:
    lustre = request.get("LustreConfiguration") or {}
    return int((lustre.get("DataReadCacheConfiguration") or {}).get("SizeGiB") or 0)

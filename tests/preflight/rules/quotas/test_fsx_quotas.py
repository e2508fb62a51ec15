"""Tests of the fsx quotas."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from clusterwright.preflight.facts import storage
from tests.preflight.harness import Harness, quota
from tests.preflight.quota_facts import HOME, LUSTRE
from tests.preflight.rules.support.more_quotas import HOMES
from tests.preflight.rules.support.quotas import systems
from tests.support import specs


def test_openzfs_file_system_quota(rule: Harness) -> None:
    facts: dict[Any, Any] = {
        storage.FileSystems(): (HOME, LUSTRE, dataclasses.replace(HOME, lifecycle="FAILED"))
    }
    rule.fails(
        "CW-Q034",
        HOMES,
        {**facts, **quota("fsx", "L-59D0763F", 1)},
        path="storage.home",
        message='home directories need 1 of "OpenZFS file systems", 0 are free',
        numbers=(1, 1, 1),
    )
    rule.passes("CW-Q034", HOMES, {**facts, **quota("fsx", "L-59D0763F", 2)})
    rule.passes("CW-Q034", tested=False)


def test_openzfs_size_quota(rule: Harness) -> None:
    rule.fails(
        "CW-Q037",
        HOMES,
        quota("fsx", "L-7D5FDD38", 256),
        path="storage.home.capacity_gib",
        message="home directories need 512 GiB",
        numbers=(512, 0, 256),
    )
    rule.passes("CW-Q037", HOMES, quota("fsx", "L-7D5FDD38", 512))


def test_intelligent_tiering_read_cache_quota(rule: Harness) -> None:
    tiering = {
        "mount_path": "/fsx",
        "storage_type": "INTELLIGENT_TIERING",
        "throughput_mbps": 4000,
        "read_cache": {"mode": "provisioned", "capacity_gib": 3000},
    }
    theirs = dataclasses.replace(LUSTRE, read_cache_gib=98_000)
    facts: dict[Any, Any] = {
        storage.FileSystems(): (theirs, dataclasses.replace(theirs, stack="test-storage"))
    }
    rule.fails(
        "CW-Q038",
        {"storage.lustre": [tiering]},
        {**facts, **quota("fsx", "L-B7391FCE", 100_800)},
        path="storage.lustre[0].read_cache.capacity_gib",
        message="need 3,000 GiB",
        numbers=(3000, 98_000, 100_800),
    )
    rule.passes(
        "CW-Q038",
        {"storage.lustre": [tiering]},
        {**facts, **quota("fsx", "L-B7391FCE", 101_000)},
    )


def test_lustre_capacity_is_counted_by_deployment_type(rule: Harness) -> None:
    changes = {"storage.lustre": [specs.LUSTRE]}
    standing = systems(
        LUSTRE,
        HOME,
        dataclasses.replace(LUSTRE, stack="test-storage"),
        dataclasses.replace(LUSTRE, lifecycle="FAILED"),
        dataclasses.replace(LUSTRE, deployment_type="SCRATCH_2"),
        dataclasses.replace(LUSTRE, deployment_type="PERSISTENT_1", storage_type="HDD"),
    )
    rule.fails(
        "CW-Q030",
        changes,
        {**standing, **quota("fsx", "L-8F1B9C74", 54_799)},
        path="storage.lustre[0].capacity_gib",
        message="Lustre PERSISTENT_2 file systems need 4,800 GiB",
        numbers=(4800, 50_000, 54_799),
    )
    rule.passes("CW-Q030", changes, {**standing, **quota("fsx", "L-8F1B9C74", 54_800)})
    rule.passes("CW-Q030", tested=False)


def test_lustre_file_systems_are_counted(rule: Harness) -> None:
    changes = {"storage.lustre": [specs.LUSTRE]}
    rule.fails(
        "CW-Q031",
        changes,
        {**systems(LUSTRE, LUSTRE), **quota("fsx", "L-FD6F2F22", 2)},
        path="storage.lustre[0]",
        message="1 new Lustre file system needs 1",
        numbers=(1, 2, 2),
    )
    rule.passes("CW-Q031", changes, {**systems(LUSTRE, HOME), **quota("fsx", "L-FD6F2F22", 2)})


def test_tiering_throughput_is_counted(rule: Harness) -> None:
    tiering = {
        "mount_path": "/fsx", "storage_type": "INTELLIGENT_TIERING", "throughput_mbps": 8000
    }  # fmt: skip
    changes = {"storage.lustre": [tiering]}
    standing = systems(
        dataclasses.replace(LUSTRE, storage_type="INTELLIGENT_TIERING", throughput_mbps=4000)
    )
    rule.fails(
        "CW-Q032",
        changes,
        {**standing, **quota("fsx", "L-0CD18A5D", 11_999)},
        path="storage.lustre[0].throughput_mbps",
        message="Intelligent-Tiering file systems need 8,000 MBps",
        numbers=(8000, 4000, 11_999),
    )
    rule.passes("CW-Q032", changes, {**standing, **quota("fsx", "L-0CD18A5D", 12_000)})


def test_hdd_capacity_is_limited_per_file_system(rule: Harness) -> None:
    hdd = {
        "mount_path": "/fsx", "deployment_type": "PERSISTENT_1", "storage_type": "HDD",
        "capacity_gib": 108_000, "throughput_mbps_per_tib": 12,
    }  # fmt: skip
    changes = {"storage.lustre": [hdd]}
    rule.fails(
        "CW-Q033",
        changes,
        quota("fsx", "L-736F3D6F", 102_000),
        path="storage.lustre[0].capacity_gib",
        message="`fsx` needs 108,000 GiB",
        numbers=(108_000, 0, 102_000),
    )
    rule.passes("CW-Q033", changes, quota("fsx", "L-736F3D6F", 108_000))


@pytest.mark.parametrize(
    ("name", "code", "path", "used", "wanted"),
    [
        ("CW-Q035", "L-88479C21", "storage.home.capacity_gib", 1000, 512),
        ("CW-Q036", "L-4EDE4065", "storage.home.throughput_mbps", 64, 128),
    ],
)
def test_openzfs(rule: Harness, name: str, code: str, path: str, used: int, wanted: int) -> None:
    changes = {"storage.home": {"kind": "openzfs", "capacity_gib": 512}}
    standing = systems(LUSTRE, HOME, dataclasses.replace(HOME, stack="test-storage"))
    enough = used + wanted
    message = "home directories need"
    limit = quota("fsx", code, enough - 1)
    numbers = (wanted, used, enough - 1)
    rule.fails(name, changes, {**standing, **limit}, path=path, message=message, numbers=numbers)
    rule.passes(name, changes, {**standing, **quota("fsx", code, enough)})
    rule.passes(name, tested=False)


# The two rules of OpenZFS, by name, for `test_completeness`.
def test_openzfs_capacity_quota_is_found_by_name(rule: Harness) -> None:
    changes = {"storage.home": {"kind": "openzfs", "capacity_gib": 512}}
    path = "storage.home.capacity_gib"
    short = {**systems(), **quota("fsx", "L-88479C21", 0)}
    rule.fails("CW-Q035", changes, short, path=path, message="512 GiB")
    rule.passes("CW-Q035", changes, {**systems(), **quota("fsx", "L-88479C21", 512)})


def test_openzfs_throughput_quota_is_found_by_name(rule: Harness) -> None:
    changes = {"storage.home": {"kind": "openzfs", "capacity_gib": 512}}
    path = "storage.home.throughput_mbps"
    short = {**systems(), **quota("fsx", "L-4EDE4065", 0)}
    rule.fails("CW-Q036", changes, short, path=path, message="128 MBps")
    rule.passes("CW-Q036", changes, {**systems(), **quota("fsx", "L-4EDE4065", 128)})

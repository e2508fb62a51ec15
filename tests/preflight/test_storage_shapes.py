"""Lustre versions, what is mounted twice, names of what exists."""

from __future__ import annotations

from typing import Any

import pytest

from tests.preflight.existing_storage import DNS, FS_ID, STANDING
from tests.preflight.harness import Harness
from tests.support import specs

PLAIN = {"mount_path": "/fsx", "capacity_gib": 4800, "throughput_mbps_per_tib": 125}
FIRST = {"deployment_type": "PERSISTENT_1", "throughput_mbps_per_tib": 50}
LINK = {"s3": "s3://acme-corpus/tokens", "path": "/data", "import": ["NEW"]}


def lustre(*file_systems: dict[str, Any]) -> dict[str, Any]:
    return {"storage.lustre": list(file_systems)}


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"version": "2.10"}, "PERSISTENT_2 requires Lustre 2.12 or later, not 2.10"),
        (
            {"version": "2.12", "metadata": {"mode": "automatic"}},
            "a metadata configuration requires Lustre 2.15",
        ),
        (
            {**FIRST, "version": "2.10", "repositories": [LINK]},
            "a repository requires Lustre 2.12",
        ),
        (
            {
                "version": "2.12", "efa": True, "capacity_gib": 38400,
                "throughput_mbps_per_tib": 125,
            },
            "EFA, which includes a metadata configuration, requires Lustre 2.15",
        ),
    ],
)  # fmt: skip
def test_old_versions_cannot_do_everything(
    rule: Harness, changes: dict[str, Any], wanted: str
) -> None:
    old = {**PLAIN, **changes}
    path = "storage.lustre[0].version"
    rule.fails("CW-S016", lustre(old), path=path, message=wanted)
    rule.passes("CW-S016", lustre({**old, "version": "2.15"}))


@pytest.mark.parametrize(
    "fs",
    [
        {**PLAIN, "version": "2.12"},
        {**PLAIN, **FIRST, "version": "2.10"},
        {**PLAIN, **FIRST, "version": "2.12", "repositories": [LINK]},
    ],
)
def test_old_versions_can_do_the_rest(rule: Harness, fs: dict[str, Any]) -> None:
    rule.passes("CW-S016", lustre(fs))


def exporting(mount: str, s3: str, **more: Any) -> dict[str, Any]:
    link = {"s3": s3, "path": "/out", "export": ["NEW"], **more}
    return {**specs.LUSTRE, "mount_path": mount, "repositories": [link]}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("s3://acme-out", "s3://acme-out"),
        ("s3://acme-out/", "s3://acme-out"),
        ("s3://acme-out", "s3://acme-out/b"),
        ("s3://acme-out/a/b", "s3://acme-out/a"),
    ],
)
def test_two_file_systems_do_not_export_to_one_place(rule: Harness, one: str, other: str) -> None:
    rule.fails(
        "CW-S017",
        lustre(exporting("/a", one), exporting("/b", other)),
        path="storage.lustre[1].repositories[0].s3",
        message="two file systems export to s3://acme-out",
    )


@pytest.mark.parametrize(
    "file_systems",
    [
        (exporting("/a", "s3://acme-out/a"), exporting("/b", "s3://acme-out/ab")),
        (exporting("/a", "s3://acme-out"), exporting("/b", "s3://acme-out-2")),
        (exporting("/a", "s3://out"), exporting("/b", "s3://out", export=[], **{"import": []})),
    ],
)
def test_other_places_are_other_places(
    rule: Harness, file_systems: tuple[dict[str, Any], ...]
) -> None:
    rule.passes("CW-S017", lustre(*file_systems))


def test_one_file_system_is_mounted_once(rule: Harness) -> None:
    (first,) = STANDING["storage.lustre"]
    again = {**first, "mount_path": "/again"}
    rule.fails(
        "CW-S017",
        lustre(first, again),
        path="storage.lustre[1].existing.id",
        message=f"{FS_ID} is mounted twice",
    )
    rule.passes("CW-S017", STANDING)


def test_a_bucket_is_mounted_or_linked(rule: Harness) -> None:
    mounted = {"name": "acme-corpus", "mount_path": "/s3"}
    linked = {**specs.LUSTRE, "repositories": [LINK]}
    rule.fails(
        "CW-S017",
        {**lustre(linked), "storage.buckets": [mounted]},
        path="storage.buckets[0].mount_path",
        message="jobs see its objects twice",
        severity="warning",
    )
    rule.passes("CW-S017", {**lustre(linked), "storage.buckets": [{"name": "acme-corpus"}]})


def test_a_name_is_that_of_the_id(rule: Harness) -> None:
    (first,) = STANDING["storage.lustre"]

    def named(dns_name: str) -> dict[str, Any]:
        return lustre({**first, "existing": {**first["existing"], "dns_name": dns_name}})

    path = "storage.lustre[0].existing.dns_name"
    other = DNS.replace("fs-0", "fs-1")
    rule.fails("CW-S021", named(other), path=path, message=f"not of {FS_ID}")
    far = DNS.replace("us-east-1", "us-west-2")
    rule.fails(
        "CW-S021", named(far), path=path, message="is in us-west-2, the cluster is in us-east-1"
    )
    rule.passes("CW-S021", named(DNS))
    home = {"dns_name": far, "security_group_id": "sg-00000001"}
    rule.fails(
        "CW-S021",
        {"storage.home": {"kind": "openzfs", "existing": home}},
        path="storage.home.existing.dns_name",
        message="is in us-west-2",
    )

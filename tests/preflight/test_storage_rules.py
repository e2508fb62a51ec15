"""Lustre sizes, EFA, buckets, checkpoints, file systems that exist."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from clusterwright.aws.ec2.vpc import Subnet
from clusterwright.aws.fsx import FileSystem
from clusterwright.aws.s3 import Bucket
from clusterwright.preflight.facts import network, storage
from tests.preflight.existing_storage import FOUND, FS_ID, NETWORK, STANDING, SUBNET
from tests.preflight.harness import Harness
from tests.support import specs


def lustre(**changes: Any) -> dict[str, Any]:
    """One file system: PERSISTENT_2 SSD of 4,800 GiB at 1,000 MB/s per TiB, with EFA."""
    return {"storage.lustre": [{**specs.LUSTRE, **changes}]}


PLAIN = {"efa": False, "throughput_mbps_per_tib": 125}


@pytest.mark.parametrize(
    ("changes", "message", "hint"),
    [
        ({**PLAIN, "capacity_gib": 4900}, "multiple of 2,400 GiB, not 4,900", "4,800 or 7,200"),
        ({**PLAIN, "capacity_gib": 600}, "not 600", "capacity_gib: 1,200"),
        (
            {
                "efa": False, "deployment_type": "SCRATCH_2", "capacity_gib": 3600,
                "throughput_mbps_per_tib": None,
            },
            "SCRATCH_2 SSD must be 1,200 and 2,400, then a multiple of 2,400 GiB, not 3,600",
            "2,400 or 4,800",
        ),
        (
            {
                "efa": False, "deployment_type": "SCRATCH_1", "capacity_gib": 4800,
                "throughput_mbps_per_tib": None,
            },
            "multiple of 3,600 GiB, not 4,800",
            "3,600 or 7,200",
        ),
        (
            {
                "efa": False, "deployment_type": "PERSISTENT_1", "storage_type": "HDD",
                "capacity_gib": 1800, "throughput_mbps_per_tib": 12,
            },
            "PERSISTENT_1 HDD must be a multiple of 6,000 GiB, not 1,800",
            "capacity_gib: 6,000",
        ),
    ],
)  # fmt: skip
def test_capacity_goes_in_steps(
    rule: Harness, changes: dict[str, Any], message: str, hint: str
) -> None:
    fs = {k: v for k, v in {**specs.LUSTRE, **changes}.items() if v is not None}
    finding = rule.fails(
        "CW-S001",
        {"storage.lustre": [fs]},
        path="storage.lustre[0].capacity_gib",
        message=message,
    )
    assert finding.hint
    assert hint in finding.hint


@pytest.mark.parametrize("capacity_gib", [1200, 2400, 4800, 7200, 100_800])
def test_capacity_on_the_step_passes(rule: Harness, capacity_gib: int) -> None:
    rule.passes("CW-S001", lustre(**PLAIN, capacity_gib=capacity_gib))


def test_throughput_is_one_that_is_sold(rule: Harness) -> None:
    finding = rule.fails(
        "CW-S002",
        lustre(efa=False, throughput_mbps_per_tib=200),
        path="storage.lustre[0].throughput_mbps_per_tib",
        message="PERSISTENT_2 SSD supports 125, 250, 500 and 1,000 MB/s per TiB, not 200",
    )
    assert finding.hint == "throughput_mbps_per_tib: 250"
    rule.passes("CW-S002", lustre(efa=False, throughput_mbps_per_tib=250))


def test_metadata_iops_are_a_valid_number(rule: Harness) -> None:
    finding = rule.fails(
        "CW-S003",
        lustre(metadata={"mode": "provisioned", "iops": 13000}),
        path="storage.lustre[0].metadata.iops",
        message="not 13,000",
    )
    assert finding.hint == "iops: 12000"
    rule.passes("CW-S003", lustre(metadata={"mode": "provisioned", "iops": 24000}))


def test_tiering_takes_two_values_of_metadata_iops(rule: Harness) -> None:
    tiering = {
        "mount_path": "/fsx", "storage_type": "INTELLIGENT_TIERING", "throughput_mbps": 4000,
        "metadata": {"mode": "provisioned", "iops": 24000},
    }  # fmt: skip
    rule.fails(
        "CW-S003",
        {"storage.lustre": [tiering]},
        path="storage.lustre[0].metadata.iops",
        message="metadata IOPS must be 6,000 and 12,000, not 24,000",
    )


@pytest.mark.parametrize(
    ("throughput", "step"), [(125, 38_400), (250, 19_200), (500, 9_600), (1000, 4_800)]
)
def test_efa_has_a_step_of_its_own(rule: Harness, throughput: int, step: int) -> None:
    finding = rule.fails(
        "CW-S004",
        lustre(throughput_mbps_per_tib=throughput, capacity_gib=2400),
        path="storage.lustre[0].capacity_gib",
        message=f"{throughput} MB/s per TiB requires a multiple of {step:,} GiB, not 2,400",
    )
    assert finding.hint == f"capacity_gib: {step:,}"
    rule.passes("CW-S004", lustre(throughput_mbps_per_tib=throughput, capacity_gib=2 * step))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("trn2.48xlarge", "trn2.48xlarge does not support EFA for Lustre: trn2 is excluded"),
        ("p4d.24xlarge", "p4d.24xlarge is Nitro v3; EFA for Lustre requires Nitro v4"),
        ("g5.xlarge", "g5.xlarge does not support EFA"),
    ],
)
def test_clients_must_be_able_to_use_efa(rule: Harness, name: str, message: str) -> None:
    rule.fails(
        "CW-S006",
        {**lustre(), "compute.1.instance_type": name},
        path="compute[1].instance_type",
        message=message,
        severity="warning",
    )
    rule.passes("CW-S006", lustre())
    rule.passes("CW-S006", {**lustre(efa=False), "compute.1.instance_type": name})


DALLAS = {"network.availability_zone_id": "us-east-1-dfw-2a"}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"throughput_mbps_per_tib": 250, "capacity_gib": 19200},
            "storage.lustre[0].efa",
            "does not support EFA for Lustre",
        ),
        (
            {"efa": False, "throughput_mbps_per_tib": 500},
            "storage.lustre[0].throughput_mbps_per_tib",
            "us-east-1-dfw-2a supports 125 and 250 MB/s per TiB, not 500",
        ),
        (
            {"efa": False, "deployment_type": "PERSISTENT_1", "throughput_mbps_per_tib": 50},
            "storage.lustre[0].deployment_type",
            "us-east-1-dfw-2a supports PERSISTENT_2 SSD only",
        ),
    ],
)
def test_local_zones_have_a_small_choice(
    rule: Harness, changes: dict[str, Any], path: str, message: str
) -> None:
    rule.fails("CW-S007", {**DALLAS, **lustre(**changes)}, path=path, message=message)
    rule.passes("CW-S007", {**DALLAS, **lustre(efa=False, throughput_mbps_per_tib=250)})
    rule.passes("CW-S007", lustre(**changes))


def tiering(**changes: Any) -> dict[str, Any]:
    fs = {"mount_path": "/fsx", "storage_type": "INTELLIGENT_TIERING", **changes}
    return {"storage.lustre": [fs]}


def test_tiering_goes_in_steps(rule: Harness) -> None:
    finding = rule.fails(
        "CW-S008",
        tiering(throughput_mbps=5000),
        path="storage.lustre[0].throughput_mbps",
        message="multiple of 4,000 MB/s",
    )
    assert finding.hint == "throughput_mbps: 4000"
    rule.fails(
        "CW-S008",
        tiering(throughput_mbps=8000, read_cache={"mode": "provisioned", "capacity_gib": 63}),
        path="storage.lustre[0].read_cache.capacity_gib",
        message="the read cache must have 64 to 262,144 GiB, not 63",
    )
    rule.passes(
        "CW-S008",
        tiering(throughput_mbps=8000, read_cache={"mode": "provisioned", "capacity_gib": 64}),
    )


REPOSITORY = {"s3": "s3://acme-corpus/tokens", "path": "/data", "import": ["NEW"]}
WITH_BUCKET = lustre(repositories=[REPOSITORY])


def bucket(found: Bucket | None) -> dict[Any, Any]:
    return {storage.Bucket("acme-corpus"): found}


def test_buckets_that_exist_must_exist(rule: Harness) -> None:
    path = "storage.lustre[0].repositories[0].s3"
    message = "the bucket acme-corpus"
    rule.fails("CW-S010", WITH_BUCKET, bucket(None), path=path, message=message)
    here = bucket(Bucket("acme-corpus", "us-east-1"))
    rule.passes("CW-S010", WITH_BUCKET, here)
    rule.passes("CW-S010", lustre(repositories=[{**REPOSITORY, "create": True}]), tested=False)


def test_directory_buckets_have_the_zone_in_their_name(rule: Harness) -> None:
    name = "fast--use1-az6--x-s3"
    rule.fails(
        "CW-S010",
        {"storage.buckets": [{"name": "fast", "directory": True}]},
        {storage.Bucket(name): None},
        path="storage.buckets[0].name",
        message=f"the bucket {name} does not exist",
    )


def test_buckets_must_be_in_the_region(rule: Harness) -> None:
    path = "storage.lustre[0].repositories[0].s3"
    rule.fails(
        "CW-S011",
        WITH_BUCKET,
        bucket(Bucket("acme-corpus", "eu-west-1")),
        path=path,
        message="acme-corpus is in eu-west-1, the cluster is in us-east-1",
    )
    rule.passes("CW-S011", WITH_BUCKET, bucket(Bucket("acme-corpus", "us-east-1")))
    rule.passes("CW-S011", WITH_BUCKET, bucket(None))
    rule.unsure(
        "CW-S011",
        WITH_BUCKET,
        bucket(Bucket("acme-corpus", None)),
        path=path,
        message="does not report the region",
    )


SCRATCH = {"mount_path": "/fsx", "deployment_type": "SCRATCH_2", "capacity_gib": 1200}
SAVES = {"storage.checkpoint_path": "/fsx/checkpoints"}


def test_checkpoints_on_scratch_want_an_export(rule: Harness) -> None:
    rule.fails(
        "CW-S013",
        {**SAVES, "storage.lustre": [SCRATCH]},
        path="storage.checkpoint_path",
        message="/fsx/checkpoints is on SCRATCH_2",
    )
    elsewhere = {"s3": "s3://acme-out", "path": "/out", "export": ["NEW"]}
    rule.fails(
        "CW-S013",
        {**SAVES, "storage.lustre": [{**SCRATCH, "repositories": [elsewhere]}]},
        path="storage.checkpoint_path",
        message="no repository exports it",
    )
    importing = {"s3": "s3://acme-out", "path": "/checkpoints", "import": ["NEW"]}
    rule.fails(
        "CW-S013",
        {**SAVES, "storage.lustre": [{**SCRATCH, "repositories": [importing]}]},
        path="storage.checkpoint_path",
        message="no repository exports it",
    )
    exporting = {"s3": "s3://acme-out", "path": "/checkpoints", "export": ["NEW", "CHANGED"]}
    rule.passes("CW-S013", {**SAVES, "storage.lustre": [{**SCRATCH, "repositories": [exporting]}]})
    rule.passes("CW-S013", {**SAVES, **lustre()})


def test_checkpoints_on_the_nodes_own_drives_are_lost(rule: Harness) -> None:
    rule.fails(
        "CW-S013",
        {"storage.checkpoint_path": "/scratch/ckpt", "compute.1.scratch": {}},
        path="storage.checkpoint_path",
        message="on the local drives",
    )


def standing(*found: FileSystem, subnets: tuple[Subnet, ...] = (SUBNET,)) -> dict[Any, Any]:
    return {storage.FileSystems(): found, network.Subnets(): subnets}


@pytest.mark.parametrize(
    ("change", "path", "message"),
    [
        ({"kind": "OPENZFS"}, "id", "is OPENZFS, not LUSTRE"),
        ({"lifecycle": "DELETING"}, "id", "is DELETING"),
        ({"dns_name": "other"}, "dns_name", "the dns_name of fs-0123456789abcdef0 is other"),
        ({"mount_name": "other"}, "mount_name", "the mount_name of fs-0123456789abcdef0 is other"),
    ],
)
def test_a_file_system_that_exists_is_what_the_spec_says(
    rule: Harness, change: dict[str, Any], path: str, message: str
) -> None:
    facts = standing(dataclasses.replace(FOUND, **change))
    where = f"storage.lustre[0].existing.{path}"
    rule.fails("CW-S014", STANDING, facts, path=where, message=message)
    rule.passes("CW-S014", STANDING, standing(FOUND))


def test_a_file_system_must_exist_with_efa_and_in_the_zone(rule: Harness) -> None:
    here = "storage.lustre[0].existing.id"
    rule.fails(
        "CW-S014",
        STANDING,
        standing(),
        path=here,
        message=f"the file system {FS_ID} does not exist",
    )
    rule.fails(
        "CW-S014",
        STANDING,
        standing(dataclasses.replace(FOUND, efa=False)),
        path="storage.lustre[0].efa",
        message="was created without EFA",
    )
    there = dataclasses.replace(SUBNET, zone="us-east-1b", zone_id="use1-az1")
    rule.fails(
        "CW-S014",
        STANDING,
        standing(FOUND, subnets=(there,)),
        path=here,
        message="is in use1-az1, the nodes are in use1-az6",
        severity="error",
    )


def test_efa_lustre_and_subnets_that_exist_are_in_one_16(rule: Harness) -> None:
    near = dataclasses.replace(SUBNET, id="subnet-00000002", cidr="10.1.16.0/20")
    far = dataclasses.replace(near, cidr="10.2.0.0/20")
    rule.fails(
        "CW-S015",
        {**NETWORK, **lustre()},
        {network.Subnets(): (SUBNET, far)},
        path="storage.lustre[0].efa",
        message="are in 2 /16 ranges: 10.1.0.0/16, 10.2.0.0/16",
    )
    rule.passes("CW-S015", {**NETWORK, **lustre()}, {network.Subnets(): (SUBNET, near)})
    rule.passes("CW-S015", lustre(), tested=False)


def test_an_existing_file_systems_own_subnet_counts(rule: Harness) -> None:
    near = dataclasses.replace(SUBNET, id="subnet-00000002", cidr="10.1.16.0/20")
    its = dataclasses.replace(SUBNET, id="subnet-00000009", cidr="10.9.0.0/20")
    rule.fails(
        "CW-S015",
        {**NETWORK, **STANDING},
        standing(
            dataclasses.replace(FOUND, subnet_ids=("subnet-00000009",)),
            subnets=(SUBNET, near, its),
        ),
        path="storage.lustre[0].efa",
        message="10.9.0.0/16",
    )

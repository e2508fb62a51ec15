"""The VPC of a run: addresses, names, file systems."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_rehearsal.nodes.vpc import Vpc, _cidr_blocks

LUSTRE = {"DNSName": "FS-1.fsx.amazonaws.com", "LustreConfiguration": {"MountName": "abc"}}
ZFS = {"DNSName": "fs-2.fsx.amazonaws.com", "OpenZFSConfiguration": {}}


@pytest.fixture
def vpc(tmp_path: Path) -> Vpc:
    found = Vpc("run", tmp_path, tmp_path / "image", Mock())
    found._network = Mock(router="10.0.0.1")
    return found


def account(*blocks: str, file_systems: list[dict[str, Any]] | None = None) -> Any:
    ec2, fsx = Mock(), Mock()
    ec2.describe_subnets.return_value = {"Subnets": [{"VpcId": "vpc-1"}]}
    ec2.describe_vpcs.return_value = {
        "Vpcs": [
            {
                "CidrBlock": blocks[0] if blocks else "",
                "CidrBlockAssociationSet": [{"CidrBlock": block} for block in blocks[1:]],
            }
        ]
    }
    pages = [{"FileSystems": file_systems or []}]
    fsx.get_paginator.return_value.paginate.return_value = pages
    return Mock(client=lambda service: {"ec2": ec2, "fsx": fsx}[service])


@pytest.mark.parametrize(
    ("blocks", "address", "expected"),
    [
        (("10.0.0.0/16",), "10.0.0.5", ["10.0.0.0/16"]),
        (
            ("10.0.0.0/16", "10.0.0.0/16", "10.1.0.0/16"),
            "10.1.0.5",
            ["10.1.0.0/16", "10.0.0.0/16"],
        ),
    ],
)
def test_the_block_of_the_first_machine_comes_first(
    blocks: tuple[str, ...], address: str, expected: list[str]
) -> None:
    assert _cidr_blocks(account(*blocks), "subnet-1", address) == expected


def test_the_services_own_vpc_has_the_network_of_the_address() -> None:
    assert _cidr_blocks(Mock(), "", "10.7.3.5") == ["10.7.0.0/16"]


def test_names_and_their_addresses(vpc: Vpc) -> None:
    vpc.add_host("workers-st-1", "10.0.0.9")
    for name, expected in (
        ("workers-st-1", "10.0.0.9"),
        ("workers-st-1.pcluster", "10.0.0.9"),
        ("ip-10-0-0-7.ec2.internal", "10.0.0.7"),
        ("s3.us-east-1.amazonaws.com", "10.0.0.1"),
        ("eks.us-east-1.api.aws", "10.0.0.1"),
        ("fs-0a.fsx.us-east-1.amazonaws.com", None),
        ("db.x.rds.amazonaws.com", None),
        ("example.com", None),
    ):
        assert vpc._lookup(name) == expected, name


def test_file_systems_are_folders_with_names(vpc: Vpc, tmp_path: Path) -> None:
    vpc.add_file_systems(account("", file_systems=[LUSTRE, ZFS, {"DNSName": None}]))
    assert vpc.lustre == {"dns_name": "FS-1.fsx.amazonaws.com", "mount_name": "abc"}
    assert vpc.home == "fs-2.fsx.amazonaws.com"
    assert (tmp_path / "shared/lustre/FS-1.fsx.amazonaws.com/abc").is_dir()
    assert (tmp_path / "shared/nfs/fs-2.fsx.amazonaws.com/fsx").is_dir()
    assert vpc._lookup("fs-1.fsx.amazonaws.com") == "10.0.0.1"
    other = {"DNSName": "fs-3.x", "LustreConfiguration": {"MountName": "z"}}
    vpc.add_file_systems(account("", file_systems=[other]))
    assert vpc.lustre["mount_name"] == "abc"


def test_without_a_machine_there_is_no_network(tmp_path: Path) -> None:
    found = Vpc("run", tmp_path, tmp_path, Mock())
    for name in ("network", "metadata", "databases"):
        with pytest.raises(AssertionError, match="create a machine first"):
            getattr(found, name)
    found.close()


def test_the_endpoint_is_the_router(vpc: Vpc) -> None:
    assert (vpc.endpoint, vpc.resolver_address) == ("http://10.0.0.1", "10.0.0.1")

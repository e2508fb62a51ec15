"""Facts and specs for the tests of existing file systems."""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Any

from clusterwright.aws.ec2.vpc import Permission, SecurityGroup, Vpc
from clusterwright.aws.fsx import DataRepositoryAssociation, FileSystem
from clusterwright.aws.rds import Database
from clusterwright.preflight.facts import counts, network, storage
from clusterwright.preflight.facts.files import InterfaceGroups
from tests.preflight.existing_storage import DNS, FOUND, NETWORK, STANDING, SUBNET
from tests.support.specs import ACCOUNT

VPC = "vpc-00000001"

GROUP = "sg-00000001"

HERE = "storage.lustre[0].existing"

(LUSTRE,) = STANDING["storage.lustre"]

PLAIN = {"storage.lustre": [{**LUSTRE, "efa": False}]}


def tcp(first: int, last: int, *groups: str, cidrs: tuple[str, ...] = ()) -> Permission:
    return Permission("tcp", first, last, frozenset(groups), frozenset(cidrs))


LUSTRE_PORTS = (tcp(988, 988, GROUP), tcp(1018, 1023, GROUP))

EVERYTHING = (Permission("-1", None, None, frozenset([GROUP]), frozenset()),)


def facts(
    inbound: tuple[Permission, ...] = LUSTRE_PORTS,
    outbound: tuple[Permission, ...] = (),
    *,
    found: FileSystem = FOUND,
    group: SecurityGroup | None = None,
    carried: tuple[str, ...] = (GROUP,),
) -> dict[Any, Any]:
    there = group or SecurityGroup(GROUP, VPC, inbound, outbound)
    return {
        network.SecurityGroup(GROUP): there,
        InterfaceGroups(found.id): frozenset({frozenset(carried)} if carried else ()),
        storage.FileSystems(): (found,),
        network.Subnets(): (SUBNET,),
    }


GROUP_PATH = f"{HERE}.security_group_id"

HOME = {
    "storage.home": {
        "kind": "openzfs", "existing": {"dns_name": DNS, "security_group_id": GROUP},
    }
}  # fmt: skip

ZFS = dataclasses.replace(FOUND, kind="OPENZFS", efa=False)

NFS = (tcp(111, 111, GROUP), tcp(2049, 2049, GROUP), tcp(20001, 20003, GROUP))


def standing(*found: FileSystem) -> dict[Any, Any]:
    return {storage.FileSystems(): found, network.Subnets(): (SUBNET,)}


def vpcs(stack: str | None) -> dict[Any, Any]:
    return {
        storage.FileSystems(): (FOUND,),
        network.Vpcs(): (Vpc(VPC, ("10.0.0.0/16",), stack),),
    }


def link(path: str, *events: str) -> DataRepositoryAssociation:
    created = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    return DataRepositoryAssociation("dra-1", path, "s3://b", "AVAILABLE", "", created, events)


SAVES = {**STANDING, "storage.checkpoint_path": "/fsx/checkpoints"}

ADDRESS = "slurm.abcdefghijkl.us-east-1.rds.amazonaws.com"

DB_PATH = "slurm.accounting.existing.endpoint"

DB_GROUP = "sg-0db"

SECRET = f"arn:aws:secretsmanager:us-east-1:{ACCOUNT}:secret:slurm-AbCdEf"

WITH_DATABASE = {
    **NETWORK,
    "slurm.accounting": {
        "kind": "rds",
        "existing": {"endpoint": ADDRESS, "secret_arn": SECRET},
    },
}

NODES = NETWORK["network"]["existing"]["security_group_ids"][0]


def database_facts(*inbound: Permission, **changes: Any) -> dict[Any, Any]:
    made = Database("slurm", 100, None, ADDRESS, 3306, VPC, (DB_GROUP,))
    return {
        counts.Databases(): (dataclasses.replace(made, **changes),),
        network.SecurityGroups(): (SecurityGroup(DB_GROUP, VPC, inbound, ()),),
        network.Subnets(): (SUBNET,),
    }


def by_list(first: int, last: int) -> Permission:
    """Open to a prefix list, as in large companies."""
    return Permission("tcp", first, last, frozenset(), frozenset(), frozenset({"pl-0a1b2c3d"}))

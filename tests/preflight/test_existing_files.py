"""File systems that exist: their groups, their VPC, their speed, and homes."""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Any

import pytest

from clusterwright.aws.ec2.vpc import Permission, SecurityGroup, Vpc
from clusterwright.aws.fsx import DataRepositoryAssociation, FileSystem
from clusterwright.aws.rds import Database
from clusterwright.preflight.facts import counts, network, storage
from clusterwright.preflight.facts.files import Associations, InterfaceGroups
from tests.preflight.existing_storage import DNS, FOUND, FS_ID, NETWORK, STANDING, SUBNET
from tests.preflight.harness import Harness
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


@pytest.mark.parametrize(
    ("inbound", "closed"),
    [
        ((), "988, 1018-1023"),
        ((tcp(988, 988, GROUP),), "1018-1023"),
        ((tcp(988, 988, GROUP), tcp(1018, 1022, GROUP)), "1018-1023"),
        ((tcp(988, 1023, "sg-00000002"),), "988, 1018-1023"),
        ((Permission("udp", 988, 1023, frozenset([GROUP]), frozenset()),), "988, 1018-1023"),
    ],
)
def test_the_group_opens_lustre(
    rule: Harness, inbound: tuple[Permission, ...], closed: str
) -> None:
    message = f"{GROUP} does not allow TCP {closed} between its members"
    rule.fails("CW-S023", PLAIN, facts(inbound), path=GROUP_PATH, message=message)


@pytest.mark.parametrize(
    "inbound", [LUSTRE_PORTS, (tcp(0, 65535, GROUP),), EVERYTHING, (*LUSTRE_PORTS, tcp(22, 22))]
)
def test_open_groups_pass(rule: Harness, inbound: tuple[Permission, ...]) -> None:
    rule.passes("CW-S023", PLAIN, facts(inbound))


def test_a_rule_by_address_covers_all_of_the_nodes_subnets(rule: Harness) -> None:
    one = {**NETWORK["network"]["existing"], "subnet_ids": ["subnet-00000001"]}
    changes = {**PLAIN, "network": {**NETWORK["network"], "existing": one}}
    wide = (tcp(988, 1023, cidrs=("10.1.0.0/16",)),)
    rule.passes("CW-S023", changes, facts(wide))
    narrow = (tcp(988, 1023, cidrs=("10.1.0.0/24",)),)
    rule.fails("CW-S023", changes, facts(narrow), path=GROUP_PATH, message="does not allow")


def test_efa_needs_all_traffic_both_ways(rule: Harness) -> None:
    message = "does not allow all traffic from and to itself"
    rule.fails("CW-S023", STANDING, facts(), path=GROUP_PATH, message=message)
    rule.fails("CW-S023", STANDING, facts(EVERYTHING), path=GROUP_PATH, message=message)
    rule.passes("CW-S023", STANDING, facts(EVERYTHING, EVERYTHING))


def test_the_group_is_there_and_the_file_systems_own(rule: Harness) -> None:
    missing = {**facts(), network.SecurityGroup(GROUP): None}
    rule.fails(
        "CW-S023",
        PLAIN,
        missing,
        path=GROUP_PATH,
        message=f"the security group {GROUP} does not exist",
    )
    other = SecurityGroup(GROUP, "vpc-00000002", LUSTRE_PORTS, ())
    rule.fails("CW-S023", PLAIN, facts(group=other), path=GROUP_PATH, message="in vpc-00000002")
    carried = facts(carried=("sg-00000009",))
    finding = rule.fails(
        "CW-S023",
        PLAIN,
        carried,
        path=GROUP_PATH,
        message=f"does not have the security group {GROUP}",
    )
    assert finding.hint == "security_group_id: sg-00000009"
    message = "its interfaces are not listed"
    rule.unsure("CW-S023", PLAIN, facts(carried=()), path=GROUP_PATH, message=message)


HOME = {
    "storage.home": {
        "kind": "openzfs", "existing": {"dns_name": DNS, "security_group_id": GROUP},
    }
}  # fmt: skip
ZFS = dataclasses.replace(FOUND, kind="OPENZFS", efa=False)
NFS = (tcp(111, 111, GROUP), tcp(2049, 2049, GROUP), tcp(20001, 20003, GROUP))


def test_homes_need_the_ports_of_nfs(rule: Harness) -> None:
    path = "storage.home.existing.security_group_id"
    rule.fails("CW-S023", HOME, facts(NFS[1:], found=ZFS), path=path, message="TCP 111 between")
    rule.passes("CW-S023", HOME, facts(NFS, found=ZFS))


def standing(*found: FileSystem) -> dict[Any, Any]:
    return {storage.FileSystems(): found, network.Subnets(): (SUBNET,)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "LUSTRE"}, "is LUSTRE, not OPENZFS"),
        ({"lifecycle": "FAILED"}, "is FAILED"),
        ({"dns_name": "fs-other"}, "the dns_name of"),
    ],
)
def test_homes_that_exist_are_as_the_spec_says(
    rule: Harness, change: dict[str, Any], message: str
) -> None:
    path = "storage.home.existing.dns_name"
    changed = standing(dataclasses.replace(ZFS, **change))
    rule.fails("CW-S022", HOME, changed, path=path, message=message)
    rule.fails("CW-S022", HOME, standing(), path=path, message="the file system")
    far = dataclasses.replace(SUBNET, zone_id="use1-az1")
    elsewhere = {**standing(ZFS), network.Subnets(): (far,)}
    rule.fails("CW-S022", HOME, elsewhere, path=path, message="use1-az1", severity="warning")
    rule.passes("CW-S022", HOME, standing(ZFS))
    rule.passes("CW-S022", {}, tested=False)


def vpcs(stack: str | None) -> dict[Any, Any]:
    return {
        storage.FileSystems(): (FOUND,),
        network.Vpcs(): (Vpc(VPC, ("10.0.0.0/16",), stack),),
    }


def test_file_systems_and_nodes_share_a_vpc(rule: Harness) -> None:
    rule.fails(
        "CW-S024",
        STANDING,
        vpcs(None),
        path=HERE,
        message=f"is in {VPC}, and the stacks create a new VPC for the nodes",
    )
    rule.fails(
        "CW-S024",
        STANDING,
        vpcs("test-eu-network"),
        path=HERE,
        message="fs-0123456789abcdef0 is in vpc-00000001, and the stacks create a new VPC for "
        "the nodes",
    )
    rule.passes("CW-S024", STANDING, vpcs("test-network"))
    there = {storage.FileSystems(): (FOUND,)}
    rule.passes("CW-S024", {**STANDING, **NETWORK}, there)
    other = {storage.FileSystems(): (dataclasses.replace(FOUND, vpc_id="vpc-00000002"),)}
    rule.fails(
        "CW-S024", {**STANDING, **NETWORK}, other, path=HERE, message=f"the nodes are in {VPC}"
    )


def link(path: str, *events: str) -> DataRepositoryAssociation:
    created = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    return DataRepositoryAssociation("dra-1", path, "s3://b", "AVAILABLE", "", created, events)


SAVES = {**STANDING, "storage.checkpoint_path": "/fsx/checkpoints"}


@pytest.mark.parametrize(
    ("links", "good"),
    [
        ((), False),
        ((link("/", "NEW"),), True),
        ((link("/checkpoints/", "NEW", "CHANGED"),), True),
        ((link("/checkpoints"),), False),
        ((link("/check", "NEW"),), False),
        ((link("/checkpoints/run", "NEW"),), False),
    ],
)
def test_scratch_that_exists_wants_an_export(
    rule: Harness, links: tuple[DataRepositoryAssociation, ...], good: bool
) -> None:
    scratch = dataclasses.replace(FOUND, deployment_type="SCRATCH_2")
    known = {storage.FileSystems(): (scratch,), Associations(FS_ID): links}
    path = "storage.checkpoint_path"
    if good:
        rule.passes("CW-S033", SAVES, known)
    else:
        rule.fails("CW-S033", SAVES, known, path=path, message="is on SCRATCH_2")
    rule.passes("CW-S033", SAVES, {**known, storage.FileSystems(): (FOUND,)})
    rule.passes("CW-S033", STANDING, tested=False)


def test_existing_file_systems_have_their_speed(rule: Harness) -> None:
    # 4,800 GiB at 1,000 MB/s per TiB: 4,687.5 MB/s, and 1,000 GiB take 229.06 s.
    known = {storage.FileSystems(): (dataclasses.replace(FOUND, throughput_mbps_per_tib=1000),)}

    def run(**values: float) -> dict[str, Any]:
        return {**SAVES, "run": {"hours": 1, "checkpoint_gib": 1000, **values}}

    rule.fails(
        "CW-S034",
        run(max_checkpoint_seconds=229),
        known,
        path="run.max_checkpoint_seconds",
        message=f"takes 229 s on {FS_ID}",
    )
    rule.passes("CW-S034", run(max_checkpoint_seconds=230), known)
    rule.passes("CW-S034", run(), known)
    rule.fails(
        "CW-S034",
        run(checkpoint_gib=2401),
        known,
        path="run.checkpoint_gib",
        message="do not fit on",
    )
    old = {storage.FileSystems(): (dataclasses.replace(FOUND, deployment_type="SCRATCH_1"),)}
    rule.unsure(
        "CW-S034",
        run(max_checkpoint_seconds=1),
        old,
        path="run.checkpoint_gib",
        message="the throughput of fs-0123456789abcdef0 (SCRATCH_1) is unknown",
    )
    rule.passes("CW-S034", SAVES, tested=False)


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


def test_a_database_that_exists_lets_the_nodes_in(rule: Harness) -> None:
    closed = "slurm has sg-0db, which does not allow TCP 3306 from the nodes"
    for inbound in (
        (),
        (tcp(3306, 3306, "sg-0another"),),
        (tcp(3307, 3400, NODES),),
        (tcp(3306, 3306, cidrs=("192.168.0.0/16",)),),
    ):
        facts_ = database_facts(*inbound)
        rule.fails("CW-N029", WITH_DATABASE, facts_, path=DB_PATH, message=closed)
    for inbound in (
        (tcp(3306, 3306, NODES),),
        (Permission("-1", None, None, frozenset([NODES]), frozenset()),),
        (tcp(3300, 3310, cidrs=(SUBNET.cidr,)),),
    ):
        rule.passes("CW-N029", WITH_DATABASE, database_facts(*inbound))


def by_list(first: int, last: int) -> Permission:
    """Open to a prefix list, as large companies write it."""
    return Permission("tcp", first, last, frozenset(), frozenset(), frozenset({"pl-0a1b2c3d"}))


def test_ranges_of_a_prefix_list_are_not_guessed(rule: Harness) -> None:
    rule.unsure(
        "CW-N029",
        WITH_DATABASE,
        database_facts(by_list(3306, 3306)),
        path=DB_PATH,
        message="whether slurm allows TCP 3306 from the nodes",
    )
    both = (by_list(3306, 3306), tcp(3306, 3306, NODES))
    rule.passes("CW-N029", WITH_DATABASE, database_facts(*both))
    closed = database_facts(by_list(5432, 5432))
    rule.fails("CW-N029", WITH_DATABASE, closed, path=DB_PATH, message="does not allow TCP 3306")
    found = rule.run("CW-S023", PLAIN, facts(inbound=(by_list(988, 988), LUSTRE_PORTS[1])))
    assert found.rule.status == "unknown"
    assert "allows TCP 988 between its members" in found.unanswered[0].message


def test_a_database_that_exists_answers_on_its_port(rule: Harness) -> None:
    rule.fails(
        "CW-N029",
        WITH_DATABASE,
        database_facts(tcp(3307, 3307, NODES), port=3307),
        path="slurm.accounting.existing.port",
        message="slurm listens on port 3307, not on 3306",
        numbers=(3306, None, 3307),
    )


def test_a_database_that_is_not_shown_is_not_known(rule: Harness) -> None:
    other = database_facts(tcp(3306, 3306, NODES), address="other.example")
    message = "no DB instance of the account has this address"
    rule.unsure("CW-N029", WITH_DATABASE, other, path=DB_PATH, message=message)
    # One of one's own, which RDS does not know, is not asked for; nor is one before its network.
    own = {**WITH_DATABASE, "slurm.accounting.existing.endpoint": "db.acme.example"}
    rule.passes("CW-N029", own, other)
    built = {"slurm.accounting": WITH_DATABASE["slurm.accounting"]}
    rule.passes("CW-N029", built, tested=False)

"""Rules of the security groups; EFA and FSx need rules by group id, in both directions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests.stacks.templates import properties, security_group_name
from tests.support.rich_specs import EKS, FULL, HYPERPOD_EKS, MINIMAL, PARALLELCLUSTER, changed
from tests.support.synthesis import Assembly, Build

NODES = "nodes of the cluster"
LUSTRE = "FSx for Lustre file systems"
HOME = "home directories"
CONTROLLER = "Slurm controller"
DATABASE = "Slurm accounting database"
ENDPOINTS = "VPC endpoints"
DESCRIPTION = re.compile(r"[a-zA-Z0-9. _\-:/()#,@\[\]+=&;{}!$*]{1,255}")

PLAIN_LUSTRE = changed(
    MINIMAL,
    storage={"lustre": [{"capacity_gib": 2400, "throughput_mbps_per_tib": 250}]},
)


class Rule(NamedTuple):
    direction: str
    of: str
    peer: str
    protocol: str
    first: int | None
    last: int | None


def rules(assembly: Assembly) -> Iterator[Rule]:
    for direction, kind, peer in (
        ("in", "Ingress", "SourceSecurityGroupId"),
        ("out", "Egress", "DestinationSecurityGroupId"),
    ):
        for rule in properties(assembly, f"AWS::EC2::SecurityGroup{kind}"):
            yield Rule(
                direction,
                security_group_name(assembly, rule["GroupId"]),
                security_group_name(assembly, rule[peer]) if peer in rule else rule["CidrIp"],
                rule["IpProtocol"],
                rule.get("FromPort"),
                rule.get("ToPort"),
            )


def both_ways(source: str, target: str, *rest: Any) -> set[Rule]:
    return {Rule("out", source, target, *rest), Rule("in", target, source, *rest)}


def test_nodes_allow_all_traffic_among_themselves_by_group(build: Build) -> None:
    assert both_ways(NODES, NODES, "-1", None, None) <= set(rules(build(MINIMAL)))


@pytest.mark.parametrize("ports", [(988, 988), (1018, 1023)])
def test_lustre_ports_are_open_between_nodes_and_servers_in_both_directions(
    build: Build, ports: tuple[int, int]
) -> None:
    found = set(rules(build(PLAIN_LUSTRE)))
    for source, target in ((NODES, LUSTRE), (LUSTRE, NODES), (LUSTRE, LUSTRE)):
        assert both_ways(source, target, "tcp", *ports) <= found


def test_lustre_without_efa_has_only_its_ports(build: Build) -> None:
    lustre = [r for r in rules(build(PLAIN_LUSTRE)) if LUSTRE in (r.of, r.peer)]
    assert {(r.protocol, r.first, r.last) for r in lustre} == {
        ("tcp", 988, 988),
        ("tcp", 1018, 1023),
    }


def test_lustre_with_efa_allows_all_traffic_by_group(build: Build) -> None:
    found = set(rules(build(FULL)))
    for source, target in ((NODES, LUSTRE), (LUSTRE, NODES), (LUSTRE, LUSTRE)):
        assert both_ways(source, target, "-1", None, None) <= found


def test_home_directories_allow_nfs_from_nodes(build: Build) -> None:
    assert both_ways(NODES, HOME, "tcp", 2049, 2049) <= set(rules(build(FULL)))


def test_database_takes_its_port_from_the_controller_and_nothing_else(build: Build) -> None:
    """Every job user of a node could otherwise try passwords on it."""
    found = set(rules(build(FULL)))
    assert both_ways(CONTROLLER, DATABASE, "tcp", 3306, 3306) == {
        r for r in found if DATABASE in (r.of, r.peer)
    }


def test_endpoints_allow_only_https_from_nodes(build: Build) -> None:
    found = set(rules(build(FULL)))
    assert both_ways(NODES, ENDPOINTS, "tcp", 443, 443) == {
        r for r in found if ENDPOINTS in (r.of, r.peer)
    }


def test_closed_network_allows_egress_to_s3_only(build: Build) -> None:
    """S3's gateway endpoint is reached by address; the route table has no other destination."""
    by_address = [r for r in rules(build(MINIMAL)) if r.peer == "0.0.0.0/0"]
    assert by_address == [Rule("out", NODES, "0.0.0.0/0", "tcp", 443, 443)]


def test_no_ingress_by_address(build: Build) -> None:
    for spec in (FULL, changed(MINIMAL, network__egress="nat")):
        assert not [r for r in rules(build(spec)) if r.direction == "in" and "/" in r.peer]
        for group in properties(build(spec), "AWS::EC2::SecurityGroup"):
            assert not group.get("SecurityGroupIngress")


def test_no_group_allows_all_egress(build: Build) -> None:
    """EC2 adds it to a group without egress rules."""
    for group in properties(build(FULL), "AWS::EC2::SecurityGroup"):
        (rule,) = group["SecurityGroupEgress"]
        assert rule["CidrIp"] == "255.255.255.255/32"


@pytest.mark.parametrize(
    "spec",
    [FULL, EKS, HYPERPOD_EKS, PARALLELCLUSTER],
    ids=["hyperpod", "eks", "hyperpod-eks", "parallelcluster"],
)
def test_descriptions_have_only_characters_that_ec2_takes(build: Build, spec: Any) -> None:
    """EC2's API reference, IpRange and CreateSecurityGroup: no apostrophe."""
    assembly = build(spec)
    groups = properties(assembly, "AWS::EC2::SecurityGroup")
    found = [group["GroupDescription"] for group in groups]
    found += [rule["Description"] for group in groups for rule in group["SecurityGroupEgress"]]
    for kind in ("Ingress", "Egress"):
        found += [
            rule["Description"] for rule in properties(assembly, f"AWS::EC2::SecurityGroup{kind}")
        ]
    assert len(found) > 3
    assert [text for text in found if not DESCRIPTION.fullmatch(text)] == []


def test_groups_exist_only_for_created_resources(build: Build) -> None:
    names = {g["GroupDescription"] for g in properties(build(MINIMAL), "AWS::EC2::SecurityGroup")}
    # The controller's group cannot be added later: test_cluster.py.
    assert names == {f"test: {NODES}", f"test: {CONTROLLER}", f"test: {ENDPOINTS}"}


def test_file_systems_and_cluster_depend_on_the_rules(build: Build) -> None:
    """FSx answers InvalidNetworkSettings if the group exists without its rules."""
    assembly = build(FULL)
    for stack in ("test-storage", "test-accounting", "test-cluster"):
        kinds = {r["Type"] for r in assembly.templates[stack]["Resources"].values()}
        assert "AWS::EC2::SecurityGroup" not in kinds
        assert "test-network" in dependencies(assembly, stack)
    with_rules = {
        name.split("/")[0] for name in assembly.resources("AWS::EC2::SecurityGroupIngress")
    } | {name.split("/")[0] for name in assembly.resources("AWS::EC2::SecurityGroupEgress")}
    assert with_rules == {"test-network"}


def dependencies(assembly: Assembly, stack: str) -> set[str]:
    artifacts = json.loads((assembly.directory / "manifest.json").read_text())["artifacts"]
    return set(artifacts[stack].get("dependencies", []))

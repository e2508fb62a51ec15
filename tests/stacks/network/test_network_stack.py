"""Calculated subnets, one zone, closed by default."""

from __future__ import annotations

from ipaddress import IPv4Network
from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.network import plan_network
from tests.stacks.templates import only, properties
from tests.support.rich_specs import FULL, MINIMAL, changed
from tests.support.synthesis import ROOT, Build

CONFIGS = ("configs/dev.yaml", "configs/prod.yaml", "configs/examples/p5-1024.yaml")


@pytest.mark.parametrize("config", CONFIGS)
def test_subnets_match_the_plan(config: str, synth) -> None:
    cluster = load_cluster(ROOT / config).cluster
    plan = plan_network(cluster, load_catalog())
    built = {
        (s["CidrBlock"], s.get("AvailabilityZoneId", s.get("AvailabilityZone")))
        for s in properties(synth(config), "AWS::EC2::Subnet")
    }
    assert built == {(s.cidr, s.zone) for s in plan.subnets}


@pytest.mark.parametrize("config", CONFIGS)
def test_node_subnet_fits_every_node_and_replacement(config: str, synth) -> None:
    cluster = load_cluster(ROOT / config).cluster
    plan = plan_network(cluster, load_catalog())
    subnets = properties(synth(config), "AWS::EC2::Subnet")
    in_training_zone = [
        IPv4Network(s["CidrBlock"]).num_addresses - 5
        for s in subnets
        if s.get("AvailabilityZoneId") == cluster.network.availability_zone_id
    ]
    assert max(in_training_zone) >= plan.node_addresses_needed + plan.headroom_addresses > 0


def test_second_zone_only_for_the_database(build: Build) -> None:
    assert [s["AvailabilityZoneId"] for s in properties(build(MINIMAL), "AWS::EC2::Subnet")] == [
        "use1-az6"
    ]
    rds = build(changed(MINIMAL, slurm__accounting={"kind": "rds"}))
    assert len({s["AvailabilityZoneId"] for s in properties(rds, "AWS::EC2::Subnet")}) == 2
    (group,) = properties(rds, "AWS::RDS::DBSubnetGroup")
    assert len(group["SubnetIds"]) == 2


def test_spec_selects_the_second_zone(build: Build) -> None:
    zones = {s["AvailabilityZoneId"] for s in properties(build(FULL), "AWS::EC2::Subnet")}
    assert zones == {"use1-az6", "use1-az4"}


def test_endpoints_of_a_local_zone_are_in_another_zone(synth) -> None:
    network = synth("configs/examples/p6e-gb200-1.yaml").templates["p6e-gb200-1-network"]
    resources = network["Resources"]
    nodes = resources["NodesSubnet"]["Properties"]
    assert nodes["AvailabilityZone"] == "us-east-1-dfw-2a"
    assert "AvailabilityZoneId" not in nodes
    assert resources["EndpointsSubnet"]["Properties"]["AvailabilityZoneId"].startswith("use1-az")
    interfaces = [
        r["Properties"]["SubnetIds"]
        for r in resources.values()
        if r["Type"] == "AWS::EC2::VPCEndpoint"
        and r["Properties"]["VpcEndpointType"] == "Interface"
    ]
    assert interfaces
    assert all(i == [{"Fn::GetAtt": ["EndpointsSubnet", "SubnetId"]}] for i in interfaces)


def test_secondary_range_is_associated_before_its_subnets(
    build: Build,
) -> None:
    assembly = build(changed(MINIMAL, network__secondary_cidrs=["10.1.0.0/24"]))
    (block,) = assembly.resources("AWS::EC2::VPCCidrBlock")
    for subnet in assembly.resources("AWS::EC2::Subnet").values():
        assert block.split("/")[1] in subnet["DependsOn"]


def test_closed_network_has_no_internet_route(build: Build) -> None:
    assembly = build(changed(MINIMAL, network__egress="closed"))
    for kind in ("NatGateway", "InternetGateway", "EIP", "Route", "VPCGatewayAttachment"):
        assert not assembly.resources(f"AWS::EC2::{kind}")


def test_nat_has_one_gateway_in_a_public_subnet_of_the_training_zone(build: Build) -> None:
    assembly = build(changed(MINIMAL, network__egress="nat"))
    nat = only(assembly, "AWS::EC2::NatGateway")
    subnet = assembly.templates["test-network"]["Resources"][nat["SubnetId"]["Fn::GetAtt"][0]]
    assert subnet["Properties"]["AvailabilityZoneId"] == "use1-az6"
    routes = properties(assembly, "AWS::EC2::Route")
    assert {r["DestinationCidrBlock"] for r in routes} == {"0.0.0.0/0"}
    assert sum("NatGatewayId" in r for r in routes) == 1
    assert sum("GatewayId" in r for r in routes) == 1


def test_node_subnets_never_route_to_the_internet_gateway(build: Build) -> None:
    assembly = build(changed(MINIMAL, network__egress="nat"))
    resources = assembly.templates["test-network"]["Resources"]
    public_tables = {
        r["Properties"]["RouteTableId"]["Fn::GetAtt"][0]
        for r in resources.values()
        if r["Type"] == "AWS::EC2::Route" and "GatewayId" in r["Properties"]
    }
    public_subnets = {
        r["Properties"]["SubnetId"]["Fn::GetAtt"][0]
        for r in resources.values()
        if r["Type"] == "AWS::EC2::SubnetRouteTableAssociation"
        and r["Properties"]["RouteTableId"]["Fn::GetAtt"][0] in public_tables
    }
    assert public_subnets == {"PublicSubnet"}
    for subnet in properties(assembly, "AWS::EC2::Subnet"):
        assert subnet["MapPublicIpOnLaunch"] is False


def test_private_subnets_have_the_route_table_of_the_gateway_endpoints(build: Build) -> None:
    assembly = build(FULL)
    resources = assembly.templates["test-network"]["Resources"]
    tables = {
        r["Properties"]["SubnetId"]["Fn::GetAtt"][0]: r["Properties"]["RouteTableId"]
        for r in resources.values()
        if r["Type"] == "AWS::EC2::SubnetRouteTableAssociation"
    }
    subnets = {name for name, r in resources.items() if r["Type"] == "AWS::EC2::Subnet"}
    assert set(tables) == subnets
    gateways = [
        p
        for p in properties(assembly, "AWS::EC2::VPCEndpoint")
        if p["VpcEndpointType"] == "Gateway"
    ]
    for gateway in gateways:
        assert all(table in gateway["RouteTableIds"] for table in tables.values())


def test_nodes_that_do_not_fit_are_refused_with_a_sufficient_range(tmp_path: Path) -> None:
    import json

    from clusterwright.cluster_spec import SpecErrors
    from clusterwright.platforms.loading import validate_for_synthesis

    spec = changed(MINIMAL, network__cidr="10.0.0.0/24", compute__1__count=64)
    path = tmp_path / "small.yaml"
    path.write_text(json.dumps(spec, indent=1), encoding="utf-8")
    with pytest.raises(SpecErrors) as raised:
        validate_for_synthesis(load_cluster(path))
    (problem,) = raised.value.problems
    assert problem.position is not None
    assert problem.position.file == str(path)
    assert "addresses" in problem.message
    assert problem.hint is not None
    assert problem.hint.startswith("cidr: 10.0.0.0/")


def test_network_makes_no_context_lookup(build: Build) -> None:
    """A context lookup would need an account at synthesis."""
    manifest = (build(FULL).directory / "manifest.json").read_text()
    assert '"missing"' not in manifest


def test_vpc_dns_is_enabled_for_private_endpoint_names(build: Build) -> None:
    vpc = only(build(MINIMAL), "AWS::EC2::VPC")
    assert vpc["EnableDnsSupport"] is True
    assert vpc["EnableDnsHostnames"] is True

"""Failures of EKS clusters: zones, interfaces, add-ons, access, capacity, versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.field_failures.changes import (
    EKS,
    SMALL,
    obstacles_of,
    of_type,
    template_of,
    written,
)
from tests.field_failures.parts import House, accepted, account, check, client, refused
from tests.review.templates import analysis, app
from tests.support import specs
from tests.support.command_line import clusterwright
from tests.support.synthesis import Build

TAINT = {"key": "nvidia.com/gpu", "effect": "NoSchedule"}


def eks(changes: dict[str, Any] | None = None) -> dict[str, Any]:
    """Changes to the small spec."""
    return {**SMALL, **(changes or {})}


@pytest.mark.parametrize(
    ("instance_type", "cards"),
    [("p4d.24xlarge", 4), ("p5.48xlarge", 32), ("p6-b200.48xlarge", 8)],
)
def test_eks_module_2654_every_card_has_its_interface_and_security_groups(
    build: Build, instance_type: str, cards: int
) -> None:
    """One device 0 on card 0, one interface on every other card, security groups on interfaces
    only.
    """
    data = template_of(build(of_type(instance_type)), "workers")
    interfaces = data["NetworkInterfaces"]
    assert {each["NetworkCardIndex"] for each in interfaces} == set(range(cards))
    places = [(each["NetworkCardIndex"], each["DeviceIndex"]) for each in interfaces]
    assert len(places) == len(set(places)) >= cards
    assert [place for place in places if place[1] == 0] == [(0, 0)]
    assert sum("efa" in each.get("InterfaceType", "") for each in interfaces) >= cards
    # EC2 refuses top-level groups together with interfaces, and EKS refuses subnets in the
    # template.
    assert "SecurityGroupIds" not in data
    assert all(each["Groups"] == interfaces[0]["Groups"] for each in interfaces)
    assert not any("SubnetId" in each for each in interfaces)


@pytest.mark.parametrize(
    ("kind", "identity", "market", "sold_as"),
    [
        ("capacity-block", "cr-0123456789abcdef0", "capacity-block", "CAPACITY_BLOCK"),
        ("reservation", "cr-0123456789abcdef1", None, "ON_DEMAND"),
    ],
)
def test_eksctl_8542_launch_template_names_the_reservation(
    build: Build, kind: str, identity: str, market: str | None, sold_as: str
) -> None:
    assembly = build(of_type("p5.48xlarge", capacity={"kind": kind, "id": identity}))
    data = template_of(assembly, "workers")
    target = data["CapacityReservationSpecification"]["CapacityReservationTarget"]
    assert target == {"CapacityReservationId": identity}
    assert data.get("InstanceMarketOptions", {}).get("MarketType") == market
    groups = [one["Properties"] for one in assembly.resources("AWS::EKS::Nodegroup").values()]
    assert sorted(one["CapacityType"] for one in groups) == sorted(["ON_DEMAND", sold_as])


def test_eks_module_3001_addons_have_a_node_to_run_on(tmp_path: Path, build: Build) -> None:
    """Without untainted nodes: refused. Otherwise DNS is installed after the nodes."""
    system, workers = EKS["compute"]
    for compute in (
        [{**workers, "taints": [TAINT]}],
        [{**system, "count": 0, "max_count": 2}, {**workers, "taints": [TAINT]}],
        [{**workers, "count": 0, "max_count": 2}],
    ):
        said = refused(tmp_path, eks({"compute": compute}))
        assert "DNS and other add-ons could not run" in said
    accepted(tmp_path, eks({"compute": [system, {**workers, "taints": [TAINT]}]}))

    assembly = build(EKS)
    manifest = json.loads((assembly.directory / "manifest.json").read_text())["artifacts"]
    homes = {
        resource["Properties"]["AddonName"]: name.split("/")[0]
        for name, resource in assembly.resources("AWS::EKS::Addon").items()
    }
    (nodes,) = {name.split("/")[0] for name in assembly.resources("AWS::EKS::Nodegroup")}
    assert nodes in manifest[homes["coredns"]]["dependencies"]
    # Add-ons that nodes need to become ready are installed before them.
    for name in ("vpc-cni", "kube-proxy", "eks-pod-identity-agent"):
        assert homes[name] in manifest[nodes]["dependencies"]


def test_eksctl_817_control_plane_avoids_unsupported_zones(tmp_path: Path, build: Build) -> None:
    """Zones by id: us-east-1e of one account is us-east-1c of another."""
    said = refused(tmp_path, eks({"network.second_availability_zone_id": "use1-az3"}))
    assert "EKS does not support control plane subnets in use1-az3" in said
    with account():
        house = House()
        spec = house.spec()
        there = house.add_subnet(house.vpc, "10.0.128.0/20", "use1-az3")
        good = [
            house.add_subnet(house.vpc, "10.0.144.0/20", "use1-az1"),
            house.add_subnet(house.vpc, "10.0.160.0/20", "use1-az2"),
        ]

        def found(subnets: list[str]) -> list[str]:
            network = json.loads(json.dumps(spec["network"]))
            network["existing"]["control_plane_subnet_ids"] = subnets
            path = written(tmp_path, {"network": network})
            return check(path, "--only", "CW-N027").messages("CW-N027")

        assert found([good[0], there]) == [
            f"{there} is in use1-az3, where EKS does not support control planes"
        ]
        assert found(good) == []
    # Nodes can be there: their subnet is not a control plane subnet.
    zones = {
        "network.availability_zone_id": "use1-az3",
        "network.second_availability_zone_id": "use1-az5",
    }
    assembly = build(specs.changed({**zones, "compute.0.instance_type": "m5.4xlarge"}, base=EKS))
    (cluster,) = assembly.resources("AWS::EKS::Cluster").values()
    subnets = json.dumps(cluster["Properties"]["ResourcesVpcConfig"]["SubnetIds"])
    network = assembly.templates["test-network"]["Resources"]
    outputs = assembly.templates["test-network"]["Outputs"]
    used = [
        network[output["Value"]["Ref" if "Ref" in output["Value"] else "Fn::GetAtt"][0]]
        for output in outputs.values()
        if output.get("Export", {}).get("Name", "no export") in subnets
        and isinstance(output["Value"].get("Fn::GetAtt"), list)
    ]
    assert len(used) == 2
    assert all(one["Properties"]["AvailabilityZoneId"] != "use1-az3" for one in used)


def test_cdk_18843_cluster_has_an_administrator(tmp_path: Path, build: Build) -> None:
    """The creator of a cluster is CloudFormation's role.

    without another entry nobody has access.
    """
    said = refused(tmp_path, eks({"kubernetes.admin_role": False}))
    assert "no principal could administer the cluster" in said
    viewer = {"principal_arn": f"arn:aws:iam::{specs.ACCOUNT}:role/people", "policy": "view"}
    assert "no principal could administer" in refused(
        tmp_path, eks({"kubernetes.admin_role": False, "kubernetes.access": [viewer]})
    )
    accepted(
        tmp_path,
        eks(
            {
                "kubernetes.admin_role": False,
                "kubernetes.access": [{**viewer, "policy": "cluster-admin"}],
            }
        ),
    )
    assembly = build(EKS)
    (cluster,) = assembly.resources("AWS::EKS::Cluster").values()
    access = cluster["Properties"]["AccessConfig"]
    assert access["AuthenticationMode"] == "API", "no aws-auth ConfigMap that one edit breaks"
    entries = [one["Properties"] for one in assembly.resources("AWS::EKS::AccessEntry").values()]
    assert any("AmazonEKSClusterAdminPolicy" in json.dumps(one) for one in entries)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [("1.33", "1.35", "one minor version"), ("1.35", "1.34", "")],
    ids=["skipped", "downgraded"],
)
def test_eks_module_2607_version_that_cannot_be_updated_is_found(
    build: Build, before: str, after: str, words: str
) -> None:
    at = {
        version: build(
            specs.changed({"kubernetes": {"version": version, "support": "extended"}}, base=EKS)
        )
        for version in ("1.33", "1.34", "1.35")
    }
    found = obstacles_of(at[before], at[after])
    assert found, "nothing is said"
    assert any(words in one.message + one.hint for one in found), found
    assert obstacles_of(at["1.33"], at["1.34"]) == []


def test_genai_demos_84_rate_of_extended_support_is_included(tmp_path: Path, build: Build) -> None:
    """By default no cluster enters extended support; if requested, its price is a line."""
    path = written(tmp_path, {"kubernetes.version": "1.32"})
    found = check(path, "--offline", "--only", "CW-I020").one("CW-I020")
    assert found["message"] == "standard support of Kubernetes 1.32 ended on 2026-03-23"
    assert "support: extended at extra cost" in found["hint"]
    (cluster,) = build(EKS).resources("AWS::EKS::Cluster").values()
    assert cluster["Properties"]["UpgradePolicy"] == {"SupportType": "STANDARD"}

    paid = written(tmp_path, {"kubernetes": {"version": "1.32", "support": "extended"}})
    assert check(paid, "--offline", "--only", "CW-I020").exit_code == 0

    def rate(file: Path) -> float:
        answer = json.loads(clusterwright("cost", file, "--format", "json").out)
        (line,) = [one for one in answer["lines"] if "control plane" in one["item"]]
        return float(line["unit_price_usd"])

    assert rate(paid) > rate(written(tmp_path, {}))


def test_eks_module_2486_log_group_of_a_deleted_cluster_is_found(tmp_path: Path) -> None:
    """The control plane writes logs during its deletion and recreates its log group."""
    path = written(tmp_path, {})
    with account():
        assert check(path, "--only", "CW-E003").findings == []
        client("logs").create_log_group(logGroupName="/aws/eks/test/cluster")
        found = check(path, "--only", "CW-E003").one("CW-E003")
    assert "/aws/eks/test/cluster" in found["message"]


def test_roadmap_216_service_range_does_not_overlap_connected_networks(
    tmp_path: Path, build: Build
) -> None:
    """EKS considers only the VPC when it chooses between 10.100.0.0/16 and 172.20.0.0/16."""
    for peer, services in (("172.20.0.0/16", "10.100.0.0/16"), ("10.100.0.0/16", "172.20.0.0/16")):
        assembly = build(specs.changed({"network.peered_cidrs": [peer]}, base=EKS))
        (cluster,) = assembly.resources("AWS::EKS::Cluster").values()
        found = cluster["Properties"]["KubernetesNetworkConfig"]["ServiceIpv4Cidr"]
        assert found == services
    both = {"network.peered_cidrs": ["172.20.0.0/16", "10.100.0.0/16"]}
    path = written(tmp_path, both)
    first = check(path, "--offline", "--only", "CW-N018").of("CW-N018")[0]
    assert "172.20.0.0/16, which EKS may use for services" in first["message"]
    key, _, free = first["hint"].partition(": ")
    assert key == "kubernetes.service_cidr"
    again = written(tmp_path, {**both, key: free})
    assert check(again, "--offline", "--only", "CW-N018").findings == []
    said = refused(tmp_path, eks({**both, key: "172.20.0.0/20"}))
    assert "172.20.0.0/20 overlaps 172.20.0.0/16: pods could not reach these addresses" in said


@pytest.mark.parametrize(
    "instance_type", ["p5e.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge", "g6e.48xlarge"]
)
def test_do_eks_56_efa_plugin_runs_only_on_nodes_with_efa(
    tmp_path: Path, instance_type: str
) -> None:
    """Fixed lists of types become outdated; here the list is that of the spec."""
    workers = {**EKS["compute"][1], "name": "fabric", "instance_type": instance_type}
    plain = {**EKS["compute"][1], "name": "plain", "instance_type": "g5.xlarge"}
    path = written(tmp_path, {"compute": [EKS["compute"][0], workers, plain]})
    words = ("render", "kubernetes", path, "--part", "values", "--format", "json")
    answer = clusterwright(*words, "--chart", "aws-efa-k8s-device-plugin")
    assert answer.exit_code == 0, answer.err
    values = json.loads(answer.out)
    values = values["values"]["aws-efa-k8s-device-plugin"]
    assert values["supportedInstanceLabels"]["values"] == [instance_type]
    assert {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"} in (
        values["tolerations"]
    )


def test_cdk_1001_cluster_replacement_is_reported(build: Build) -> None:
    """`cdk diff` did not show it: some properties replace the cluster."""
    before = build(EKS)
    after = build(specs.changed({"kubernetes.service_cidr": "10.64.0.0/16"}, base=EKS))
    found = analysis(app(**before.templates), app(**after.templates)).changes
    (cluster,) = [one for one in found if one.type == "AWS::EKS::Cluster"]
    assert cluster.effect == "replace"
    assert cluster.data_loss
    # The name is fixed, so the replacement is blocked; this is reported as well.
    assert "name-taken" in {one.kind for one in obstacles_of(before, after)}
    kept = build(specs.changed({"kubernetes.control_plane_logs": ["api"]}, base=EKS))
    found = analysis(app(**before.templates), app(**kept.templates)).changes
    assert [one.effect for one in found if one.type == "AWS::EKS::Cluster"] == ["update"]


def test_eks_module_3044_nodes_placement_and_storage_are_in_one_zone(build: Build) -> None:
    """Auto Scaling spreads a group over its subnets, but a placement group is in one zone, and
    traffic to a file system in another zone is charged per GB.
    """
    assembly = build(EKS)
    network = assembly.templates["test-network"]
    exports = {
        output["Export"]["Name"]: output["Value"]["Fn::GetAtt"][0]
        for output in network["Outputs"].values()
        if "Export" in output and "Fn::GetAtt" in output["Value"]
    }

    def zones(subnets: list[dict[str, str]]) -> set[str]:
        names = [exports[one["Fn::ImportValue"]] for one in subnets]
        return {network["Resources"][name]["Properties"]["AvailabilityZoneId"] for name in names}

    groups = assembly.resources("AWS::EKS::Nodegroup").values()
    assert len(groups) == 2
    for group in groups:
        assert zones(group["Properties"]["Subnets"]) == {"use1-az6"}
    (system,) = assembly.resources("AWS::FSx::FileSystem").values()
    assert zones(system["Properties"]["SubnetIds"]) == {"use1-az6"}


def test_vpc_cni_3105_pod_addresses_are_limited(tmp_path: Path, build: Build) -> None:
    """Blocks of 16 need contiguous space in the subnet; warm interfaces exhaust it."""
    addons = build(EKS).resources("AWS::EKS::Addon").values()
    (values,) = [
        json.loads(one["Properties"]["ConfigurationValues"])
        for one in addons
        if one["Properties"]["AddonName"] == "vpc-cni"
    ]
    assert "ENABLE_PREFIX_DELEGATION" not in values["env"]
    assert int(values["env"]["WARM_IP_TARGET"]) <= int(values["env"]["MINIMUM_IP_TARGET"]) <= 14
    # Pod addresses are counted: a network with space for the nodes alone is refused.
    few = written(tmp_path, {"network.cidr": "10.0.0.0/24", "compute.1.count": 40})
    found = check(few, "--offline", "--only", "CW-N003").one("CW-N003")
    assert found["requested"] > 40 * 10
    assert found["hint"].startswith("cidr: 10.0.0.0/")


def test_slash_infra_61_group_sizes_are_valid_for_eks(build: Build) -> None:
    """`maxSize` is at least 1, also for a group with 0 nodes."""
    empty = specs.changed({"compute.1.count": 0, "compute.1.max_count": 3}, base=EKS)
    sizes = [
        one["Properties"]["ScalingConfig"]
        for one in build(empty).resources("AWS::EKS::Nodegroup").values()
    ]
    assert {"MinSize": 0, "DesiredSize": 0, "MaxSize": 3} in sizes
    none = build(specs.changed({"compute.1.count": 0}, base=EKS))
    for one in none.resources("AWS::EKS::Nodegroup").values():
        assert one["Properties"]["ScalingConfig"]["MaxSize"] >= 1


def test_hyperpod_cli_282_plugin_that_confuses_nvlink_with_efa_is_found(tmp_path: Path) -> None:
    def found(version: str | None, instance_type: str = "p6-b200.48xlarge") -> list[str]:
        pin = {"name": "aws-efa-k8s-device-plugin", "sha256": "0" * 64}
        charts = [pin if version is None else {**pin, "version": version}]
        workers = {**EKS["compute"][1], "instance_type": instance_type}
        path = written(
            tmp_path, {"compute.1": workers, "kubernetes": {"workloads": {"charts": charts}}}
        )
        answer = check(path, "--offline", "--only", "CW-I017")
        assert answer.status("CW-I017") in ("pass", "fail")
        return answer.messages("CW-I017")

    for old in ("0.4.4", "v0.5.6", "0.5.9-rc1"):
        (said,) = found(old)
        assert "NVLink controllers of P6-B200 are exposed to pods as EFA devices" in said
    # The release with the correction, the listed one, and a type without such controllers.
    assert found("0.5.10") == found(None) == found("0.5.6", "p5.48xlarge") == []

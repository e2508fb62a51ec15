"""Failures that `clusterwright check` finds in zones, networks, plans and other resources."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright.catalog import Known, load_catalog
from clusterwright.preflight.registry import rule_files
from packages.localaws.tests.parts import build_site
from tests.field_failures.parts import (
    ACCOUNT,
    P5_USAGE,
    REGION,
    ZONE,
    Checked,
    House,
    account,
    check,
    checked,
    client,
    refused,
    run_rules,
    spec_file,
)
from tests.support import specs
from tests.support.synthesis import Build

CONTROLLER, WORKERS = specs.SMALL["compute"]
PLAN_NAME = specs.PLAN.rpartition("/")[2]
FROM_PLAN = {"compute.1.capacity": {"kind": "training-plan", "arn": specs.PLAN}}
LOGIN = {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1}
ALL = [{"IpProtocol": "-1"}]


def groups_of(types: list[str]) -> dict[str, Any]:
    """The small spec with one group of each type."""
    workers = [
        {**WORKERS, "name": f"g{number}", "instance_type": name, "count": 1}
        for number, name in enumerate(types)
    ]
    return {"compute": [CONTROLLER, *workers]}


def in_zone(zone: str) -> set[str]:
    """Types that EC2 offers in a zone."""
    pages = client("ec2").get_paginator("describe_instance_type_offerings")
    return {
        offering["InstanceType"]
        for page in pages.paginate(
            LocationType="availability-zone-id", Filters=[{"Name": "location", "Values": [zone]}]
        )
        for offering in page["InstanceTypeOfferings"]
    }


@pytest.mark.parametrize("zone", ["use1-az1", "use1-az3", "use1-az6"])
def test_awsome_204_type_not_offered_in_the_zone(tmp_path: Path, zone: str) -> None:
    """Every HyperPod type that the zone lacks is reported, and no other."""
    everything = sorted(load_catalog().hyperpod_names)
    place = {"network.availability_zone_id": zone}
    with account():
        offered = in_zone(zone)
        lacking = [name for name in everything if name not in offered]
        assert lacking
        for some in _batches(lacking, 99):
            check_ = checked(tmp_path, {**place, **groups_of(some)}, "--only", "CW-C001")
            messages = check_.messages("CW-C001")
            wrong = {name for name in (*some, CONTROLLER["instance_type"]) if name not in offered}
            assert check_.exit_code == 1
            assert len(messages) == len(wrong)
            for name in wrong:
                assert any(m.startswith(f"{zone} does not offer {name}: ") for m in messages)
        good = [name for name in everything if name in offered][:99]
        controller = {**CONTROLLER, "instance_type": good[0]}
        groups = [controller, *groups_of(good)["compute"][1:]]
        check_ = checked(tmp_path, {**place, "compute": groups}, "--only", "CW-C001")
        assert check_.findings == []

        # The API refuses the type there too.
        site = build_site(zone_id=zone)
        with pytest.raises(ClientError, match="is not available in the Availability Zones"):
            client("sagemaker").create_cluster(
                **site.request(site.group("workers", 1, f"ml.{lacking[0]}"))
            )


def _batches(values: list[str], size: int) -> list[list[str]]:
    return [values[at : at + size] for at in range(0, len(values), size)]


@pytest.mark.parametrize("region", ["eu-west-3", "eu-central-1", "ap-east-1"])
def test_found_type_that_no_zone_of_the_region_has(tmp_path: Path, region: str) -> None:
    catalog = load_catalog()
    offered = catalog.offering("p5.48xlarge", region)
    assert isinstance(offered, Known)
    assert offered.value == frozenset()
    zone = min(catalog.zone_ids(region))
    place = {"region": region, "network.availability_zone_id": zone}
    with account():
        found = checked(tmp_path, place, "--only", "CW-C001").one("CW-C001")
    assert found["message"] == (
        f"{zone} does not offer p5.48xlarge: and no other zone of the region does"
    )
    assert found["hint"] == "choose another region"
    # An empty answer says nothing about capacity: neither a pass nor a finding.
    empty = {"service": "ec2", "operation": "DescribeInstanceTypeOfferings", "empty": True}
    with account(faults=[empty]):
        check_ = checked(tmp_path, {}, "--only", "CW-C001")
    assert (check_.exit_code, check_.status("CW-C001")) == (2, "unknown")


def test_found_every_group_is_checked_at_any_position(tmp_path: Path) -> None:
    types = ["p5.48xlarge", "p4d.24xlarge", "trn1.32xlarge", "g5.48xlarge"]
    with account(not_offered={"g5.48xlarge": [ZONE]}):
        for order in itertools.permutations(types):
            changes = groups_of(list(order))
            found = checked(tmp_path, changes, "--only", "CW-C001").one("CW-C001")
            place = 1 + order.index("g5.48xlarge")
            assert found["path"] == f"compute[{place}].instance_type"
            if place == 4:
                break


def test_found_accounting_records_on_the_controller_are_reported_as_lost_with_it(
    tmp_path: Path,
) -> None:
    """The default keeps accounting on the controller, so a spec with users is warned."""
    people = {"slurm.users": [{"name": "ada", "uid": 20001}, {"name": "bob", "uid": 20002}]}
    rds = {**people, "slurm.accounting": {"kind": "rds"}}
    with account():
        by_default = checked(tmp_path, people, "--only", "CW-L005")
        outside = checked(tmp_path, rds, "--only", "CW-L005")
    assert (
        "of 2 users are lost when the controller is replaced"
        in by_default.one("CW-L005")["message"]
    )
    assert "kind: rds" in by_default.one("CW-L005")["hint"]
    assert outside.findings == []


# --- networks


@pytest.mark.parametrize("prefix", range(17, 29))
def test_awsome_1122_too_small_subnet_names_a_sufficient_range(
    tmp_path: Path, prefix: int
) -> None:
    """For every network size: refused with a sufficient range, which then passes."""
    changes = {"network.cidr": f"10.0.0.0/{prefix}", "compute.1.count": 1000}
    found = checked(tmp_path, changes, "--offline", "--only", "CW-N003").one("CW-N003")
    assert f"10.0.0.0/{prefix} has {2 ** (32 - prefix) - 5:,}" in found["message"]
    assert found["requested"] > found["limit"]
    key, _, cidr = found["hint"].partition(": ")
    assert key == "cidr"
    wider = {**changes, "network.cidr": cidr}
    assert checked(tmp_path, wider, "--offline", "--only", "CW-N003").findings == []
    # A smaller range would not be sufficient.
    narrower = f"10.0.0.0/{int(cidr.rpartition('/')[2]) + 1}"
    again = checked(tmp_path, {**changes, "network.cidr": narrower}, "--offline")
    assert again.messages("CW-N003")


def test_agent_plugins_169_arithmetic_and_names_are_correct(tmp_path: Path) -> None:
    # AWS's guide counts 512 addresses for 16 p5 and names a /23; 2,048 for 64 and a /21.
    for count, prefix in ((16, 23), (64, 21)):
        changes = {
            "network.cidr": f"10.0.0.0/{prefix}",
            "network.address_headroom_percent": 0,
            "compute.1.count": count,
        }
        found = checked(tmp_path, changes, "--offline", "--only", "CW-N003").one("CW-N003")
        assert found["requested"] > count * 32
        assert found["limit"] == 2 ** (32 - prefix) - 5, "AWS keeps five addresses of each subnet"
    # EC2 is called with its own names: with `ml.` the answer would be empty.
    said = refused(tmp_path, {"compute.1.instance_type": "ml.p5.48xlarge"})
    assert "ml.p5.48xlarge: use EC2's name" in said
    assert "hint: instance_type: p5.48xlarge" in said
    with account():
        assert checked(tmp_path, {}, "--only", "CW-C001").status("CW-C001") == "pass"


@pytest.mark.parametrize("ways", [(), ("inbound",), ("outbound",), ("inbound", "outbound")])
def test_awsome_546_every_security_group_references_itself_in_both_directions(
    tmp_path: Path, build: Build, ways: tuple[str, ...]
) -> None:
    with account():
        house = House()
        # The default rule of EC2, 0.0.0.0/0, does not apply to EFA.
        for way in ways:
            house.allow(way)
        found = checked(tmp_path, house.spec(), "--only", "CW-N008")
        missing = [way for way in ("inbound", "outbound") if way not in ways]
        if not missing:
            assert found.findings == []
        else:
            finding = found.one("CW-N008")
            assert finding["severity"] == "error"
            assert f"{house.group} has no rule for all traffic" in finding["message"]
            assert f"all traffic, {' and '.join(missing)}" in finding["hint"]
        # Allowing all addresses does not help.
        world = [{"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}]
        house.ec2.authorize_security_group_ingress(GroupId=house.group, IpPermissions=world)
        again = checked(tmp_path, house.spec(), "--only", "CW-N008")
        assert again.messages("CW-N008") == found.messages("CW-N008")

    # A created network has both rules, in every spec.
    for spec in (specs.SMALL, specs.changed({"storage.lustre": [specs.LUSTRE]})):
        resources = build(spec).templates["test-network"]["Resources"]
        nodes = {
            name
            for name, resource in resources.items()
            if resource["Type"] == "AWS::EC2::SecurityGroup"
            and resource["Properties"]["GroupDescription"].endswith("nodes of the cluster")
        }
        for kind, side in (
            ("Ingress", "SourceSecurityGroupId"),
            ("Egress", "DestinationSecurityGroupId"),
        ):
            rules = [
                r["Properties"]
                for r in resources.values()
                if r["Type"] == f"AWS::EC2::SecurityGroup{kind}"
                and r["Properties"]["IpProtocol"] == "-1"
            ]
            own = [r for r in rules if side in r and r[side] == r["GroupId"]]
            assert any(r["GroupId"]["Fn::GetAtt"][0] in nodes for r in own), kind


@pytest.mark.parametrize("login", [False, True])
def test_found_subnet_of_another_vpc_is_found_with_and_without_login_nodes(
    tmp_path: Path, login: bool
) -> None:
    more: dict[str, Any] = {"compute": [CONTROLLER, WORKERS, *([LOGIN] if login else [])]}
    with account():
        house = House()
        other = client("ec2").create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
        foreign = house.add_subnet(other, "10.9.0.0/17")
        names = "CW-N006,CW-N007,CW-N011"
        assert checked(tmp_path, house.spec(**more), "--only", names).findings == []
        found = checked(tmp_path, house.spec(foreign, **more), "--only", names).one("CW-N007")
        assert found["message"] == f"{foreign} is in {other}, not in {house.vpc}"
        for attribute, name in (
            ("EnableDnsHostnames", "enableDnsHostnames"),
            ("EnableDnsSupport", "enableDnsSupport"),
        ):
            house.ec2.modify_vpc_attribute(VpcId=house.vpc, **{attribute: {"Value": False}})
            messages = checked(tmp_path, house.spec(**more), "--only", names).messages("CW-N011")
            assert any(name in message for message in messages), (name, messages)


def test_found_subnets_of_another_zone_are_found(tmp_path: Path) -> None:
    with account():
        house = House(zone="use1-az4")
        found = checked(tmp_path, house.spec(), "--only", "CW-N007")
        assert found.exit_code == 1
        assert found.one("CW-N007")["message"] == (
            f"{house.subnet} is in use1-az4, the nodes must be in use1-az6"
        )
        # One correct subnet among wrong ones is not sufficient.
        right = house.add_subnet(house.vpc, "10.0.128.0/18")
        assert len(checked(tmp_path, house.spec(right, house.subnet)).of("CW-N007")) == 1
        assert checked(tmp_path, house.spec(right), "--only", "CW-N007").findings == []


# --- plans, placement


def plan(**changes: Any) -> dict[str, Any]:
    """A world with one plan of the name in the spec."""
    seed = {"name": PLAN_NAME, "instance_type": "p5.48xlarge", "instance_count": 4}
    return {"training_plans": [{**seed, "zone_id": ZONE, **changes}], "unlisted_plans": "none"}


def test_hyperpod_cli_438_plan_in_another_zone_is_found_and_uids_are_fixed(
    tmp_path: Path, build: Build
) -> None:
    with account(**plan(zone_id="use1-az4")):
        found = checked(tmp_path, FROM_PLAN, "--only", "CW-C").one("CW-C013")
    assert found["path"] == "network.availability_zone_id"
    assert found["message"] == (
        f"the training plan {PLAN_NAME} is in use1-az4, the nodes are in use1-az6"
    )
    with account(**plan()):
        assert checked(tmp_path, FROM_PLAN, "--only", "CW-C").findings == []

    # The file system in the former zone is found too.
    with account():
        fsx, house = client("fsx"), House(zone="use1-az4")
        house.allow("inbound")
        house.allow("outbound")
        made = fsx.create_file_system(
            FileSystemType="LUSTRE",
            StorageCapacity=1200,
            SubnetIds=[house.subnet],
            SecurityGroupIds=[house.group],
            LustreConfiguration={"DeploymentType": "SCRATCH_2"},
        )["FileSystem"]
        existing = {
            "id": made["FileSystemId"],
            "dns_name": made["DNSName"],
            "mount_name": made["LustreConfiguration"]["MountName"],
            "security_group_id": house.group,
        }
        lustre = [{"mount_path": "/fsx", "existing": existing}]
        found = checked(tmp_path, {"storage.lustre": lustre}, "--only", "CW-S014").one("CW-S014")
        assert (
            f"{made['FileSystemId']} is in use1-az4, the nodes are in use1-az6" in found["message"]
        )

    # Users keep their ids in every cluster, because they are in the spec.
    ada, grace = {"name": "ada", "uid": 20001}, {"name": "grace", "uid": 20002}
    users = {"slurm.users": [ada, grace]}
    elsewhere = {**users, "network.availability_zone_id": "use1-az4"}
    numbers = []
    for changes in (users, elsewhere):
        assembly = build(specs.changed(changes))
        (file,) = assembly.directory.glob("asset.*/cluster.json")
        numbers.append(
            [(u["name"], u["uid"], u["gid"]) for u in json.loads(file.read_text())["users"]]
        )
    assert numbers == [[("ada", 20001, 20001), ("grace", 20002, 20002)]] * 2
    said = refused(tmp_path, {"slurm.users": [{"name": "ada"}]})
    assert "slurm.users[0]: `uid` is missing" in said
    said = refused(tmp_path, {"slurm.users": [ada, {**grace, "uid": 20001}]})
    assert "duplicate uid 20001" in said


@pytest.mark.parametrize("status", ["Expired", "Failed"])
def test_parallelcluster_6870_expired_plan_is_found(tmp_path: Path, status: str) -> None:
    with account(**plan(status=status, start="-60d", end="-1d")):
        found = checked(tmp_path, FROM_PLAN, "--only", "CW-C").one("CW-C011")
    assert f"the training plan {PLAN_NAME} is {status}" in found["message"]
    assert found["hint"] == "buy or extend a plan, then change the ARN"
    with account(**plan()):
        assert checked(tmp_path, FROM_PLAN, "--only", "CW-C011").findings == []
    # The type is always in the spec, so it does not have to be read from a deleted plan.
    said = refused(tmp_path, {**FROM_PLAN, "compute.1.instance_type": None})
    assert "compute[1]: `instance_type` is missing" in said


def test_skypilot_4155_plan_that_starts_later_is_reported(tmp_path: Path) -> None:
    with account(**plan(status="Scheduled", start="+10d", end="+40d")):
        found = checked(tmp_path, FROM_PLAN, "--only", "CW-C011", "--fail-on", "warning")
    assert found.exit_code == 1
    finding = found.one("CW-C011")
    assert finding["severity"] == "warning"
    assert f"the training plan {PLAN_NAME} starts on " in finding["message"]
    assert "until then the cluster has no instances from it" in finding["message"]


@pytest.mark.parametrize("platform", ["hyperpod-slurm", "hyperpod-eks", "parallelcluster", "eks"])
@pytest.mark.parametrize(
    "kind", ["on-demand", "spot", "reservation", "capacity-block", "training-plan"]
)
def test_awsome_353_unsupported_placement_group_is_refused(
    tmp_path: Path, platform: str, kind: str
) -> None:
    """Every platform with every capacity kind, with and without a placement group."""
    identity = {
        "reservation": {"id": "cr-0a1b2c3d4e5f60718"},
        "training-plan": {"arn": specs.PLAN},
    }
    identity["capacity-block"] = identity["reservation"]
    capacity = {"kind": kind, **identity.get(kind, {})}

    def found(placement_group: bool | None) -> dict[str, list[str]]:
        changes = {
            "platform": platform,
            "compute.1.capacity": capacity,
            "compute.1.placement_group": placement_group,
        }
        with account():
            result = run_rules(specs.unchecked(tmp_path, changes), "CW-C006", "CW-C007")
        messages: dict[str, list[str]] = {"CW-C006": [], "CW-C007": []}
        for finding in result.findings:
            messages[finding.rule].append(finding.message)
        return messages

    on_hyperpod = platform.startswith("hyperpod")
    taken = {"on-demand", "spot"} | (
        {"training-plan"} if on_hyperpod else {"reservation", "capacity-block"}
    )
    with_group, without = found(True), found(None)
    assert without["CW-C007"] == []
    assert bool(without["CW-C006"]) == (kind not in taken)
    if on_hyperpod:
        (message,) = with_group["CW-C007"]
        assert "CreateCluster has no field for a placement group" in message
    elif kind == "capacity-block":
        assert with_group["CW-C007"] == [
            "capacity-block capacity does not support a placement group"
        ]
    else:
        assert with_group["CW-C007"] == []


def test_found_placement_is_validated_by_the_groups_own_reservation(
    tmp_path: Path,
) -> None:
    """Two groups, each with a reservation; one reservation is in a placement group."""
    with account():
        site, ec2 = build_site(), client("ec2")
        group = ec2.create_placement_group(GroupName="theirs", Strategy="cluster")
        made = [
            ec2.create_capacity_reservation(
                InstanceType="p5.48xlarge",
                InstancePlatform="Linux/UNIX",
                AvailabilityZoneId="use1-az6",
                InstanceCount=8,
                InstanceMatchCriteria="targeted",
                **more,
            )["CapacityReservation"]["CapacityReservationId"]
            for more in ({}, {"PlacementGroupArn": group["PlacementGroup"]["GroupArn"]})
        ]
        assert site.vpc_id
        for order in (made, made[::-1]):
            second = {**specs.SMALL["compute"][1], "name": "more"}
            second["capacity"] = {"kind": "reservation", "id": order[1]}
            changes = {
                "platform": "parallelcluster",
                "compute.1.capacity": {"kind": "reservation", "id": order[0]},
                "compute.2": second,
            }
            result = run_rules(specs.unchecked(tmp_path, changes), "CW-C038")
            (finding,) = result.findings
            assert finding.where == made[1]
            assert finding.path == f"compute[{1 + order.index(made[1])}].capacity.id"


# --- the check itself


def test_hyperpod_cli_264_other_clusters_do_not_affect_the_checks(tmp_path: Path) -> None:
    def check_all() -> Checked:
        # An account without a bootstrap has a warning, which is not tested here.
        found = checked(tmp_path, {}, "--skip", "CW-I010")
        assert [row for row in found.answer["rules"] if row["crash"]] == []
        return found

    with account(quotas={P5_USAGE: 6}):
        assert check_all().findings == []
        site, sagemaker = build_site(), client("sagemaker")
        # One cluster of each orchestrator, none of them from these stacks.
        sagemaker.create_cluster(**site.request(site.group("workers", 1), name="slurm"))
        plain = site.request(site.group("workers", 1), name="plain")
        del plain["Orchestrator"]
        for group in plain["InstanceGroups"]:
            group.pop("SlurmConfig")
        sagemaker.create_cluster(**plain)
        check_ = check_all()
        assert check_.findings == []
        assert check_.exit_code == 0
        # They are not treated as our own: their instances count against the quota.
        five = checked(tmp_path, {"compute.1.count": 5}, "--only", "CW-Q001").one("CW-Q001")
        assert (five["requested"], five["used"], five["limit"]) == (5, 2, 6)
        assert checked(tmp_path, {"compute.1.count": 4}, "--only", "CW-Q001").findings == []


def test_parallelcluster_5942_skipped_rules_are_counted(tmp_path: Path) -> None:
    changes = {"compute.1.count": 400, "network.cidr": "10.0.0.0/24"}
    for arguments in (
        ("--skip", "CW-N003", "--skip", "CW-Q"),
        ("--skip", "CW-N003,CW-Q"),
    ):
        check_ = checked(tmp_path, changes, "--offline", *arguments)
        assert check_.of("CW-N003") == []
        assert check_.status("CW-N003") == "skipped"
        assert check_.status("CW-Q001") == "skipped"
        assert check_.answer["summary"]["skipped"] >= 2
    assert checked(tmp_path, changes, "--offline").of("CW-N003")
    # In the spec a waiver needs a reason and an expiry date.
    waiver = {"rule": "CW-N003", "reason": "agreed with the network team", "expires": "2099-01-31"}
    check_ = checked(tmp_path, {**changes, "waivers": [waiver]}, "--offline")
    assert (check_.of("CW-N003"), check_.status("CW-N003")) == ([], "waived")
    expired = {**waiver, "expires": "2020-01-31"}
    check_ = checked(tmp_path, {**changes, "waivers": [expired]}, "--offline")
    assert check_.of("CW-N003")
    assert check_.of("CW-W001")
    for key in ("reason", "expires"):
        assert f"`{key}` is missing" in refused(
            tmp_path, {"waivers": [{k: v for k, v in waiver.items() if k != key}]}
        )


def test_found_one_failing_rule_determines_the_result(tmp_path: Path) -> None:
    """Each offline rule that can fail alone fails, while all others pass."""
    lustre = {**specs.LUSTRE, "efa": False}
    failing = {
        "CW-C003": {"compute.1.instance_type": "p3.2xlarge"},
        "CW-C006": {"compute.1.capacity": {"kind": "reservation", "id": "cr-0a1b2c3d4e5f60718"}},
        "CW-C007": {"compute.1.placement_group": True},
        "CW-C008": {**FROM_PLAN, "compute.1.count": 65},
        "CW-N003": {"network.cidr": "10.0.0.0/24", "compute.1.count": 64},
        "CW-S001": {"storage.lustre": [{**lustre, "capacity_gib": 4801}]},
        "CW-S002": {"storage.lustre": [{**lustre, "throughput_mbps_per_tib": 123}]},
        "CW-S004": {"storage.lustre": [{**lustre, "efa": True, "capacity_gib": 2400}]},
        "CW-B001": {"budget": {"monthly_usd": 1}},
    }
    order = [file.id for file in rule_files()]
    assert checked(tmp_path, {}, "--offline").exit_code == 0
    for rule, changes in failing.items():
        check_ = checked(tmp_path, changes, "--offline")
        assert check_.of(rule), rule
        assert check_.exit_code == 1
        after = order[order.index(rule) + 1 :]
        assert any(check_.status(other) == "pass" for other in after)
        for other in ("text", "markdown", "sarif", "junit"):
            answer = _run(spec_file(tmp_path, changes), other)
            assert answer == 1, other


def _run(path: Path, output_format: str) -> int:
    from tests.support.command_line import clusterwright

    return clusterwright("check", path, "--offline", "--format", output_format).exit_code


def test_found_invalid_id_is_one_finding_among_others(tmp_path: Path) -> None:
    wrong = {
        "network": {
            "availability_zone_id": ZONE,
            "existing": {
                "vpc_id": "vpc-0a1b2c3d4e5f60718",
                "subnet_ids": ["subnet-0a1b2c3d4e5f60718"],
                "security_group_ids": ["sg-0a1b2c3d4e5f60718"],
            },
        },
        "identity.kms_key_arn": f"arn:aws:kms:{REGION}:{ACCOUNT}:key/1234abcd-12ab-34cd-56ef",
        "identity.permissions_boundary_arn": f"arn:aws:iam::{ACCOUNT}:policy/nobody",
        "storage.buckets": [{"name": "acme-nobody", "mount_path": "/s3/data"}],
        **FROM_PLAN,
        "compute.0.instance_type": "m5.8xlarge",
    }
    with account(unlisted_plans="none", quotas={"sagemaker/L-2CE978FC": 1}):
        found = check(spec_file(tmp_path, wrong))
    assert [row for row in found.answer["rules"] if row["crash"]] == []
    rules = {finding["rule"] for finding in found.findings}
    assert {
        "CW-N006",  # the VPC
        "CW-N007",  # the subnet
        "CW-N008",  # the security group
        "CW-I002",  # the key
        "CW-I004",  # the boundary
        "CW-S010",  # the bucket
        "CW-C010",  # the plan
        "CW-Q003",  # and a quota, independent of the ids
    } <= rules
    for rule in rules:
        assert len(found.messages(rule)) == len(set(found.messages(rule)))


@pytest.mark.parametrize(
    ("types", "severity"),
    [
        (["p5.48xlarge", "trn1.32xlarge"], "error"),
        (["p5.48xlarge", "g5.48xlarge"], "warning"),
        (["trn1.32xlarge", "trn2.48xlarge"], "warning"),
        (["p5.48xlarge", "m5.4xlarge"], "error"),
    ],
)
def test_found_different_accelerators_in_a_partition_are_found(
    tmp_path: Path, types: list[str], severity: str
) -> None:
    groups = groups_of(types)
    found = checked(tmp_path, groups, "--offline", "--only", "CW-L001").one("CW-L001")
    assert found["severity"] == severity
    assert f"the partition `training` mixes {', '.join(sorted(types))}" in found["message"]
    apart = {
        **groups,
        "slurm.partitions": [{"name": f"p{n}", "groups": [f"g{n}"]} for n in range(len(types))],
    }
    assert checked(tmp_path, apart, "--offline", "--only", "CW-L001").findings == []


def test_autonomous_driving_12_invalid_lustre_capacity_and_throughput_are_found(
    tmp_path: Path,
) -> None:
    """FSx refuses them when the stack creates the file system, after everything before it."""
    scratch = {"mount_path": "/fsx", "deployment_type": "SCRATCH_2"}
    persistent = {**specs.LUSTRE, "efa": False}
    cases = [
        ("CW-S001", {**scratch, "capacity_gib": 3600}, "2,400", {"capacity_gib": 4800}),
        (
            "CW-S002",
            {**persistent, "throughput_mbps_per_tib": 100},
            "125, 250, 500 and 1,000",
            {"throughput_mbps_per_tib": 125},
        ),
    ]
    for rule, lustre, text, right in cases:
        wrong = {"storage.lustre": [lustre]}
        found = checked(tmp_path, wrong, "--offline", "--only", rule).one(rule)
        assert found["severity"] == "error"
        assert text in found["message"]
        corrected = {"storage.lustre": [{**lustre, **right}]}
        assert checked(tmp_path, corrected, "--offline", "--only", rule).findings == []

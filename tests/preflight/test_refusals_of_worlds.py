"""Where an account rule fails in a world, that world refuses what a deployment would ask for."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright.cli.main import main
from clusterwright.localaws import local_aws
from tests.localaws.parts import Site, build_site, client, describe, open_lustre_ports
from tests.support import specs

ACCOUNT = "123456789012"
PLAN = f"arn:aws:sagemaker:us-east-1:{ACCOUNT}:training-plan/run-1"
FROM_PLAN = {"compute.1.capacity": {"kind": "training-plan", "arn": PLAN}}
SPOT = {"compute.1.capacity": {"kind": "spot"}}
LUSTRE = {"storage.lustre": [specs.LUSTRE]}
NAT = {"network.egress": "nat"}


def cluster(count: int = 4, **group: Any) -> Callable[[Site], None]:
    """Creates the cluster of the small spec; a cluster that ends in Failed is refused too."""

    def deploy(site: Site) -> None:
        controller = site.group("controller", 1, "ml.m5.4xlarge", node_type="Controller")
        workers = site.group("workers", count, **group)
        request = site.request(workers)
        request["InstanceGroups"] = [controller, workers]
        client("sagemaker").create_cluster(**request)
        status = describe("train")["ClusterStatus"]
        if status in ("Failed", "RollingBack"):
            raise ClientError({"Error": {"Code": status}}, "CreateCluster")

    return deploy


def lustre(site: Site) -> None:
    open_lustre_ports(site, efa=True)
    client("fsx").create_file_system(
        FileSystemType="LUSTRE",
        StorageCapacity=4800,
        SubnetIds=[site.subnet_id],
        SecurityGroupIds=[site.group_id],
        LustreConfiguration={
            "DeploymentType": "PERSISTENT_2",
            "PerUnitStorageThroughput": 1000,
            "EfaEnabled": True,
            "MetadataConfiguration": {"Mode": "AUTOMATIC"},
        },
    )


def home(site: Site) -> None:
    client("fsx").create_file_system(
        FileSystemType="OPENZFS",
        StorageCapacity=512,
        SubnetIds=[site.subnet_id],
        OpenZFSConfiguration={"DeploymentType": "SINGLE_AZ_1", "ThroughputCapacity": 128},
    )


def vpc(site: Site) -> None:
    client("ec2").create_vpc(CidrBlock="10.8.0.0/16")


def nat(site: Site) -> None:
    ec2 = client("ec2")
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    ec2.create_nat_gateway(SubnetId=site.subnet_id, AllocationId=address)


@dataclass(frozen=True)
class Case:
    rule: str
    world: dict[str, Any]
    changes: dict[str, Any] = field(default_factory=dict)
    deploy: Callable[[Site], None] = field(default_factory=cluster)


def plan(**changes: Any) -> dict[str, Any]:
    fits = {"name": "run-1", "instance_type": "p5.48xlarge", "instance_count": 8}
    return {"training_plans": [{**fits, "zone_id": "use1-az6", **changes}]}


from_plan = cluster(TrainingPlanArn=PLAN)
CASES = [
    Case("CW-Q001", {"quotas": {"sagemaker/L-8762A75F": 3}}),
    Case(
        "CW-Q001",
        {"quotas": {"sagemaker/L-8762A75F": 9}, "usage": {"sagemaker/L-8762A75F": 6}},
    ),
    Case(
        "CW-Q002",
        {"quotas": {"sagemaker/L-F742E2D7": 3}},
        SPOT,
        cluster(CapacityRequirements={"Spot": {}}),
    ),
    Case("CW-Q003", {"quotas": {"sagemaker/L-2CE978FC": 4}}),
    Case("CW-Q004", {"quotas": {"sagemaker/L-3308CCC7": 4}}),
    Case(
        "CW-Q005",
        {"quotas": {"sagemaker/L-E13DF72A": 100}},
        {"compute.1.ebs": {"capacity_gib": 500}},
        cluster(InstanceStorageConfigs=[{"EbsVolumeConfig": {"VolumeSizeInGB": 500}}]),
    ),
    Case(
        "CW-Q006",
        {"quotas": {"sagemaker/L-41BFBF41": 3}},
        SPOT,
        cluster(CapacityRequirements={"Spot": {}}),
    ),
    Case(
        "CW-Q007",
        {"quotas": {"sagemaker/L-97A2C724": 3}},
        SPOT,
        cluster(CapacityRequirements={"Spot": {}}),
    ),
    Case("CW-Q012", {"quotas": {"sagemaker/L-9EF527CA": 3}}, FROM_PLAN, from_plan),
    Case("CW-C001", {"not_offered": {"p5.48xlarge": ["use1-az6"]}}),
    Case("CW-C010", {"unlisted_plans": "none"}, FROM_PLAN, from_plan),
    Case("CW-C011", plan(status="Expired", start="-9d", end="-1d"), FROM_PLAN, from_plan),
    Case("CW-C012", plan(instance_type="p5en.48xlarge"), FROM_PLAN, from_plan),
    Case("CW-C013", plan(zone_id="use1-az2"), FROM_PLAN, from_plan),
    Case("CW-C014", plan(instance_count=2), FROM_PLAN, from_plan),
    Case("CW-Q030", {"quotas": {"fsx/L-8F1B9C74": 4000}}, LUSTRE, lustre),
    Case("CW-Q031", {"quotas": {"fsx/L-FD6F2F22": 0}}, LUSTRE, lustre),
    Case(
        "CW-Q035",
        {"quotas": {"fsx/L-88479C21": 500}},
        {"storage.home": {"kind": "openzfs", "capacity_gib": 512}},
        home,
    ),
    Case(
        "CW-Q036",
        {"quotas": {"fsx/L-4EDE4065": 100}},
        {"storage.home": {"kind": "openzfs", "capacity_gib": 512}},
        home,
    ),
    # The default VPC is one, and the site's the other.
    Case("CW-Q040", {"quotas": {"vpc/L-F678F1CE": 2}}, {}, vpc),
    Case("CW-Q041", {"quotas": {"ec2/L-0263D0A3": 0}}, NAT, nat),
    Case("CW-Q042", {"quotas": {"vpc/L-FE5A380F": 0}}, NAT, nat),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_what_the_check_finds_the_world_refuses(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changes = {"account": ACCOUNT, **case.changes}
    path = specs.write(tmp_path / "spec.yaml", specs.changed(changes))
    with local_aws("generous", **case.world):
        site = build_site()
        main(["check", str(path), "--only", case.rule, "--format", "json"])
        answer = json.loads(capsys.readouterr().out)
        grave = {f["rule"] for f in answer["findings"] if f["severity"] == "error"}
        assert grave == {case.rule}, answer["unknown"]
        with pytest.raises(ClientError):
            case.deploy(site)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_in_a_generous_world_the_same_is_made(case: Case) -> None:
    with local_aws("generous"):
        case.deploy(build_site())

"""aws-parallelcluster judges the configurations that are rendered from specs.

Its schema reads every example and specs that hypothesis makes up; its validators, which ask the
local AWS, look at those whose zone and reservations are there; the launch templates that it would
deploy have the catalogue's interfaces.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clusterwright.catalog import Known, load_catalog
from clusterwright.cluster_spec import SpecErrors
from clusterwright.cluster_spec.models import Cluster
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.parallelcluster.document import render
from clusterwright.platforms.parallelcluster.supplied import Database, Supplied, placeholders
from tests.clients.programs import ACCOUNT, REGION, Server, file, served
from tests.support import parallelcluster_specs as specs
from tests.support.pcluster_oracle import Oracle, oracle
from tests.support.specs import write

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]

ZONE = "use1-az6"
EXAMPLE_BLOCK = "cr-0123456789abcdef0"
"""The group of `configs/examples/parallelcluster.yaml`."""

RESERVED = ("p5.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge", "trn1.32xlarge", "trn2.48xlarge")
EXAMPLES = sorted(
    path.name
    for path in specs.EXAMPLES.glob("*.yaml")
    # With keys that only other platforms have: `moved` does not know them.
    if not path.name.startswith("full-") or path.name == "full-parallelcluster.yaml"
)

_WORLD = {
    "extends": "generous",
    "capacity_reservations": [
        {
            "id": EXAMPLE_BLOCK,
            "kind": "capacity-block",
            "instance_type": "p5.48xlarge",
            "instance_count": 32,
            "zone_id": ZONE,
            "end": "+7d",
        },
        *(
            {
                "id": specs.reservation_id(name, number, block=block),
                "kind": "capacity-block" if block else "on-demand",
                "instance_type": name,
                "instance_count": 64 if block else 4096,
                "zone_id": ZONE,
                **({"end": "+7d"} if block else {}),
            }
            for name in RESERVED
            for block, number in ((False, 0), *((True, number) for number in range(8)))
        ),
    ],
}


@dataclass(frozen=True)
class Ground:
    """The validator, and the resources on the local AWS."""

    pcluster_package: Oracle
    supplied: Supplied

    def configuration(self, cluster: Cluster) -> dict[str, Any]:
        """Render with existing ids; one file system is used for all."""
        names = [str(fs.name) for fs in cluster.storage.lustre if fs.existing is None]
        ids = dict(zip(names, self.supplied.lustre_ids.values(), strict=False))
        return render(cluster, load_catalog(), replace(self.supplied, lustre_ids=ids))

    def errors(self, cluster: Cluster) -> list[str]:
        """The errors of its validators."""
        found = self.pcluster_package.validators(self.configuration(cluster), cluster.environment)
        return [f"{item['type']}: {item['message']}" for item in found if item["level"] == "ERROR"]


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    home = tmp_path_factory.mktemp("documents")
    with served(home, "--world", str(file(home, "world.yaml", _WORLD))) as server:
        supplied = _build(server)
        environment = server.environment(AWS_ENDPOINT_URL_S3=server.s3_address)
        with oracle(home, environment) as pcluster_package:
            yield Ground(pcluster_package, supplied)


def _build(server: Server) -> Supplied:
    ec2, fsx, s3 = server.client("ec2"), server.client("fsx"), server.client("s3")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/17", AvailabilityZoneId=ZONE)
    subnet_id = subnet["Subnet"]["SubnetId"]
    group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
    itself = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=itself)
    ec2.authorize_security_group_egress(GroupId=group, IpPermissions=itself)
    lustre = [
        fsx.create_file_system(
            FileSystemType="LUSTRE",
            StorageCapacity=1200,
            SubnetIds=[subnet_id],
            SecurityGroupIds=[group],
            LustreConfiguration={
                "DeploymentType": "PERSISTENT_2",
                "PerUnitStorageThroughput": 125,
            },
        )["FileSystem"]["FileSystemId"]
        for _ in range(4)
    ]
    home = fsx.create_file_system(
        FileSystemType="OPENZFS",
        StorageCapacity=64,
        SubnetIds=[subnet_id],
        SecurityGroupIds=[group],
        OpenZFSConfiguration={"DeploymentType": "SINGLE_AZ_1", "ThroughputCapacity": 64},
    )["FileSystem"]
    s3.create_bucket(Bucket="train-scripts")
    s3.put_object(Bucket="train-scripts", Key="train/on_node_configured.sh", Body=b"#!/bin/sh\n")
    return Supplied(
        head_subnet_id=subnet_id,
        login_subnet_id=subnet_id,
        compute_subnet_id=subnet_id,
        security_group_ids=(group,),
        scripts_s3_uri="s3://train-scripts/train",
        scripts_bucket="train-scripts",
        manifest_sha256="0" * 64,
        entry_s3_uri="s3://train-scripts/train/on_node_configured.sh",
        latest_s3_uri="s3://train-scripts/latest",
        lustre_ids={str(number): name for number, name in enumerate(lustre)},
        home_volume_id=home["OpenZFSConfiguration"]["RootVolumeId"],
        database=Database(
            "db.internal",
            "3306",
            "slurm",
            f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:slurm-AbCdEf",
            "slurm_acct_db",
        ),
    )


def _cluster(folder: Path, data: Mapping[str, Any]) -> Cluster:
    return load_cluster(write(folder / "spec.yaml", data)).cluster


@pytest.mark.parametrize("example", EXAMPLES)
def test_schema_accepts_every_example(example: str, ground: Ground, tmp_path: Path) -> None:
    """With placeholders for resources that do not exist yet."""
    cluster = _cluster(tmp_path, specs.moved(example))
    configuration = render(cluster, load_catalog(), placeholders(cluster))
    assert ground.pcluster_package.schema(configuration) == ""


# Their zone or region differs from the network of the local AWS, or they name existing resources.
_ELSEWHERE = {
    "buckets.yaml",
    "existing-network.yaml",
    "full-parallelcluster.yaml",
    "p6e-gb200-1.yaml",
    "trn2-1.yaml",
}


@pytest.mark.parametrize("example", [name for name in EXAMPLES if name not in _ELSEWHERE])
def test_validators_report_no_error(example: str, ground: Ground, tmp_path: Path) -> None:
    cluster = _cluster(tmp_path, specs.moved(example))
    assert ground.errors(cluster) == []


_TYPES = {
    "p5.48xlarge": ("on-demand", "spot", "reservation", "capacity-block"),
    "p5.4xlarge": ("on-demand", "spot"),
    "p5en.48xlarge": ("on-demand", "reservation", "capacity-block"),
    "p6-b200.48xlarge": ("on-demand", "capacity-block"),
    "trn1.32xlarge": ("on-demand", "spot", "reservation"),
    "g5.48xlarge": ("on-demand", "spot"),
    "m5.4xlarge": ("on-demand",),
}


@st.composite
def _groups(draw: st.DrawFn, name: str, number: int) -> dict[str, Any]:
    instance_type = draw(st.sampled_from(sorted(_TYPES)))
    kind = draw(st.sampled_from(_TYPES[instance_type]))
    count = draw(st.integers(1, 60))
    group: dict[str, Any] = {
        "name": name,
        "role": "compute",
        "instance_type": instance_type,
        "count": count,
        "capacity": {"kind": kind},
    }
    block = kind == "capacity-block"
    if kind in ("reservation", "capacity-block"):
        place = number if block else 0
        group["capacity"]["id"] = specs.reservation_id(instance_type, place, block=block)
        group["spare_count"] = draw(st.integers(0, min(count - 1, 3)))
    if not block and draw(st.booleans()):
        group["min_count"] = draw(st.integers(0, count))
    if not block and draw(st.booleans()):
        group["max_count"] = draw(st.integers(count, count + 40))
    if kind == "on-demand" and instance_type != "m5.4xlarge":
        group["placement_group"] = draw(st.sampled_from((None, True, False)))
    for key, values in {
        "threads_per_core": (None, 1, 2),
        "scratch": (None, {"mount_path": "/scratch"}),
    }.items():
        group[key] = draw(st.sampled_from(values))
    return {key: value for key, value in group.items() if value is not None}


@st.composite
def _specs(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(
        st.lists(st.from_regex(r"[a-z][a-z0-9-]{0,23}[a-z0-9]", fullmatch=True), min_size=1,
                 max_size=4, unique=True).filter(lambda found: "default" not in found)
    )  # fmt: skip
    groups = [draw(_groups(name, number)) for number, name in enumerate(names)]
    data = specs.with_groups(*groups)
    data["environment"] = draw(st.from_regex(r"[a-z]([a-z0-9]){0,38}", fullmatch=True))
    data["protection"] = draw(st.sampled_from(("retain", "destroy")))
    data["tags"] = draw(
        st.dictionaries(
            st.from_regex(r"[A-Za-z0-9 _.:/=+@-]{1,40}", fullmatch=True).filter(
                lambda key: not key.lower().startswith(("aws:", "parallelcluster:"))
            ),
            st.from_regex(r"[A-Za-z0-9_.:/=+@-]{0,40}", fullmatch=True),
            max_size=4,
        )
    )
    data["observability"] = {"log_retention_days": draw(st.sampled_from((1, 30, 90, 400, 3653)))}
    data["identity"] = {"session_manager": draw(st.booleans())}
    rds = draw(st.booleans())
    data["slurm"] = {
        "accounting": {"kind": "rds" if rds else "none"},
        "timeouts": {"message_seconds": draw(st.integers(10, 25))},
    }
    if rds and draw(st.booleans()):
        data["slurm"] |= {
            "preemption": "requeue",
            "qos": [{"name": "urgent", "preempts": ["low"]}, {"name": "low"}],
        }
    systems = ["ubuntu2204", "ubuntu2404", "alinux2023"]
    if not any("id" in group.get("capacity", {}) for group in groups):
        # A reservation has one platform, in this world Linux/UNIX.
        systems.append("rhel9")
    data["parallelcluster"] = {
        "os": draw(st.sampled_from(systems)),
        "root_volume_gib": draw(st.integers(45, 16384)),
        "head_node_root_volume_gib": draw(st.integers(45, 16384)),
        "queue_update_strategy": draw(st.sampled_from(("drain", "terminate"))),
        "scaling_strategy": draw(st.sampled_from(("all-or-nothing", "best-effort"))),
        "scaledown_idle_minutes": draw(st.integers(1, 10_080)),
        "login_grace_minutes": draw(st.integers(3, 120)),
        "detailed_monitoring": draw(st.booleans()),
    }
    return data


def test_valid_specs_are_accepted(ground: Ground, tmp_path: Path) -> None:
    """Specs that pass Clusterwright's checks have neither schema errors nor validator errors."""
    accepted = []

    @settings(max_examples=20, suppress_health_check=list(HealthCheck))
    @given(data=_specs())
    def made_up(data: dict[str, Any]) -> None:
        problems = _problems(tmp_path, data)
        # A group may have requested what its type or zone does not support; nothing else.
        assert all("placement group" in problem for problem in problems), problems
        accepted.append(not problems)
        if not problems:
            cluster = _cluster(tmp_path, data)
            configuration = ground.configuration(cluster)
            assert ground.pcluster_package.schema(configuration, cluster.environment) == ""
            assert ground.errors(cluster) == [], json.dumps(configuration, indent=1)

    made_up()
    assert sum(accepted) > len(accepted) / 2


def _problems(folder: Path, data: Mapping[str, Any]) -> list[str]:
    try:
        _cluster(folder, data)
    except SpecErrors as wrong:
        return [str(problem) for problem in wrong]
    return []


INTERFACES = {
    "p4d.24xlarge": 5,
    "p4de.24xlarge": 5,
    "p5.4xlarge": 2,
    "p5.48xlarge": 33,
    "p5e.48xlarge": 33,
    "p5en.48xlarge": 17,
    "p6-b200.48xlarge": 9,
    "p6-b300.48xlarge": 17,
    "trn1.32xlarge": 9,
    "trn1n.32xlarge": 17,
    "trn2.48xlarge": 17,
    "g5.48xlarge": 2,
    "g6e.48xlarge": 5,
}
"""Number of network interfaces of a node, from the catalogue."""


@pytest.fixture(scope="module")
def launched(
    ground: Ground, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, Any]]:
    """The data of each queue's launch template, by instance type."""
    groups = [
        {
            "name": f"q{number}",
            "role": "compute",
            "instance_type": name,
            "count": 2,
            **(
                {"capacity": {"kind": "capacity-block",
                              "id": specs.reservation_id(name, block=True)}}
                if name == "p5en.48xlarge"
                else {}
            ),
        }
        for number, name in enumerate(INTERFACES)
    ]  # fmt: skip
    cluster = _cluster(tmp_path_factory.mktemp("launched"), specs.with_groups(*groups))
    return _launch_templates(ground, cluster)


def _launch_templates(ground: Ground, cluster: Cluster) -> dict[str, dict[str, Any]]:
    compute = {group.instance_type for group in cluster.compute if group.role == "compute"}
    found = {}
    for template in ground.pcluster_package.templates(
        ground.configuration(cluster), cluster.environment
    ):
        for resource in template["Resources"].values():
            if resource["Type"] == "AWS::EC2::LaunchTemplate":
                data = resource["Properties"]["LaunchTemplateData"]
                if data.get("InstanceType") in compute:
                    found[data["InstanceType"]] = data
    return found


def _interfaces(data: Mapping[str, Any]) -> list[tuple[int, int, str]]:
    return sorted(
        (
            interface.get("NetworkCardIndex", 0),
            interface["DeviceIndex"],
            interface.get("InterfaceType", "interface"),
        )
        for interface in data["NetworkInterfaces"]
    )


@pytest.mark.parametrize(("instance_type", "number"), INTERFACES.items())
def test_launch_templates_have_the_catalogue_interfaces(
    instance_type: str, number: int, launched: Mapping[str, Mapping[str, Any]]
) -> None:
    layout = load_catalog().interface_layout(instance_type)
    assert isinstance(layout, Known)
    ours = sorted((item.card, item.device, item.kind) for item in layout.value)
    theirs = _interfaces(launched[instance_type])
    assert theirs == ours
    assert len(theirs) == number
    if instance_type == "p6-b300.48xlarge":
        assert [kind for card, _, kind in theirs if card == 0] == ["interface"]


def test_capacity_block_is_in_the_launch_template(
    launched: Mapping[str, Mapping[str, Any]],
) -> None:
    """A group without one gets a placement group."""
    block = launched["p5en.48xlarge"]
    assert block["InstanceMarketOptions"] == {"MarketType": "capacity-block"}
    target = block["CapacityReservationSpecification"]["CapacityReservationTarget"]
    assert target == {"CapacityReservationId": specs.reservation_id("p5en.48xlarge", block=True)}
    assert not block.get("Placement")
    assert launched["p5.48xlarge"]["Placement"]["GroupName"]


def test_older_interface_types_are_supported(ground: Ground, tmp_path: Path) -> None:
    """`network_interface: efa`: every card has one combined interface."""
    group = {"name": "old", "role": "compute", "instance_type": "p4d.24xlarge", "count": 2}
    data = specs.with_groups({**group, "network_interface": "efa"})
    found = _launch_templates(ground, _cluster(tmp_path, data))["p4d.24xlarge"]
    assert [kind for *_, kind in _interfaces(found)] == ["efa"] * 4

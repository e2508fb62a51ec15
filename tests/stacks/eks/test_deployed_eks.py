"""EKS deployed to the local AWS: its resources, and the effects of changes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.testing import addresses_per_node
from stacks.base.spec_metadata import KEY
from tests.stacks.deployed_eks import RESERVATIONS, SPEC, groups, prepared
from tests.stacks.deployment import Account
from tests.support.rich_specs import changed
from tests.support.synthesis import Build


@pytest.fixture(scope="module")
def deployed(build: Build) -> Iterator[Account]:
    """An account with the deployed `SPEC`; tests that change it restore it."""
    with local_aws(capacity_reservations=RESERVATIONS):
        found = prepared()
        found.deploy(build(SPEC))
        yield found


def instances(account: Account, group: dict[str, Any]) -> list[dict[str, Any]]:
    found = account.client("ec2").describe_instances(
        Filters=[
            {"Name": "tag:eks:nodegroup-name", "Values": [group["nodegroupName"]]},
            {"Name": "instance-state-name", "Values": ["running"]},
        ]
    )
    return [one for reservation in found["Reservations"] for one in reservation["Instances"]]


def test_nodes_of_every_group_use_its_capacity(deployed: Account) -> None:
    found = groups(deployed)
    counts = {name: len(instances(deployed, group)) for name, group in found.items()}
    assert counts == {"system": 2, "workers": 4, "block": 2, "reserved": 1, "spot": 1}
    assert {one["status"] for one in found.values()} == {"ACTIVE"}
    for name, reservation in (("block", RESERVATIONS[0]), ("reserved", RESERVATIONS[1])):
        nodes = instances(deployed, found[name])
        assert {one["CapacityReservationId"] for one in nodes} == {reservation["id"]}
    assert {one.get("InstanceLifecycle") for one in instances(deployed, found["spot"])} == {"spot"}
    placed = {one["Placement"].get("GroupName") for one in instances(deployed, found["workers"])}
    assert len(placed) == 1
    assert placed != {""}


def test_nodes_use_the_planned_number_of_addresses(deployed: Account) -> None:
    found = groups(deployed)
    (subnet_id,) = found["workers"]["subnets"]
    (subnet,) = deployed.client("ec2").describe_subnets(SubnetIds=[subnet_id])["Subnets"]
    nodes = sum(
        addresses_per_node(one["instanceTypes"][0], "eks") * len(instances(deployed, one))
        for one in found.values()
    )
    size = 2 ** (32 - int(subnet["CidrBlock"].split("/")[1])) - 5
    # Other users of the subnets: file system servers, interface endpoints.
    assert 0 <= size - nodes - subnet["AvailableIpAddressCount"] < 200


def test_outputs_describe_the_cluster(deployed: Account) -> None:
    outputs = deployed.outputs("test-cluster")
    cluster = deployed.client("eks").describe_cluster(name="test")["cluster"]
    assert outputs["ClusterArn"] == cluster["arn"]
    entries = deployed.client("eks").list_access_entries(clusterName="test")["accessEntries"]
    (admin,) = [entry for entry in entries if "AdminRole" in entry]
    assert outputs["KubeconfigCommand"].endswith(f"--region us-east-1 --role-arn {admin}")
    systems = deployed.client("fsx").describe_file_systems()["FileSystems"]
    assert outputs["LustreDnsName"] in {one["DNSName"] for one in systems}


def test_spec_is_recorded_in_the_template(deployed: Account) -> None:
    template = deployed.client("cloudformation").get_template(StackName="test-cluster")
    recorded = [
        one["Metadata"][KEY]
        for one in template["TemplateBody"]["Resources"].values()
        if KEY in one.get("Metadata", {})
    ]
    assert json.loads(recorded[0])["environment"] == "test"


def test_collector_has_access_and_scrapes_the_nodes(deployed: Account) -> None:
    (scraper,) = deployed.client("amp").list_scrapers()["scrapers"]
    assert (scraper["alias"], scraper["status"]["statusCode"]) == ("test", "ACTIVE")
    found = deployed.client("amp").describe_scraper(scraperId=scraper["scraperId"])["scraper"]
    asked = json.loads(found["scrapeConfiguration"]["configurationBlob"])
    assert asked["global"]["scrape_interval"] == "120s"
    assert "nodes" in [job["job_name"] for job in asked["scrape_configs"]]
    admitted = deployed.client("eks").list_access_entries(clusterName="test")["accessEntries"]
    assert scraper["roleArn"] in admitted


def test_added_nodes_keep_running_ones(deployed: Account, build: Build) -> None:
    before = {one["InstanceId"] for one in instances(deployed, groups(deployed)["workers"])}
    try:
        deployed.deploy(build(changed(SPEC, compute__1__count=6)))
        after = {one["InstanceId"] for one in instances(deployed, groups(deployed)["workers"])}
        assert (len(before), len(after)) == (4, 6)
        assert before < after
    finally:
        deployed.deploy(build(SPEC))
    assert len(instances(deployed, groups(deployed)["workers"])) == 4


def test_changed_type_replaces_nodes_but_not_the_group(deployed: Account, build: Build) -> None:
    group = groups(deployed)["system"]
    before = {one["InstanceId"] for one in instances(deployed, group)}
    try:
        deployed.deploy(build(changed(SPEC, compute__0__instance_type="m5.8xlarge")))
        (now,) = [one for name, one in groups(deployed).items() if name == "system"]
        nodes = instances(deployed, now)
        assert now["nodegroupArn"] == group["nodegroupArn"]
        assert {one["InstanceType"] for one in nodes} == {"m5.8xlarge"}
        assert not {one["InstanceId"] for one in nodes} & before
    finally:
        deployed.deploy(build(SPEC))


def test_labels_change_in_place(deployed: Account, build: Build) -> None:
    group = groups(deployed)["workers"]
    before = {one["InstanceId"] for one in instances(deployed, group)}
    try:
        deployed.deploy(build(changed(SPEC, compute__1__labels={"a": "b"}, compute__1__taints=[])))
        now = groups(deployed)["workers"]
        assert now["labels"]["a"] == "b"
        assert "team.example.com/model" not in now["labels"]
        assert now["taints"] == []
        assert {one["InstanceId"] for one in instances(deployed, now)} == before
    finally:
        deployed.deploy(build(SPEC))


def test_changed_capacity_kind_requires_another_group(deployed: Account, build: Build) -> None:
    before = groups(deployed)["spot"]["nodegroupArn"]
    try:
        deployed.deploy(build(changed(SPEC, compute__4__capacity={"kind": "on-demand"})))
        now = groups(deployed)["spot"]
        assert (now["capacityType"], now["nodegroupArn"] != before) == ("ON_DEMAND", True)
    finally:
        deployed.deploy(build(SPEC))

"""`clusterwright drift` of a cluster deployed to the local AWS."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clusterwright.json_output.schemas import schemas
from tests.cli.drift_mutations import MUTATIONS, Changed
from tests.stacks.deployment import Account
from tests.support.command_line import clusterwright
from tests.support.deployed_cluster import Deployed, node_name
from tests.support.rich_specs import ACCOUNT, MINIMAL, changed

pytestmark = pytest.mark.usefixtures("in_account")

BASE = changed(
    MINIMAL,
    protection="destroy",
    network__second_availability_zone_id="use1-az4",
    network__flow_log_retention_days=30,
    storage={
        "lustre": [
            {
                "name": "fsx",
                "capacity_gib": 9600,
                "throughput_mbps_per_tib": 500,
                "repositories": [
                    {
                        "s3": "s3://test-checkpoints",
                        "path": "/checkpoints",
                        "export": ["NEW", "CHANGED"],
                        "create": True,
                    }
                ],
            }
        ]
    },
    slurm={"accounting": {"kind": "rds"}},
    observability={"alarm_emails": ["ml@example.com"]},
)


def drift(path: Path, *codes: int) -> dict[str, Any]:
    found = clusterwright("drift", path, "--format", "json")
    data: dict[str, Any] = json.loads(found.out)
    jsonschema.validate(data, schemas()["drift-output.schema.json"])
    assert found.exit_code == data["exit_code"], data["differences"]
    assert found.exit_code in codes, data["differences"]
    return data


def ec2() -> Any:
    return Account(ACCOUNT).client("ec2")


def test_nothing_differs_and_the_rest_is_listed(deployed: Deployed) -> None:
    # 2: no controller published what runs.
    data = drift(deployed.path, 2)
    assert data["differences"] == []
    assert [
        entry["what"] for entry in data["not_compared"] if "AWS::EC2::V" in entry["what"]
    ] == []
    reasons = {entry["what"]: entry["reason"] for entry in data["not_compared"]}
    for what in ("the running Slurm configuration", "the inputs of the node program"):
        assert "has not published" in reasons[what]


def test_installed_files_of_the_node_program(deployed: Deployed) -> None:
    """As deployed, changed by hand on the controller, of another version on a compute node."""
    cluster = deployed.account.client("sagemaker").describe_cluster(ClusterName="test")
    uri = cluster["InstanceGroups"][0]["LifeCycleConfig"]["SourceS3Uri"]
    bucket, _, prefix = uri.removeprefix("s3://").partition("/")
    key = f"{prefix.strip('/')}/program.sha256"
    body = deployed.account.client("s3").get_object(Bucket=bucket, Key=key)["Body"]
    version = body.read().decode().strip()

    def found(code: int, changes: list[dict[str, str]], tested: str) -> list[tuple[str, ...]]:
        program = {"versions": {version: ["clusterwright_state"]}, "changes": changes}
        names = [node_name(node) for node in deployed.nodes()]
        deployed.publish(
            configuration={"program": {**program, "changes_count": len(changes)}},
            acceptance={
                name: {"state": "accepted", "program": {"sha256": tested}} for name in names
            },
        )
        return [
            (one["path"], one["deployed"], one["file"])
            for one in drift(deployed.path, code)["differences"]
        ]

    path = "/opt/clusterwright/scripts/clusterwright_node/steps/users.py"
    change = {"path": path, "sha256": "1", "recorded_sha256": "2"}
    older = "0" * 64
    try:
        # 2: neither the digest of the inputs nor slurm.conf is published.
        assert found(2, [], version) == []
        assert found(1, [change], version) == [(path, "1", "2")]
        assert {*found(1, [], older)} == {("program_sha256", older, version)}
    finally:
        deployed.account.client("s3").delete_object(
            Bucket=deployed.bucket, Key="state/scheduler.json"
        )


def test_changes_outside_cloudformation(deployed: Deployed) -> None:
    """A revoked Lustre rule, an open port, a route, a removed endpoint."""
    groups = ec2().describe_security_groups()["SecurityGroups"]
    lustre = next(
        (group, rule)
        for group in groups
        for rule in group["IpPermissions"]
        if rule.get("FromPort") == 988
    )
    group, rule = lustre
    anywhere = {
        "IpProtocol": "tcp",
        "FromPort": 22,
        "ToPort": 22,
        "IpRanges": [{"CidrIp": "0.0.0.0/0"}],
    }
    ec2().revoke_security_group_ingress(GroupId=group["GroupId"], IpPermissions=[rule])
    ec2().authorize_security_group_ingress(GroupId=group["GroupId"], IpPermissions=[anywhere])
    endpoint = ec2().describe_vpc_endpoints()["VpcEndpoints"][0]
    ec2().delete_vpc_endpoints(VpcEndpointIds=[endpoint["VpcEndpointId"]])
    table = next(
        table
        for table in ec2().describe_route_tables()["RouteTables"]
        if table["VpcId"] == group["VpcId"]
        and any(each.get("SubnetId") for each in table["Associations"])
    )
    gateway = ec2().create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2().attach_internet_gateway(InternetGatewayId=gateway, VpcId=group["VpcId"])
    ec2().create_route(
        RouteTableId=table["RouteTableId"],
        DestinationCidrBlock="203.0.113.0/24",
        GatewayId=gateway,
    )
    data = drift(deployed.path, 1)
    found = {(d["path"], d["deployed"], d["file"]) for d in data["differences"]}
    assert ("rules", "tcp 22-22 from 0.0.0.0/0", None) in found
    assert any(
        path == "rules" and live is None and str(file).startswith("tcp 988-988")
        for path, live, file in found
    )
    assert ("routes.203.0.113.0/24", gateway, None) in found
    assert ("", "deleted", "there") in found
    assert {d["kind"] for d in data["differences"]} == {"stack"}
    status = json.loads(clusterwright("status", deployed.path, "--format", "json").out)
    assert status["drift"]["state"] == "yes"
    (reason,) = (text for text in status["drift"]["reasons"] if "security groups" in text)
    assert "tcp 22-22 from 0.0.0.0/0 was added" in reason
    assert "tcp 988-988" in reason
    assert "drift" in [finding["code"] for finding in status["findings"]]


def test_every_change_is_a_difference_or_listed(deployed: Deployed) -> None:
    """All changes at once: each has a part of the answer of its own."""
    changed_account = Changed(deployed.account)
    before, _ = shown_and_listed(drift(deployed.path, 1, 2))
    for mutation in MUTATIONS:
        mutation.apply(changed_account)
    differences, listed = shown_and_listed(drift(deployed.path, 1))
    assert [
        each.name
        for each in MUTATIONS
        if each.shown and not found(each.shown, differences - before)
    ] == []
    assert [
        each.name for each in MUTATIONS if each.listed and not found(each.listed, listed)
    ] == []


def shown_and_listed(data: dict[str, Any]) -> tuple[set[str], set[str]]:
    differences = {f"{one['resource']}.{one['path']}" for one in data["differences"]}
    return differences, {one["what"] for one in data["not_compared"]}


def found(pattern: str, texts: set[str]) -> bool:
    return any(re.search(pattern, text) for text in texts)


def test_the_file_against_the_deployment(deployed: Deployed, tmp_path: Path) -> None:
    path = tmp_path / "test.yaml"
    path.write_text(json.dumps(changed(BASE, compute__1__count=8)))
    data = drift(path, 1)
    assert {
        "resource": "spec",
        "path": "compute[workers].count",
        "deployed": 4,
        "file": 8,
        "kind": "spec",
    } in data["differences"]


def test_text(deployed: Deployed) -> None:
    found = clusterwright("drift", deployed.path)
    assert found.out.splitlines()[-1].startswith("test: ")


def test_scripts_that_were_written_or_deleted_after_the_deployment(deployed: Deployed) -> None:
    """Last in this file: when an object was written cannot be undone."""
    s3 = deployed.account.client("s3")
    listed = s3.list_objects_v2(Bucket=deployed.bucket, Prefix="lifecycle/")["Contents"]
    key = next(each["Key"] for each in listed if each["Key"].endswith("/on_create.sh"))
    before = {one["path"] for one in drift(deployed.path, 1)["differences"]}
    s3.put_object(Bucket=deployed.bucket, Key=key, Body=b"#!/bin/bash\n")
    after = {one["path"] for one in drift(deployed.path, 1)["differences"]}
    assert after - before == {f"s3://{deployed.bucket}/{key}"}
    for each in listed:
        s3.delete_object(Bucket=deployed.bucket, Key=each["Key"])
    data = drift(deployed.path, 1)
    folder = f"s3://{deployed.bucket}/{key.removesuffix('on_create.sh')}"
    assert {one["path"] for one in data["differences"]} - before == {folder}


def test_stack_that_was_deleted(deployed: Deployed) -> None:
    """Last of all: the stack is not deployed again."""
    deployed.account.delete("test-cluster")
    (one,) = (
        each
        for each in drift(deployed.path, 1)["differences"]
        if each["resource"] == "test-cluster"
    )
    assert (one["path"], one["file"], one["kind"]) == ("", "there", "stack")
    assert one["deployed"].startswith("deleted at 20")

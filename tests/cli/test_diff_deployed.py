"""`clusterwright diff --deployed` with a cluster deployed to the local AWS."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clusterwright.json_output.schemas import schemas
from tests.stacks.deployment import Account
from tests.support.command_line import clusterwright
from tests.support.deployed_cluster import Deployed
from tests.support.rich_specs import ACCOUNT, MINIMAL, changed

pytestmark = pytest.mark.usefixtures("in_account")

BASE = changed(
    MINIMAL,
    protection="destroy",
    storage={"lustre": [{"name": "fsx", "capacity_gib": 9600, "throughput_mbps_per_tib": 500}]},
)


def diff(path: Path, *options: str, **changes: Any) -> dict[str, Any]:
    path.write_text(json.dumps(changed(BASE, **changes)))
    found = clusterwright("diff", path, "--deployed", "--format", "json", *options)
    data: dict[str, Any] = json.loads(found.out)
    jsonschema.validate(data, schemas()["diff-output.schema.json"])
    return data


def test_deployed_stacks_match_the_spec(deployed: Deployed) -> None:
    data = diff(deployed.path)
    assert (data["changes"], data["resources"], data["drift"]) == ([], [], [])
    assert data["unknown"] == []
    assert data["verdict"] == "pass"


def test_change_is_detected_from_the_recorded_spec(deployed: Deployed) -> None:
    data = diff(deployed.path, compute__1__count=8)
    assert data["changes"] == [{"path": "compute[workers].count", "before": 4, "after": 8}]
    assert data["cost_delta"]["monthly_usd"] > 0
    found = {r["logical_id"]: r["effect"] for r in data["resources"]}
    assert found.pop("Cluster") == "update"
    _only_the_job_files(found)


def _only_the_job_files(effects: dict[str, str]) -> None:
    """The job files, which have the number of nodes, are uploaded again."""
    ((name, effect),) = effects.items()
    assert (name[:18], effect) == ("CopyCustomResource", "update")


def test_change_sets_are_deleted(deployed: Deployed) -> None:
    diff(deployed.path, compute__1__count=8)
    cloudformation = Account(ACCOUNT).client("cloudformation")
    for stack in cloudformation.describe_stacks()["Stacks"]:
        found = cloudformation.list_change_sets(StackName=stack["StackName"])["Summaries"]
        assert not [s for s in found if s["ChangeSetName"].startswith("clusterwright-review")]
        assert stack["StackStatus"] == "CREATE_COMPLETE"


def test_replacement_is_detected_from_the_deployed_stack(deployed: Deployed) -> None:
    data = diff(deployed.path, network__availability_zone_id="use1-az4")
    lost = {r["type"] for r in data["resources"] if r["effect"] == "replace" and r["data_loss"]}
    assert {"AWS::FSx::FileSystem", "AWS::SageMaker::Cluster"} <= lost
    assert data["verdict"] == "fail"


def test_without_change_sets_only_stacks_and_templates_are_read(deployed: Deployed) -> None:
    data = diff(deployed.path, "--no-change-sets", compute__1__count=8)
    found = {r["logical_id"]: r["effect"] for r in data["resources"]}
    assert found.pop("Cluster") == "update"
    _only_the_job_files(found)


def test_manual_change_is_reported(deployed: Deployed) -> None:
    logs = Account(ACCOUNT).client("logs")
    name = "/clusterwright/test/lifecycle/copying"
    logs.put_retention_policy(logGroupName=name, retentionInDays=1)
    try:
        drift = diff(deployed.path)["drift"]
    finally:
        logs.put_retention_policy(logGroupName=name, retentionInDays=90)
    assert [entry for entry in drift if "RetentionInDays" in entry["path"]]


def test_undeployed_environment_has_no_stacks(deployed: Deployed) -> None:
    data = diff(deployed.path, environment="other")
    assert "nothing of other is deployed" in data["notes"][0]
    assert {r["action"] for r in data["resources"]} == {"create"}


def test_unchecked_resources_are_named(deployed: Deployed) -> None:
    """CloudFormation checks some types only; the rest is not reported as unchanged."""
    data = diff(deployed.path)
    named = {resource["type"] for resource in data["drift_unchecked"]}
    compared = {"AWS::EC2::SecurityGroup", "AWS::EC2::SecurityGroupIngress"}
    assert not named & compared
    assert data["unknown"] == []


def test_changed_security_group_rules_are_drift(deployed: Deployed) -> None:
    """A rule opened to the internet, and a rule of Lustre that was revoked."""
    ec2 = Account(ACCOUNT).client("ec2")
    groups = {g["Description"]: g for g in ec2.describe_security_groups()["SecurityGroups"]}
    (lustre,) = (g for text, g in groups.items() if "ustre" in text)
    ssh = [
        {
            "IpProtocol": "tcp",
            "FromPort": 22,
            "ToPort": 22,
            "IpRanges": [{"CidrIp": "0.0.0.0/0"}],
        }
    ]
    port = next(p for p in lustre["IpPermissions"] if p.get("FromPort") == 988)
    revoked = [{**port, "UserIdGroupPairs": port["UserIdGroupPairs"][:1]}]
    ec2.authorize_security_group_ingress(GroupId=lustre["GroupId"], IpPermissions=ssh)
    ec2.revoke_security_group_ingress(GroupId=lustre["GroupId"], IpPermissions=revoked)
    try:
        data = diff(deployed.path)
    finally:
        ec2.revoke_security_group_ingress(GroupId=lustre["GroupId"], IpPermissions=ssh)
        ec2.authorize_security_group_ingress(GroupId=lustre["GroupId"], IpPermissions=revoked)
    rules = [entry for entry in data["drift"] if entry["path"].endswith(".rules")]
    assert "tcp 22-22 from 0.0.0.0/0" in [entry["after"] for entry in rules]
    (gone,) = (entry["before"] for entry in rules if entry["after"] is None)
    assert gone.startswith("tcp 988-988 from sg-")
    assert "drift: " in data["summary"]["happens"]

"""ParallelCluster on the local AWS where IAM is enforced: deployed, changed, refused, taken away.

The configuration is validated by aws-parallelcluster's schema and update policies; its validators,
which need an AWS on a port, run in `make demo PLATFORM=parallelcluster`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.parallelcluster import outputs as texts
from clusterwright.platforms.parallelcluster.document import render
from clusterwright_localaws import local_aws
from clusterwright_localaws.testing import PCLUSTER_PYTHON
from tests.stacks.deployment import Account, bootstrapped, order
from tests.support.pcluster import pcluster_python
from tests.support.rich_specs import PARALLELCLUSTER, changed
from tests.support.specs import write
from tests.support.synthesis import Build

__all__ = ["pcluster_python"]

SPEC = changed(PARALLELCLUSTER, protection="destroy")
HEAD, LOGIN, WORKERS = "m5.4xlarge", "m5.4xlarge", "p5.48xlarge"


@pytest.fixture(scope="module")
def account(pcluster_python: str) -> Iterator[Account]:
    with pytest.MonkeyPatch.context() as patch, local_aws(iam="enforced"):
        patch.setenv(PCLUSTER_PYTHON, pcluster_python)
        found = bootstrapped()
        everything = {"Effect": "Allow", "Action": "*", "Resource": "*"}
        found.client("iam").create_policy(
            PolicyName="parallelcluster-boundary",
            PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": everything}),
        )
        yield found


@pytest.fixture(scope="module")
def before(account: Account) -> dict[str, list[str]]:
    """Resources before any deployment."""
    return account.holdings()


@pytest.fixture(scope="module")
def deployed(account: Account, before: dict[str, list[str]], build: Build) -> Account:
    """The account with the deployed `SPEC`; tests that change it restore it."""
    assert before["stacks"] == []
    account.deploy(build(SPEC))
    return account


def instances(account: Account) -> list[dict[str, Any]]:
    """The running instances of the cluster."""
    found = account.client("ec2").describe_instances(
        Filters=[
            {"Name": "tag:parallelcluster:cluster-name", "Values": ["test"]},
            {"Name": "instance-state-name", "Values": ["running"]},
        ]
    )
    return [one for each in found["Reservations"] for one in each["Instances"]]


def nodes(account: Account) -> list[str]:
    """`HeadNode`, `LoginNode`, or `queue/compute resource`, for each instance."""
    found = []
    for one in instances(account):
        tags = {tag["Key"]: tag["Value"] for tag in one["Tags"]}
        queue = tags.get("parallelcluster:queue-name")
        resource = tags.get("parallelcluster:compute-resource-name")
        found.append(f"{queue}/{resource}" if queue else tags["parallelcluster:node-type"])
    return sorted(found)


NODES = ["HeadNode", "LoginNode", *["spare/spot"] * 2, *["training/workers"] * 4]


def refusal(account: Account, build: Build, spec: dict[str, Any]) -> str:
    """Return the reason of a refused change."""
    with pytest.raises(AssertionError, match="UPDATE_ROLLBACK_COMPLETE") as refused:
        account.deploy(build(spec))
    return str(refused.value)


def test_cluster_has_a_separate_stack(deployed: Account) -> None:
    assert nodes(deployed) == sorted(NODES)
    outputs = deployed.outputs("test-cluster")
    (head,) = (one for one in instances(deployed) if one["InstanceId"] == outputs["HeadNodeId"])
    assert outputs["HeadNodeAddress"] == head["PrivateIpAddress"]
    assert (
        outputs["ClusterStackArn"]
        == deployed.client("cloudformation").describe_stacks(StackName="test")["Stacks"][0][
            "StackId"
        ]
    )
    assert "Values=test" in outputs["ListNodesCommand"]
    assert "<instance-id>" in outputs["SsmLoginCommand"]
    assert outputs["LustreFileSystemId"].startswith("fs-")
    assert outputs["LustreDnsName2"]


def test_nodes_are_in_the_created_network_and_groups(deployed: Account) -> None:
    ec2 = deployed.client("ec2")
    groups = {
        frozenset(each["GroupId"] for each in one["SecurityGroups"]) for one in instances(deployed)
    }
    every, with_database = sorted(groups, key=len)
    assert every < with_database, "the head node has one group more"
    (found,) = ec2.describe_security_groups(GroupIds=list(every))["SecurityGroups"]
    assert found["Description"] == "test: nodes of the cluster"
    (more,) = ec2.describe_security_groups(GroupIds=list(with_database - every))["SecurityGroups"]
    assert more["Description"] == "test: Slurm controller"
    assert any(
        rule["IpProtocol"] == "-1"
        and any(pair["GroupId"] == found["GroupId"] for pair in rule["UserIdGroupPairs"])
        for rule in found["IpPermissions"]
    )
    nfs = [rule for rule in found["IpPermissionsEgress"] if rule.get("FromPort") == 2049]
    assert any(each["CidrIp"] == "10.0.0.0/16" for rule in nfs for each in rule["IpRanges"])


def test_groups_with_efa_have_a_placement_group(deployed: Account) -> None:
    placed = {
        one["InstanceType"]: one["Placement"].get("GroupName", "") for one in instances(deployed)
    }
    assert placed[HEAD] == ""
    (group,) = deployed.client("ec2").describe_placement_groups(GroupNames=[placed[WORKERS]])[
        "PlacementGroups"
    ]
    assert group["Strategy"] == "cluster"


def configuration(account: Account) -> Any:
    """The configuration of the cluster's stack, as stored by the provider."""
    (bucket,) = (
        one["Name"]
        for one in account.client("s3").list_buckets()["Buckets"]
        if "pcluster" in one["Name"]
    )
    kept = account.client("s3").get_object(Bucket=bucket, Key="test/cluster-config.json")
    return json.loads(kept["Body"].read())


def test_nodes_can_read_their_scripts(deployed: Account) -> None:
    """Independent of their arguments, they run the latest version."""
    found = configuration(deployed)
    queue = found["Scheduling"]["SlurmQueues"][0]["CustomActions"]["OnNodeConfigured"]
    prefix, digest = queue["Args"][:2]
    s3 = deployed.client("s3")

    def text(uri: str) -> str:
        bucket, key = uri.removeprefix("s3://").split("/", 1)
        body: bytes = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
        return body.decode()

    head = found["HeadNode"]["CustomActions"]["OnNodeConfigured"]
    assert head["Args"][1:] == ["latest", "controller"]
    whole, whole_digest = found["HeadNode"]["CustomActions"]["OnNodeUpdated"]["Args"][:2]
    assert text(head["Args"][0]) == f"{whole} {whole_digest}\n"
    assert text(head["Script"]) == text(queue["Script"]) == text(f"{prefix}on_node_configured.sh")
    assert hashlib.sha256(text(f"{prefix}manifest.sha256").encode()).hexdigest() == digest
    assert len(json.loads(text(f"{prefix}cluster.json"))["groups"]) == 2
    assert len(json.loads(text(f"{whole}cluster.json"))["groups"]) == 4
    assert not re.search(r"[0-9a-f]{16}", head["Script"] + head["Args"][0]), "never changes"
    deployment = json.loads(text(f"{prefix}deployment.json"))
    assert (
        deployment["lustre"][0]["dns_name"] == (deployed.outputs("test-cluster")["LustreDnsName"])
    )


def test_database_has_the_password_of_the_secret(deployed: Account) -> None:
    database = configuration(deployed)["Scheduling"]["SlurmSettings"]["Database"]
    (instance,) = deployed.client("rds").describe_db_instances()["DBInstances"]
    assert database["Uri"] == f"{instance['Endpoint']['Address']}:3306"
    assert database["UserName"] == instance["MasterUsername"]
    secret = deployed.client("secretsmanager").get_secret_value(
        SecretId=database["PasswordSecretArn"]
    )["SecretString"]
    assert re.fullmatch(r"[A-Za-z0-9]{32}", secret), "no JSON"


def test_every_node_has_the_permissions_that_scripts_need(deployed: Account) -> None:
    iam = deployed.client("iam")
    roles = {
        role["RoleName"]: role["Arn"]
        for role in iam.list_roles()["Roles"]
        if "/parallelcluster/test/" in role["Arn"]
    }
    assert len(roles) == 4, "head node, two queues, one pool"
    scripts = next(
        b["Name"]
        for b in deployed.client("s3").list_buckets()["Buckets"]
        if b["Name"].startswith("sagemaker-")
    )
    for name, arn in roles.items():
        asked = ["s3:GetObject", "s3:PutObject", "kms:CreateKey"]
        found = iam.simulate_principal_policy(
            PolicySourceArn=arn,
            ActionNames=asked,
            ResourceArns=[f"arn:aws:s3:::{scripts}/parallelcluster/latest"],
        )["EvaluationResults"]
        decisions = {one["EvalActionName"]: one["EvalDecision"] for one in found}
        assert decisions["s3:GetObject"] == "allowed", name
        assert decisions["s3:PutObject"] != "allowed", name
        boundary = iam.get_role(RoleName=name)["Role"]["PermissionsBoundary"]
        assert boundary["PermissionsBoundaryArn"].endswith("parallelcluster-boundary")


def test_outputs_render_the_deployed_configuration(deployed: Account, tmp_path: Path) -> None:
    """`clusterwright render parallelcluster --outputs`: the configuration, byte for byte."""
    cluster = load_cluster(write(tmp_path / "spec.yaml", SPEC)).cluster
    said = {
        name: value
        for name, value in deployed.outputs("test-cluster").items()
        if name in texts.VALUES
    }
    assert texts.missing(cluster, said) == {}
    mine = render(cluster, load_catalog(), texts.supplied_from(cluster, said))
    s3 = deployed.client("s3")
    (theirs,) = (
        json.loads(s3.get_object(Bucket=bucket["Name"], Key=found["Key"])["Body"].read())
        for bucket in s3.list_buckets()["Buckets"]
        if not bucket["Name"].endswith("--x-s3")
        for found in s3.list_objects_v2(Bucket=bucket["Name"]).get("Contents", [])
        if found["Key"].endswith("test/cluster-config.json")
    )
    assert {**theirs, "Tags": None} == {**_as_text(mine), "Tags": None}
    assert {one["Key"] for one in mine["Tags"]} <= {one["Key"] for one in theirs["Tags"]}


def _as_text(value: Any) -> Any:
    """As a custom resource receives it: CloudFormation converts numbers and booleans to text."""
    if isinstance(value, dict):
        return {key: _as_text(below) for key, below in value.items()}
    if isinstance(value, list):
        return [_as_text(one) for one in value]
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_added_nodes_change_only_the_cluster_jobs_and_alerts(
    deployed: Account, build: Build
) -> None:
    """Alert rules compare with the number of nodes, and the job files have it."""
    statuses = deployed.deploy(build(changed(SPEC, compute__2__count=6)))
    assert {name for name, status in statuses.items() if status != "unchanged"} == {
        "test-cluster",
        "test-lifecycle",
        "test-observability",
    }
    assert nodes(deployed).count("training/workers") == 6
    fewer = refusal(deployed, build, SPEC)
    assert "QueueUpdateStrategy must be set to TERMINATE" in fewer
    assert nodes(deployed).count("training/workers") == 6
    terminate = changed(SPEC, parallelcluster={"queue_update_strategy": "terminate"})
    deployed.deploy(build(terminate))
    assert nodes(deployed) == sorted(NODES)
    deployed.deploy(build(SPEC))


def test_changed_users_are_accepted(deployed: Account, build: Build) -> None:
    """Users are in the scripts: the arguments of head and login nodes must not change."""
    before = configuration(deployed)
    users = [*SPEC["slurm"]["users"], {"name": "bob", "uid": 20002}]
    statuses = deployed.deploy(build(changed(SPEC, slurm__users=users)))
    assert {name for name, status in statuses.items() if status != "unchanged"} == {
        "test-lifecycle",
        "test-cluster",
    }
    after = configuration(deployed)
    pools = (before["LoginNodes"]["Pools"][0], after["LoginNodes"]["Pools"][0])
    for first, second in (pools, (before["HeadNode"], after["HeadNode"])):
        lasting = [one["CustomActions"]["OnNodeConfigured"] for one in (first, second)]
        assert lasting[0] == lasting[1]
    assert (
        before["HeadNode"]["CustomActions"]["OnNodeUpdated"]
        != after["HeadNode"]["CustomActions"]["OnNodeUpdated"]
    )
    deployed.deploy(build(SPEC))


def test_changed_head_node_is_refused_with_the_reason(deployed: Account, build: Build) -> None:
    said = refusal(deployed, build, changed(SPEC, compute__0__instance_type="m5.8xlarge"))
    assert "HeadNode.InstanceType" in said
    assert nodes(deployed) == sorted(NODES)


def test_deletion_leaves_only_logs(
    deployed: Account, before: dict[str, list[str]], build: Build
) -> None:
    """The last test of the module: ParallelCluster's provider keeps only its log."""
    for name in reversed(order(build(SPEC))):
        deployed.delete(name)
    assert instances(deployed) == []
    left = deployed.holdings()
    logs = left.pop("log groups")
    assert left == {kind: names for kind, names in before.items() if kind != "log groups"}
    assert all(name.startswith("/aws/lambda/pcluster-cfn-") for name in logs)

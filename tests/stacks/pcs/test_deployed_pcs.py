"""PCS on the local AWS where IAM is enforced: deployed, changed, refused, taken away."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from tests.stacks.deployment import Account, bootstrapped, objects, order
from tests.support.rich_specs import PCS, changed
from tests.support.synthesis import Build

SPEC = changed(PCS, protection="destroy")


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    with local_aws(iam="enforced"):
        found = bootstrapped()
        everything = {"Effect": "Allow", "Action": "*", "Resource": "*"}
        found.client("iam").create_policy(
            PolicyName="boundary",
            PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": everything}),
        )
        found.client("ec2").create_key_pair(KeyName="operators", KeyType="ed25519")
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


def groups(account: Account) -> dict[str, dict[str, Any]]:
    """Every compute node group of the cluster, by name."""
    pcs = account.client("pcs")
    listed = pcs.list_compute_node_groups(clusterIdentifier="test")["computeNodeGroups"]
    found = [
        pcs.get_compute_node_group(clusterIdentifier="test", computeNodeGroupIdentifier=one["id"])
        for one in listed
    ]
    return {one["computeNodeGroup"]["name"]: one["computeNodeGroup"] for one in found}


def instances(account: Account) -> list[dict[str, Any]]:
    """The running instances of the cluster."""
    outputs = account.outputs("test-cluster")
    found = account.client("ec2").describe_instances(
        Filters=[
            {"Name": "tag:aws:pcs:cluster-id", "Values": [outputs["ClusterId"]]},
            {"Name": "instance-state-name", "Values": ["running"]},
        ]
    )
    return [one for each in found["Reservations"] for one in each["Instances"]]


def job_files(account: Account) -> dict[str, str]:
    """The job files at the address that the lifecycle action of the login nodes has."""
    actions = groups(account)["login"]["nodeLifecycleActions"]["stages"]["nodeBootstrapped"]
    bucket, _, prefix = actions[0]["arguments"][0].removeprefix("s3://").partition("/")
    found: dict[str, str] = json.loads(objects(account, bucket, prefix)["jobs.json"])
    return found


def refusal(account: Account, build: Build, spec: dict[str, Any]) -> str:
    """Return the reason of a refused change."""
    with pytest.raises(AssertionError, match="UPDATE_ROLLBACK_COMPLETE") as refused:
        account.deploy(build(spec))
    return str(refused.value)


def test_cluster_has_the_size_that_its_instances_need(deployed: Account) -> None:
    cluster = deployed.client("pcs").get_cluster(clusterIdentifier="test")["cluster"]
    assert (cluster["status"], cluster["size"]) == ("ACTIVE", "MEDIUM")
    assert cluster["scheduler"] == {"type": "SLURM", "version": "25.05"}
    configuration = cluster["slurmConfiguration"]
    assert configuration["accounting"] == {"mode": "STANDARD", "defaultPurgeTimeInDays": 365}
    assert configuration["slurmRest"] == {"mode": "STANDARD"}
    settings = {
        one["parameterName"]: one["parameterValue"] for one in configuration["slurmCustomSettings"]
    }
    assert settings["SelectTypeParameters"] == "CR_CPU_Memory"
    assert settings["PreemptMode"] == "REQUEUE"
    assert deployed.outputs("test-cluster")["ClusterArn"] == cluster["arn"]


def test_groups_have_their_counts_capacity_and_lifecycle_action(deployed: Account) -> None:
    found = groups(deployed)
    assert {
        name: (one["scalingConfiguration"], one["purchaseOption"]) for name, one in found.items()
    } == {
        "login": ({"minInstanceCount": 1, "maxInstanceCount": 1}, "ONDEMAND"),
        "workers": ({"minInstanceCount": 4, "maxInstanceCount": 4}, "ONDEMAND"),
        "spot": ({"minInstanceCount": 2, "maxInstanceCount": 40}, "SPOT"),
    }
    for name, one in found.items():
        (script,) = one["nodeLifecycleActions"]["stages"]["nodeBootstrapped"]
        source = script["scriptSource"]
        bucket, _, key = source["scriptLocation"].removeprefix("s3://").partition("/")
        body = deployed.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read()
        assert _sha256(body) == source["checksum"]
        prefix, manifest, group = script["arguments"]
        assert (group, script["onError"]) == (name, "TERMINATE")
        listed = deployed.client("s3").get_object(
            Bucket=bucket, Key=f"{prefix.removeprefix(f's3://{bucket}/')}manifest.sha256"
        )["Body"]
        assert _sha256(listed.read()) == manifest


def test_queues_are_the_partitions(deployed: Account) -> None:
    pcs = deployed.client("pcs")
    found = {}
    for one in pcs.list_queues(clusterIdentifier="test")["queues"]:
        queue = pcs.get_queue(clusterIdentifier="test", queueIdentifier=one["id"])["queue"]
        ids = [g["computeNodeGroupId"] for g in queue["computeNodeGroupConfigurations"]]
        names = {group["id"]: name for name, group in groups(deployed).items()}
        found[one["name"]] = [names[each] for each in ids]
    assert found == {"training": ["workers"], "spare": ["spot"]}


def test_instances_have_interfaces_tags_and_a_role_that_pcs_accepts(deployed: Account) -> None:
    running = instances(deployed)
    by_group: dict[str, list[dict[str, Any]]] = {}
    for one in running:
        tags = {tag["Key"]: tag["Value"] for tag in one["Tags"]}
        assert tags["clusterwright:environment"] == "test"
        by_group.setdefault(tags["clusterwright:group"], []).append(one)
    assert {name: len(found) for name, found in by_group.items()} == {
        "login": 1,
        "workers": 4,
        "spot": 2,
    }
    template = groups(deployed)["workers"]["customLaunchTemplate"]
    (version,) = deployed.client("ec2").describe_launch_template_versions(
        LaunchTemplateId=template["id"], Versions=[template["version"]]
    )["LaunchTemplateVersions"]
    cards = [one["NetworkCardIndex"] for one in version["LaunchTemplateData"]["NetworkInterfaces"]]
    assert sorted(set(cards)) == list(range(32))
    profiles = {one["iamInstanceProfileArn"] for one in groups(deployed).values()}
    assert len(profiles) == 2
    assert all("/aws-pcs/clusterwright/test/" in arn for arn in profiles)


def test_count_changes_in_place_and_name_of_a_group_replaces_it(
    deployed: Account, build: Build
) -> None:
    """Every instance that ran stays, and the scripts have job files for the new number."""
    before, jobs = groups(deployed), job_files(deployed)
    running = {one["InstanceId"] for one in instances(deployed)}
    more = changed(SPEC)
    more["compute"][1]["count"] = 6
    deployed.deploy(build(more))
    after = groups(deployed)
    assert after["workers"]["id"] == before["workers"]["id"]
    assert after["workers"]["scalingConfiguration"]["minInstanceCount"] == 6
    assert running < {one["InstanceId"] for one in instances(deployed)}
    assert "#SBATCH --nodes=6\n" in job_files(deployed)["fsdp2.sbatch"]
    deployed.deploy(build(SPEC))
    assert job_files(deployed) == jobs


def test_refused_settings_roll_back(deployed: Account, build: Build) -> None:
    without = changed(SPEC)
    del without["pcs"]["cgroup_settings"]
    assert "must not be empty" in refusal(deployed, build, without)
    older = changed(SPEC)
    older["pcs"]["slurm_version"] = "24.11"
    older["pcs"]["rest_api"] = False
    assert "only newer versions are supported" in refusal(deployed, build, older)


def test_deletion_leaves_only_the_key_of_volumes(
    deployed: Account, before: dict[str, list[str]], build: Build
) -> None:
    """The last test of the module: the account's key for volumes is made at its first use."""
    for name in reversed(order(build(SPEC))):
        deployed.delete(name)
    left = deployed.holdings()
    (key,) = left.pop("keys")
    default = deployed.client("ec2").get_ebs_default_kms_key_id()["KmsKeyId"]
    assert deployed.client("kms").describe_key(KeyId=default)["KeyMetadata"]["KeyId"] == key
    assert left == {kind: names for kind, names in before.items() if kind != "keys"}


def _sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()

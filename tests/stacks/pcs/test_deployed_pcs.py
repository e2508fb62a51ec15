"""PCS on the local AWS where IAM is enforced: deployed, changed, refused, taken away."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cli import accept_follow
from clusterwright.json_output.schemas import schemas
from clusterwright.operate.running_configuration import INPUT_FILES, PROGRAM_FILE, inputs_sha256
from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.pcs.settings import cluster_settings
from clusterwright_localaws import local_aws
from tests.stacks.deployment import Account, bootstrapped, objects, order
from tests.support.acceptance_controller import AcceptanceController
from tests.support.command_line import clusterwright
from tests.support.deployed_cluster import publish
from tests.support.rich_specs import ACCOUNT, PCS, changed
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


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the deployed spec, for commands in its account."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCOUNT)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    monkeypatch.setenv("CLUSTERWRIGHT_CACHE", os.fspath(tmp_path / "cache"))
    path = tmp_path / "test.yaml"
    path.write_text(json.dumps(SPEC))
    return path


def answer(command: str, spec: Path, code: int, *words: str) -> dict[str, Any]:
    """The JSON of a command, which has its schema and ends with `code`."""
    found = clusterwright(command, spec, "--format", "json", *words)
    data: dict[str, Any] = json.loads(found.out)
    jsonschema.validate(data, schemas()[f"{command}-output.schema.json"])
    assert found.exit_code == data["exit_code"] == code, data
    return data


def nodes(account: Account) -> list[dict[str, Any]]:
    """The compute nodes as Slurm has them: group and number."""
    found: list[dict[str, Any]] = []
    for one in instances(account):
        group = next(t["Value"] for t in one["Tags"] if t["Key"] == "clusterwright:group")
        number = 1 + sum(node["group"] == group for node in found)
        found.append(
            {
                "name": f"{group}-{number}",
                "group": group,
                "instance_id": one["InstanceId"],
                "address": one["PrivateIpAddress"],
                "states": ["IDLE"],
            }
        )
    return [node for node in found if node["group"] != "login"]


def publish_state(account: Account, spec: Path, **changes: Any) -> list[dict[str, Any]]:
    """Publish the nodes as the login node does; return them."""
    found = nodes(account)
    publish(account, lifecycle_bucket(load_cluster(spec).cluster), found, **changes)
    return found


def test_drift_is_found_in_resources_settings_and_inputs(deployed: Account, spec: Path) -> None:
    cluster = load_cluster(spec).cluster
    actions = groups(deployed)["login"]["nodeLifecycleActions"]["stages"]["nodeBootstrapped"]
    bucket, _, prefix = actions[0]["arguments"][0].removeprefix("s3://").partition("/")
    uploaded = objects(deployed, bucket, prefix)
    running = {
        "inputs_sha256": inputs_sha256({name: uploaded.get(name) for name in INPUT_FILES}),
        "slurm_conf": cluster_settings(cluster, load_catalog()),
        "program": {"versions": {str(uploaded[PROGRAM_FILE]).strip(): ["clusterwright_state"]}},
    }
    publish_state(deployed, spec, configuration=running)
    data = answer("drift", spec, 0)
    assert data["differences"] == []
    assert not [e for e in data["not_compared"] if "Slurm" in e["what"] or "inputs" in e["what"]]

    changed_settings = {**running["slurm_conf"], "SelectTypeParameters": "CR_CORE"}
    publish_state(
        deployed,
        spec,
        configuration={
            "inputs_sha256": "0" * 64,
            "slurm_conf": changed_settings,
            "program": {"versions": {"1" * 64: ["clusterwright_state"]}},
        },
    )
    pcs = deployed.client("pcs")
    named = {"clusterIdentifier": "test", "computeNodeGroupIdentifier": "spot"}
    scaling = {"minInstanceCount": 2, "maxInstanceCount": 41}
    pcs.update_compute_node_group(**named, scalingConfiguration=scaling)
    try:
        found = {
            (entry["resource"].rpartition("/")[2][:4], entry["path"], entry["deployed"])
            for entry in answer("drift", spec, 1)["differences"]
        }
    finally:
        scaling["maxInstanceCount"] = 40
        pcs.update_compute_node_group(**named, scalingConfiguration=scaling)
    assert ("slur", "SelectTypeParameters", "CR_CORE") in found
    assert ("ip-1", "inputs_sha256", "0" * 64) in found
    assert ("ip-1", "program_sha256", "1" * 64) in found
    assert any("axInstanceCount" in path and value == "41" for _, path, value in found), found


def test_topology_has_ec2s_network_nodes_and_jobs(deployed: Account, spec: Path) -> None:
    workers = [node["name"] for node in nodes(deployed) if node["group"] == "workers"]
    publish_state(deployed, spec, running=[{"id": "7", "nodes": workers}])
    data = answer("topology", spec, 0)
    places = {node["name"]: node for node in data["nodes"]}
    ids = {node["name"]: node["instance_id"] for node in nodes(deployed)}
    assert {name: place["instance_id"] for name, place in places.items()} == ids
    # EC2 has a topology of p5.48xlarge, not of p5.4xlarge; PCS sets no plug-in of Slurm's.
    assert {len(places[name]["path"]) for name in workers} == {3}
    assert places["spot-1"]["path"] == []
    assert {place["agrees"] for place in places.values()} == {"unknown"}
    assert [(job["id"], job["spines"]) for job in data["jobs"]] == [("7", 1)]


def test_capacity_prices_the_failure_of_a_node(deployed: Account, spec: Path) -> None:
    workers = [node["name"] for node in nodes(deployed) if node["group"] == "workers"]
    job = {"id": "7", "nodes": workers[:-1], "since": "2026-11-23T07:00:00Z"}
    publish_state(deployed, spec, running=[job])
    data = answer("capacity", spec, 0)
    (failure,) = [one for one in data["failures"] if one["group"] == "workers"]
    assert (failure["job"], failure["job_nodes"]) == ("7", 3)
    assert failure["replacement"] == "idle-node"
    assert failure["cost_usd"]["most"] > 0
    spares = {one["group"]: one for one in data["spares"]}
    assert (spares["workers"]["nodes"], spares["spot"]["capacity"]) == (4, "spot")


def test_accept_sends_a_request_to_the_login_node(
    deployed: Account, spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accept_follow, "_POLL_SECONDS", 0.05)
    workers = [one["name"] for one in publish_state(deployed, spec) if one["group"] == "workers"]
    bucket = lifecycle_bucket(load_cluster(spec).cluster)
    controller = AcceptanceController(deployed, bucket, workers)
    controller.verdicts = {workers[1]: "rejected"}
    with controller:
        data = answer("accept", spec, 1, "--nodes", ",".join(workers[:2]))
    assert controller.request["nodes"] == workers[:2]
    assert {one["name"]: one["verdict"] for one in data["nodes"]} == {
        workers[0]: "accepted",
        workers[1]: "rejected",
    }
    assert [(one["group"], one["nodes"]) for one in data["plan"]] == [("workers", 2)]
    assert data["plan"][0]["cost_usd"] > 0


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

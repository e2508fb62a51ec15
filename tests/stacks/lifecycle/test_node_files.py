"""The node program's own parser accepts the files of the stacks, for every config."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.loading import load_cluster
from stacks.lifecycle.node_contract import to_json
from stacks.lifecycle.node_files import configuration, for_queue
from tests.stacks.templates import deployed_file, deployed_files
from tests.support.rich_specs import FULL, MINIMAL, changed
from tests.support.synthesis import ROOT, Assembly, Build

CONFIGS = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "configs").rglob("*.yaml")
    if path.name != "base.yaml"
    and path.parent.name != "users"
    # Kubernetes nodes have none of these files.
    and load_cluster(path).cluster.uses_slurm
)

SCRIPTED = changed(
    FULL,
    slurm__configuration="scripted",
    resilience__node_provisioning=None,
    compute__2__min_count=None,
    slurm__topology="auto",
)

# Values that CloudFormation inserts, by key.
DEPLOYED = {
    "prometheus_workspace_id": "ws-0123abcd-0123-0123-0123-0123456789ab",
    "dns_name": "fs-0123456789abcdef0.fsx.us-east-1.amazonaws.com",
    "mount_name": "abcdefgh",
    "fsx_dns_name": "fs-0123456789abcdef0.fsx.us-east-1.amazonaws.com",
    "fsx_mountname": "abcdefgh",
    "fsx_openzfs_dns_name": "fs-0fedcba9876543210.fsx.us-east-1.amazonaws.com",
    "endpoint": "prod-accounting.abcdefghijkl.us-east-1.rds.amazonaws.com",
    "port": "3306",
    "munge_key_secret_arn": f"arn:aws:secretsmanager:us-east-1:{'1' * 12}:secret:x/munge-AbCdEf",
    "secret_arn": f"arn:aws:secretsmanager:us-east-1:{'1' * 12}:secret:prod/slurm-AbCdEf",
    "admin_secret_arn": f"arn:aws:secretsmanager:us-east-1:{'1' * 12}:secret:prod/admin-AbCdEf",
}


def filled_in(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: filled_in(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [filled_in(inner, key) for inner in value]
    return DEPLOYED[key] if value == "token" else value


def resource_config(cluster: Cluster) -> dict[str, Any]:
    """The files that HyperPod would add."""
    return {
        "ClusterConfig": {"ClusterName": cluster.environment, "ClusterArn": "arn"},
        "InstanceGroups": [
            {"Name": g.name, "InstanceType": f"ml.{g.instance_type}", "Instances": []}
            for g in cluster.compute
        ],
    }


@pytest.mark.parametrize("config", CONFIGS)
def test_node_program_accepts_every_file_of_every_config(config: str, synth: Any) -> None:
    assert_accepted(load_cluster(ROOT / config).cluster, synth(config))


def test_node_program_accepts_a_spec_with_every_feature(build: Build, tmp_path: Path) -> None:
    mirrored = changed(FULL, slurm__containers__install="mirrored")
    for index, spec in enumerate((FULL, MINIMAL, SCRIPTED, mirrored)):
        path = tmp_path / f"{index}.yaml"
        path.write_text(json.dumps(spec), encoding="utf-8")
        assert_accepted(load_cluster(path).cluster, build(spec))


def assert_accepted(cluster: Cluster, assembly: Assembly) -> None:
    from clusterwright_node import catalogue, disagreements, inputs  # on the path with stacks

    steps = catalogue.step_names()
    problems: list[str] = []
    files = deployed_files(assembly, "cluster.json")
    assert files
    parsed = [inputs.parse_cluster(file, problems, steps) for file in files]
    deployment = inputs.parse_deployment(
        filled_in(deployed_file(assembly, "deployment.json")), problems
    )
    resources = inputs.Resources(cluster.environment, {}, ())
    if cluster.on_hyperpod:
        resources = inputs.parse_resources(resource_config(cluster), problems)
    provisioning = None
    if cluster.slurm.configuration == "scripted":
        text = filled_in(deployed_file(assembly, "provisioning_parameters.json"))
        provisioning = inputs.parse_provisioning(text, problems)
    else:
        assert not list(assembly.directory.glob("asset.*/provisioning_parameters.json"))
    assert problems == []
    for file in parsed:
        found = inputs.Inputs(file, deployment, provisioning, resources)
        assert disagreements.disagreements(found, configuration(cluster)) == []


def test_partitions_spares_and_accelerators_are_in_the_node_files(build: Build) -> None:
    groups = {g["name"]: g for g in deployed_file(build(FULL), "cluster.json")["groups"]}
    assert groups["workers"] == {
        "name": "workers",
        "role": "compute",
        "instance_type": "p5.48xlarge",
        "accelerator": "nvidia",
        "accelerator_count": 8,
        "partition": "training",
        "spare_count": 1,
        "scratch": {"mount_path": "/scratch", "raid_level": 0},
        "efa": True,
        "cores": 96,
        "threads_per_core": 1,  # the spec's
        "memory_mib": 2_097_152,
    }
    assert groups["controller"]["partition"] is None
    assert groups["controller"]["accelerator"] == "none"


def test_neuron_groups_are_distinguished(synth: Any) -> None:
    groups = deployed_file(synth("configs/examples/p5-127-trn1-24.yaml"), "cluster.json")["groups"]
    assert {g["accelerator"] for g in groups} >= {"nvidia", "neuron", "none"}


def test_node_count_is_not_in_the_scripts(build: Build) -> None:
    """A changed count must not run the scripts again on existing nodes."""
    few, many = (
        deployed_file(build(changed(MINIMAL, compute__1__count=count)), "cluster.json")
        for count in (4, 40)
    )
    assert few == many


def test_first_partition_is_the_default(build: Build) -> None:
    partitions = deployed_file(build(FULL), "cluster.json")["slurm"]["partitions"]
    assert [(entry["name"], entry["default"]) for entry in partitions] == [
        ("training", True),
        ("spot", False),
    ]


def test_slurm_settings_are_in_the_node_files(build: Build) -> None:
    spec = changed(
        SCRIPTED,
        slurm__preemption="requeue",
        slurm__qos=[{"name": "urgent", "priority": 9, "preempts": ["low"]}, {"name": "low"}],
        slurm__accounts=[{"name": "research", "max_nodes": 5}],
        slurm__timeouts={"node_down_seconds": 150},
        slurm__priority_weights={"age": 7},
        slurm__partitions__0__max_time_minutes=600,
    )
    slurm = deployed_file(build(spec), "cluster.json")["slurm"]
    assert slurm["preemption"] == "requeue"
    assert slurm["qos"][0] == {
        "name": "urgent",
        "priority": 9,
        "preempts": ["low"],
        "grace_seconds": 0,
        "max_nodes_per_user": None,
        "max_time_minutes": None,
    }
    assert slurm["accounts"] == [{"name": "research", "fair_share": 1, "max_nodes": 5, "qos": []}]
    assert slurm["timeouts"]["node_down_seconds"] == 150
    assert slurm["timeouts"]["message_seconds"] == 60
    assert slurm["priority_weights"]["age"] == 7
    assert slurm["partitions"][0]["max_time_minutes"] == 600


def test_scripted_mode_has_its_own_munge_key(build: Build) -> None:
    assembly = build(SCRIPTED)
    assert deployed_file(assembly, "deployment.json")["munge_key_secret_arn"] == "token"
    assert deployed_file(build(FULL), "deployment.json")["munge_key_secret_arn"] is None
    secrets = [
        resource["Properties"]
        for resource in assembly.resources("AWS::SecretsManager::Secret").values()
        if resource["Properties"]["Name"] == "test/munge-key"
    ]
    (secret,) = secrets
    assert secret["GenerateSecretString"] == {"ExcludePunctuation": True, "PasswordLength": 128}
    assert "KmsKeyId" in secret
    text = json.dumps(assembly.resources("AWS::IAM::Policy"))
    assert '"Sid": "MungeKey"' in text
    assert "ec2:DescribeInstanceTopology" in text
    managed = json.dumps(build(FULL).resources("AWS::IAM::Policy"))
    assert '"Sid": "MungeKey"' not in managed
    assert "ec2:DescribeInstanceTopology" not in managed


def test_users_without_accounting_have_no_account(build: Build) -> None:
    spec = changed(
        FULL,
        slurm__accounting={"kind": "none"},
        network__second_availability_zone_id=None,
    )
    (user,) = deployed_file(build(spec), "cluster.json")["users"]
    assert user["slurm_account"] is None
    (user,) = deployed_file(build(FULL), "cluster.json")["users"]
    assert user["slurm_account"] == "research"
    assert (user["uid"], user["gid"]) == (20001, 20001)


def test_database_port_can_be_text(build: Build) -> None:
    accounting = deployed_file(build(FULL), "deployment.json")["accounting"]
    assert accounting == {
        "endpoint": "token",
        "port": "token",
        "database": "slurm_acct_db",
        "secret_arn": "token",
        "admin_secret_arn": None,
    }
    scripted = deployed_file(build(SCRIPTED), "deployment.json")["accounting"]
    assert (scripted["secret_arn"], scripted["admin_secret_arn"]) == ("token", "token")


def test_provisioning_parameters_list_groups_partitions_and_file_systems(build: Build) -> None:
    assert deployed_file(build(SCRIPTED), "provisioning_parameters.json") == {
        "version": "1.0.0",
        "workload_manager": "slurm",
        "controller_group": "controller",
        "login_group": "login",
        "worker_groups": [
            {"instance_group_name": "workers", "partition_name": "training"},
            {"instance_group_name": "spot", "partition_name": "spot"},
        ],
        "fsx_dns_name": "token",
        "fsx_mountname": "token",
        "fsx_openzfs_dns_name": "token",
    }


def test_compute_node_ends_the_same_with_the_file_of_its_queue(tmp_path: Path) -> None:
    """What `for_queue` leaves out, a compute node of ParallelCluster does not read."""
    from clusterwright_node.catalogue import step_names
    from clusterwright_node.contract import PARALLELCLUSTER  # on the path with stacks
    from clusterwright_node.inputs import parse_cluster

    from tests.nodes.world import make_world

    pictures = []
    for name in ("whole", "queue"):
        world = make_world(tmp_path / name, "workers-1", PARALLELCLUSTER)

        def edit(value: dict[str, Any]) -> None:
            value["slurm"]["priority_weights"] = dict.fromkeys(
                ("age", "fair_share", "job_size", "partition", "qos"), 7
            )
            value["slurm"]["preemption"] = "requeue"
            value["lustre"][0]["preload"] = [value["lustre"][0]["mount_path"] + "/data"]

        def reduce(value: dict[str, Any]) -> None:
            problems: list[str] = []
            file = parse_cluster(value, problems, step_names())
            assert problems == []
            partition = next(g.partition for g in file.groups if g.name == "workers")
            assert partition is not None
            found = to_json(for_queue(file, partition))
            value.update((key, found[key]) for key in ("groups", "lustre", "users", "slurm"))
            assert {group["role"] for group in value["groups"]} == {"controller", "compute"}

        world.edit("cluster.json", edit)
        if name == "queue":
            world.edit("cluster.json", reduce)
        run = world.run()
        assert run.code == 0, run.last
        picture = world.picture()
        copies = [path for path in picture["files"] if path.endswith("/cluster.json")]
        for path in copies:
            del picture["files"][path]
        pictures.append(picture)
    assert pictures[0] == pictures[1]

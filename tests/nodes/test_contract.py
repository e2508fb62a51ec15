"""The contract refuses invalid input files with the path of each problem."""

from __future__ import annotations

import pytest
from clusterwright_node.contract import zone_of_directory_bucket
from clusterwright_node.inputs import (
    parse_deployment,
)

from tests.nodes.input_values import (
    Edit,
    cluster_problems,
    deployment_problems,
)
from tests.nodes.world import input_files


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda c: c.update(schema_version=2), "schema_version: 2 is not between 1 and 1"),
        (
            lambda c: c.update(schema_version=True),
            "schema_version: expected an integer, found true",
        ),
        (lambda c: c.update(schema_version="1"), 'schema_version: expected an integer, found "1"'),
        (lambda c: c.pop("region"), "region: missing"),
        (lambda c: c.update(regoin="x"), "regoin: unknown key; did you mean region?"),
        (lambda c: c.update(platform="eks"), 'platform: "eks" is not one of hyperpod-slurm'),
        (lambda c: c.update(cluster="-x"), 'cluster: "-x" is not a HyperPod cluster name'),
        (lambda c: c.update(groups={}), "groups: expected a list, found an object"),
        (lambda c: c.update(groups=[]), "one group has role controller, found 0"),
        (lambda c: c["groups"].append(c["groups"][0]), "groups: name: duplicate controller"),
        (lambda c: c["groups"][1].update(role="controller"), "has role controller, found 2"),
        (
            lambda c: c["groups"][1].update(accelerator="cuda"),
            'groups[1].accelerator: "cuda" is not one of nvidia, neuron, none',
        ),
        (
            lambda c: c["groups"][2].update(accelerator_count=0),
            "groups[2]: accelerator nvidia with accelerator_count 0",
        ),
        (
            lambda c: c["groups"][2].update(accelerator_count=-1),
            "accelerator_count: -1 is not between",
        ),
        (
            lambda c: c["groups"][2].update(instance_type="ml.p5.48xlarge"),
            "is not EC2's name of an instance type, without ml.",
        ),
        (lambda c: c["groups"][2].update(partition=None), "None is not in slurm.partitions"),
        (
            lambda c: c["groups"][2].update(partition="x"),
            "partition: x is not in slurm.partitions",
        ),
        (
            lambda c: c["groups"][0].update(partition="train"),
            "must be null for a controller group",
        ),
        (
            lambda c: c["groups"][0].update(spare_count=1),
            "spare_count: must be 0 for a controller group",
        ),
        (
            lambda c: c["groups"][2]["scratch"].update(raid_level=1),
            "raid_level: 1 is not between 0",
        ),
        (
            lambda c: c["groups"][2]["scratch"].update(mount_path="x"),
            'mount_path: "x" is not an abs',
        ),
        (lambda c: c["lustre"][0].update(mount_path="/a/../b"), "lustre[0].mount_path: has .."),
        (lambda c: c["lustre"][0].update(mount_path="/"), '"/" is not an absolute path'),
        (lambda c: c["lustre"][0].update(mount_path="/home/fsx"), "overlap"),
        (
            lambda c: c["home"].update(mount_path=None),
            "home.mount_path: expected a string, found null",
        ),
        (lambda c: c["users"][0].update(uid=0), "users[0].uid: 0 is not between 1000 and 59999"),
        (lambda c: c["users"][0].update(name="Ada"), 'users[0].name: "Ada" is not a Unix name'),
        (lambda c: c["users"][0].update(name="a;b"), 'users[0].name: "a;b" is not a Unix name'),
        (
            lambda c: c["users"].append(dict(c["users"][0], name="b", gid=5002)),
            "uid: duplicate 5001",
        ),
        (
            lambda c: c["users"].append(dict(c["users"][0], name="b", uid=5002)),
            "private group of ada",
        ),
        (lambda c: c["users"][0].update(groups=["x"]), "users[0].groups: x is not in user_groups"),
        (
            lambda c: c["users"][0].update(groups=[1]),
            "groups[0]: expected a string, found an integer",
        ),
        (
            lambda c: c["users"][0].update(ssh_public_keys=["x"]),
            "not one line of an OpenSSH public",
        ),
        (
            lambda c: c["users"][0].update(ssh_public_keys=["ssh-rsa AAAA x\nssh-rsa AAAA y"]),
            "not one line of an OpenSSH public key",
        ),
        (lambda c: c["users"][0].update(sudo="yes"), 'sudo: expected true or false, found "yes"'),
        (
            lambda c: c["slurm"].update(accounting="none"),
            "slurm_account: slurm.accounting is none",
        ),
        (
            lambda c: c["slurm"]["partitions"].append({"name": "b", "default": True}),
            "more than one default",
        ),
        (lambda c: c.update(slurm=None), "slurm: expected an object, found null"),
        (lambda c: c["containers"].pop("pyxis"), "containers.pyxis: missing"),
        (lambda c: c["mountpoints"][0].update(prefix="tokens"), "is not a prefix that ends in /"),
        (lambda c: c["mountpoints"][0].update(prefix="a b/"), "is not a prefix that ends in /"),
        (lambda c: c["mountpoints"][0].update(bucket="A"), '"A" is not a bucket name'),
        (
            lambda c: c.update(directory_buckets=["plain"]),
            "plain is not the name of a directory bucket",
        ),
        (
            lambda c: c.update(checkpoint_path="/mnt/corpus/ckpt"),
            "is on a read-only Mountpoint for S3 (/mnt/corpus)",
        ),
        (lambda c: c["node_steps"].update(lustrе={}), "unknown key"),  # a Cyrillic letter
        (
            lambda c: c["node_steps"].update(identify={"enabled": False}),
            "identify: cannot be disabled",
        ),
        (
            lambda c: c["node_steps"]["lustre"].update(deadline_seconds=0),
            "0 is not between 1 and 7200",
        ),
    ],
)
def test_invalid_cluster_file_is_reported(edit: Edit, said: str) -> None:
    problems = cluster_problems(edit)
    assert any(said in problem for problem in problems), problems
    assert all(problem.startswith("cluster.json: ") for problem in problems)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda d: d["lustre"][0].pop("dns_name"), "lustre[0].dns_name: missing"),
        (lambda d: d["lustre"][0].update(dns_name="a b"), 'dns_name: "a b" is not a DNS name'),
        (lambda d: d["accounting"].update(port="33o6"), 'port: expected an integer, found "33o6"'),
        (lambda d: d["accounting"].update(port=70000), "port: 70000 is not between 1 and 65535"),
        (lambda d: d["accounting"].update(secret_arn="hunter2"), "is not the ARN of a secret"),
        (lambda d: d["accounting"].update(password="hunter2"), "password: unknown key"),
        (lambda d: d["home"].update(volume_path="fsx"), "volume_path"),
        (lambda d: d.update(log_group_name=""), "is not a log group name"),
    ],
)
def test_invalid_deployment_file_is_reported(edit: Edit, said: str) -> None:
    problems = deployment_problems(edit)
    assert any(said in problem for problem in problems), problems


def test_port_can_be_a_string_of_digits() -> None:
    value = input_files("managed")["deployment.json"]
    value["accounting"]["port"] = "3306"
    problems: list[str] = []
    deployment = parse_deployment(value, problems)
    assert problems == []
    assert deployment.accounting is not None
    assert deployment.accounting.port == 3306


def test_the_volume_path_has_a_default() -> None:
    value = input_files("managed")["deployment.json"]
    del value["home"]["volume_path"]
    deployment = parse_deployment(value, [])
    assert deployment.home is not None
    assert deployment.home.volume_path == "/fsx"


def test_zone_of_a_directory_bucket_is_parsed() -> None:
    assert zone_of_directory_bucket("acme--use1-az6--x-s3") == "use1-az6"
    assert zone_of_directory_bucket("acme-a--use1-dfw2-az1--x-s3") == "use1-dfw2-az1"

"""The files are read strictly, all problems at once, and never with a traceback."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from clusterwright_node.catalogue import step_names
from clusterwright_node.contract import zone_of_directory_bucket
from clusterwright_node.inputs import (
    parse_cluster,
    parse_deployment,
    parse_provisioning,
    parse_resources,
)
from clusterwright_node.parsing import parse_json
from clusterwright_node.paths import is_under
from hypothesis import given
from hypothesis import strategies as st

from tests.nodes.world import RESOURCES, World, input_files

Edit = Callable[[Any], Any]


def cluster_problems(edit: Edit) -> list[str]:
    value = input_files("managed")["cluster.json"]
    edit(value)
    problems: list[str] = []
    parse_cluster(value, problems, step_names())
    return problems


def deployment_problems(edit: Edit) -> list[str]:
    value = input_files("managed")["deployment.json"]
    edit(value)
    problems: list[str] = []
    parse_deployment(value, problems)
    return problems


def test_the_examples_of_the_reference_page_are_valid() -> None:
    for configuration in ("managed", "scripted"):
        problems: list[str] = []
        files = input_files(configuration)
        cluster = parse_cluster(files["cluster.json"], problems, step_names())
        deployment = parse_deployment(files["deployment.json"], problems)
        assert problems == []
        assert cluster.configuration == configuration
        assert cluster.groups[2].scratch is not None
        assert cluster.groups[2].scratch.mount_path == "/opt/dlami/nvme"
        assert cluster.node_steps["lustre"].deadline_seconds == 900
        assert cluster.node_steps["lustre"].retries is None
        source = deployment.lustre[0].source
        assert source == "fs-0123456789abcdef0.fsx.us-east-1.amazonaws.com@tcp:/abcdefgh"
    problems = []
    provisioning = parse_provisioning(
        input_files("scripted")["provisioning_parameters.json"], problems
    )
    assert problems == []
    assert provisioning.partition_by_group == {"workers": "train"}


def test_hyperpods_resource_config_is_read() -> None:
    problems: list[str] = []
    resources = parse_resources(RESOURCES, problems)
    assert problems == []
    assert resources.cluster == "prod"
    assert resources.instance_types["workers"] == "ml.p5.48xlarge"
    assert [instance.address for instance in resources.of_group("workers")] == [
        "10.1.0.31",
        "10.1.0.32",
        "10.1.0.33",
    ]


def test_resource_config_without_instance_names_uses_the_ids() -> None:
    value = copy.deepcopy(RESOURCES)
    for group in value["InstanceGroups"]:
        for instance in group["Instances"]:
            del instance["InstanceName"]
    problems: list[str] = []
    resources = parse_resources(value, problems)
    assert problems == []
    assert resources.of_group("login")[0].name == "i-0a000000000000001"


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
        (lambda c: c["groups"].append(c["groups"][0]), "groups: name: controller is given twice"),
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
        (lambda c: c["groups"][0].update(partition="train"), "a controller group has none"),
        (
            lambda c: c["groups"][0].update(spare_count=1),
            "spare_count: a controller group has none",
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
            "uid: 5001 is given",
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
            "more than one is the default",
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
def test_a_wrong_cluster_file_says_what_is_wrong(edit: Edit, said: str) -> None:
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
def test_a_wrong_deployment_file_says_what_is_wrong(edit: Edit, said: str) -> None:
    problems = deployment_problems(edit)
    assert any(said in problem for problem in problems), problems


def test_a_port_may_be_a_string_of_digits_and_nothing_else_may() -> None:
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


def test_all_problems_of_all_files_come_at_once(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.edit("cluster.json", lambda c: (c.update(region=1), c.update(extra=1)))
    node.edit("deployment.json", lambda d: d.pop("home"))
    (node.root / "opt/ml/config/resource_config.json").write_text("{")
    run = node.run()
    assert run.code == 3
    said = [line["error"] for line in run.lines if line["event"] == "problem"]
    assert len(said) == 4
    assert run.last.startswith("clusterwright: step verify_inputs failed on ip-10-1-0-20: ")
    for name in (
        "region",
        "extra",
        "deployment.json: home: missing",
        "resource_config.json: not JSON",
    ):
        assert name in run.last
    assert run.machine.points == []


@pytest.mark.parametrize("name", ["cluster.json", "deployment.json", "resource_config.json"])
def test_a_missing_file_is_named_with_its_path(world: Callable[..., World], name: str) -> None:
    node = world("login-1")
    path = node.folder / "inputs" / name
    if name == "resource_config.json":
        path = node.root / "opt/ml/config" / name
    path.unlink()
    run = node.run()
    assert run.code == 3
    assert f"{name}: not found at /" in run.last


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not JSON"),
        (b"null", "expected an object, found null"),
        (b"[]", "expected an object, found a list"),
        (b"\xff\xfe", "cannot be read"),
        (b'{"schema_version": 1, "schema_version": 1}', "is given twice"),
        (b'{"schema_version": NaN}', "NaN is not JSON"),
        (b"[" * 100_000, "cluster.json: "),
    ],
)
def test_a_broken_file_is_an_error_without_a_traceback(
    world: Callable[..., World], content: bytes, said: str
) -> None:
    node = world("login-1")
    (node.folder / "inputs" / "cluster.json").write_bytes(content)
    run = node.run()
    assert run.code == 3, run.text
    assert said in run.last
    assert "Traceback" not in run.text


def test_a_folder_in_place_of_a_file_is_an_error(world: Callable[..., World]) -> None:
    node = world("login-1")
    (node.folder / "inputs" / "cluster.json").unlink()
    (node.folder / "inputs" / "cluster.json").mkdir()
    run = node.run()
    assert run.code == 3
    assert "cluster.json: cannot be read" in run.last


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)


def paths(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [here] if here else []
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        found += paths(inner, (*here, key))
    return found


FILES = {
    **input_files("managed"),
    "provisioning_parameters.json": input_files("scripted")["provisioning_parameters.json"],
    "resource_config.json": RESOURCES,
}
PARSERS: dict[str, Callable[[Any, list[str]], Any]] = {
    "cluster.json": lambda value, problems: parse_cluster(value, problems, step_names()),
    "deployment.json": parse_deployment,
    "provisioning_parameters.json": parse_provisioning,
    "resource_config.json": parse_resources,
}


@given(st.data())
def test_any_value_anywhere_is_parsed_or_refused_and_never_a_traceback(
    data: st.DataObject,
) -> None:
    name = data.draw(st.sampled_from(sorted(FILES)))
    value = copy.deepcopy(FILES[name])
    where = data.draw(st.sampled_from(paths(value)))
    target = value
    for key in where[:-1]:
        target = target[key]
    target[where[-1]] = data.draw(JSON_VALUES)
    problems: list[str] = []
    PARSERS[name](value, problems)
    assert all(problem.startswith(f"{name}: ") for problem in problems)


@given(st.text(max_size=40))
def test_any_text_is_json_or_a_problem(text: str) -> None:
    problems: list[str] = []
    value = parse_json(text, "x", problems)
    if not problems:
        assert json.loads(text) == value


def test_a_path_lies_under_a_folder_by_its_parts() -> None:
    assert is_under("/fsx/a", "/fsx")
    assert is_under("/fsx", "/fsx")
    assert not is_under("/fsx2", "/fsx")


def test_the_zone_of_a_directory_bucket() -> None:
    assert zone_of_directory_bucket("acme--use1-az6--x-s3") == "use1-az6"
    assert zone_of_directory_bucket("acme-a--use1-dfw2-az1--x-s3") == "use1-dfw2-az1"

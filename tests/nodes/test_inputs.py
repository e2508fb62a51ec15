"""Input files are read strictly, with all problems at once, and without a traceback."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
from clusterwright_node.catalogue import step_names
from clusterwright_node.inputs import (
    parse_cluster,
    parse_deployment,
    parse_provisioning,
    parse_resources,
)
from hypothesis import given
from hypothesis import strategies as st

from tests.nodes.input_values import (
    FILES,
    JSON_VALUES,
    PARSERS,
    paths,
)
from tests.nodes.world import RESOURCES, World, input_files


def test_examples_of_the_reference_page_are_valid() -> None:
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


def test_resource_config_of_hyperpod_is_parsed() -> None:
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


def test_all_problems_of_all_files_are_reported_at_once(world: Callable[..., World]) -> None:
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
        (b'{"schema_version": 1, "schema_version": 1}', "duplicate key"),
        (b'{"schema_version": NaN}', "NaN is not JSON"),
        (b"[" * 100_000, "cluster.json: "),
    ],
)
def test_malformed_file_is_an_error_without_a_traceback(
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


@given(st.data())
def test_any_value_is_parsed_or_refused(
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

"""The commands and examples of docs/how-to/local-aws.md."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.worlds.contradictions import with_changes
from clusterwright_localaws.worlds.loading import built_in_worlds, parse_world
from packages.localaws.tests.parts import build_site, client, refusal
from tests.docs.shown import shown_commands
from tools.lint.files import ROOT

PAGE = ROOT / "docs" / "how-to" / "local-aws.md"
TEXT = PAGE.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}[^\n]*\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def world_file(name: str) -> str:
    """The world whose first line is the comment with its file's name."""
    return next(text for text in blocks("yaml") if text.startswith(f"# {name}\n"))


@pytest.fixture(scope="module")
def environment() -> Iterator[dict[str, str]]:
    """The page's first command on a free port, and its exports."""
    start, *exports = shown_commands(PAGE)
    assert start.command == "clusterwright localaws"
    assert start.output[0] == "ready http://localhost:5555"
    server = subprocess.Popen(
        [sys.executable, "-m", *start.command.split(), "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    line = server.stdout.readline().strip()
    assert re.sub(r"\d+$", "5555", line) == start.output[0]
    found = dict(os.environ)
    for shown in exports:
        words = shlex.split(shown.command)
        assert words[0] == "export"
        found |= dict(word.split("=", 1) for word in words[1:])
    assert found["AWS_ENDPOINT_URL"] == "http://localhost:5555"
    yield found | {"AWS_ENDPOINT_URL": line.removeprefix("ready ")}
    server.terminate()
    assert server.wait(20) == 0


@pytest.mark.enable_socket
def test_first_script_runs(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", blocks("python")[0]],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "111122223333 ml.p5.48xlarge for cluster usage 10000.0\n"


def test_documented_worlds_are_the_built_in_ones() -> None:
    named = re.findall(r"^\| `([a-z-]+)` \|", TEXT, re.MULTILINE)
    assert set(built_in_worlds()) == set(named)


def test_example_worlds_load_and_refuse_as_documented() -> None:
    world = parse_world(world_file("world.yaml"))
    with local_aws(with_changes(world, {"faults": [], "delays": {}})):
        site = build_site()
        request = site.request(site.group("gpu", 7))
        found, _ = refusal(client("sagemaker").create_cluster, **request)
    assert found == "ResourceLimitExceeded"


def test_example_tests_pass(tmp_path: Path) -> None:
    for number, block in enumerate(blocks("python")[1:]):
        (tmp_path / f"test_page_{number}.py").write_text(block)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "5 passed" in done.stdout


def test_iam_enforcing_world_is_valid() -> None:
    world = parse_world(world_file("enforced.yaml"))
    with local_aws(world):
        fsx = boto3.client(
            "fsx", "us-east-1", aws_access_key_id="1" * 12, aws_secret_access_key="x"
        )
        code, words = refusal(fsx.delete_file_system, FileSystemId="fs-0123456789abcdef0")
        assert fsx.describe_file_systems()["FileSystems"] == []
    assert code == "AccessDeniedException"
    assert words.endswith("with an explicit deny in a service control policy")


def test_broken_world_breaks_the_nodes_that_it_names() -> None:
    world = parse_world(world_file("broken.yaml"))
    with local_aws(world):
        site = build_site()
        site.create(site.group("workers", 9), NodeProvisioningMode="Continuous")
        found = client("sagemaker").list_cluster_nodes(
            ClusterName="train", InstanceGroupNameContains="workers", SortBy="NAME"
        )["ClusterNodeSummaries"]
        group = client("sagemaker").describe_cluster(ClusterName="train")["InstanceGroups"][1]
    assert [node["InstanceStatus"]["Status"] for node in found] == [
        # The first one is not listed; the ninth has no capacity.
        "Failure",
        "Pending",
        "Failure",
        *["Running"] * 4,
    ]
    assert group["ImageVersionStatus"] == "SecurityUpdateRequired"

"""The real CDK CLI against a served local AWS: seven stacks that use each other.

With the CLI's own defaults: the default synthesizer, and deployment by change sets.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from packages.localaws.tests.cdk_cli import ACCOUNT, APP, REGION, Cli

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]

STACKS = {
    "small-capacity",
    "small-database",
    "small-encryption",
    "small-identity",
    "small-network",
    "small-observability",
    "small-storage",
}


@pytest.fixture
def cdk(tmp_path: Path) -> Iterator[Cli]:
    """A server, and the CLI that uses it."""
    (tmp_path / "home").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "clusterwright", "localaws", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=(tmp_path / "server.err").open("w"),
        text=True,
    )
    assert process.stdout is not None
    try:
        ready, _, address = process.stdout.readline().strip().partition(" ")
        assert ready == "ready", (tmp_path / "server.err").read_text()
        yield Cli(tmp_path, address)
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


def test_app_is_deployed_updated_and_destroyed(cdk: Cli) -> None:
    cdk("bootstrap", f"aws://{ACCOUNT}/{REGION}")
    assert cdk.stacks()["CDKToolkit"]["StackStatus"] == "CREATE_COMPLETE"

    _deploys_everything(cdk)
    app = ("--app", str(cdk.folder / "cdk.out"))
    _has_nothing_to_do(cdk, app)
    _shows_and_makes_a_change(cdk)
    _refuses_what_is_wrong(cdk, app)
    _protects_what_is_in_use(cdk)
    _leaves_nothing(cdk, app)


def _deploys_everything(cdk: Cli) -> None:
    printed = cdk.deploy("--all", "--output", str(cdk.folder / "cdk.out"))
    stacks = cdk.stacks()
    assert {name for name in stacks if name.startswith("small-")} == STACKS
    assert {stacks[name]["StackStatus"] for name in STACKS} == {"CREATE_COMPLETE"}
    # The CLI deployed by change sets, and the tags of the app are on the stacks.
    assert all(stacks[name]["ChangeSetId"] for name in STACKS)
    assert all(
        stacks[name]["Tags"] == [{"Key": "project", "Value": "small-app"}] for name in STACKS
    )
    # Outputs are printed, and values are passed between stacks.
    bucket = next(
        output["OutputValue"]
        for output in stacks["small-storage"]["Outputs"]
        if output["OutputKey"] == "Bucket"
    )
    assert f"small-storage.Bucket = {bucket}" in printed
    s3 = cdk.client("s3")
    written = json.load(s3.get_object(Bucket=bucket, Key="lifecycle/deployment.json")["Body"])
    assert [written["vpc"]] == cdk.physical("small-network", "AWS::EC2::VPC")
    files = {item.name for item in (APP / "files").iterdir()}
    keys = {content["Key"] for content in s3.list_objects_v2(Bucket=bucket)["Contents"]}
    assert keys == {f"lifecycle/{name}" for name in {*files, "deployment.json"}}


def _has_nothing_to_do(cdk: Cli, app: tuple[str, str]) -> None:
    def times() -> dict[str, Any]:
        stacks = cdk.stacks().items()
        return {name: one.get("LastUpdatedTime", one["CreationTime"]) for name, one in stacks}

    before = times()
    assert cdk.deploy("--all", *app).count("(no changes)") == len(STACKS)
    assert times() == before
    assert "Number of stacks with differences: 0" in cdk("diff", "--all", *app)


def _shows_and_makes_a_change(cdk: Cli) -> None:
    change = cdk.synth("changed", "-c", "retention=60", "-c", "zone=2")
    shown = cdk("diff", "--all", *change)
    assert "Number of stacks with differences: 2" in shown
    assert "RetentionInDays" in shown
    assert "requires replacement" in shown or "may cause replacement" in shown
    subnets = set(cdk.physical("small-network", "AWS::EC2::Subnet"))
    cdk.deploy("small-network", "small-observability", *change)
    after = set(cdk.physical("small-network", "AWS::EC2::Subnet"))
    assert len(after - subnets) == len(subnets - after) == 1
    (logs,) = cdk.physical("small-observability", "AWS::Logs::LogGroup")
    (group,) = cdk.client("logs").describe_log_groups(logGroupNamePrefix=logs)["logGroups"]
    assert group["retentionInDays"] == 60
    assert "Number of resources with drift: 0" in cdk("drift", *STACKS, *change)


def _refuses_what_is_wrong(cdk: Cli, app: tuple[str, str]) -> None:
    wrong = cdk.synth("wrong", "-c", "wrong=1")
    unknown = cdk.deploy("small-capacity", *wrong, succeeds=False)
    assert "Colour" in unknown
    assert cdk.stacks()["small-capacity"]["StackStatus"] == "CREATE_COMPLETE"
    broken = cdk.synth("broken", "-c", "broken=1")
    refused = cdk.deploy("small-capacity", *broken, succeeds=False)
    assert "InstanceCount" in refused
    assert cdk.stacks()["small-capacity"]["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    # A direct deployment, without a change set, continues from there.
    assert "(no changes)" in cdk.deploy("small-capacity", *app, "--method=direct")


def _protects_what_is_in_use(cdk: Cli) -> None:
    """Deleting a stack whose exports are imported is refused, with AWS's message."""
    cloudformation = cdk.client("cloudformation")
    cloudformation.delete_stack(StackName="small-encryption")
    time.sleep(0.5)
    stack = cdk.stacks()["small-encryption"]
    assert "cannot be deleted as it is in use by" in stack["StackStatusReason"]


def _leaves_nothing(cdk: Cli, app: tuple[str, str]) -> None:
    cdk("destroy", "--all", "--force", *app)
    assert set(cdk.stacks()) == {"CDKToolkit"}
    assert [vpc["IsDefault"] for vpc in cdk.client("ec2").describe_vpcs()["Vpcs"]] == [True]
    assert cdk.client("rds").describe_db_instances()["DBInstances"] == []
    assert cdk.client("secretsmanager").list_secrets()["SecretList"] == []
    assert cdk.client("lambda").list_functions()["Functions"] == []
    buckets = [bucket["Name"] for bucket in cdk.client("s3").list_buckets()["Buckets"]]
    assert buckets == [f"cdk-hnb659fds-assets-{ACCOUNT}-{REGION}"]

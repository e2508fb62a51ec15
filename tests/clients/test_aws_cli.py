"""The AWS CLI, version 1 from PyPI."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.clients.programs import ACCOUNT, Done, Server, file
from tests.support.synthesis import Assembly

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]

TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"Service": "sagemaker.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
    ],
}


class Cli(NamedTuple):
    program: Path
    server: Server
    account: str = ACCOUNT

    def __call__(self, *words: str | Path, code: int = 0) -> Done:
        return self.server.run(self.program, *words, code=code, AWS_ACCESS_KEY_ID=self.account)

    def data(self, *words: str | Path) -> Any:
        return self(*words, "--output", "json").data

    def text(self, *words: str | Path, query: str) -> str:
        return self(*words, "--query", query, "--output", "text").out.strip()


class Site(NamedTuple):
    subnet: str
    group: str
    role: str


@pytest.fixture(scope="module")
def cli(programs: Callable[[str], Path], aws: Server) -> Cli:
    return Cli(programs("aws-cli"), aws)


@pytest.fixture(scope="module")
def site(cli: Cli) -> Site:
    vpc = cli.text("ec2", "create-vpc", "--cidr-block", "10.0.0.0/16", query="Vpc.VpcId")
    subnet = cli.text(
        *("ec2", "create-subnet", "--vpc-id", vpc, "--cidr-block", "10.0.0.0/20"),
        *("--availability-zone-id", "use1-az6"),
        query="Subnet.SubnetId",
    )
    group = cli.text(
        *("ec2", "create-security-group", "--group-name", "cli", "--description", "cli"),
        *("--vpc-id", vpc),
        query="GroupId",
    )
    itself = f"IpProtocol=-1,UserIdGroupPairs=[{{GroupId={group}}}]"
    for way in ("ingress", "egress"):
        allow = ("ec2", f"authorize-security-group-{way}", "--group-id", group)
        cli(*allow, "--ip-permissions", itself)
    role = cli.text(
        *("iam", "create-role", "--role-name", "cli-nodes"),
        *("--assume-role-policy-document", json.dumps(TRUST)),
        query="Role.Arn",
    )
    return Site(subnet, group, role)


@pytest.fixture(scope="module")
def scripts(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Lifecycle scripts and a container of 10 MB, in a folder and in S3."""
    folder = tmp_path_factory.mktemp("lifecycle")
    file(folder, "on_create.sh", "#!/bin/sh\n")
    (folder / "enroot").mkdir()
    (folder / "enroot" / "image.sqsh").write_bytes(random.Random(1).randbytes(10_000_000))
    cli("s3", "mb", "s3://cli-lifecycle")
    copied = cli("s3", "sync", folder, "s3://cli-lifecycle/base", "--no-progress").out
    assert sorted(line.split(" to ")[1] for line in copied.splitlines()) == [
        "s3://cli-lifecycle/base/enroot/image.sqsh",
        "s3://cli-lifecycle/base/on_create.sh",
    ]
    return "s3://cli-lifecycle/base", folder


def test_lifecycle_scripts_are_synchronised(cli: Cli, scripts: tuple[str, Path]) -> None:
    """`s3 sync` uploads lifecycle scripts, including a multipart upload of 10 MB, and then only
    changed files; `--delete` removes files that no longer exist locally.
    """
    source, folder = scripts
    assert cli("s3", "sync", folder, source, "--no-progress").out == ""
    extra = file(folder, "extra.sh", "#!/bin/sh\n")
    assert "extra.sh" in cli("s3", "sync", folder, source, "--no-progress").out
    extra.unlink()
    gone = cli("s3", "sync", folder, source, "--delete", "--no-progress").out
    assert gone.strip() == f"delete: {source}/extra.sh"
    head = cli.data(
        "s3api", "head-object", "--bucket", "cli-lifecycle", "--key", "base/enroot/image.sqsh"
    )
    assert head["ContentLength"] == 10_000_000
    # 8 MB each, the CLI's default.
    assert head["ETag"].strip('"').partition("-")[2] == "2"


def test_stream_is_uploaded_and_downloaded(cli: Cli, scripts: tuple[str, Path]) -> None:
    """`s3 cp -` uploads a stream of unknown length, with trailing checksums, and downloads the
    same bytes.
    """
    source, folder = scripts
    image = folder / "enroot" / "image.sqsh"
    command = f'"{cli.program}" s3 cp - {source}/streamed < "{image}"'
    cli.server.run("/bin/sh", "-c", command)
    cli("s3", "cp", f"{source}/streamed", folder.parent / "back", "--no-progress")
    assert (folder.parent / "back").read_bytes() == image.read_bytes()
    cli("s3", "rm", f"{source}/streamed")
    missing = cli("s3", "cp", f"{source}/streamed", "-", code=1)
    assert "An error occurred (404) when calling the HeadObject operation" in missing.err


def test_cluster_is_created_scaled_and_deleted(
    cli: Cli, site: Site, scripts: tuple[str, Path]
) -> None:
    """A HyperPod cluster is created, described, listed in pages (`--page-size`, `--max-items`,
    `--starting-token`), scaled up and deleted, with `--query` and tables.
    """
    sagemaker = ("sagemaker",)

    def groups(count: int) -> str:
        common = {
            "ExecutionRole": site.role,
            "LifeCycleConfig": {"SourceS3Uri": scripts[0], "OnCreate": "on_create.sh"},
        }
        sizes = [("controller", "ml.m5.xlarge", 1), ("gpu", "ml.p5.48xlarge", count)]
        found = [
            {"InstanceGroupName": n, "InstanceType": t, "InstanceCount": c, **common}
            for n, t, c in sizes
        ]
        return f"file://{file(cli.server.home, 'groups.json', found)}"

    network = f"SecurityGroupIds={site.group},Subnets={site.subnet}"
    made = cli.data(
        *(*sagemaker, "create-cluster", "--cluster-name", "cli", "--vpc-config", network),
        *("--instance-groups", groups(8)),
    )
    assert made["ClusterArn"].startswith(f"arn:aws:sagemaker:us-east-1:{ACCOUNT}:cluster/")
    _until(cli, "InService")

    nodes = (*sagemaker, "list-cluster-nodes", "--cluster-name", "cli")
    every = cli.data(*nodes, "--page-size", "2")["ClusterNodeSummaries"]
    assert len({item["InstanceId"] for item in every}) == 9
    first = cli.data(*nodes, "--max-items", "4")
    rest = cli.data(*nodes, "--starting-token", first["NextToken"])
    assert first["ClusterNodeSummaries"] + rest["ClusterNodeSummaries"] == every
    gpu = "--instance-group-name-contains", "gpu"
    assert cli.text(*nodes, *gpu, query="length(ClusterNodeSummaries)") == "8"
    table = cli(*sagemaker, "list-clusters", "--output", "table").out
    assert "|  ClusterName" in table
    assert made["ClusterArn"] in table

    cli(*sagemaker, "update-cluster", "--cluster-name", "cli", "--instance-groups", groups(10))
    _until(cli, "InService")
    assert cli.text(*nodes, query="length(ClusterNodeSummaries)") == "11"
    cli(*sagemaker, "delete-cluster", "--cluster-name", "cli")
    _until_gone(cli)


def _until(cli: Cli, status: str) -> None:
    describe = ("sagemaker", "describe-cluster", "--cluster-name", "cli")
    for _ in range(60):
        found = cli.text(*describe, query="ClusterStatus")
        if found == status:
            return
        assert found in ("Creating", "Updating"), found
        time.sleep(0.2)
    raise AssertionError(f"the cluster is still {found}")


def _until_gone(cli: Cli) -> None:
    listing = ("sagemaker", "list-clusters", "--name-contains", "cli")
    for _ in range(60):
        if cli.text(*listing, query="length(ClusterSummaries)") == "0":
            return
        time.sleep(0.2)
    raise AssertionError("the cluster is still there")


def test_file_systems(cli: Cli, site: Site) -> None:
    """A Lustre file system with EFA is refused off its step, then created, tagged and deleted."""
    lustre = (
        '{"DeploymentType":"PERSISTENT_2","PerUnitStorageThroughput":500,"EfaEnabled":true,'
        '"MetadataConfiguration":{"Mode":"AUTOMATIC"}}'
    )
    create = (
        *("fsx", "create-file-system", "--file-system-type", "LUSTRE", "--subnet-ids"),
        *(site.subnet, "--security-group-ids", site.group, "--tags", "Key=run,Value=1"),
        *("--file-system-type-version", "2.15", "--lustre-configuration", lustre),
    )
    refused = cli(*create, "--storage-capacity", "4800", code=255)
    assert "(BadRequest) when calling the CreateFileSystem operation" in refused.err
    found = cli.text(*create, "--storage-capacity", "9600", query="FileSystem.FileSystemId")
    describe = ("fsx", "describe-file-systems", "--file-system-ids", found)
    assert cli.text(*describe, query="FileSystems[0].[Lifecycle,Tags[0].Value]") == "AVAILABLE\t1"
    cli("fsx", "delete-file-system", "--file-system-id", found)
    gone = cli(*describe, code=255)
    assert "(FileSystemNotFound)" in gone.err


def test_quotas(cli: Cli) -> None:
    """Service Quotas are read, listed to the last page and requested to be raised."""
    p5 = ("--service-code", "sagemaker", "--quota-code", "L-8762A75F")
    name = cli.text("service-quotas", "get-service-quota", *p5, query="Quota.QuotaName")
    assert name == "ml.p5.48xlarge for cluster usage"
    listing = ("service-quotas", "list-service-quotas", "--service-code", "sagemaker")
    every = cli.data(*listing, "--query", "Quotas[].QuotaCode")
    paged = cli.data(*listing, "--page-size", "20", "--query", "Quotas[].QuotaCode")
    assert "L-8762A75F" in every
    assert paged == every
    assert len(set(every)) == len(every)
    asked = cli.text(
        *("service-quotas", "request-service-quota-increase", *p5, "--desired-value", "20000"),
        query="RequestedQuota.Status",
    )
    assert asked == "PENDING"


def test_stacks_are_deployed_with_waiters(
    cli: Cli, synth: Callable[[str | Path], Assembly]
) -> None:
    """`cloudformation deploy` creates the identity, network and storage stacks of
    `configs/dev.yaml`, as written by the CDK's default synthesizer, through change sets, reports
    no changes, and updates; `wait` ends with the stack; a stack whose exports are in use is not
    deleted; a stack that AWS would roll back fails its `wait`.
    """
    # A separate account, without a bootstrap and without other stacks.
    cli = cli._replace(account="444455556666")
    text = json.dumps(synth("configs/dev.yaml").templates)
    templates = json.loads(text.replace(ACCOUNT, "444455556666"))

    def storage(name: str, storage_gib: int) -> Path:
        found = deepcopy(templates["dev-storage"])
        (lustre,) = found["Resources"].values()
        lustre["Properties"]["StorageCapacity"] = storage_gib
        return file(cli.server.home, name, found)

    def deploy(stack: str, template: Path, *words: str, code: int = 0) -> Done:
        named = ("--stack-name", stack, "--capabilities", "CAPABILITY_NAMED_IAM")
        command = ("cloudformation", "deploy", *named, "--template-file", template)
        # The CLI names change sets by the second, and an earlier one of the stack still exists.
        time.sleep(1 - time.time() % 1)
        return cli(*command, *words, code=code)

    def stack(command: str, name: str, *words: str, code: int = 0) -> Done:
        return cli("cloudformation", *command.split(), "--stack-name", name, *words, code=code)

    identity = file(cli.server.home, "identity.json", templates["dev-identity"])
    version = "/cdk-bootstrap/hnb659fds/version"
    assert version in deploy("dev-identity", identity, code=255).err
    cli("ssm", "put-parameter", "--name", version, "--value", "30", "--type", "String")
    assert "created/updated stack - dev-identity" in deploy("dev-identity", identity).out
    deploy("dev-network", file(cli.server.home, "network.json", templates["dev-network"]))

    deploy("dev-storage", storage("storage.json", 1200))
    again = deploy(
        "dev-storage", storage("storage.json", 1200), "--no-fail-on-empty-changeset"
    ).out
    assert "No changes to deploy. Stack dev-storage is up to date" in again
    deploy("dev-storage", storage("more.json", 2400))
    described = cli.data("fsx", "describe-file-systems")["FileSystems"]
    assert [item["StorageCapacity"] for item in described] == [2400]

    stack("delete-stack", "dev-network")
    held = stack("describe-stacks", "dev-network").out
    assert "cannot be deleted as it is in use by dev-storage" in held
    stack("delete-stack", "dev-storage")
    stack("wait stack-delete-complete", "dev-storage")
    assert cli.data("fsx", "describe-file-systems")["FileSystems"] == []

    body = f"file://{storage('small.json', 1000)}"
    stack("create-stack", "dev-storage", "--template-body", body)
    waited = stack("wait stack-create-complete", "dev-storage", code=255).err
    assert 'terminal failure state: For expression "Stacks[].StackStatus"' in waited


def test_errors_are_those_of_aws(cli: Cli, world: Callable[[str], Server]) -> None:
    """What AWS refuses ends with exit code 255 and AWS's message, also for an invalid parameter,
    and an invalid command line with 2; an operation that is not implemented is refused at once,
    without retries.
    """
    absent = cli("sagemaker", "describe-cluster", "--cluster-name", "nope", code=255)
    assert absent.err.strip() == (
        "An error occurred (ResourceNotFound) when calling the DescribeCluster operation: "
        "Cluster with name nope does not exist."
    )
    short = cli("fsx", "describe-file-systems", "--file-system-ids", "fs-1", code=255)
    assert "Invalid length" in short.err or "ValidationException" in short.err
    assert "--cluster-name" in cli("sagemaker", "describe-cluster", code=2).err
    start = time.monotonic()
    unknown = cli("cloudtrail", "list-imports", code=255)
    one_call_s = time.monotonic() - start
    assert "(UnknownOperationException) when calling the ListImports operation" in unknown.err
    start = time.monotonic()
    cli("--version")
    # Retries would wait for seconds between the attempts: 0.5 s, 1 s, 2 s, 4 s.
    assert one_call_s < time.monotonic() - start + 4

    poor = Cli(cli.program, world("new-account"))
    quota = poor.text(
        *("service-quotas", "get-service-quota", "--service-code", "sagemaker"),
        *("--quota-code", "L-8762A75F"),
        query="Quota.Value",
    )
    assert float(quota) == 0

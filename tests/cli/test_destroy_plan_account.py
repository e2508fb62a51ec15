"""Deletion plans of deployed clusters: what remains on the local AWS is what the plan lists."""

from __future__ import annotations

import datetime as dt
import json
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cli.destroy_plan_account import account_facts
from clusterwright.cost.estimate import estimate
from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
from clusterwright.platforms.loading import load_cluster
from clusterwright.review.assembly import Assembly, StackTemplate, pseudo_parameters
from clusterwright.review.deletion import deletion_plan
from clusterwright.review.deletion_results import DeletionPlan
from clusterwright_localaws import local_aws
from clusterwright_localaws.testing import PCLUSTER_PYTHON
from tests.stacks.deployed_eks import RESERVATIONS, prepared
from tests.stacks.deployment import Account, add_boundary, bootstrapped
from tests.support import specs
from tests.support.bills import TODAY
from tests.support.pcluster import pcluster_python
from tests.support.rich_specs import (
    ACCOUNT,
    EKS,
    FULL,
    HYPERPOD_EKS,
    PARALLELCLUSTER,
    changed,
)
from tests.support.synthesis import Assembly as Synthesised
from tests.support.synthesis import Build

__all__ = ["pcluster_python"]

TRACKED = {
    "AWS::EC2::VPC": "vpcs",
    "AWS::FSx::FileSystem": "file systems",
    "AWS::KMS::Key": "keys",
    "AWS::Logs::LogGroup": "log groups",
    "AWS::RDS::DBInstance": "databases",
    "AWS::S3::Bucket": "buckets",
    "AWS::S3Express::DirectoryBucket": "buckets",
    "AWS::SecretsManager::Secret": "secrets",
    "AWS::APS::Workspace": "workspaces",
}
"""Types whose resources `Account.holdings` lists by their ids."""


def reviewed(assembly: Synthesised) -> Assembly:
    """The assembly with dependencies and protection, as the synthesis of a review reads it."""
    manifest = json.loads((assembly.directory / "manifest.json").read_text())
    found = {}
    for name, body in assembly.templates.items():
        artifact = manifest["artifacts"][name]
        after = frozenset(artifact.get("dependencies", ())) & assembly.templates.keys()
        protected = artifact["properties"].get("terminationProtection", False)
        found[name] = StackTemplate(name, body, {}, after, protected)
    return Assembly(found, pseudo_parameters(ACCOUNT, "us-east-1", "aws"))


def planned(folder: Path, spec: dict[str, Any], assembly: Synthesised) -> DeletionPlan:
    cluster = load_cluster(specs.write(folder / "spec.yaml", spec)).cluster
    templates = reviewed(assembly)
    return deletion_plan(
        cluster,
        templates,
        estimate(cluster, load_catalog(), today=TODAY),
        file="spec.yaml",
        config="-c env=spec",
        account=account_facts(cluster, templates),
    )


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCOUNT)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")


@contextmanager
def an_account(platform: str) -> Iterator[Account]:
    """A bootstrapped account with what the spec of a platform uses."""
    reservations = RESERVATIONS if platform == "eks" else []
    with local_aws(capacity_reservations=reservations):
        if platform == "eks":
            yield prepared()
            return
        found = bootstrapped()
        if platform == "parallelcluster":
            everything = {"Effect": "Allow", "Action": "*", "Resource": "*"}
            found.client("iam").create_policy(
                PolicyName="parallelcluster-boundary",
                PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": everything}),
            )
        else:
            add_boundary(found)
        yield found


SPECS = {
    "hyperpod-slurm": FULL,
    "hyperpod-eks": HYPERPOD_EKS,
    "parallelcluster": PARALLELCLUSTER,
    "eks": EKS,
}


def destroyed(account: Account, plan: DeletionPlan) -> None:
    """Run the steps of the plan, in order, except those of kubectl."""
    *first, last = [s.command for s in plan.steps if not s.command.startswith("kubectl ")]
    for command in first:
        words = shlex.split(command)
        if words[1] == "cloudformation":
            assert words[2:5] == ["update-termination-protection", "--region", "us-east-1"]
            assert words[-1] == "--no-enable-termination-protection"
            account.client("cloudformation").update_termination_protection(
                StackName=words[6], EnableTerminationProtection=False
            )
        else:
            assert words[1:3] == ["eks", "update-cluster-config"]
            assert words[-1] == "--no-deletion-protection"
            eks = account.client("eks")
            eks.update_cluster_config(name=words[6], deletionProtection=False)
            eks.get_waiter("cluster_active").wait(name=words[6])
    named = last.removeprefix("cdk destroy -c env=spec ").split()
    for name in plan.stacks if named == ["--all"] else named:
        account.delete(name)


def left_by(before: dict[str, list[str]], after: dict[str, list[str]]) -> dict[str, set[str]]:
    return {
        kind: set(names) - set(before[kind])
        for kind, names in after.items()
        if set(names) - set(before[kind])
    }


@pytest.mark.parametrize("protection", ["destroy", "retain"])
@pytest.mark.parametrize("platform", list(SPECS))
def test_what_the_plan_lists_is_what_remains(
    platform: str,
    protection: str,
    pcluster_python: str,
    build: Build,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(PCLUSTER_PYTHON, pcluster_python)
    spec = changed(SPECS[platform], protection=protection)
    assembly = build(spec)
    with an_account(platform) as account:
        before = account.holdings()
        account.deploy(assembly)
        plan = planned(tmp_path, spec, assembly)
        # No controller publishes its queue, and no kubectl is installed.
        assert [entry.what for entry in plan.unknown] == ["running jobs"]
        assert set(plan.stacks) == set(assembly.templates)
        assert bool(plan.blockers) == (protection == "retain")
        destroyed(account, plan)
        left = left_by(before, account.holdings())
    expected: dict[str, set[str]] = {}
    stacks = {r.name for r in plan.remaining if r.what == "AWS::CloudFormation::Stack"}
    for entry in plan.remaining:
        kind = TRACKED.get(entry.what)
        lingering = entry.kind == "service" and entry.what == "AWS::KMS::Key"
        if entry.kind in ("retained", "service") and kind is not None and not lingering:
            assert entry.id is not None, entry.name
            # Secrets are listed by name and workspaces by id; their physical ids are ARNs.
            expected.setdefault(kind, set()).add(entry.id.rpartition("workspace/")[2])
    if stacks:
        # What belongs to a stack that stays is not listed one by one.
        expected["stacks"] = stacks
        left = {kind: names for kind, names in left.items() if kind in expected}
        left.pop("log groups", None)
        expected.pop("log groups", None)
    prefixes = [r.name.rstrip("*") for r in plan.remaining if r.kind == "service"]
    logs = {n for n in left.pop("log groups", set()) if not n.startswith(tuple(prefixes))}
    assert logs == expected.pop("log groups", set())
    secrets = {arn.split(":secret:")[1].rsplit("-", 1)[0] for arn in expected.pop("secrets", ())}
    assert left.pop("secrets", set()) == secrets
    buckets = {n for n in left.pop("buckets", set()) if not n.startswith("parallelcluster-")}
    assert buckets == expected.pop("buckets", set())
    assert left == expected


def test_stack_that_the_plan_keeps_cannot_be_deleted(build: Build, tmp_path: Path) -> None:
    spec = changed(FULL, protection="retain")
    assembly = build(spec)
    with an_account("hyperpod-slurm") as account:
        account.deploy(assembly)
        plan = planned(tmp_path, spec, assembly)
        destroyed(account, plan)
        names = [r.name for r in plan.remaining if r.what == "AWS::CloudFormation::Stack"]
        assert names == ["test-network", "test-identity"]
        with pytest.raises(AssertionError, match="DELETE_FAILED"):
            account.delete("test-network")
        cloudformation = account.client("cloudformation")
        cloudformation.update_termination_protection(
            StackName="test-identity", EnableTerminationProtection=False
        )
        with pytest.raises(AssertionError):
            account.delete("test-identity")
        (identity,) = cloudformation.describe_stacks(StackName="test-identity")["Stacks"]
        assert "in use by test-network" in identity["StackStatusReason"]


def test_what_the_cluster_created_outside_the_stacks_is_found(
    build: Build, tmp_path: Path
) -> None:
    spec = changed(EKS, protection="destroy")
    assembly = build(spec)
    with an_account("eks") as account:
        account.deploy(assembly)
        ec2, logs = account.client("ec2"), account.client("logs")
        zone = ec2.describe_availability_zones()["AvailabilityZones"][0]["ZoneName"]
        tags = [{"Key": "kubernetes.io/cluster/test", "Value": "owned"}]
        volume = ec2.create_volume(
            AvailabilityZone=zone,
            Size=10,
            TagSpecifications=[{"ResourceType": "volume", "Tags": tags}],
        )["VolumeId"]
        outputs = account.client("cloudformation").describe_stack_resources(
            StackName="test-network"
        )["StackResources"]
        subnet = next(
            r["PhysicalResourceId"] for r in outputs if r["ResourceType"] == "AWS::EC2::Subnet"
        )
        interface = ec2.create_network_interface(SubnetId=subnet, Description="ELB app/x/1")[
            "NetworkInterface"
        ]["NetworkInterfaceId"]
        logs.create_log_group(logGroupName="/aws/containerinsights/test/performance")
        vpc = next(
            r["PhysicalResourceId"] for r in outputs if r["ResourceType"] == "AWS::EC2::VPC"
        )
        endpoint = ec2.create_vpc_endpoint(
            VpcId=vpc,
            VpcEndpointType="Interface",
            ServiceName="com.amazonaws.us-east-1.guardduty-data",
            SubnetIds=[subnet],
        )["VpcEndpoint"]["VpcEndpointId"]
        plan = planned(tmp_path, spec, assembly)
        found = {r.name: r for r in plan.remaining if r.certain}
    for name in (volume, interface, endpoint, "/aws/containerinsights/test/performance"):
        assert found[name].found == "account"
        assert found[name].delete
    assert found[interface].blocks == found[endpoint].blocks == "test-network"
    # The endpoints of the cluster's own stacks go with them.
    assert [name for name in found if name.startswith("vpce-")] == [endpoint]
    assert any(step.command.endswith(f"--vpc-endpoint-ids {endpoint}") for step in plan.steps)


def test_file_systems_of_the_csi_driver_and_images_are_found(build: Build, tmp_path: Path) -> None:
    spec = changed(EKS, protection="destroy")
    assembly = build(spec)
    with an_account("eks") as account:
        account.deploy(assembly)
        resources = account.client("cloudformation").describe_stack_resources(
            StackName="test-network"
        )["StackResources"]
        vpc, subnet = (
            next(r["PhysicalResourceId"] for r in resources if r["ResourceType"] == kind)
            for kind in ("AWS::EC2::VPC", "AWS::EC2::Subnet")
        )
        ec2, fsx, ecr = (account.client(name) for name in ("ec2", "fsx", "ecr"))
        group = ec2.create_security_group(GroupName="csi", Description="csi", VpcId=vpc)["GroupId"]
        ec2.authorize_security_group_ingress(
            GroupId=group,
            IpPermissions=[{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}],
        )
        made = fsx.create_file_system(
            FileSystemType="LUSTRE",
            StorageCapacity=1200,
            SubnetIds=[subnet],
            SecurityGroupIds=[group],
            LustreConfiguration={"DeploymentType": "SCRATCH_2"},
            Tags=[{"Key": "CSIVolumeName", "Value": "pvc-1"}],
        )["FileSystem"]["FileSystemId"]
        assets = f"cdk-hnb659fds-container-assets-{ACCOUNT}-us-east-1"
        if assets not in {
            r["repositoryName"] for r in ecr.describe_repositories()["repositories"]
        }:
            ecr.create_repository(repositoryName=assets)
        empty = {r.name for r in planned(tmp_path, spec, assembly).remaining if r.certain}
        manifest = {
            "schemaVersion": 2,
            "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
            "config": {"digest": "sha256:0", "size": 1},
            "layers": [],
        }
        ecr.put_image(repositoryName=assets, imageManifest=json.dumps(manifest), imageTag="a")
        plan = planned(tmp_path, spec, assembly)
    found = {r.name: r for r in plan.remaining if r.certain}
    assert found[made].found == "account"
    assert found[made].blocks == "test-network"
    assert (found[made].free, found[made].monthly_usd) == (False, None)
    assert assets not in empty
    assert found[assets].kind == "shared"


@pytest.mark.parametrize("running", [2, 0])
def test_jobs_that_the_controller_published_are_lost(
    running: int, build: Build, tmp_path: Path
) -> None:
    spec = changed(FULL, protection="destroy")
    assembly = build(spec)
    with an_account("hyperpod-slurm") as account:
        account.deploy(assembly)
        cluster = load_cluster(specs.write(tmp_path / "spec.yaml", spec)).cluster
        state = {
            "schema_version": 1,
            "environment": cluster.environment,
            "written_at": dt.datetime.now(dt.UTC).isoformat(),
            "jobs": {"RUNNING": running, "PENDING": 1, "COMPLETED": 7},
            "running": [{"id": str(17 + n), "user": "alice"} for n in range(running)],
        }
        account.client("s3").put_object(
            Bucket=lifecycle_bucket(cluster),
            Key="state/scheduler.json",
            Body=json.dumps(state).encode(),
        )
        plan = planned(tmp_path, spec, assembly)
    assert plan.unknown == ()
    (lost,) = [entry for entry in plan.lost if entry.type == "jobs"]
    if running:
        assert lost.what.startswith("2 jobs running (17 of alice, 18 of alice), 1 job waiting:")
        assert plan.steps[0].command == "squeue"
        assert "2 jobs running" in plan.steps[0].why
    else:
        assert lost.what.startswith("0 jobs running, 1 job waiting:")
        assert "squeue" not in [step.command for step in plan.steps]


def test_account_without_the_cluster_has_nothing(build: Build, tmp_path: Path) -> None:
    spec = changed(FULL, protection="destroy")
    with an_account("hyperpod-slurm"):
        plan = planned(tmp_path, spec, build(spec))
    assert plan.unknown == ()
    assert [r.name for r in plan.remaining if r.found == "account" and r.kind != "shared"] == []


def test_account_that_cannot_be_read_is_unknown(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://localhost:1")
    spec = changed(FULL, protection="destroy")
    plan = planned(tmp_path, spec, build(spec))
    (entry,) = plan.unknown
    assert entry.what == "what the account has"
    assert plan.exit_code == 2

"""Another platform with the same name: stateful resources and the network are kept.

The templates of all twelve directions are compared as in `clusterwright diff`; some directions are
deployed in place on the local AWS.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from clusterwright.catalog import load_catalog
from clusterwright.cfn.resource_schemas import Schemas
from clusterwright.cli.main import main
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.migration import migrate
from clusterwright.migration.in_place import removed, retained
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.registry import PLATFORMS, PlatformName
from clusterwright.platforms.stack_names import stack_name
from clusterwright.review.assembly import Assembly as Templates
from clusterwright.review.assembly import StackTemplate, pseudo_parameters
from clusterwright.review.resource_changes import analyse
from clusterwright_localaws import local_aws
from tests.stacks.deployment import REGION, Account, add_boundary, bootstrapped, order
from tests.support.rich_specs import ACCOUNT, EKS_MINIMAL, FULL, PARALLELCLUSTER, changed
from tests.support.specs import write
from tests.support.synthesis import ROOT, Assembly, Build

Synth = Callable[[str | Path], Assembly]
PAIRS = list(itertools.permutations(PLATFORMS, 2))
DEV: dict[PlatformName, Path] = {
    "hyperpod-slurm": ROOT / "configs" / "dev.yaml",
    "hyperpod-eks": ROOT / "configs" / "dev-hyperpod-eks.yaml",
    "parallelcluster": ROOT / "configs" / "dev-parallelcluster.yaml",
    "eks": ROOT / "configs" / "dev-eks.yaml",
    "pcs": ROOT / "configs" / "dev-pcs.yaml",
}
STAYS = (
    "AWS::EC2::RouteTable",
    "AWS::EC2::Subnet",
    "AWS::EC2::VPC",
    "AWS::ECR::Repository",
    "AWS::FSx::DataRepositoryAssociation",
    "AWS::FSx::FileSystem",
    "AWS::KMS::Alias",
    "AWS::KMS::Key",
    "AWS::RDS::DBInstance",
    "AWS::S3::Bucket",
    "AWS::S3Express::DirectoryBucket",
)
"""Resources of these types must be kept if both platforms have them."""

NODES = {
    "hyperpod-slurm": "AWS::SageMaker::Cluster",
    "hyperpod-eks": "AWS::SageMaker::Cluster",
    "parallelcluster": "Custom::PclusterCluster",
    "eks": "AWS::EKS::Nodegroup",
    "pcs": "AWS::PCS::Cluster",
}


def other_file(spec: LoadedSpec, target: PlatformName, folder: Path) -> Path:
    """Write the complete spec for another platform to a file."""
    path = folder / f"{spec.cluster.platform}-{target}.yaml"
    path.write_text(migrate(spec, target, load_catalog(), folder=folder).text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def moved(
    synth: Synth, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[PlatformName, PlatformName], tuple[LoadedSpec, LoadedSpec, Assembly, Assembly]]:
    """Both specs and both assemblies of a direction between the dev environments."""
    folder = tmp_path_factory.mktemp("moved")

    @cache
    def call(
        source: PlatformName, target: PlatformName
    ) -> tuple[LoadedSpec, LoadedSpec, Assembly, Assembly]:
        before = load_cluster(DEV[source])
        path = other_file(before, target, folder)
        return before, load_cluster(path), synth(DEV[source]), synth(path)

    return call


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_review_lists_kept_and_destroyed_resources(
    source: PlatformName,
    target: PlatformName,
    moved: Callable[
        [PlatformName, PlatformName], tuple[LoadedSpec, LoadedSpec, Assembly, Assembly]
    ],
) -> None:
    old, new, first, second = moved(source, target)
    analysis = analyse(templates(first), templates(second), Schemas(REGION).of)
    staying = {stack_name(old.cluster.environment, p) for p in retained(old.cluster, new.cluster)}
    going = {stack_name(old.cluster.environment, p) for p in removed(old.cluster, new.cluster)}
    assert going <= set(first.templates)
    # Everything else is destroyed: listed by name, or dependent on a listed stack.
    assert staying == set(first.templates) - downstream(first, going)
    assert staying <= set(second.templates)
    ends = [change for change in analysis.changes if change.ends]
    for change in ends:
        if change.stack in staying:
            allowed = ("Control1Subnet", "Control2Subnet")
            assert change.type not in STAYS or change.logical_id in allowed, change.name
    # The nodes of the old platform are named.
    nodes = [c for c in ends if c.type == NODES[source] and c.holds is not None]
    assert {c.stack for c in nodes} == {stack_name(old.cluster.environment, "cluster")}


def test_kept_resources_of_a_full_cluster_are_listed(
    build: Build, synth: Synth, tmp_path: Path
) -> None:
    spec = load_cluster(write(tmp_path / "old.yaml", FULL))
    path = other_file(spec, "eks", tmp_path)
    after = load_cluster(path)
    first, second = build(FULL), synth(path)
    going = {stack_name("test", part) for part in removed(spec.cluster, after.cluster)}
    staying = {stack_name("test", part) for part in retained(spec.cluster, after.cluster)}
    assert staying == set(first.templates) - downstream(first, going)
    assert staying <= set(second.templates)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("hyperpod-slurm", "eks"),
        # With tenants ParallelCluster has a database, in subnets beside those of the control
        # plane.
        ("eks", "parallelcluster"),
    ],
)
def test_new_platform_is_deployed_in_place(
    source: PlatformName,
    target: PlatformName,
    moved: Callable[
        [PlatformName, PlatformName], tuple[LoadedSpec, LoadedSpec, Assembly, Assembly]
    ],
) -> None:
    old, new, first, second = moved(source, target)
    with local_aws():
        account = bootstrapped()
        before, after = move(account, old, new, first, second)
    assert_stayed(old, new, before, after)


def test_database_home_and_buckets_of_a_production_cluster_are_kept(
    build: Build, synth: Synth, tmp_path: Path
) -> None:
    """Everything stateful is retained; both platforms have the database."""
    source = changed(
        PARALLELCLUSTER,
        identity={"permissions_boundary_arn": FULL["identity"]["permissions_boundary_arn"]},
        protection="retain",
    )
    old = load_cluster(write(tmp_path / "old.yaml", source))
    path = other_file(old, "hyperpod-slurm", tmp_path)
    new = load_cluster(path)
    with local_aws():
        account = bootstrapped()
        add_boundary(account)
        before, after = move(account, old, new, build(source), synth(path))
        (database,) = account.client("rds").describe_db_instances()["DBInstances"]
        systems = account.client("fsx").describe_file_systems()["FileSystems"]
    assert_stayed(old, new, before, after)
    assert database["DBInstanceIdentifier"] == "test-accounting"
    assert len(systems) == 3
    assert "AWS::RDS::DBInstance" in {kind for kind, _ in before.values()}


def test_too_small_range_for_both_is_reported(tmp_path: Path) -> None:
    """Half of a /24 has four small subnets: both platforms would use the same two."""
    small = changed(EKS_MINIMAL, network__cidr="10.0.0.0/24", tenants=[{"name": "a"}])
    small["compute"] = [{**g, "instance_type": "m5.xlarge", "count": 1} for g in small["compute"]]
    spec = load_cluster(write(tmp_path / "old.yaml", small))
    found = migrate(spec, "parallelcluster", load_catalog())
    # No steps are given: following them would destroy the only cluster.
    (said,) = found.in_place
    assert said.what.startswith("not possible in place")
    assert (
        "`database1` would be 10.0.0.128/27, which overlaps the deployed `control1`" in said.what
    )
    assert "--environment" in str(said.do)


def test_new_cluster_uses_the_resources_of_the_outputs(
    synth: Synth, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`migrate --environment next --outputs FILE`, including home directories, and deployed."""
    data = YAML(typ="safe").load(DEV["hyperpod-slurm"].read_text())
    data |= {"region": REGION, "platform": "hyperpod-slurm"}
    data["network"] = {"availability_zone_id": "use1-az6"}
    data["storage"]["home"] = {"kind": "openzfs", "capacity_gib": 64}
    data["storage"]["buckets"] = [{"name": "dev-results", "create": True}]
    old = write(tmp_path / "dev.yaml", data)
    outputs = tmp_path / "outputs.json"
    said = ("migrate", str(old), "--environment", "next", "--outputs", str(outputs))
    with local_aws():
        account = bootstrapped()
        account.deploy(synth(old))
        by_stack = {name: account.outputs(name) for name in synth(old).templates}
        # Resources of another environment whose name begins with this one's are ignored.
        outputs.write_text(json.dumps({**by_stack, "dev-two-network": {"VpcId": "vpc-0"}}))
        new = tmp_path / "next.yaml"
        code = main([*said, "--to", "parallelcluster", "--write", str(new)])
        assert code == 0, capsys.readouterr()
        account.deploy(synth(new))
        cluster = load_cluster(new).cluster
        systems = account.client("fsx").describe_file_systems()["FileSystems"]
        lustre, home = (
            next(fs for fs in systems if fs["FileSystemType"] == kind)
            for kind in ("LUSTRE", "OPENZFS")
        )
        mine = account.outputs("next-cluster")
    assert len(systems) == 2
    assert cluster.storage.lustre[0].existing is not None
    assert cluster.storage.lustre[0].existing.id == lustre["FileSystemId"]
    assert cluster.storage.home is not None
    assert cluster.storage.home.existing is not None
    assert cluster.storage.home.existing.dns_name == home["DNSName"]
    assert cluster.storage.home.existing.volume_id
    assert cluster.network.existing is not None
    assert cluster.network.existing.vpc_id == lustre["VpcId"] == mine["VpcId"]
    assert cluster.network.existing.subnet_ids == lustre["SubnetIds"]
    assert not cluster.storage.buckets[0].create
    assert cluster.slurm.users == load_cluster(old).cluster.slurm.users
    out = capsys.readouterr().out
    assert "belongs to fs-" in out
    assert "Replacing the old cluster" not in out
    # A control plane needs subnets that do not exist: reported, and left to the user.
    assert main([*said, "--to", "eks", "--format", "json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert "network.existing.control_plane_subnet_ids" in {n["path"] for n in answer["decisions"]}
    assert answer["open"]


Resources = dict[tuple[str, str], tuple[str, str]]
"""Type and physical id by stack and logical id."""


def move(
    account: Account, old: LoadedSpec, new: LoadedSpec, first: Assembly, second: Assembly
) -> tuple[Resources, Resources]:
    """Follow the answer of `migrate`: destroy the named stacks and their dependents; deploy."""
    account.deploy(first)
    before = resources(account)
    name = old.cluster.environment
    going = {stack_name(name, part) for part in removed(old.cluster, new.cluster)}
    unlocked = json.dumps(
        [note.do for note in migrate(old, new.cluster.platform, load_catalog()).in_place]
    )
    for stack in reversed(order(first)):
        if stack not in downstream(first, going):
            continue
        if f"--no-enable-termination-protection --stack-name {stack}`" in unlocked:
            account.client("cloudformation").update_termination_protection(
                StackName=stack, EnableTerminationProtection=False
            )
        account.delete(stack)
    account.deploy(second)
    return before, resources(account)


def assert_stayed(old: LoadedSpec, new: LoadedSpec, before: Resources, after: Resources) -> None:
    staying = {stack_name(old.cluster.environment, p) for p in retained(old.cluster, new.cluster)}
    checked = set()
    for key, (kind, physical) in before.items():
        ours = key[0] in staying and kind in STAYS
        if ours and not key[1].startswith("Control"):
            assert after[key] == (kind, physical)
            checked.add(kind)
    assert {
        "AWS::FSx::FileSystem",
        "AWS::KMS::Key",
        "AWS::EC2::VPC",
        "AWS::EC2::Subnet",
    } <= checked
    cluster = stack_name(old.cluster.environment, "cluster")
    nodes = {p for (stack, _), (kind, p) in before.items() if stack == cluster}
    assert not nodes & {p for _, p in after.values()}
    kinds = {kind for (stack, _), (kind, _) in after.items() if stack == cluster}
    assert NODES[new.cluster.platform] in kinds


def resources(account: Account) -> Resources:
    cloudformation = account.client("cloudformation")
    found: Resources = {}
    for stack in cloudformation.describe_stacks()["Stacks"]:
        pages = cloudformation.get_paginator("list_stack_resources")
        for page in pages.paginate(StackName=stack["StackName"]):
            for one in page["StackResourceSummaries"]:
                key = (stack["StackName"], one["LogicalResourceId"])
                found[key] = (one["ResourceType"], one.get("PhysicalResourceId", ""))
    return found


def downstream(assembly: Assembly, names: set[str]) -> set[str]:
    """Stacks and their dependents, in the order of `cdk destroy`."""
    manifest: dict[str, Any] = json.loads((assembly.directory / "manifest.json").read_text())
    found = set(names)
    for name in order(assembly):
        if found & set(manifest["artifacts"][name].get("dependencies", [])):
            found.add(name)
    return found


def templates(assembly: Assembly) -> Templates:
    stacks = {name: StackTemplate(name, body) for name, body in assembly.templates.items()}
    return Templates(stacks, pseudo_parameters(ACCOUNT, REGION, "aws"))

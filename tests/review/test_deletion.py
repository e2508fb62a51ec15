"""Deletion plans from templates: order, what stops it, what is lost and what remains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cost.estimate import estimate
from clusterwright.platforms.loading import load_cluster
from clusterwright.review.assembly import Assembly, StackTemplate
from clusterwright.review.deletion import (
    MAXIMUM_JOBS,
    AccountFacts,
    ActiveJobs,
    deletion_plan,
)
from clusterwright.review.deletion_results import DeletionPlan
from tests.review.templates import KNOWN, app, export, resource, stack
from tests.support import specs
from tests.support.bills import TODAY
from tests.support.rich_specs import EKS, EXISTING, MINIMAL, PCS_MINIMAL, changed

KEEP = {"DeletionPolicy": "RetainExceptOnCreate"}
NETWORK = stack(
    {"Subnet": resource("AWS::EC2::Subnet"), "Group": resource("AWS::EC2::SecurityGroup")},
    Outputs={"S": export("subnet", {"Ref": "Subnet"})},
)


def files(**policies: str) -> dict[str, Any]:
    subnets = [{"Fn::ImportValue": "subnet"}]
    tags = [{"Key": "Name", "Value": "test-fsx"}]
    return stack(
        {
            "Files": resource(
                "AWS::FSx::FileSystem",
                FileSystemType="LUSTRE",
                SubnetIds=subnets,
                Tags=tags,
                **policies,
            )
        }
    )


def plan(
    folder: Path,
    assembly: Assembly,
    spec: dict[str, Any] = MINIMAL,
    account: AccountFacts | None = None,
) -> DeletionPlan:
    cluster = load_cluster(specs.write(folder / "spec.yaml", spec)).cluster
    bill = estimate(cluster, load_catalog(), today=TODAY)
    return deletion_plan(
        cluster, assembly, bill, file="spec.yaml", config="-c env=test", account=account
    )


@pytest.mark.parametrize(
    ("settings", "blocked"),
    [({}, True), ({"EmptyOnDelete": "true"}, False), (KEEP, False)],
    ids=["images", "emptied", "retained"],
)
@pytest.mark.parametrize("filled", [True, False])
def test_repository_with_images_stops_the_deletion(
    settings: dict[str, Any], blocked: bool, filled: bool, tmp_path: Path
) -> None:
    images = stack({"Images": resource("AWS::ECR::Repository", **settings)})
    account = AccountFacts(
        physical={("test-cluster", "Images"): "tools"},
        filled_repositories=frozenset({"tools"} if filled else ()),
    )
    found = plan(tmp_path, app(**{"test-cluster": images}), account=account)
    if not (blocked and filled):
        assert found.blockers == ()
        return
    (blocker,) = found.blockers
    assert blocker.where == "test-cluster/Images"
    assert "the repository tools has images" in blocker.message
    assert "aws ecr delete-repository --region us-east-1 --repository-name tools" in blocker.hint


def test_jobs_are_lost_and_waited_for(tmp_path: Path) -> None:
    names = tuple(str(number) for number in range(MAXIMUM_JOBS + 3))
    jobs = ActiveJobs(running=len(names), pending=0, names=names)
    found = plan(tmp_path, app(), account=AccountFacts(jobs=jobs))
    assert found.steps[0].command == "squeue"
    assert "scancel" in found.steps[0].why
    assert found.lost[0].what.startswith(
        "13 jobs running (0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 3 more)"
    )
    without = plan(tmp_path, app(), account=AccountFacts(jobs=ActiveJobs(running=0, pending=0)))
    assert (without.lost, len(without.steps)) == ((), 1)


def test_users_are_deleted_before_what_they_use(tmp_path: Path) -> None:
    assembly = Assembly(
        {
            "test-identity": StackTemplate("test-identity", stack({})),
            "test-network": StackTemplate("test-network", NETWORK),
            "test-storage": StackTemplate("test-storage", files()),
            "test-cluster": StackTemplate(
                "test-cluster", stack({}), {}, frozenset({"test-identity", "test-storage"})
            ),
        },
        KNOWN,
    )
    found = plan(tmp_path, assembly)
    order = found.stacks
    assert order.index("test-cluster") < order.index("test-storage") < order.index("test-network")
    assert order.index("test-cluster") < order.index("test-identity")
    assert found.steps[-1].command == "cdk destroy -c env=test --all"
    assert (found.blockers, found.exit_code) == ((), 0)


def test_deleted_files_are_lost_unless_they_are_exported(tmp_path: Path) -> None:
    exported = changed(
        MINIMAL,
        storage={
            "lustre": [
                {
                    "name": "fsx",
                    "capacity_gib": 4800,
                    "throughput_mbps_per_tib": 500,
                    "repositories": [
                        {"s3": "s3://out", "path": "/checkpoints", "export": ["NEW"]}
                    ],
                }
            ]
        },
    )
    assembly = app(**{"test-network": NETWORK, "test-storage": files()})
    (lost,) = plan(tmp_path, assembly).lost
    assert (lost.where, lost.what, lost.copy) == ("test-storage/Files", "files", None)
    (lost,) = plan(tmp_path, assembly, exported).lost
    assert lost.copy is not None
    assert "s3://out (/checkpoints)" in lost.copy
    assert "nothing outside" in lost.copy


def test_retained_file_system_keeps_the_stack_of_its_network(tmp_path: Path) -> None:
    """EC2 deletes no subnet with a network interface."""
    found = plan(tmp_path, app(**{"test-network": NETWORK, "test-storage": files(**KEEP)}))
    assert found.lost == ()
    (blocker,) = found.blockers
    assert blocker.where == "test-network"
    assert "test-storage/Files is retained" in blocker.message
    assert found.steps[-1].command == "cdk destroy -c env=test test-storage"
    remaining = {entry.name: entry for entry in found.remaining}
    assert remaining["test-storage/Files"].blocks == "test-network"
    assert remaining["test-storage/Files"].delete == (
        "aws fsx delete-file-system --region us-east-1 --file-system-id <id>"
    )
    assert remaining["test-network"].kind == "retained"
    assert found.exit_code == 1


def test_protected_stacks_are_unprotected_first(tmp_path: Path) -> None:
    protected = StackTemplate("test-storage", files(), {}, frozenset(), protected=True)
    assembly = Assembly(
        {"test-network": StackTemplate("test-network", NETWORK), "test-storage": protected}, KNOWN
    )
    found = plan(tmp_path, assembly)
    (blocker,) = found.blockers
    assert "termination protection" in blocker.message
    assert "`protection: destroy`" in blocker.hint
    assert "--no-enable-termination-protection" in found.steps[0].command
    # The account knows better: someone has turned it off.
    deployed = AccountFacts(protected=frozenset())
    assert plan(tmp_path, assembly, account=deployed).blockers == ()


def test_deletion_protection_is_turned_off_by_name(tmp_path: Path) -> None:
    control = resource("AWS::EKS::Cluster", Name="test", DeletionProtection=True)
    found = plan(tmp_path, app(**{"test-kubernetes": stack({"Cluster": control})}))
    (blocker,) = found.blockers
    assert "deletion protection" in blocker.message
    command = (
        "aws eks update-cluster-config --region us-east-1 --name test --no-deletion-protection"
    )
    assert found.steps[0].command == command


def test_filled_bucket_that_nothing_empties_stops_the_deletion(tmp_path: Path) -> None:
    def assembly(*, emptied: bool) -> Assembly:
        resources = {"B": resource("AWS::S3::Bucket", BucketName="results")}
        if emptied:
            resources["E"] = resource("Custom::S3AutoDeleteObjects", BucketName={"Ref": "B"})
        return app(**{"test-storage": stack(resources)})

    filled = AccountFacts(filled_buckets=frozenset({"results"}))
    (blocker,) = plan(tmp_path, assembly(emptied=False), account=filled).blockers
    assert "the bucket results is not empty" in blocker.message
    assert plan(tmp_path, assembly(emptied=True), account=filled).blockers == ()
    assert plan(tmp_path, assembly(emptied=False), account=AccountFacts()).blockers == ()


def test_snapshot_and_key_remain(tmp_path: Path) -> None:
    resources = {
        "Database": resource("AWS::RDS::DBInstance", DeletionPolicy="Snapshot"),
        "Key": resource("AWS::KMS::Key"),
    }
    found = {r.name: r for r in plan(tmp_path, app(**{"test-x": stack(resources)})).remaining}
    assert found["test-x/Database"].kind == "snapshot"
    assert "30 days" in found["test-x/Key"].why


def test_stack_that_left_the_app_is_named(tmp_path: Path) -> None:
    facts = AccountFacts(other_stacks=("test-operators",))
    (blocker,) = plan(tmp_path, app(**{"test-x": stack({})}), account=facts).blockers
    assert blocker.where == "test-operators"
    assert blocker.hint.endswith("--stack-name test-operators")


def test_what_the_spec_uses_and_buys_remains(tmp_path: Path) -> None:
    reservation = {"kind": "reservation", "id": "cr-0a1b2c3d4e5f60718"}
    spec = changed(EXISTING, compute__1__capacity=reservation, platform="parallelcluster")
    spec["compute"][1]["capacity"] = reservation
    found = plan(tmp_path, app(), {**MINIMAL, "network": EXISTING["network"]}).remaining
    assert "vpc-" in next(r.name for r in found if r.kind == "existing" and r.what == "VPC")
    plan_arn = f"arn:aws:sagemaker:us-east-1:{spec['account']}:training-plan/p"
    bought = changed(MINIMAL, compute__1__capacity={"kind": "training-plan", "arn": plan_arn})
    (entry,) = (r for r in plan(tmp_path, app(), bought).remaining if r.kind == "capacity")
    assert entry.name == plan_arn
    assert "not refunded" in entry.why
    lent = {**reservation, "interruptible": True}
    borrowed = changed(PCS_MINIMAL, compute__1__capacity=lent)
    (entry,) = (r for r in plan(tmp_path, app(), borrowed).remaining if r.kind == "capacity")
    assert entry.name == reservation["id"]
    assert entry.delete is None
    assert "its owner can reclaim it" in entry.why


def test_cost_of_what_remains_is_that_of_the_bill(tmp_path: Path) -> None:
    spec = changed(
        MINIMAL,
        storage={
            "lustre": [{"name": "fsx", "capacity_gib": 4800, "throughput_mbps_per_tib": 500}]
        },
    )
    cluster = load_cluster(specs.write(tmp_path / "cost.yaml", spec)).cluster
    bill = estimate(cluster, load_catalog(), today=TODAY)
    (line,) = (line for line in bill.lines if line.component == "lustre")
    assembly = app(**{"test-network": NETWORK, "test-storage": files(**KEEP)})
    found = {r.name: r for r in plan(tmp_path, assembly, spec).remaining}
    assert line.monthly_usd is not None
    assert found["test-storage/Files"].monthly_usd == line.monthly_usd


def test_each_command_is_listed_once(tmp_path: Path) -> None:
    commands = [step.command for step in plan(tmp_path, app(), spec=EKS).steps]
    assert len(commands) == len(set(commands))
    assert sum("persistentvolumeclaims" in command for command in commands) == 1

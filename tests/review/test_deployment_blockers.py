"""Deployment blockers, with their names."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.review.assembly import Assembly
from tests.review.blockers import found
from tests.review.templates import app, export, resource, stack


def kinds(before: Assembly, after: Assembly) -> list[str]:
    return [blocker.kind for blocker in found(before, after)]


def storage(*names: str) -> dict[str, Any]:
    return stack(
        {
            name: resource("AWS::FSx::FileSystem", FileSystemType="LUSTRE", SubnetIds=["s"])
            for name in names
        },
        Outputs={name: export(f"s:{name}", {"Ref": name}) for name in names},
    )


def cluster(*names: str) -> dict[str, Any]:
    users = [{"Fn::ImportValue": f"s:{name}"} for name in names]
    return stack({"Topic": resource("AWS::SNS::Topic", Subscription=users)})


def test_removed_file_system_with_an_imported_export_needs_two_deployments() -> None:
    before = app(storage=storage("One", "Two"), cluster=cluster("One", "Two"))
    after = app(storage=storage("One"), cluster=cluster("One"))
    (blocker,) = found(before, after)
    assert blocker.kind == "export-in-use"
    assert "two deployments" in blocker.message
    assert "cdk deploy cluster --exclusively" in blocker.hint


def test_stack_that_uses_a_removed_stack_is_deleted_first() -> None:
    before = app(storage=storage("One", "Two"), cluster=cluster("Two"), other=cluster("Two"))
    after = app(storage=storage("One"), cluster=cluster("One"))
    (blocker,) = found(before, after)
    assert "first `cdk deploy cluster --exclusively`" in blocker.hint
    assert "then `aws cloudformation delete-stack --stack-name other`" in blocker.hint
    (blocker,) = found(before, app(storage=storage("One")))
    assert "delete-stack --stack-name cluster" in blocker.hint
    assert "--exclusively" not in blocker.hint


def test_users_of_a_removed_stack_are_deployed_first() -> None:
    """A stack cannot be deleted while another imports its exports, such as the network's by
    storage.
    """

    def exporting(name: str, *used: str) -> dict[str, Any]:
        users = [{"Fn::ImportValue": value} for value in used]
        body = {"Topic": resource("AWS::SNS::Topic", Subscription=users)}
        return stack(body, Outputs={name: export(name, {"Ref": "Topic"})})

    before = app(
        network=exporting("net"),
        storage=exporting("files", "net"),
        views=exporting("view", "files"),
        cluster=exporting("cluster", "files", "view"),
    )
    after = app(
        network=stack({"Other": resource("AWS::SNS::Topic")}), cluster=exporting("cluster")
    )
    (blocker,) = found(before, after)
    first, second, third, last = blocker.hint.split(", then ")[0:1] + [
        part for part in blocker.hint.split("`") if "delete-stack" in part or "--all" in part
    ]
    assert first.startswith("first `cdk deploy cluster --exclusively`")
    assert second.endswith("--stack-name views")
    assert third.endswith("--stack-name storage")
    assert last == "cdk deploy --all"


def test_unused_export_can_be_removed() -> None:
    before = app(storage=storage("One", "Two"), cluster=cluster("One"))
    after = app(storage=storage("One"), cluster=cluster("One"))
    assert found(before, after) == ()


def test_replacement_of_a_file_system_needs_an_intermediate_version() -> None:
    before = app(storage=storage("One"), cluster=cluster("One"))
    after = app(storage=storage("Two"), cluster=cluster("Two"))
    (blocker,) = found(before, after)
    assert "split the change" in blocker.hint


def test_fixed_name_blocks_a_replacement() -> None:
    def one(subnet: str) -> Assembly:
        vpc = {"Subnets": [subnet], "SecurityGroupIds": ["g"]}
        return app(
            a=stack({"C": resource("AWS::SageMaker::Cluster", ClusterName="c", VpcConfig=vpc)})
        )

    assert kinds(one("x"), one("y")) == ["name-taken"]


def test_new_logical_id_with_the_same_name_is_blocked() -> None:
    def one(logical_id: str) -> Assembly:
        group = resource("AWS::Logs::LogGroup", LogGroupName="/a/b")
        return app(a=stack({logical_id: group}))

    assert kinds(one("Old"), one("New")) == ["name-taken"]


def test_type_cannot_change() -> None:
    one = app(a=stack({"X": resource("AWS::SNS::Topic")}))
    two = app(a=stack({"X": resource("AWS::SQS::Queue")}))
    assert "type-changed" in kinds(one, two)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"StorageCapacity": 4800}, {"StorageCapacity": 2400}, ["cannot-shrink"]),
        ({"StorageCapacity": 4800}, {"StorageCapacity": 9600}, []),
        ({"StorageCapacity": "4800"}, {"StorageCapacity": {"Ref": "AWS::StackName"}}, []),
        (
            {"LustreConfiguration": {"EfaEnabled": True, "PerUnitStorageThroughput": 500}},
            {"LustreConfiguration": {"EfaEnabled": True, "PerUnitStorageThroughput": 1000}},
            ["cannot-change"],
        ),
        (
            {"LustreConfiguration": {"MetadataConfiguration": {"Iops": 12000}}},
            {"LustreConfiguration": {"MetadataConfiguration": {"Iops": 6000}}},
            ["cannot-shrink"],
        ),
        (
            {"FileSystemType": "OPENZFS", "StorageCapacity": 100},
            {"FileSystemType": "OPENZFS", "StorageCapacity": 105},
            ["cannot-change"],
        ),
    ],
)
def test_fsx_restrictions_are_reported(
    before: dict[str, Any], after: dict[str, Any], expected: list[str]
) -> None:
    def one(properties: dict[str, Any]) -> Assembly:
        body = {"FileSystemType": "LUSTRE", **properties}
        return app(a=stack({"Fs": resource("AWS::FSx::FileSystem", **body)}))

    assert kinds(one(before), one(after)) == expected


def test_rds_and_hyperpod_restrictions_are_reported() -> None:
    def database(gib: int) -> Assembly:
        return app(a=stack({"Db": resource("AWS::RDS::DBInstance", AllocatedStorage=gib)}))

    assert kinds(database(100), database(50)) == ["cannot-shrink"]

    def hyperpod(controller: str, **slurm: Any) -> Assembly:
        group = {"InstanceGroupName": controller, "SlurmConfig": {"NodeType": "Controller"}}
        body = resource(
            "AWS::SageMaker::Cluster", InstanceGroups=[group], Orchestrator={"Slurm": slurm}
        )
        return app(a=stack({"C": body}))

    assert kinds(hyperpod("one"), hyperpod("two")) == ["cannot-change"]
    accounting = {"AccountingDatabase": {"Endpoint": "e", "SecretArn": "s"}}
    assert kinds(hyperpod("one", **accounting), hyperpod("one")) == ["cannot-change"]

"""Deletion of stacks, and what protects them."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.cloudformation.store import settings
from packages.localaws.tests.cloudformation.stacks import (
    Pretend,
    aws,
    cloudformation,
    create,
    delete,
    described,
    events,
    history,
    parameter,
    reason,
    resource,
    resources_of,
    settled,
    template,
    update,
)

CHAIN = {"A": parameter("1"), "B": parameter({"Ref": "A"}), "C": parameter({"Ref": "B"})}


def only(failing: str, message: str = "no") -> Any:
    return lambda operation, name, _: message if (operation, name) == ("delete", failing) else None


def test_dependent_resources_are_deleted_first(pretend: Pretend) -> None:
    stack = create("s", template(CHAIN))
    assert delete("s")["StackStatus"] == "DELETE_COMPLETE"
    assert pretend.did("delete") == ["C", "B", "A"]
    assert pretend.existing == {}
    assert history(stack["StackId"])[-1] == ("s", "DELETE_COMPLETE")


def test_a_deleted_stack_is_found_by_its_id_only(pretend: Pretend) -> None:
    stack_id = create("s", template(CHAIN))["StackId"]
    delete("s")
    with pytest.raises(ClientError, match="Stack with id s does not exist"):
        described("s")
    found = described(stack_id)
    assert found["StackStatus"] == "DELETE_COMPLETE"
    assert found["DeletionTime"] >= found["CreationTime"]
    assert events(stack_id)
    summaries = cloudformation().list_stacks(StackStatusFilter=["DELETE_COMPLETE"])
    assert [stack_summary["StackId"] for stack_summary in summaries["StackSummaries"]] == [
        stack_id
    ]
    assert create("s", template(CHAIN))["StackId"] != stack_id


def test_retained_resources_are_kept(pretend: Pretend) -> None:
    stack = create("s", template({**CHAIN, "Kept": parameter("k", DeletionPolicy="Retain")}))
    assert delete("s")["StackStatus"] == "DELETE_COMPLETE"
    assert [item["Value"] for item in pretend.existing.values()] == ["k"]
    assert ("Kept", "DELETE_SKIPPED") in history(stack["StackId"])


def test_an_already_deleted_resource_is_not_a_failure(pretend: Pretend) -> None:
    create("s", template(CHAIN))
    pretend.existing.clear()
    assert delete("s")["StackStatus"] == "DELETE_COMPLETE"


def test_failed_deletion_keeps_the_dependencies(pretend: Pretend) -> None:
    create("s", template({**CHAIN, "Apart": parameter("x")}))
    pretend.fail = only("B", "it is in use")
    stack = delete("s")
    assert stack["StackStatus"] == "DELETE_FAILED"
    assert stack["StackStatusReason"] == "The following resource(s) failed to delete: [B]. "
    assert reason("s", "B", "DELETE_FAILED").startswith(
        'Resource handler returned message: "it is in use"'
    )
    # C and Apart were deleted; A, which B needs, was not attempted.
    assert pretend.did("delete") == ["Apart", "C", "B"]
    pretend.fail = lambda *_: None
    assert delete("s")["StackStatus"] == "DELETE_COMPLETE"
    assert pretend.existing == {}


def test_failed_resources_can_be_retained(pretend: Pretend) -> None:
    create("s", template(CHAIN))
    with pytest.raises(ClientError, match="DELETE_FAILED state"):
        delete("s", RetainResources=["A"])
    pretend.fail = lambda operation, name, _: (
        "no" if (operation, name) == ("delete", "B") else None
    )
    assert delete("s")["StackStatus"] == "DELETE_FAILED"
    with pytest.raises(ClientError, match=r"\[Z\] do not exist in the stack"):
        delete("s", RetainResources=["Z"])
    assert delete("s", RetainResources=["B"])["StackStatus"] == "DELETE_COMPLETE"
    assert list(pretend.existing) == ["B-2"]


def test_stack_can_be_force_deleted(pretend: Pretend) -> None:
    create("s", template(CHAIN))
    pretend.fail = lambda operation, name, _: (
        "no" if (operation, name) == ("delete", "B") else None
    )
    assert delete("s")["StackStatus"] == "DELETE_FAILED"
    assert delete("s", DeletionMode="FORCE_DELETE_STACK")["StackStatus"] == "DELETE_COMPLETE"
    assert set(pretend.existing) == {"A-1", "B-2"}


def test_termination_protection_refuses_deletion(pretend: Pretend) -> None:
    create("s", template(CHAIN), EnableTerminationProtection=True)
    assert described("s")["EnableTerminationProtection"] is True
    message = r"Stack \[s\] cannot be deleted while TerminationProtection is enabled"
    with pytest.raises(ClientError, match=message):
        delete("s")
    assert pretend.did("delete") == []
    cloudformation().update_termination_protection(
        StackName="s", EnableTerminationProtection=False
    )
    assert delete("s")["StackStatus"] == "DELETE_COMPLETE"


def test_deleting_an_unknown_stack_succeeds(pretend: Pretend) -> None:
    cloudformation().delete_stack(StackName="nobody")


def test_stack_in_creation_can_be_deleted(
    pretend: Pretend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "settle_s", 0.05)
    pretend.delay_s = lambda name: 20.0 if name == "B" else 0.0
    stack_id = cloudformation().create_stack(StackName="s", TemplateBody=template(CHAIN))[
        "StackId"
    ]
    cloudformation().delete_stack(StackName="s")
    assert settled(stack_id)["StackStatus"] == "DELETE_COMPLETE"
    assert pretend.existing == {}


class TestSnapshots:
    """https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html"""

    def test_snapshot_is_the_default_for_databases(self, pretend: Pretend) -> None:
        pretend.snapshots = True
        policies = {"A": {}, "B": {"DeletionPolicy": "Delete"}, "C": {"DeletionPolicy": "Retain"}}
        create("s", template({name: parameter("1", **more) for name, more in policies.items()}))
        delete("s")
        assert [name[0] for name in pretend.kept_in_snapshots] == ["A"]
        assert [name[0] for name in pretend.existing] == ["C"]

    def test_replaced_resources_use_update_replace_policy(self, pretend: Pretend) -> None:
        pretend.snapshots = True

        def body(name: str) -> str:
            both = {"A": {"UpdateReplacePolicy": "Snapshot"}, "B": {}}
            values = {"Type": "String", "Value": "1", "Name": name}
            resources = {
                key: resource("AWS::SSM::Parameter", values, DeletionPolicy="Delete", **more)
                for key, more in both.items()
            }
            return template(resources)

        create("s", body("before"))
        update("s", body("after"))
        assert [name[0] for name in pretend.kept_in_snapshots] == ["A"]
        assert len(pretend.existing) == 2

    @pytest.mark.usefixtures("pretend")
    @pytest.mark.parametrize("policy", ["DeletionPolicy", "UpdateReplacePolicy"])
    def test_snapshot_policy_is_refused_for_other_types(self, policy: str) -> None:
        with pytest.raises(ClientError, match="does not support the policy Snapshot"):
            create("s", template({"A": parameter("1", **{policy: "Snapshot"})}))

    @pytest.mark.usefixtures("local")
    def test_deleted_database_leaves_a_snapshot(self) -> None:
        database = resource(
            "AWS::RDS::DBInstance",
            {
                "DBInstanceClass": "db.t4g.medium",
                "Engine": "mysql",
                "AllocatedStorage": "20",
                "MasterUsername": "slurm",
                "MasterUserPassword": "0123456789",
            },
        )
        create("s", template({"Db": database}))
        name = resources_of("s")["Db"]["PhysicalResourceId"]
        delete("s")
        (left,) = aws("rds").describe_db_snapshots(DBInstanceIdentifier=name)["DBSnapshots"]
        assert left["DBSnapshotIdentifier"].startswith("s-snapshot-")

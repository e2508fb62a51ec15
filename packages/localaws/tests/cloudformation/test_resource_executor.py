"""Resources in an update: changed in place, replaced, deleted, protected."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from packages.localaws.tests.cloudformation.stacks import (
    Pretend,
    aws,
    cloudformation,
    create,
    described,
    failing,
    history,
    named,
    outputs,
    parameter,
    reason,
    resource,
    resources_of,
    template,
    update,
)


def test_unchanged_resources_are_not_updated(pretend: Pretend) -> None:
    create("s", template({"A": parameter("1"), "B": parameter("1")}))
    pretend.calls.clear()
    stack = update("s", template({"A": parameter("1"), "B": parameter("2")}))
    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    assert pretend.calls == [("update", "B")]
    assert [item for item in history("s") if item[0] == "A"][-1] == ("A", "CREATE_COMPLETE")
    assert history("s")[-5:] == [
        ("s", "UPDATE_IN_PROGRESS"),
        ("B", "UPDATE_IN_PROGRESS"),
        ("B", "UPDATE_COMPLETE"),
        ("s", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"),
        ("s", "UPDATE_COMPLETE"),
    ]


@pytest.mark.parametrize(
    "same",
    [
        {"A": parameter("1")},
        {"A": resource("AWS::SSM::Parameter", {"Value": 1, "Type": "String"})},
    ],
)
def test_no_change_is_refused(pretend: Pretend, same: dict[str, Any]) -> None:
    create("s", template({"A": parameter("1")}))
    with pytest.raises(ClientError, match=r"No updates are to be performed\."):
        update("s", template(same))
    assert described("s")["StackStatus"] == "CREATE_COMPLETE"


def test_update_of_the_rollback_configuration_alone(pretend: Pretend) -> None:
    """As recorded on AWS by LocalStack's tests."""
    body = template({"A": parameter("1")})
    create("s", body)
    watched = {"MonitoringTimeInMinutes": 5}
    assert update("s", body, RollbackConfiguration=watched)["StackStatus"] == "UPDATE_COMPLETE"
    assert pretend.did("update") == []
    assert described("s")["RollbackConfiguration"] == watched
    with pytest.raises(ClientError, match=r"No updates are to be performed\."):
        update("s", body, RollbackConfiguration=watched)


def test_update_with_a_transform_is_not_refused(pretend: Pretend) -> None:
    """As recorded on AWS by LocalStack's tests, 2024-05-07."""
    body = template({"A": parameter("1")}, Transform="AWS::Serverless-2016-10-31")
    create("s", body)
    assert update("s", body)["StackStatus"] == "UPDATE_COMPLETE"
    assert pretend.did("update") == []


@pytest.mark.parametrize("name", ["DeletionPolicy", "UpdateReplacePolicy"])
def test_policy_of_a_parameter_is_checked(pretend: Pretend, name: str) -> None:
    body = template(
        {"A": parameter("1", **{name: {"Ref": "P"}})},
        Parameters={"P": {"Type": "String", "Default": "Keep"}},
    )
    with pytest.raises(ClientError, match=f"{name} must be one of Delete, Retain"):
        create("s", body)
    value = {"ParameterKey": "P", "ParameterValue": "Retain"}
    assert create("s", body, Parameters=[value])["StackStatus"] == "CREATE_COMPLETE"


def test_a_create_only_property_replaces_and_then_deletes_the_old_one(pretend: Pretend) -> None:
    create("s", template({"A": named("one"), "User": parameter({"Ref": "A"})}))
    pretend.calls.clear()
    update("s", template({"A": named("two"), "User": parameter({"Ref": "A"})}))
    assert pretend.calls == [("create", "A"), ("update", "User"), ("delete", "A")]
    assert pretend.existing["User-2"]["Value"] == "A-3"
    assert "A-1" not in pretend.existing
    assert reason("s", "A", "DELETE_IN_PROGRESS") == ""
    after = [item for item in history("s") if item[0] in ("A", "s")]
    assert after[-4:] == [
        ("s", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"),
        ("A", "DELETE_IN_PROGRESS"),
        ("A", "DELETE_COMPLETE"),
        ("s", "UPDATE_COMPLETE"),
    ]
    assert resources_of("s")["A"]["PhysicalResourceId"] == "A-3"


def test_a_replaced_resource_is_kept_by_its_policy(pretend: Pretend) -> None:
    create("s", template({"A": named("one")}))
    update("s", template({"A": named("two", UpdateReplacePolicy="Retain")}))
    assert set(pretend.existing) == {"A-1", "A-2"}
    assert ("A", "DELETE_SKIPPED") in history("s")


def test_a_resource_with_a_custom_name_cannot_be_replaced(pretend: Pretend) -> None:
    def repository(kind: str) -> dict[str, Any]:
        properties = {
            "RepositoryName": "mine",
            "EncryptionConfiguration": {"EncryptionType": kind},
        }
        return resource("AWS::ECR::Repository", properties)

    create("s", template({"A": repository("AES256")}))
    stack = update("s", template({"A": repository("KMS")}))
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert reason("s", "A", "UPDATE_FAILED") == (
        "CloudFormation cannot update a stack when a custom-named resource requires replacing. "
        "Rename mine and update the stack again."
    )
    assert pretend.calls == [("create", "A")]


def test_removed_resource_is_deleted_last(pretend: Pretend) -> None:
    create("s", template({"A": parameter("1"), "B": parameter({"Ref": "A"}), "C": parameter("c")}))
    pretend.calls.clear()
    update("s", template({"C": parameter("d")}))
    assert pretend.calls == [("update", "C"), ("delete", "B"), ("delete", "A")]
    assert set(resources_of("s")) == {"C"}


def test_a_removed_resource_is_kept_by_its_policy(pretend: Pretend) -> None:
    create("s", template({"A": parameter("1", DeletionPolicy="Retain"), "C": parameter("c")}))
    update("s", template({"C": parameter("c")}))
    assert set(pretend.existing) == {"A-1", "C-2"}
    assert set(resources_of("s")) == {"C"}


def test_failed_cleanup_does_not_fail_the_update(pretend: Pretend) -> None:
    create("s", template({"A": parameter("1"), "C": parameter("c")}))
    pretend.fail = failing(("delete", "A"))
    assert update("s", template({"C": parameter("c")}))["StackStatus"] == "UPDATE_COMPLETE"
    assert ("A", "DELETE_FAILED") in history("s")


def test_failed_update_restores_every_resource(pretend: Pretend) -> None:
    before = {"A": named("one"), "B": parameter("1"), "Last": parameter({"Ref": "A"})}
    create("s", template(before))
    existing = {name: dict(value) for name, value in pretend.existing.items()}
    after = {
        "A": named("two"),
        "B": parameter("2"),
        "New": parameter("n"),
        "Last": parameter({"Ref": "A"}),
        "Z": {**parameter("1"), "DependsOn": ["A", "B", "New", "Last"]},
    }
    pretend.fail = failing(("create", "Z"))
    stack = update("s", template(after))
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert (
        reason("s", "s", "UPDATE_ROLLBACK_IN_PROGRESS")
        == "The following resource(s) failed to create: [Z]."
    )
    assert pretend.existing == existing
    assert set(resources_of("s")) == set(before)
    assert resources_of("s")["A"]["PhysicalResourceId"] == "A-1"
    assert ("s", "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS") in history("s")
    # The stack is unchanged: the same template contains no changes.
    with pytest.raises(ClientError, match="No updates are to be performed"):
        update("s", template(before))


def test_failed_replacement_keeps_the_old_resource(pretend: Pretend) -> None:
    create("s", template({"A": named("one")}))
    pretend.fail = failing(("create", "A"))
    assert update("s", template({"A": named("two")}))["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert list(pretend.existing) == ["A-1"]
    assert resources_of("s")["A"]["PhysicalResourceId"] == "A-1"


def test_the_type_of_a_resource_cannot_change(pretend: Pretend) -> None:
    create("s", template({"A": parameter("1")}))
    with pytest.raises(ClientError, match=r"modifies resource type .*: \[A\]"):
        update("s", template({"A": resource("AWS::SNS::Topic")}))


def test_changed_outputs_are_an_update(pretend: Pretend) -> None:
    create("s", template({"A": parameter("1")}))
    pretend.calls.clear()
    stack = update("s", template({"A": parameter("1")}, Outputs={"O": {"Value": "new"}}))
    assert (outputs(stack), pretend.calls) == ({"O": "new"}, [])


def test_stack_tags_are_set_on_taggable_resources(pretend: Pretend) -> None:
    body = template(
        {
            "A": parameter("1"),
            "Board": resource("AWS::CloudWatch::Dashboard", {"DashboardBody": "{}"}),
        }
    )
    create("s", body, Tags=[{"Key": "team", "Value": "a"}])
    pretend.calls.clear()
    stack = update("s", body, Tags=[{"Key": "team", "Value": "b"}])
    assert stack["Tags"] == [{"Key": "team", "Value": "b"}]
    assert ("update", "A") in pretend.calls


def test_stack_policy_protects_its_resources(pretend: Pretend) -> None:
    policy = """{"Statement": [
        {"Effect": "Allow", "Action": "Update:*", "Principal": "*", "Resource": "*"},
        {"Effect": "Deny", "Action": ["Update:Replace", "Update:Delete"], "Principal": "*",
         "Resource": "LogicalResourceId/A"}]}"""
    create("s", template({"A": named("one"), "B": parameter("1")}), StackPolicyBody=policy)
    pretend.calls.clear()
    refused = (
        "Action denied by stack policy: Statement [#2] does not allow [Update:{}] for resource "
        "[LogicalResourceId/A]"
    )
    for action, resources in (
        ("Replace", {"A": named("two"), "B": parameter("2")}),
        ("Delete", {"B": parameter("2")}),
    ):
        assert update("s", template(resources))["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
        assert reason("s", "A", "UPDATE_FAILED") == refused.format(action)
    assert pretend.calls == []
    assert update("s", template({"A": named("one", "2"), "B": parameter("1")}))["StackStatus"] == (
        "UPDATE_COMPLETE"
    )
    during = policy.replace("Deny", "Allow")
    stack = update(
        "s",
        template({"A": named("three"), "B": parameter("1")}),
        StackPolicyDuringUpdateBody=during,
    )
    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    assert cloudformation().get_stack_policy(StackName="s")["StackPolicyBody"] == policy


ALARM = {
    "AlarmName": "r",
    "Namespace": "N",
    "MetricName": "m",
    "Statistic": "Average",
    "Period": 60,
    "EvaluationPeriods": 1,
    "ComparisonOperator": "GreaterThanThreshold",
}
BUCKET = "clusterwright-gone"


def policy(action: str) -> dict[str, Any]:
    return {
        "Effect": "Allow",
        "Principal": {"AWS": {"Ref": "AWS::AccountId"}},
        "Action": action,
        "Resource": f"arn:aws:s3:::{BUCKET}/*",
    }


# Types whose API would create the resource anew: properties before and after, and calls that
# delete it by hand and list what there is of it.
RECREATABLE: tuple[tuple[str, dict[str, Any], dict[str, Any], Any, Any], ...] = (
    (
        "AWS::SSM::Parameter",
        {"Name": "/r", "Type": "String", "Value": "1"},
        {"Name": "/r", "Type": "String", "Value": "2"},
        lambda: aws("ssm").delete_parameter(Name="/r"),
        lambda: aws("ssm").describe_parameters()["Parameters"],
    ),
    (
        "AWS::CloudWatch::Alarm",
        {**ALARM, "Threshold": 1},
        {**ALARM, "Threshold": 2},
        lambda: aws("cloudwatch").delete_alarms(AlarmNames=["r"]),
        lambda: aws("cloudwatch").describe_alarms()["MetricAlarms"],
    ),
    (
        "AWS::Events::Rule",
        {"Name": "r", "EventPattern": {"source": ["aws.ec2"]}},
        {"Name": "r", "EventPattern": {"source": ["aws.s3"]}},
        lambda: aws("events").delete_rule(Name="r"),
        lambda: aws("events").list_rules()["Rules"],
    ),
    (
        "AWS::S3::BucketPolicy",
        {"Bucket": {"Ref": "Bucket"}, "PolicyDocument": {"Statement": policy("s3:GetObject")}},
        {"Bucket": {"Ref": "Bucket"}, "PolicyDocument": {"Statement": policy("s3:PutObject")}},
        lambda: aws("s3").delete_bucket_policy(Bucket=BUCKET),
        lambda: not_found(aws("s3").get_bucket_policy, Bucket=BUCKET),
    ),
)


def not_found(call: Any, **given: Any) -> list[Any]:
    with pytest.raises(ClientError, match="NoSuch"):
        call(**given)
    return []


@pytest.mark.usefixtures("local")
@pytest.mark.parametrize(
    ("kind", "before", "after", "delete", "found"),
    RECREATABLE,
    ids=[one[0] for one in RECREATABLE],
)
def test_an_update_does_not_create_what_was_deleted_by_hand(
    kind: str, before: dict[str, Any], after: dict[str, Any], delete: Any, found: Any
) -> None:
    bucket = {"Bucket": resource("AWS::S3::Bucket", {"BucketName": BUCKET})}
    made = create("s", template({**bucket, "R": resource(kind, before)}))
    assert made["StackStatus"] == "CREATE_COMPLETE"
    physical_id = resources_of("s")["R"]["PhysicalResourceId"]
    delete()
    updated = update("s", template({**bucket, "R": resource(kind, after)}))
    assert updated["StackStatus"] == "UPDATE_ROLLBACK_FAILED"
    text = reason("s", "R", "UPDATE_FAILED")
    assert f"Resource of type '{kind}' with identifier '{physical_id}' was not found." in text
    assert "HandlerErrorCode: NotFound" in text
    assert found() == []

"""Early validation of change sets: names that are taken, buckets that are not empty."""

from __future__ import annotations

from typing import Any

from packages.localaws.tests.cloudformation.change_sets import plan
from packages.localaws.tests.cloudformation.stacks import (
    aws,
    cloudformation,
    create,
    described,
    named,
    parameter,
    resource,
    template,
)

BUCKET = "early-validation-bucket"
LOG_GROUP = "/early/validation"


def found_in(change_set: dict[str, Any]) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = cloudformation().describe_events(
        ChangeSetName=change_set["ChangeSetId"], Filters={"FailedEvents": True}
    )["OperationEvents"]
    return events


def taken() -> str:
    aws("s3").create_bucket(Bucket=BUCKET)
    aws("logs").create_log_group(logGroupName=LOG_GROUP)
    return template(
        {
            "Bucket": resource("AWS::S3::Bucket", {"BucketName": BUCKET}),
            "Group": resource("AWS::Logs::LogGroup", {"LogGroupName": LOG_GROUP}),
            "Free": resource("AWS::Logs::LogGroup", {"LogGroupName": LOG_GROUP + "/free"}),
            "Unnamed": parameter("v"),
        }
    )


def test_names_that_are_taken_fail_the_change_set(local: None) -> None:
    planned = plan("s", taken(), "CREATE")
    assert (planned["Status"], planned["ExecutionStatus"]) == ("FAILED", "UNAVAILABLE")
    assert planned["StatusReason"] == (
        "The following hook(s)/validation failed: [AWS::EarlyValidation::ResourceExistenceCheck]. "
        "To troubleshoot Early Validation errors, use the DescribeEvents API for detailed failure "
        "information."
    )
    events = {one["LogicalResourceId"]: one for one in found_in(planned)}
    assert sorted(events) == ["Bucket", "Group"]
    event = events["Bucket"]
    assert event["EventType"] == "VALIDATION_ERROR"
    assert event["ValidationName"] == "NAME_CONFLICT_VALIDATION"
    assert (event["ValidationFailureMode"], event["ValidationStatus"]) == ("FAIL", "FAILED")
    assert event["ValidationPath"] == "/Resources/Bucket"
    assert event["ValidationStatusReason"] == (
        f"Resource of type 'AWS::S3::Bucket' with identifier '{BUCKET}' already exists."
    )


def test_a_value_from_another_resource_is_not_examined(local: None) -> None:
    aws("ssm").put_parameter(Name="/taken", Value="v", Type="String")
    body = template({"A": named("/mine"), "B": named(None, {"Ref": "A"})})
    assert plan("s", body, "CREATE")["Status"] == "CREATE_COMPLETE"


def test_a_resource_that_the_stack_has_is_no_conflict(local: None) -> None:
    create("s", template({"A": named("/mine", "1")}))
    assert plan("s", template({"A": named("/mine", "2")}))["Status"] == "CREATE_COMPLETE"


def test_validation_that_is_disabled_lets_the_change_set_pass(local: None) -> None:
    assert plan("s", taken(), "CREATE", DisableValidation=True)["Status"] == "CREATE_COMPLETE"


def test_resources_to_be_imported_are_no_conflict(local: None) -> None:
    planned = plan("s", taken(), "CREATE", ImportExistingResources=True)
    assert planned["Status"] == "CREATE_COMPLETE"
    assert planned["ImportExistingResources"] is True


def test_conflicts_and_wrong_properties_are_both_reported(local: None) -> None:
    aws("s3").create_bucket(Bucket=BUCKET)
    body = template(
        {
            "Bucket": resource("AWS::S3::Bucket", {"BucketName": BUCKET}),
            "Topic": resource("AWS::SNS::Topic", {"Colour": "blue"}),
        }
    )
    planned = plan("s", body, "CREATE")
    assert "PropertyValidation" in planned["StatusReason"]
    assert "ResourceExistenceCheck" in planned["StatusReason"]
    assert {one["ValidationName"] for one in found_in(planned)} == {
        "PROPERTY_VALIDATION",
        "NAME_CONFLICT_VALIDATION",
    }


def test_a_bucket_with_objects_that_is_to_be_deleted_is_a_warning(local: None) -> None:
    bucket = resource("AWS::S3::Bucket", {"BucketName": BUCKET})
    create("s", template({"Bucket": bucket, "A": parameter("1")}))
    without = template({"A": parameter("1")})
    assert found_in(plan("s", without)) == []
    cloudformation().delete_change_set(StackName="s", ChangeSetName="c")
    aws("s3").put_object(Bucket=BUCKET, Key="k", Body=b"x")
    planned = plan("s", without)
    assert (planned["Status"], planned["ExecutionStatus"]) == ("CREATE_COMPLETE", "AVAILABLE")
    (event,) = found_in(planned)
    assert event["ValidationName"] == "BUCKET_EMPTINESS_VALIDATION"
    assert event["ValidationFailureMode"] == "WARN"
    assert event["ValidationStatusReason"] == (
        f"The bucket '{BUCKET}' is not empty. You must either delete all objects and versions or "
        "use the deletion policy to retain it, otherwise the delete operation will fail."
    )


def test_a_bucket_that_is_retained_may_have_objects(local: None) -> None:
    bucket = resource("AWS::S3::Bucket", {"BucketName": BUCKET}, DeletionPolicy="Retain")
    create("s", template({"Bucket": bucket, "A": parameter("1")}))
    aws("s3").put_object(Bucket=BUCKET, Key="k", Body=b"x")
    assert found_in(plan("s", template({"A": parameter("1")}))) == []
    assert described("s")["StackStatus"] == "CREATE_COMPLETE"

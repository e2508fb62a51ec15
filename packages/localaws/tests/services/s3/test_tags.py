"""Tests of services.s3.tags."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from botocore.exceptions import ClientError

from packages.localaws.tests.parts import client, refusal


@pytest.fixture
def s3(aws: Any) -> Any:
    found = client("s3")
    found.create_bucket(Bucket="one")
    return found


@pytest.mark.parametrize(
    ("tags", "code"),
    [
        ("a=1&a=2", "InvalidArgument"),
        ("a=1,b=2", "InvalidArgument"),
        (urlencode({f"k{number}": "" for number in range(11)}), "BadRequest"),
        (urlencode({"k" * 129: ""}), "InvalidTag"),
        (urlencode({"k": "v" * 257}), "InvalidTag"),
        ("aws:a=1", "InvalidTag"),
    ],
)
def test_refused_tags_leave_no_object(s3: Any, tags: str, code: str) -> None:
    assert refusal(s3.put_object, Bucket="one", Key="a", Tagging=tags)[0] == code
    assert s3.list_objects_v2(Bucket="one")["KeyCount"] == 0


def test_tags_of_a_bucket_are_put_and_removed_without_content(s3: Any) -> None:
    put = s3.put_bucket_tagging(Bucket="one", Tagging=_set(("a", "1")))
    removed = s3.delete_bucket_tagging(Bucket="one")
    assert [each["ResponseMetadata"]["HTTPStatusCode"] for each in (put, removed)] == [204, 204]


def test_tags_that_are_taken(s3: Any) -> None:
    s3.put_object(Bucket="one", Key="a", Tagging="some=1&b=")
    found = s3.get_object_tagging(Bucket="one", Key="a")["TagSet"]
    assert found == [{"Key": "some", "Value": "1"}, {"Key": "b", "Value": ""}]


def _set(*pairs: tuple[str, str]) -> dict[str, Any]:
    return {"TagSet": [{"Key": key, "Value": value} for key, value in pairs]}


@pytest.mark.parametrize(
    ("tags", "members"),
    [
        (_set(("a", "1"), ("a", "2")), {"TagKey": "a"}),
        (_set(("a,b", "1")), {"TagKey": "a,b"}),
        (_set(("a", "1,2")), {"TagKey": "a", "TagValue": "1,2"}),
        (_set(("aws:a", "1")), {"TagKey": "aws:a"}),
    ],
)
def test_refused_sets_of_tags(s3: Any, tags: Any, members: dict[str, str]) -> None:
    s3.put_object(Bucket="one", Key="a")
    for operation, key in ((s3.put_bucket_tagging, {}), (s3.put_object_tagging, {"Key": "a"})):
        with pytest.raises(ClientError) as refused:
            operation(Bucket="one", **key, Tagging=tags)
        error: Any = refused.value.response["Error"]
        assert error["Code"] == "InvalidTag"
        assert {name: error[name] for name in members} == members


def test_tags_of_a_new_bucket(s3: Any) -> None:
    given = _set(("a", "1"), ("b", ""))["TagSet"]
    s3.create_bucket(Bucket="two", CreateBucketConfiguration={"Tags": given})
    assert s3.get_bucket_tagging(Bucket="two")["TagSet"] == given
    wrong = {"Tags": _set(("aws:a", "1"))["TagSet"]}
    assert refusal(s3.create_bucket, Bucket="three", CreateBucketConfiguration=wrong)[0] == (
        "InvalidTag"
    )
    again = {"Tags": given}
    assert refusal(s3.create_bucket, Bucket="two", CreateBucketConfiguration=again)[0] == (
        "BucketAlreadyOwnedByYou"
    )
    s3.create_bucket(Bucket="two")
    assert s3.get_bucket_tagging(Bucket="two")["TagSet"] == given


def test_tags_of_what_is_missing(s3: Any) -> None:
    s3.put_bucket_versioning(Bucket="one", VersioningConfiguration={"Status": "Enabled"})
    s3.delete_object(Bucket="one", Key="marker")
    for operation, more in (
        (s3.get_object_tagging, {}),
        (s3.put_object_tagging, {"Tagging": _set()}),
        (s3.delete_object_tagging, {}),
    ):
        assert refusal(operation, Bucket="one", Key="none", **more)[0] == "NoSuchKey"
        assert refusal(operation, Bucket="one", Key="marker", **more)[0] == "MethodNotAllowed"


@pytest.mark.usefixtures("aws")
def test_tags_of_cloudformation_stay_on_a_bucket() -> None:
    """AWS's tags are sent back unchanged, or the request is refused."""
    body = json.dumps({"Resources": {"B": {"Type": "AWS::S3::Bucket"}}})
    cloudformation, s3 = client("cloudformation"), client("s3")
    cloudformation.create_stack(StackName="s", TemplateBody=body)
    cloudformation.get_waiter("stack_create_complete").wait(
        StackName="s", WaiterConfig={"Delay": 0.1}
    )
    (found,) = cloudformation.describe_stack_resources(StackName="s")["StackResources"]
    bucket = found["PhysicalResourceId"]
    of_aws = s3.get_bucket_tagging(Bucket=bucket)["TagSet"]
    assert [tag["Key"] for tag in of_aws] == [
        "aws:cloudformation:stack-name",
        "aws:cloudformation:stack-id",
        "aws:cloudformation:logical-id",
    ]
    own = {"Key": "team", "Value": "x"}
    s3.put_bucket_tagging(Bucket=bucket, Tagging={"TagSet": [*of_aws, own]})
    assert s3.get_bucket_tagging(Bucket=bucket)["TagSet"] == [*of_aws, own]
    removed = ("InvalidTag", "System Tags cannot be removed by requester")
    assert refusal(s3.put_bucket_tagging, Bucket=bucket, Tagging={"TagSet": [own]}) == removed
    assert refusal(s3.delete_bucket_tagging, Bucket=bucket) == removed
    changed = {**of_aws[0], "Value": "other"}
    assert refusal(
        s3.put_bucket_tagging, Bucket=bucket, Tagging={"TagSet": [changed, *of_aws[1:]]}
    ) == ("InvalidTag", "System tags cannot be added/updated by requester")
    drift = cloudformation.detect_stack_resource_drift(StackName="s", LogicalResourceId="B")
    assert drift["StackResourceDrift"]["StackResourceDriftStatus"] == "IN_SYNC"

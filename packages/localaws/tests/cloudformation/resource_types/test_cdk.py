"""The CDK's `BucketDeployment` without its function: uploads, replacements, pruning, retention."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

import pytest

from packages.localaws.tests.cloudformation.stacks import (
    aws,
    create,
    delete,
    outputs,
    reason,
    resource,
    template,
    update,
)

pytestmark = pytest.mark.usefixtures("local")
FILES = {
    "on_create.sh": b"#!/bin/sh\necho <<marker:0>>\n",
    "sub/config.json": b'{"vpc": "<<marker:0>>"}',
    "binary.bin": bytes(range(256)),
}


@pytest.fixture(autouse=True)
def buckets(local: None) -> None:
    s3 = aws("s3")
    for name in ("assets", "there", "other"):
        s3.create_bucket(Bucket=name)
    archive("one.zip", FILES)


def archive(key: str, files: Mapping[str, bytes]) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as out:
        for name, data in files.items():
            out.writestr(name, data)
    aws("s3").put_object(Bucket="assets", Key=key, Body=buffer.getvalue())


def deployment(**more: Any) -> str:
    properties = {
        "ServiceToken": "arn:aws:lambda:us-east-1:111122223333:function:x",
        "SourceBucketNames": ["assets"],
        "SourceObjectKeys": ["one.zip"],
        "DestinationBucketName": "there",
        "Prune": True,
        **more,
    }
    return template(
        {
            "Deployed": resource("Custom::CDKBucketDeployment", properties),
            "P": resource("AWS::SSM::Parameter", {"Type": "String", "Value": 'vpc "1"'}),
        },
        Outputs={"Arn": {"Value": {"Fn::GetAtt": ["Deployed", "DestinationBucketArn"]}}},
    )


def objects(bucket: str = "there") -> dict[str, bytes]:
    s3 = aws("s3")
    listed = s3.list_objects_v2(Bucket=bucket).get("Contents", [])
    return {
        item["Key"]: s3.get_object(Bucket=bucket, Key=item["Key"])["Body"].read()
        for item in listed
    }


def test_files_of_an_archive_are_extracted_below_the_prefix() -> None:
    stack = create("one", deployment(DestinationBucketKeyPrefix="scripts/1/"))
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    assert objects() == {f"scripts/1/{name}": data for name, data in FILES.items()}
    assert outputs(stack)["Arn"] == "arn:aws:s3:::there"


def test_markers_are_replaced_by_values_known_at_deployment() -> None:
    create("one", deployment(SourceMarkers=[{"<<marker:0>>": {"Fn::GetAtt": ["P", "Value"]}}]))
    found = objects()
    assert found["on_create.sh"] == b'#!/bin/sh\necho vpc "1"\n'
    assert found["binary.bin"] == FILES["binary.bin"]


def test_markers_in_json_are_escaped_on_request() -> None:
    create(
        "one",
        deployment(
            SourceMarkers=[{"<<marker:0>>": {"Fn::GetAtt": ["P", "Value"]}}],
            SourceMarkersConfig=[{"jsonEscape": "true"}],
        ),
    )
    assert json.loads(objects()["sub/config.json"]) == {"vpc": 'vpc "1"'}


def test_several_sources_share_one_destination() -> None:
    archive("two.zip", {"second.txt": b"2", "on_create.sh": b"later wins"})
    create(
        "one",
        deployment(
            SourceBucketNames=["assets", "assets"], SourceObjectKeys=["one.zip", "two.zip"]
        ),
    )
    assert set(objects()) == {*FILES, "second.txt"}
    assert objects()["on_create.sh"] == b"later wins"


@pytest.mark.parametrize(("prune", "kept"), [(True, False), ("false", True)])
def test_pruning_deletes_only_below_the_prefix(prune: Any, kept: bool) -> None:
    s3 = aws("s3")
    s3.put_object(Bucket="there", Key="scripts/old.sh", Body=b"old")
    s3.put_object(Bucket="there", Key="elsewhere.sh", Body=b"mine")
    create("one", deployment(DestinationBucketKeyPrefix="scripts", Prune=prune))
    assert ("scripts/old.sh" in objects()) is kept
    assert "elsewhere.sh" in objects()


def test_an_update_adds_new_files_and_removes_old_ones() -> None:
    create("one", deployment())
    archive("two.zip", {"on_create.sh": b"new"})
    stack = update("one", deployment(SourceObjectKeys=["two.zip"]))
    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    assert objects() == {"on_create.sh": b"new"}


def test_filters() -> None:
    create("one", deployment(Exclude=["*"], Include=["*.sh"]))
    assert set(objects()) == {"on_create.sh"}


def test_archive_is_copied_without_extraction() -> None:
    create("one", deployment(Extract=False))
    found = objects()
    assert set(found) == {"one.zip"}
    with zipfile.ZipFile(io.BytesIO(found["one.zip"])) as kept:
        assert set(kept.namelist()) == set(FILES)


def test_objects_have_the_requested_metadata() -> None:
    create(
        "one",
        deployment(
            SystemMetadata={"cache-control": "no-store"}, UserMetadata={"Team": "training"}
        ),
    )
    head = aws("s3").head_object(Bucket="there", Key="sub/config.json")
    assert head["CacheControl"] == "no-store"
    assert head["Metadata"] == {"team": "training"}
    assert head["ContentType"] == "application/json"


@pytest.mark.parametrize(
    ("retain", "left"),
    [({}, True), ({"RetainOnDelete": True}, True), ({"RetainOnDelete": "false"}, False)],
)
def test_resources_that_remain_after_the_stack_is_deleted(
    retain: dict[str, Any], left: bool
) -> None:
    create("one", deployment(**retain))
    delete("one")
    assert bool(objects()) is left


def test_changed_destination_is_filled() -> None:
    create("one", deployment(RetainOnDelete=False))
    update("one", deployment(RetainOnDelete=False, DestinationBucketName="other"))
    assert objects() == {}
    assert set(objects("other")) == set(FILES)


def test_replacement_with_the_same_destination_keeps_its_files() -> None:
    """The CDK's construct tags the bucket while a deployment owns the prefix."""
    create("one", deployment(RetainOnDelete=False, DestinationBucketKeyPrefix="a"))
    aws("s3").put_bucket_tagging(
        Bucket="there", Tagging={"TagSet": [{"Key": "aws-cdk:cr-owned:a:1234", "Value": "true"}]}
    )
    delete("one")
    assert set(objects()) == {f"a/{name}" for name in FILES}


def test_missing_asset_fails_with_the_message_of_s3() -> None:
    stack = create("one", deployment(SourceObjectKeys=["none.zip"]))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "The specified key does not exist" in reason("one", "Deployed", "CREATE_FAILED")


def test_asset_that_is_not_an_archive_is_refused() -> None:
    aws("s3").put_object(Bucket="assets", Key="text", Body=b"text")
    create("one", deployment(SourceObjectKeys=["text"]))
    assert "s3://assets/text is no archive" in reason("one", "Deployed", "CREATE_FAILED")


def test_other_custom_resources_are_refused_by_name() -> None:
    from botocore.exceptions import ClientError

    body = template({"Mine": resource("Custom::Mine", {"ServiceToken": "x"})})
    with pytest.raises(ClientError, match="Custom::Mine"):
        create("one", body)


def test_prefix_is_used_unchanged() -> None:
    """`/` is not a prefix; a leading slash of another prefix is part of the keys, as in `aws
    s3`.
    """
    create("one", deployment(DestinationBucketKeyPrefix="/"))
    assert set(objects()) == set(FILES)
    update("one", deployment(DestinationBucketKeyPrefix="/a"))
    assert {name for name in objects() if name.startswith("/")} == {f"/a/{name}" for name in FILES}


def test_retain_on_update_is_applied_to_the_old_destination() -> None:
    """The function reads only the new properties."""
    create("one", deployment(DestinationBucketKeyPrefix="a", RetainOnDelete=True))
    update("one", deployment(DestinationBucketKeyPrefix="b", RetainOnDelete=False))
    assert set(objects()) == {f"b/{name}" for name in FILES}
    update("one", deployment(DestinationBucketKeyPrefix="c", RetainOnDelete=True))
    assert {name.split("/")[0] for name in objects()} == {"b", "c"}


def test_object_keys_are_empty_if_not_requested() -> None:
    body = json.loads(deployment(OutputObjectKeys=False))
    keys = {"Fn::GetAtt": ["Deployed", "SourceObjectKeys"]}
    body["Outputs"] = {"Keys": {"Value": {"Fn::Join": [",", keys]}}}
    assert outputs(create("one", json.dumps(body)))["Keys"] == ""


def test_archive_members_outside_the_destination_are_refused() -> None:
    archive("odd.zip", {"../../up.txt": b"1", "/root.txt": b"2", "a/./b.txt": b"3"})
    create("one", deployment(SourceObjectKeys=["odd.zip"], DestinationBucketKeyPrefix="in"))
    assert set(objects()) == {"in/up.txt", "in/root.txt", "in/a/b.txt"}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"SourceMarkers": [{}, {}]}, "must be the same length"),
        ({"SystemMetadata": {"sse-c-copy-source": "x"}}, "does not support the system metadata"),
    ],
)
def test_invalid_deployments_fail(more: dict[str, Any], message: str) -> None:
    assert create("one", deployment(**more))["StackStatus"] == "ROLLBACK_COMPLETE"
    assert message in reason("one", "Deployed", "CREATE_FAILED")


@pytest.mark.parametrize("name", ["DistributionId", "DistributionPaths"])
def test_distributions_are_refused_by_name(name: str) -> None:
    from botocore.exceptions import ClientError

    with pytest.raises(ClientError, match=f"does not support {name} of Custom::CDKBucket"):
        create("one", deployment(**{name: "x"}))

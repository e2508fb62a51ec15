"""Buckets of a template, their settings and policies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright_localaws.cloudformation.handler import HandlerFailure
from clusterwright_localaws.services.s3.cfn import (
    Bucket,
    BucketPolicy,
    DirectoryBucket,
    _lifecycle_filter,
    _lifecycle_rule,
    empty_bucket,
)
from packages.localaws.tests.handlers import allow, context, tags
from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("local")

BLOCK = {
    "BlockPublicAcls": True,
    "BlockPublicPolicy": True,
    "IgnorePublicAcls": True,
    "RestrictPublicBuckets": True,
}


def encryption(algorithm: str) -> dict[str, Any]:
    rule = {
        "BucketKeyEnabled": True,
        "ServerSideEncryptionByDefault": {"SSEAlgorithm": algorithm},
    }
    return {"ServerSideEncryptionConfiguration": [rule]}


class TestBucket:
    def test_created_with_its_settings(self) -> None:
        s3 = client("s3")
        properties = {
            "BucketEncryption": encryption("aws:kms"),
            "VersioningConfiguration": {"Status": "Enabled"},
            "PublicAccessBlockConfiguration": BLOCK,
            "LoggingConfiguration": {"LogFilePrefix": "log/"},
            "OwnershipControls": {"Rules": [{"ObjectOwnership": "BucketOwnerPreferred"}]},
            "AccessControl": "LogDeliveryWrite",
            "CorsConfiguration": {
                "CorsRules": [{"AllowedMethods": ["GET"], "AllowedOrigins": ["*"], "MaxAge": 9}]
            },
            "Tags": tags(a="1"),
        }
        created = Bucket().create(context(), properties)
        name = created.physical_id
        assert name == "stack-thing-abcdefghijkl"
        assert created.attributes == {
            "Arn": f"arn:aws:s3:::{name}",
            "DomainName": f"{name}.s3.amazonaws.com",
            "DualStackDomainName": f"{name}.s3.dualstack.us-east-1.amazonaws.com",
            "RegionalDomainName": f"{name}.s3.us-east-1.amazonaws.com",
            "WebsiteURL": f"http://{name}.s3-website-us-east-1.amazonaws.com",
        }
        found = Bucket().read(context(), name, properties)
        assert found == {
            "BucketName": name,
            "VersioningConfiguration": {"Status": "Enabled"},
            "PublicAccessBlockConfiguration": BLOCK,
            "Tags": tags(a="1"),
        }
        rules = s3.get_bucket_encryption(Bucket=name)["ServerSideEncryptionConfiguration"]
        default = rules["Rules"][0]["ApplyServerSideEncryptionByDefault"]
        assert default["SSEAlgorithm"] == "aws:kms"
        assert s3.get_bucket_cors(Bucket=name)["CORSRules"][0]["MaxAgeSeconds"] == 9
        logging = s3.get_bucket_logging(Bucket=name)["LoggingEnabled"]
        assert (logging["TargetBucket"], logging["TargetPrefix"]) == (name, "log/")

    def test_an_access_control_needs_ownership_controls(self) -> None:
        given = {"AccessControl": "LogDeliveryWrite"}
        found = refusal(lambda: Bucket().create(context(), given))
        assert found[0] == "InvalidBucketAclWithObjectOwnership"
        assert client("s3").list_buckets()["Buckets"] == []

    def test_what_leaves_the_template_is_removed(self) -> None:
        s3 = client("s3")
        before = {
            "BucketName": "mine",
            "VersioningConfiguration": {"Status": "Enabled"},
            "PublicAccessBlockConfiguration": BLOCK,
            "LifecycleConfiguration": {"Rules": [{"Status": "Enabled", "ExpirationInDays": 1}]},
            "Tags": tags(a="1"),
        }
        Bucket().create(context(), before)
        Bucket().update(context(), "mine", before, {"BucketName": "mine"})
        found = Bucket().read(context(), "mine", before)
        assert found == {
            "BucketName": "mine",
            "VersioningConfiguration": {"Status": "Suspended"},
            "PublicAccessBlockConfiguration": {},
            "Tags": [],
        }
        code, _ = refusal(s3.get_bucket_lifecycle_configuration, Bucket="mine")
        assert code == "NoSuchLifecycleConfiguration"

    def test_the_tags_of_its_stack_are_no_drift(self) -> None:
        ctx = context(stack_tags={"team": "x"})
        properties = {"BucketName": "mine", "Tags": tags(a="1")}
        Bucket().create(ctx, properties)
        found = client("s3").get_bucket_tagging(Bucket="mine")["TagSet"]
        assert {tag["Key"] for tag in found} == {"a", "team"}
        assert (Bucket().read(ctx, "mine", properties) or {})["Tags"] == tags(a="1")

    def test_an_existing_bucket_is_not_taken_over(self) -> None:
        client("s3").create_bucket(Bucket="mine")
        with pytest.raises(HandlerFailure, match="mine already exists") as caught:
            Bucket().create(context(), {"BucketName": "mine"})
        assert caught.value.code == "AlreadyExists"

    def test_a_bucket_with_objects_is_not_deleted_until_it_is_empty(self) -> None:
        s3 = client("s3")
        properties = {"BucketName": "mine", "VersioningConfiguration": {"Status": "Enabled"}}
        Bucket().create(context(), properties)
        for body in (b"1", b"2"):
            s3.put_object(Bucket="mine", Key="k", Body=body)
        s3.delete_object(Bucket="mine", Key="k")
        with pytest.raises(s3.exceptions.ClientError, match="BucketNotEmpty"):
            Bucket().delete(context(), "mine", properties)
        empty_bucket(s3, "mine")
        Bucket().delete(context(), "mine", properties)
        assert s3.list_buckets()["Buckets"] == []


def test_more_objects_than_one_page_are_deleted() -> None:
    """A page of ListObjectVersions has 1,000 entries."""
    s3 = client("s3")
    Bucket().create(context(), {"BucketName": "mine"})
    for number in range(1001):
        s3.put_object(Bucket="mine", Key=f"k/{number}", Body=b"")
    empty_bucket(s3, "mine")
    assert "Versions" not in s3.list_object_versions(Bucket="mine")


def test_a_policy_of_a_bucket() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="mine")
    s3.delete_public_access_block(Bucket="mine")
    before = {"Bucket": "mine", "PolicyDocument": allow("s3:GetObject", Principal="*")}
    assert BucketPolicy().create(context(), before).physical_id == "mine"
    after = {"Bucket": "mine", "PolicyDocument": json.dumps(allow("s3:List*", Principal="*"))}
    BucketPolicy().update(context(), "mine", before, after)
    found = BucketPolicy().read(context(), "mine", after)
    assert found["PolicyDocument"]["Statement"][0]["Action"] == ["s3:List*"]
    BucketPolicy().delete(context(), "mine", after)
    assert refusal(s3.get_bucket_policy, Bucket="mine")[0] == "NoSuchBucketPolicy"


def test_a_directory_bucket_is_named_after_its_zone() -> None:
    properties = {"LocationName": "use1-az6", "DataRedundancy": "SingleAvailabilityZone"}
    created = DirectoryBucket().create(context(), properties)
    name = created.physical_id
    assert name == "stack-thing-abcdefghijkl--use1-az6--x-s3"
    assert created.attributes["Arn"].endswith(f":bucket/{name}")
    assert created.attributes["AvailabilityZoneName"].startswith("us-east-1")
    after = {**properties, "BucketEncryption": encryption("aws:kms")}
    DirectoryBucket().update(context(), name, properties, after)
    DirectoryBucket().delete(context(), name, after)
    assert client("s3").list_directory_buckets()["Buckets"] == []


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (
            {"Status": "Enabled"},
            {"ID": "rule-1", "Status": "Enabled", "Filter": {"Prefix": ""}},
        ),
        (
            {
                "Id": "x",
                "Status": "Enabled",
                "Prefix": "p/",
                "ExpirationInDays": 3,
                "Transition": {"StorageClass": "GLACIER", "TransitionInDays": 1},
                "Transitions": [{"StorageClass": "STANDARD_IA", "TransitionInDays": 0}],
                "NoncurrentVersionExpirationInDays": 7,
                "NoncurrentVersionTransition": {"StorageClass": "GLACIER", "TransitionInDays": 2},
            },
            {
                "ID": "x",
                "Status": "Enabled",
                "Filter": {"Prefix": "p/"},
                "Expiration": {"Days": 3},
                "Transitions": [
                    {"StorageClass": "STANDARD_IA", "Days": 0},
                    {"StorageClass": "GLACIER", "Days": 1},
                ],
                "NoncurrentVersionTransitions": [{"StorageClass": "GLACIER", "NoncurrentDays": 2}],
                "NoncurrentVersionExpiration": {"NoncurrentDays": 7},
            },
        ),
    ],
)
def test_rules_of_a_lifecycle(rule: dict[str, Any], expected: dict[str, Any]) -> None:
    assert _lifecycle_rule(rule, 0) == expected


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"Prefix": "p"}, {"Prefix": "p"}),
        ({"TagFilters": tags(a="1")}, {"Tag": {"Key": "a", "Value": "1"}}),
        ({"ObjectSizeLessThan": "5"}, {"ObjectSizeLessThan": 5}),
        (
            {"Prefix": "p", "TagFilters": tags(a="1", b="2"), "ObjectSizeGreaterThan": 1},
            {"And": {"Prefix": "p", "Tags": tags(a="1", b="2"), "ObjectSizeGreaterThan": 1}},
        ),
    ],
)
def test_filters_of_a_lifecycle(rule: dict[str, Any], expected: dict[str, Any]) -> None:
    assert _lifecycle_filter(rule) == expected

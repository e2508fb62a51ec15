"""Buckets: their region, encryption and policy, and single objects."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.stub import ANY, Stubber

from clusterwright.aws import s3
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession


@pytest.fixture
def stub(session: AwsSession) -> Iterator[Stubber]:
    with Stubber(session.client("s3")) as stub:
        yield stub


def test_a_bucket_and_its_region(session: AwsSession, stub: Stubber) -> None:
    stub.add_response("head_bucket", {"BucketRegion": "eu-west-2"}, {"Bucket": "corpus"})
    assert s3.bucket(session, "corpus") == s3.Bucket("corpus", "eu-west-2")


def test_a_bucket_that_does_not_exist(session: AwsSession, stub: Stubber) -> None:
    stub.add_client_error("head_bucket", "404", http_status_code=404)
    assert s3.bucket(session, "corpus") is None


def test_whether_a_prefix_has_objects(session: AwsSession, stub: Stubber) -> None:
    asked = {"Bucket": "corpus", "Prefix": "tokens/", "MaxKeys": 1}
    stub.add_response("list_objects_v2", {"Contents": [{"Key": "tokens/0"}]}, asked)
    assert s3.has_objects(session, "corpus", "tokens/") is True
    stub.add_response("list_objects_v2", {"KeyCount": 0}, asked)
    assert s3.has_objects(session, "corpus", "tokens/") is False
    stub.add_client_error("list_objects_v2", "NoSuchBucket", http_status_code=404)
    assert s3.has_objects(session, "corpus", "tokens/") is None


def test_when_objects_were_written(session: AwsSession, stub: Stubber) -> None:
    asked = {"Bucket": "corpus", "Prefix": "tokens/"}
    at = dt.datetime(2026, 11, 30, 5, 33, 34, tzinfo=dt.UTC)
    listed = [{"Key": "tokens/0", "LastModified": at}]
    stub.add_response("list_objects_v2", {"Contents": listed}, asked)
    assert list(s3.written_at(session, "corpus", "tokens/")) == [("tokens/0", at)]
    stub.add_response("list_objects_v2", {"KeyCount": 0}, asked)
    assert list(s3.written_at(session, "corpus", "tokens/")) == []


def test_a_bucket_that_may_not_be_read_is_unknown(session: AwsSession, stub: Stubber) -> None:
    stub.add_client_error("head_bucket", "403", http_status_code=403)
    with pytest.raises(AwsUnavailable):
        s3.bucket(session, "corpus")


PAYS = {"Bucket": "corpus", "MaxKeys": 1, "RequestPayer": "requester"}


def test_a_bucket_that_charges_requesters(session: AwsSession, stub: Stubber) -> None:
    stub.add_client_error("head_bucket", "403", http_status_code=403)
    stub.add_response("list_objects_v2", {"KeyCount": 0, "RequestCharged": "requester"}, PAYS)
    assert s3.charges_requesters(session, "corpus") is True
    stub.add_response("head_bucket", {"BucketRegion": "us-east-1"}, {"Bucket": "corpus"})
    assert s3.charges_requesters(session, "corpus") is False
    stub.add_client_error("head_bucket", "404", http_status_code=404)
    assert s3.charges_requesters(session, "corpus") is None


def test_a_bucket_that_is_denied_for_another_reason(session: AwsSession, stub: Stubber) -> None:
    stub.add_client_error("head_bucket", "403", http_status_code=403)
    stub.add_client_error("list_objects_v2", "AccessDenied", http_status_code=403)
    with pytest.raises(AwsUnavailable) as caught:
        s3.charges_requesters(session, "corpus")
    assert caught.value.operation == "HeadBucket"
    stub.add_client_error("head_bucket", "403", http_status_code=403)
    stub.add_response("list_objects_v2", {"KeyCount": 0}, PAYS)
    with pytest.raises(AwsUnavailable):
        s3.charges_requesters(session, "corpus")


@pytest.mark.parametrize(
    ("answer", "region"),
    [
        ({}, "us-east-1"),
        ({"LocationConstraint": "EU"}, "eu-west-1"),
        ({"LocationConstraint": "ap-northeast-1"}, "ap-northeast-1"),
    ],
)
def test_a_bucket_of_another_region(
    session: AwsSession, stub: Stubber, answer: dict[str, str], region: str
) -> None:
    stub.add_client_error("head_bucket", "PermanentRedirect", http_status_code=301)
    stub.add_response("get_bucket_location", answer, {"Bucket": "corpus"})
    assert s3.bucket(session, "corpus") == s3.Bucket("corpus", region)


@pytest.mark.parametrize("code", ["NoSuchBucketPolicy", "NoSuchBucket"])
def test_no_policy(session: AwsSession, stub: Stubber, code: str) -> None:
    stub.add_client_error("get_bucket_policy", code, http_status_code=404)
    assert s3.bucket_policy(session, "corpus") is None


def test_the_policy_of_a_bucket(session: AwsSession, stub: Stubber) -> None:
    stub.add_response("get_bucket_policy", {"Policy": "{}"}, {"Bucket": "corpus"})
    assert s3.bucket_policy(session, "corpus") == "{}"
    stub.add_client_error("get_bucket_policy", "AccessDenied", http_status_code=403)
    with pytest.raises(AwsUnavailable) as caught:
        s3.bucket_policy(session, "corpus")
    assert caught.value.reason == "denied"


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([], None),
        (
            [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}],
            s3.BucketEncryption(kms=False, kms_key=None, bucket_key=False),
        ),
        (
            [
                {
                    "ApplyServerSideEncryptionByDefault": {
                        "SSEAlgorithm": "aws:kms:dsse",
                        "KMSMasterKeyID": "alias/corpus",
                    },
                    "BucketKeyEnabled": True,
                }
            ],
            s3.BucketEncryption(kms=True, kms_key="alias/corpus", bucket_key=True),
        ),
    ],
)
def test_encryption_of_new_objects(
    session: AwsSession,
    stub: Stubber,
    rules: list[dict[str, Any]],
    expected: s3.BucketEncryption | None,
) -> None:
    answer = {"ServerSideEncryptionConfiguration": {"Rules": rules}}
    stub.add_response("get_bucket_encryption", answer, {"Bucket": "corpus"})
    assert s3.bucket_encryption(session, "corpus") == expected


def test_no_encryption_configuration(session: AwsSession, stub: Stubber) -> None:
    code = "ServerSideEncryptionConfigurationNotFoundError"
    stub.add_client_error("get_bucket_encryption", code, http_status_code=404)
    assert s3.bucket_encryption(session, "corpus") is None


def test_the_size_of_an_object(session: AwsSession, stub: Stubber) -> None:
    asked = {"Bucket": "corpus", "Key": "a/b"}
    stub.add_response("head_object", {"ContentLength": 12}, asked)
    assert s3.object_size_bytes(session, "corpus", "a/b") == 12
    stub.add_client_error("head_object", "404", http_status_code=404)
    assert s3.object_size_bytes(session, "corpus", "a/b") is None


def test_an_upload_states_its_checksum(session: AwsSession, stub: Stubber, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"content")
    digest = hashlib.sha256(b"content")
    stub.add_response(
        "put_object",
        {},
        {
            "Bucket": "corpus",
            "Key": "a/b",
            "Body": ANY,
            "ChecksumSHA256": base64.b64encode(digest.digest()).decode(),
        },
    )
    s3.put_file(session, "corpus", "a/b", path, digest.hexdigest())
    stub.assert_no_pending_responses()


def test_notifications_of_a_bucket_have_their_prefix(session: AwsSession, stub: Stubber) -> None:
    rules = [{"Name": "Prefix", "Value": "tokens/"}, {"Name": "Suffix", "Value": ".bin"}]
    answer = {
        "QueueConfigurations": [
            {
                "Id": "ingest",
                "QueueArn": "arn:aws:sqs:us-east-1:111122223333:q",
                "Events": ["s3:ObjectCreated:*"],
                "Filter": {"Key": {"FilterRules": rules}},
            }
        ],
        "LambdaFunctionConfigurations": [
            {
                "LambdaFunctionArn": "arn:aws:lambda:us-east-1:111122223333:function:f",
                "Events": ["s3:ObjectRemoved:*"],
            }
        ],
    }
    stub.add_response("get_bucket_notification_configuration", answer, {"Bucket": "acme"})
    found = s3.bucket_notifications(session, "acme")
    assert [(one.id, one.events, one.prefix) for one in found] == [
        ("ingest", ("s3:ObjectCreated:*",), "tokens/"),
        ("", ("s3:ObjectRemoved:*",), ""),
    ]


def test_lifecycle_rules_that_delete_or_archive(session: AwsSession, stub: Stubber) -> None:
    date = dt.datetime(2027, 1, 31, tzinfo=dt.UTC)
    tagged = {"Tag": {"Key": "a", "Value": "b"}}
    rules = [
        {"ID": "a", "Status": "Enabled", "Filter": {"Prefix": "x/"}, "Expiration": {"Days": 7}},
        {"ID": "b", "Status": "Enabled", "Filter": {}, "Expiration": {"Date": date}},
        {"ID": "c", "Status": "Disabled", "Filter": {}, "Expiration": {"Days": 1}},
        {"ID": "d", "Status": "Enabled", "Filter": tagged, "Expiration": {"Days": 1}},
        {
            "ID": "e",
            "Status": "Enabled",
            "Filter": {"And": {"Prefix": "y/", "ObjectSizeGreaterThan": 1}},
            "Transitions": [
                {"Days": 1, "StorageClass": "GLACIER_IR"},
                {"Days": 30, "StorageClass": "DEEP_ARCHIVE"},
            ],
        },
        {
            "ID": "f",
            "Status": "Enabled",
            "Filter": {},
            "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7},
        },
    ]
    method = "get_bucket_lifecycle_configuration"
    stub.add_response(method, {"Rules": rules}, {"Bucket": "acme"})
    assert s3.lifecycle_rules(session, "acme") == (
        s3.LifecycleRule("a", "x/", 7, None),
        s3.LifecycleRule("b", "", "2027-01-31", None),
        s3.LifecycleRule("e", "y/", None, 30),
    )
    stub.add_client_error(method, "NoSuchLifecycleConfiguration")
    assert s3.lifecycle_rules(session, "acme") == ()


def test_names_of_all_buckets(session: AwsSession, stub: Stubber) -> None:
    stub.add_response("list_buckets", {"Buckets": [{"Name": "a"}, {"Name": "b"}]}, {})
    assert s3.bucket_names(session) == ("a", "b")


@pytest.mark.parametrize(
    ("answer", "filled"),
    [
        ({}, False),
        ({"Versions": [{"Key": "k", "VersionId": "1"}], "IsTruncated": True}, True),
        ({"DeleteMarkers": [{"Key": "k", "VersionId": "2"}]}, True),
    ],
)
def test_a_bucket_with_versions_is_filled(
    answer: dict[str, Any], filled: bool, session: AwsSession, stub: Stubber
) -> None:
    stub.add_response("list_object_versions", answer, {"Bucket": "corpus"})
    assert s3.holds_objects(session, "corpus") is filled

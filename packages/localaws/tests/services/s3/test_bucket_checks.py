"""Tests of services.s3.bucket_checks."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import ClientError

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


@pytest.mark.parametrize(
    "name",
    [
        *("Capitals", "under_score", "192.168.0.1", "two..dots", "-begins", "ends-"),
        *("sthree-name", "amzn-s3-demo-name", "name-s3alias", "name--ol-s3", "name.mrap"),
    ],
)
def test_names_that_no_bucket_has(name: str) -> None:
    found = refusal(client("s3").create_bucket, Bucket=name)
    assert found == ("InvalidBucketName", "The specified bucket is not valid.")


@pytest.mark.parametrize("name", ["abc", "a1.b-2", "1" * 63, "my.bucket.example"])
def test_names_of_buckets(name: str) -> None:
    client("s3").create_bucket(Bucket=name)


@pytest.mark.parametrize("location", ["us-east-1", "nowhere-1", "us-gov-nowhere-9"])
def test_locations_that_us_east_1_does_not_reach(location: str) -> None:
    with pytest.raises(ClientError) as refused:
        client("s3").create_bucket(
            Bucket="one", CreateBucketConfiguration={"LocationConstraint": location}
        )
    error = refused.value.response["Error"]
    assert error["Code"] == "InvalidLocationConstraint"
    assert error["Message"] == "The specified location-constraint is not valid"
    assert error["LocationConstraint"] == location


@pytest.mark.parametrize("location", ["us-east-1", "us-east-2", "us-gov-east-2", None])
def test_other_regions_reach_only_themselves(location: str | None) -> None:
    given = {"CreateBucketConfiguration": {"LocationConstraint": location}} if location else {}
    code, message = refusal(client("s3", "us-west-2").create_bucket, Bucket="one", **given)
    assert code == "IllegalLocationConstraintException"
    assert message == (
        f"The {location or 'unspecified'} location constraint is incompatible for the region "
        "specific endpoint this request was sent to."
    )
    here = {"LocationConstraint": "us-west-2"}
    client("s3", "us-west-2").create_bucket(Bucket="one", CreateBucketConfiguration=here)


def lifecycle(*rules: dict[str, Any]) -> Any:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    full = [{"Status": "Enabled", "Filter": {"Prefix": ""}, **rule} for rule in rules]

    def put() -> Any:
        return s3.put_bucket_lifecycle_configuration(
            Bucket="one", LifecycleConfiguration={"Rules": full}
        )

    return put


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"Expiration": {"Days": -1}}, "'Days' for Expiration action must be a positive integer"),
        ({"Expiration": {"Days": 0}}, "'Days' for Expiration action must be a positive integer"),
        (
            {"NoncurrentVersionExpiration": {"NoncurrentDays": 0}},
            "'NoncurrentDays' for NoncurrentVersionExpiration action must be a positive integer",
        ),
        (
            {"AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 0}},
            "'DaysAfterInitiation' for AbortIncompleteMultipartUpload action must be a positive "
            "integer",
        ),
        (
            {"Transitions": [{"Days": 29, "StorageClass": "STANDARD_IA"}]},
            "'Days' in Transition action must be greater than or equal to 30 for storageClass "
            "'STANDARD_IA'",
        ),
        (
            {"Transitions": [{"Days": -1, "StorageClass": "GLACIER"}]},
            "'Days' in Transition action must be nonnegative",
        ),
        ({"ID": "a" * 256}, "ID length should not exceed allowed limit of 255"),
    ],
)
def test_lifecycle_rules_that_are_refused(rule: dict[str, Any], message: str) -> None:
    given = {"Expiration": {"Days": 1}, **rule} if "ID" in rule else rule
    assert refusal(lifecycle(given)) == ("InvalidArgument", message)


def test_lifecycle_rules_have_different_ids() -> None:
    rule = {"ID": "a", "Expiration": {"Days": 1}}
    code, message = refusal(lifecycle(rule, rule))
    assert code == "InvalidArgument"
    assert message == "Rule ID must be unique. Found same ID for more than one rule: a"


def test_lifecycle_rules_that_are_taken() -> None:
    lifecycle(
        {"ID": "a", "Expiration": {"Days": 1}},
        {"ID": "b", "Transitions": [{"Days": 0, "StorageClass": "GLACIER"}]},
        {"ID": "c", "Transitions": [{"Days": 30, "StorageClass": "STANDARD_IA"}]},
    )()
    found = client("s3").get_bucket_lifecycle_configuration(Bucket="one")["Rules"]
    assert [rule["ID"] for rule in found] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ({"NoncurrentVersionExpiration": {}}, "MalformedXML"),
        ({"Filter": {"Prefix": "", "ObjectSizeGreaterThan": 500}}, "MalformedXML"),
        ({"Expiration": {"Days": 1, "ExpiredObjectDeleteMarker": True}}, "MalformedXML"),
        ({"Expiration": {"Date": datetime(2023, 1, 1, 2, 2, tzinfo=UTC)}}, "InvalidArgument"),
        ({"Filter": {"And": {"Tags": [{"Key": "a", "Value": "b"}] * 2}}}, "InvalidRequest"),
    ],
)
def test_lifecycle_rules_without_sense(rule: dict[str, Any], code: str) -> None:
    assert refusal(lifecycle({"Expiration": {"Days": 1}, **rule}))[0] == code


def test_lifecycle_without_a_body_is_refused() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    assert refusal(s3.put_bucket_lifecycle_configuration, Bucket="one") == (
        "MissingRequestBodyError",
        "Request Body is empty",
    )


def test_rules_are_answered_as_they_were_put() -> None:
    given = {"ObjectSizeGreaterThan": 20}
    done = lifecycle({"ID": "one", "Expiration": {"Days": 1}, "Filter": given})()
    assert done["TransitionDefaultMinimumObjectSize"] == "all_storage_classes_128K"
    found = client("s3").get_bucket_lifecycle_configuration(Bucket="one")
    assert [rule["Filter"] for rule in found["Rules"]] == [given]
    assert found["TransitionDefaultMinimumObjectSize"] == "all_storage_classes_128K"

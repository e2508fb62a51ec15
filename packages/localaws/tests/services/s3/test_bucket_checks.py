"""Tests of services.s3.bucket_checks."""

from __future__ import annotations

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

"""Tests of services.s3.refusals."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from clusterwright_localaws.services.s3.refusals import MALFORMED
from packages.localaws.tests.parts import REGION


@pytest.fixture
def s3(aws: Any) -> Any:
    """A client that sends what it is given, and a bucket."""
    found = boto3.client("s3", REGION, config=Config(parameter_validation=False))
    found.create_bucket(Bucket="one")
    return found


def _error(operation: Any, **request: Any) -> dict[str, Any]:
    with pytest.raises(ClientError) as refused:
        operation(**request)
    return dict(refused.value.response["Error"])


def test_malformed_documents(s3: Any) -> None:
    status = {"VersioningConfiguration": {"Status": "enabled"}}
    error = _error(s3.put_bucket_versioning, Bucket="one", **status)
    assert (error["Code"], error["Message"]) == ("MalformedXML", MALFORMED)


@pytest.mark.parametrize("name", ["list_objects_v2", "list_object_versions"])
@pytest.mark.parametrize("value", ["value", ""])
def test_an_unknown_encoding(s3: Any, name: str, value: str) -> None:
    error = _error(getattr(s3, name), Bucket="one", EncodingType=value)
    assert error["Code"] == "InvalidArgument"
    assert error["Message"] == "Invalid Encoding Method specified in Request"
    assert error["ArgumentName"] == "encoding-type"
    # Not {}: that is an element which stands there twice.
    assert error["ArgumentValue"] == (value or None)


def test_other_values(s3: Any) -> None:
    error = _error(s3.create_bucket, Bucket="two", ObjectOwnership="Random")
    assert error["Message"] == "Invalid x-amz-object-ownership header: Random"
    assert error["ArgumentName"] == "x-amz-object-ownership"
    error = _error(s3.put_bucket_policy, Bucket="one", Policy="")
    assert error["Code"] == "MalformedPolicy"
    error = _error(s3.put_object, Bucket="one", Key="a", StorageClass="COLD")
    assert error["Code"] == "InvalidStorageClass"
    rule = {"FilterRules": [{"Name": "Infix", "Value": "a"}]}
    queue = {
        "QueueArn": "arn:aws:sqs:us-east-1:123456789012:q",
        "Events": ["s3:ObjectCreated:*"],
        "Filter": {"Key": rule},
    }
    error = _error(
        s3.put_bucket_notification_configuration,
        Bucket="one",
        NotificationConfiguration={"QueueConfigurations": [queue]},
    )
    assert (error["Code"], error["ArgumentValue"]) == ("InvalidArgument", "Infix")

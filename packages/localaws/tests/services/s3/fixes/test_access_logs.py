"""Tests of services.s3.fixes.access_logs."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
class TestBuckets:
    def test_access_logs_are_not_delivered(self) -> None:
        s3 = client("s3")
        s3.create_bucket(Bucket="access-logs", ObjectOwnership="BucketOwnerPreferred")
        s3.put_bucket_acl(Bucket="access-logs", ACL="log-delivery-write")
        s3.create_bucket(Bucket="data")
        s3.put_bucket_logging(
            Bucket="data",
            BucketLoggingStatus={
                "LoggingEnabled": {"TargetBucket": "access-logs", "TargetPrefix": ""}
            },
        )
        s3.put_object(Bucket="data", Key="k", Body=b"1")
        assert s3.list_objects_v2(Bucket="access-logs")["KeyCount"] == 0

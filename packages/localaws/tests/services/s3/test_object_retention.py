"""Tests of services.s3.object_retention."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.fixture
def s3(aws: Any) -> Any:
    found = client("s3")
    found.create_bucket(Bucket="one", ObjectLockEnabledForBucket=True)
    return found


def test_the_retention_of_versions(s3: Any) -> None:
    until = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
    given = {"Mode": "GOVERNANCE", "RetainUntilDate": until}
    first = s3.put_object(Bucket="one", Key="a", Body=b"text")["VersionId"]
    s3.put_object_retention(Bucket="one", Key="a", Retention=given)
    assert s3.get_object_retention(Bucket="one", Key="a")["Retention"] == given
    s3.put_object(Bucket="one", Key="a", Body=b"text")
    assert s3.get_object_retention(Bucket="one", Key="a", VersionId=first)["Retention"] == given
    code = refusal(s3.get_object_retention, Bucket="one", Key="a")[0]
    assert code == "NoSuchObjectLockConfiguration"


def test_the_default_retention(s3: Any) -> None:
    s3.put_object_lock_configuration(
        Bucket="one",
        ObjectLockConfiguration={
            "ObjectLockEnabled": "Enabled",
            "Rule": {"DefaultRetention": {"Mode": "COMPLIANCE", "Days": 2}},
        },
    )
    s3.put_object(Bucket="one", Key="a", Body=b"text")
    found = s3.get_object_retention(Bucket="one", Key="a")["Retention"]
    assert found["Mode"] == "COMPLIANCE"
    assert found["RetainUntilDate"].tzinfo is not None


def test_refusals(s3: Any) -> None:
    s3.create_bucket(Bucket="two")
    s3.put_object(Bucket="two", Key="a", Body=b"text")
    get = s3.get_object_retention
    assert refusal(get, Bucket="two", Key="a")[0] == "InvalidRequest"
    assert refusal(get, Bucket="none", Key="a")[0] == "NoSuchBucket"
    assert refusal(get, Bucket="one", Key="a")[0] == "NoSuchKey"
    s3.put_object(Bucket="one", Key="a", Body=b"text")
    s3.delete_object(Bucket="one", Key="a")
    assert refusal(get, Bucket="one", Key="a")[0] == "MethodNotAllowed"

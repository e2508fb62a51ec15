"""Tests of services.s3.object_locks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

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


def test_weaker_retention_is_refused(s3: Any) -> None:
    s3.put_object(Bucket="one", Key="a", Body=b"text")
    later = datetime.now(UTC).replace(microsecond=0) + timedelta(days=9)
    sooner = later - timedelta(days=1)

    def put(**given: Any) -> Any:
        more = {"BypassGovernanceRetention": True} if given.pop("bypass", False) else {}
        return {"Bucket": "one", "Key": "a", "Retention": given, **more}

    denied = ("AccessDenied", "Access Denied because object protected by object lock.")
    change = s3.put_object_retention
    assert refusal(change, **put(Mode="GOVERNANCE"))[0] == "MalformedXML"
    past = datetime(2020, 1, 1, tzinfo=UTC)
    with pytest.raises(ClientError) as refused:
        change(**put(Mode="GOVERNANCE", RetainUntilDate=past))
    error = refused.value.response["Error"]
    assert error["Message"] == "The retain until date must be in the future!"
    assert error["ArgumentValue"] == "Tue Dec 31 16:00:00 PST 2019"
    change(**put(Mode="GOVERNANCE", RetainUntilDate=later))
    assert refusal(change, **put(Mode="GOVERNANCE", RetainUntilDate=sooner)) == denied
    assert refusal(change, **put()) == denied
    change(**put(bypass=True))
    assert refusal(s3.get_object_retention, Bucket="one", Key="a")[0] == (
        "NoSuchObjectLockConfiguration"
    )
    change(**put(Mode="COMPLIANCE", RetainUntilDate=later))
    weaker = put(Mode="GOVERNANCE", RetainUntilDate=later, bypass=True)
    assert refusal(change, **weaker) == denied
    version = s3.head_object(Bucket="one", Key="a")["VersionId"]
    assert refusal(s3.delete_object, Bucket="one", Key="a", VersionId=version) == denied


def test_legal_holds(s3: Any) -> None:
    s3.put_object(Bucket="one", Key="a", Body=b"text")
    get = s3.get_object_legal_hold
    assert refusal(get, Bucket="one", Key="a")[0] == "NoSuchObjectLockConfiguration"
    s3.put_object_legal_hold(Bucket="one", Key="a", LegalHold={"Status": "ON"})
    assert get(Bucket="one", Key="a")["LegalHold"] == {"Status": "ON"}
    put = s3.put_object_legal_hold
    assert refusal(put, Bucket="one", Key="a", LegalHold={})[0] == "MalformedXML"
    assert refusal(put, Bucket="one", Key="b", LegalHold={"Status": "ON"})[0] == "NoSuchKey"


def test_locks_of_new_objects(s3: Any) -> None:
    until = datetime.now(UTC) + timedelta(days=1)
    for given, name in (
        ({"ObjectLockMode": "GOVERNANCE"}, "retain-until-date"),
        ({"ObjectLockRetainUntilDate": until}, "mode"),
        ({"ObjectLockMode": "NONE", "ObjectLockRetainUntilDate": until}, "mode"),
    ):
        with pytest.raises(ClientError) as refused:
            s3.put_object(Bucket="one", Key="a", **given)
        assert refused.value.response["Error"]["ArgumentName"] == f"x-amz-object-lock-{name}"

"""Tests of services.s3.object_versions."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal

WRONG = "29dd0c28-ad1c-4ba2-a0c5-0b1a1c1f1b7e"


@pytest.mark.usefixtures("aws")
def test_a_version_id_that_s3_did_not_issue() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    s3.put_object(Bucket="one", Key="a", Body=b"x")
    for operation in (s3.get_object, s3.delete_object):
        code, message = refusal(operation, Bucket="one", Key="a", VersionId=WRONG)[:2]
        assert (code, message) == ("InvalidArgument", "Invalid version id specified")
    assert refusal(s3.head_object, Bucket="one", Key="a", VersionId=WRONG)[0] == "400"


@pytest.mark.usefixtures("aws")
def test_a_bypass_of_a_lock_that_the_bucket_does_not_have() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    named = {"Bucket": "one", "BypassGovernanceRetention": True}
    assert refusal(s3.delete_object, **named, Key="a")[0] == "InvalidArgument"
    several = {"Objects": [{"Key": "a"}]}
    assert refusal(s3.delete_objects, **named, Delete=several)[0] == "InvalidArgument"


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize("storage", ["GLACIER", "DEEP_ARCHIVE", "STANDARD_IA"])
def test_versions_of_every_storage_class_are_listed(storage: str) -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    s3.put_object(Bucket="one", Key="k", Body=b"v", StorageClass=storage)
    (found,) = s3.list_object_versions(Bucket="one")["Versions"]
    assert found["StorageClass"] == storage

"""Tests of services.s3.fixes.self_copies."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

SOURCE = {"Bucket": "one", "Key": "a", "CopySource": "one/a"}


@pytest.mark.usefixtures("aws")
def test_a_copy_onto_itself_changes_something() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    s3.put_object(Bucket="one", Key="a", Body=b"x")
    assert refusal(s3.copy_object, **SOURCE)[0] == "InvalidRequest"
    assert refusal(s3.copy_object, **SOURCE, Metadata={"a": "b"})[0] == "InvalidRequest"
    changes: list[dict[str, Any]] = [
        {"MetadataDirective": "REPLACE"},
        {"StorageClass": "STANDARD_IA"},
        {"ServerSideEncryption": "AES256"},
    ]
    for change in changes:
        s3.copy_object(**SOURCE, **change)
    s3.copy_object(Bucket="one", Key="b", CopySource="one/a")


@pytest.mark.usefixtures("aws")
def test_an_encryption_of_its_own_allows_it() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    rule = {"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}
    s3.put_bucket_encryption(Bucket="one", ServerSideEncryptionConfiguration={"Rules": [rule]})
    s3.put_object(Bucket="one", Key="a", Body=b"x")
    assert s3.copy_object(**SOURCE)["ServerSideEncryption"] == "AES256"

"""Tests of services.kms.fixes.answers."""

from __future__ import annotations

import datetime as dt

from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import client


def test_algorithm_and_dates(aws: Runtime) -> None:
    kms = client("kms")
    one, two = (kms.create_key()["KeyMetadata"]["KeyId"] for _ in range(2))
    sealed = kms.encrypt(KeyId=one, Plaintext=b"x")
    assert sealed["EncryptionAlgorithm"] == "SYMMETRIC_DEFAULT"
    opened = kms.decrypt(CiphertextBlob=sealed["CiphertextBlob"])
    assert (opened["Plaintext"], opened["EncryptionAlgorithm"]) == (b"x", "SYMMETRIC_DEFAULT")
    kms.create_alias(AliasName="alias/a", TargetKeyId=one)
    aws.clock.advance(3600)
    kms.update_alias(AliasName="alias/a", TargetKeyId=two)
    (found,) = kms.list_aliases(KeyId=two)["Aliases"]
    passed = found["LastUpdatedDate"] - found["CreationDate"]
    assert dt.timedelta(seconds=3599) < passed < dt.timedelta(seconds=3700)

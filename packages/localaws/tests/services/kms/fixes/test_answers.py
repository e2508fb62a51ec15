"""Tests of services.kms.fixes.answers."""

from __future__ import annotations

import datetime as dt

from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import REGION, client


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


def test_an_alias_that_another_service_created_first_has_the_dates_of_its_key(
    aws: Runtime,
) -> None:
    from moto.kms.models import kms_backends

    kms = client("kms")
    key = kms.create_key()["KeyMetadata"]
    kms.create_alias(AliasName="alias/a", TargetKeyId=key["KeyId"])
    backend = kms_backends[key["AWSAccountId"]][REGION]
    alias = backend.keys[key["KeyId"]].aliases["alias/a"]
    del alias.creation_date, alias.last_updated_date  # as moto makes it before it is patched
    (found,) = kms.list_aliases(KeyId=key["KeyId"])["Aliases"]
    assert found["CreationDate"] == found["LastUpdatedDate"] == key["CreationDate"]

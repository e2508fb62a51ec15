"""Tests of services.kms.replicas."""

from __future__ import annotations

import pytest

from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_replica_has_its_own_description_and_the_id_of_its_primary() -> None:
    kms, there = client("kms"), client("kms", "us-west-2")
    primary = kms.create_key(MultiRegion=True, Description="first")["KeyMetadata"]
    made = kms.replicate_key(KeyId=primary["Arn"], ReplicaRegion="us-west-2")["ReplicaKeyMetadata"]
    assert (made["KeyId"], made["KeyState"]) == (primary["KeyId"], "Creating")
    assert made["MultiRegionConfiguration"]["MultiRegionKeyType"] == "REPLICA"
    found = there.describe_key(KeyId=primary["KeyId"])["KeyMetadata"]
    assert (found["KeyState"], found["Description"]) == ("Enabled", "")
    assert found["CurrentKeyMaterialId"] == primary["CurrentKeyMaterialId"]
    first = kms.describe_key(KeyId=primary["KeyId"])["KeyMetadata"]
    assert first["MultiRegionConfiguration"]["MultiRegionKeyType"] == "PRIMARY"
    assert [one["Region"] for one in first["MultiRegionConfiguration"]["ReplicaKeys"]] == [
        "us-west-2"
    ]


@pytest.mark.usefixtures("aws")
def test_refused_replicas() -> None:
    kms, there = client("kms"), client("kms", "us-west-2")
    key = kms.create_key(MultiRegion=True)["KeyMetadata"]["KeyId"]
    replica = kms.replicate_key(KeyId=key, ReplicaRegion="us-west-2")["ReplicaKeyMetadata"]["Arn"]
    code, message = refusal(there.replicate_key, KeyId=key, ReplicaRegion="us-east-2")
    assert code == "UnsupportedOperationException"
    assert message == f"{replica} is not a multi-region primary key."
    again = refusal(kms.replicate_key, KeyId=key, ReplicaRegion="us-west-2")
    assert again[0] == "AlreadyExistsException"
    single = kms.create_key()["KeyMetadata"]["KeyId"]
    refused = refusal(kms.replicate_key, KeyId=single, ReplicaRegion="us-west-2")
    assert refused[0] == "UnsupportedOperationException"


@pytest.mark.usefixtures("aws")
def test_rotation_of_the_primary_is_that_of_its_replicas() -> None:
    kms, there = client("kms"), client("kms", "us-west-2")
    key = kms.create_key(MultiRegion=True)["KeyMetadata"]["KeyId"]
    kms.replicate_key(KeyId=key, ReplicaRegion="us-west-2")
    before = there.encrypt(KeyId=key, Plaintext=b"x")["CiphertextBlob"]
    kms.rotate_key_on_demand(KeyId=key)
    after = kms.encrypt(KeyId=key, Plaintext=b"x")["CiphertextBlob"]
    for region in (kms, there):
        for blob in (before, after):
            assert region.decrypt(CiphertextBlob=blob)["Plaintext"] == b"x"
        assert len(region.list_key_rotations(KeyId=key)["Rotations"]) == 1
    kms.enable_key_rotation(KeyId=key, RotationPeriodInDays=100)
    status = there.get_key_rotation_status(KeyId=key)
    assert (status["KeyRotationEnabled"], status["RotationPeriodInDays"]) == (True, 100)
    for operation in ("rotate_key_on_demand", "enable_key_rotation", "disable_key_rotation"):
        code, _ = refusal(getattr(there, operation), KeyId=key)
        assert code == "UnsupportedOperationException"


def test_deleted_replica_is_not_listed(aws: Runtime) -> None:
    kms, there = client("kms"), client("kms", "us-west-2")
    key = kms.create_key(MultiRegion=True)["KeyMetadata"]["KeyId"]
    tags = [{"TagKey": "team", "TagValue": "x"}]
    kms.replicate_key(KeyId=key, ReplicaRegion="us-west-2", Tags=tags)
    there.schedule_key_deletion(KeyId=key, PendingWindowInDays=7)
    aws.clock.advance(8 * 86_400)
    assert refusal(there.describe_key, KeyId=key)[0] == "NotFoundException"
    assert _replicas(key) == []
    kms.replicate_key(KeyId=key, ReplicaRegion="us-west-2")
    assert _replicas(key) == ["us-west-2"]
    assert there.list_resource_tags(KeyId=key)["Tags"] == []


@pytest.mark.parametrize("names", [["one", "one"], ["aws:one"]])
@pytest.mark.usefixtures("aws")
def test_refused_tags(names: list[str]) -> None:
    kms = client("kms")
    key = kms.create_key(MultiRegion=True)["KeyMetadata"]["KeyId"]
    tags = [{"TagKey": name, "TagValue": "x"} for name in names]
    code, _ = refusal(kms.replicate_key, KeyId=key, ReplicaRegion="us-west-2", Tags=tags)
    assert code == "TagException"
    assert _replicas(key) == []


def _replicas(key: str) -> list[str]:
    found = client("kms").describe_key(KeyId=key)["KeyMetadata"]["MultiRegionConfiguration"]
    return [one["Region"] for one in found["ReplicaKeys"]]

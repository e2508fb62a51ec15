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


@pytest.mark.usefixtures("aws")
def test_a_replica_becomes_the_primary() -> None:
    kms, there = client("kms"), client("kms", "us-west-2")
    primary = kms.create_key(MultiRegion=True)["KeyMetadata"]
    key = primary["KeyId"]
    kms.enable_key_rotation(KeyId=key, RotationPeriodInDays=100)
    for region in ("us-west-2", "us-east-2"):
        kms.replicate_key(KeyId=key, ReplicaRegion=region)
    kms.update_primary_region(KeyId=key, PrimaryRegion="us-west-2")
    assert _kinds(key) == {"us-east-1": "REPLICA", "us-west-2": "PRIMARY", "us-east-2": "REPLICA"}
    assert sorted(_replicas(key)) == ["us-east-1", "us-east-2"]
    assert there.get_key_rotation_status(KeyId=key)["RotationPeriodInDays"] == 100
    assert refusal(kms.update_primary_region, KeyId=key, PrimaryRegion="us-east-2") == (
        "UnsupportedOperationException",
        f"{primary['Arn']} is not a multi-region primary key.",
    )
    there.replicate_key(KeyId=key, ReplicaRegion="eu-west-1")
    kms.schedule_key_deletion(KeyId=key)
    code, _ = refusal(there.update_primary_region, KeyId=key, PrimaryRegion="eu-central-1")
    assert code == "NotFoundException"


def test_a_primary_waits_for_its_replicas(aws: Runtime) -> None:
    kms, there = client("kms"), client("kms", "us-west-2")
    primary = kms.create_key(MultiRegion=True)["KeyMetadata"]
    key = primary["KeyId"]
    kms.replicate_key(KeyId=key, ReplicaRegion="us-west-2")
    answer = kms.schedule_key_deletion(KeyId=key, PendingWindowInDays=7)
    del answer["ResponseMetadata"]
    pending = {"KeyState": "PendingReplicaDeletion"}
    assert answer == {"KeyId": primary["Arn"], "PendingWindowInDays": 7, **pending}
    found = kms.describe_key(KeyId=key)["KeyMetadata"]
    assert (found["Enabled"], found["KeyState"]) == (False, "PendingReplicaDeletion")
    assert (found["PendingDeletionWindowInDays"], "DeletionDate" in found) == (7, False)
    text = f"{primary['Arn']} is pending replica deletion."
    for call in (kms.generate_data_key, kms.schedule_key_deletion, kms.enable_key):
        more = {"KeySpec": "AES_256"} if call == kms.generate_data_key else {}
        assert refusal(call, KeyId=key, **more) == ("KMSInvalidStateException", text)
    aws.clock.advance(8 * 86_400)
    assert kms.describe_key(KeyId=key)["KeyMetadata"]["KeyState"] == "PendingReplicaDeletion"
    there.schedule_key_deletion(KeyId=key, PendingWindowInDays=7)
    aws.clock.advance(7 * 86_400)
    found = kms.describe_key(KeyId=key)["KeyMetadata"]
    assert (found["KeyState"], "DeletionDate" in found) == ("PendingDeletion", True)
    aws.clock.advance(7 * 86_400)
    assert refusal(kms.describe_key, KeyId=key)[0] == "NotFoundException"


@pytest.mark.usefixtures("aws")
def test_the_deletion_of_a_primary_with_replicas_is_cancelled() -> None:
    kms = client("kms")
    key = kms.create_key(MultiRegion=True)["KeyMetadata"]["KeyId"]
    kms.replicate_key(KeyId=key, ReplicaRegion="us-west-2")
    kms.schedule_key_deletion(KeyId=key)
    kms.cancel_key_deletion(KeyId=key)
    found = kms.describe_key(KeyId=key)["KeyMetadata"]
    assert (found["KeyState"], "PendingDeletionWindowInDays" in found) == ("Disabled", False)


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


def _kinds(key: str) -> dict[str, str]:
    regions = ("us-east-1", "us-west-2", "us-east-2")
    found = {one: client("kms", one).describe_key(KeyId=key)["KeyMetadata"] for one in regions}
    return {
        one: each["MultiRegionConfiguration"]["MultiRegionKeyType"] for one, each in found.items()
    }

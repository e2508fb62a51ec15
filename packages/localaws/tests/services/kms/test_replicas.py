"""Tests of services.kms.replicas."""

from __future__ import annotations

import pytest

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

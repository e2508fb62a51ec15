"""The quota of KMS keys."""

from __future__ import annotations

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client, refusal


def test_keys_beyond_the_quota_are_refused() -> None:
    with local_aws(quotas={"kms/L-C2F1777E": 1}):
        kms = client("kms")
        kms.create_key()
        assert refusal(kms.create_key) == (
            "LimitExceededException",
            "You have reached the quota of 1 KMS keys.",
        )


def test_another_region_has_its_own_keys() -> None:
    with local_aws(quotas={"kms/L-C2F1777E": 1}):
        client("kms").create_key()
        assert client("kms", "us-west-2").create_key()["KeyMetadata"]["Enabled"]

"""Keys and aliases of a template."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.services.kms.cfn import Alias, Key
from packages.localaws.tests.handlers import allow, context, tags
from packages.localaws.tests.parts import client

pytestmark = pytest.mark.usefixtures("local")


def test_a_key_is_created_changed_and_scheduled_for_deletion() -> None:
    kms = client("kms")
    before: dict[str, Any] = {
        "Description": "one",
        "EnableKeyRotation": True,
        "Enabled": False,
        "KeyPolicy": allow("kms:*", Principal="*"),
        "Tags": tags(a="1"),
    }
    created = Key().create(context(), before)
    key = created.physical_id
    assert created.attributes["Arn"].endswith(f":key/{key}")
    assert Key().read(context(), key, before) == {
        "Description": "one",
        "Enabled": False,
        "EnableKeyRotation": True,
        "KeySpec": "SYMMETRIC_DEFAULT",
        "KeyUsage": "ENCRYPT_DECRYPT",
    }
    policy_after = allow("kms:Describe*", "kms:PutKeyPolicy", Principal="*")
    after = {"Description": "two", "KeyPolicy": policy_after}
    Key().update(context(stack_tags={"team": "x"}), key, before, after)
    found = Key().read(context(), key, after)
    assert found is not None
    assert (found["Description"], found["Enabled"], found["EnableKeyRotation"]) == (
        "two",
        True,
        False,
    )
    policy = kms.get_key_policy(KeyId=key, PolicyName="default")["Policy"]
    assert "kms:Describe*" in policy
    assert kms.list_resource_tags(KeyId=key)["Tags"] == [{"TagKey": "team", "TagValue": "x"}]
    Key().delete(context(), key, {**after, "PendingWindowInDays": 7})
    assert kms.describe_key(KeyId=key)["KeyMetadata"]["KeyState"] == "PendingDeletion"
    assert Key().read(context(), key, after) is None


def test_what_the_documentation_calls_a_replacement() -> None:
    old = {"KeySpec": "SYMMETRIC_DEFAULT", "MultiRegion": False, "Description": "a"}
    new = {"KeySpec": "RSA_2048", "Description": "b"}
    assert Key().replacing(old, new) == {"KeySpec", "MultiRegion"}
    assert Key().replacing(old, old) == set()


def test_an_alias_follows_its_key() -> None:
    kms = client("kms")
    first, second = (kms.create_key()["KeyMetadata"]["KeyId"] for _ in range(2))

    def aliases(key: str) -> list[str]:
        return [alias["AliasName"] for alias in kms.list_aliases(KeyId=key)["Aliases"]]

    before = {"AliasName": "alias/a", "TargetKeyId": first}
    assert Alias().create(context(), before).physical_id == "alias/a"
    after = {"AliasName": "alias/a", "TargetKeyId": second}
    Alias().update(context(), "alias/a", before, after)
    assert (aliases(first), aliases(second)) == ([], ["alias/a"])
    Alias().delete(context(), "alias/a", after)
    assert aliases(second) == []

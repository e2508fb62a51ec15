"""Tests of services.kms.key_states: the table of key states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.services.kms.key_states import REFUSED
from clusterwright_localaws.services.kms.keys import UPDATING
from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")
Make = Callable[[], str]
INVALID, DISABLED = "KMSInvalidStateException", "DisabledException"


def disabled() -> str:
    key = enabled()
    client("kms").disable_key(KeyId=key)
    return key


def enabled() -> str:
    return str(client("kms").create_key()["KeyMetadata"]["Arn"])


def deleted() -> str:
    key = enabled()
    client("kms").schedule_key_deletion(KeyId=key)
    return key


def importing() -> str:
    return str(client("kms").create_key(Origin="EXTERNAL")["KeyMetadata"]["Arn"])


CALLS: dict[str, dict[str, Any]] = {
    "create_grant": {"GranteePrincipal": "111122223333", "Operations": ["Decrypt"]},
    "encrypt": {"Plaintext": b"x"},
    "generate_data_key": {"KeySpec": "AES_256"},
    "generate_data_key_without_plaintext": {"KeySpec": "AES_256"},
    "generate_data_key_pair": {"KeyPairSpec": "RSA_2048"},
    "get_public_key": {},
    "sign": {"Message": b"x", "SigningAlgorithm": "ECDSA_SHA_256"},
    "generate_mac": {"Message": b"x", "MacAlgorithm": "HMAC_SHA_256"},
    "rotate_key_on_demand": {},
    "tag_resource": {"Tags": [{"TagKey": "a", "TagValue": "b"}]},
    "untag_resource": {"TagKeys": ["a"]},
    "update_key_description": {"Description": "x"},
    "schedule_key_deletion": {},
    "enable_key": {},
    "disable_key": {},
    "enable_key_rotation": {},
    "disable_key_rotation": {},
}
USES = (
    *("create_grant", "encrypt", "generate_data_key", "generate_data_key_without_plaintext"),
    *("generate_data_key_pair", "get_public_key", "sign", "generate_mac", "rotate_key_on_demand"),
)
CHANGES = ("tag_resource", "untag_resource", "update_key_description", "schedule_key_deletion")
SWITCHES, ROTATION = ("enable_key", "disable_key"), ("enable_key_rotation", "disable_key_rotation")


@pytest.mark.parametrize(
    ("make", "names", "code", "text"),
    [
        (disabled, (*USES, *ROTATION), DISABLED, "is disabled."),
        (deleted, tuple(CALLS), INVALID, "is pending deletion."),
        (importing, (*USES, *SWITCHES), INVALID, "is pending import."),
    ],
)
def test_operations_that_fail_in_a_state(
    make: Make, names: tuple[str, ...], code: str, text: str
) -> None:
    key = make()
    for name in names:
        found = refusal(getattr(client("kms"), name), KeyId=key, **CALLS[name])
        assert found == (code, f"{key} {text}"), name


@pytest.mark.parametrize("make", [disabled, importing])
def test_operations_that_succeed_in_a_state(make: Make) -> None:
    key = make()
    for name in CHANGES:
        assert getattr(client("kms"), name)(KeyId=key, **CALLS[name]), name
    for name in ("describe_key", "get_key_policy", "list_grants", "list_resource_tags"):
        assert getattr(client("kms"), name)(KeyId=key), name


def test_a_key_for_imports_has_no_rotation_in_any_state() -> None:
    key = importing()
    for name in ROTATION:
        assert refusal(getattr(client("kms"), name), KeyId=key) == (
            "UnsupportedOperationException",
            f"{key} origin is EXTERNAL which is not valid for this operation.",
        )


def test_parameters_for_an_import_into_a_key_that_is_pending_deletion() -> None:
    asked = {"WrappingAlgorithm": "RSAES_OAEP_SHA_256", "WrappingKeySpec": "RSA_2048"}
    kms, key = client("kms"), importing()
    kms.schedule_key_deletion(KeyId=key)
    found = refusal(kms.get_parameters_for_import, KeyId=key, **asked)
    assert found == (INVALID, f"{key} is pending deletion.")
    other = deleted()
    found = refusal(kms.get_parameters_for_import, KeyId=other, **asked)
    assert found[0] == "UnsupportedOperationException"


def test_aliases_and_keys_that_are_pending_deletion() -> None:
    kms, key, other = client("kms"), deleted(), enabled()
    pending = (INVALID, f"{key} is pending deletion.")
    assert refusal(kms.create_alias, AliasName="alias/a", TargetKeyId=key) == pending
    kms.create_alias(AliasName="alias/a", TargetKeyId=other)
    assert refusal(kms.update_alias, AliasName="alias/a", TargetKeyId=key) == pending
    kms.schedule_key_deletion(KeyId=other)
    # The key that the alias had before may be pending deletion.
    kms.update_alias(AliasName="alias/a", TargetKeyId=enabled())
    kms.delete_alias(AliasName="alias/a")


def test_only_a_key_that_is_pending_deletion_is_kept() -> None:
    key = enabled()
    assert refusal(client("kms").cancel_key_deletion, KeyId=key) == (
        INVALID,
        f"{key} is not pending deletion.",
    )


def test_what_fails_while_the_primary_region_is_updated() -> None:
    key = enabled()
    account = key.split(":")[4]
    moto_state.backend("kms", account, "us-east-1").keys[
        key.rpartition("/")[2]
    ].key_state = UPDATING
    refused = ("enable_key", "disable_key", "schedule_key_deletion")
    for name in refused:
        found = refusal(getattr(client("kms"), name), KeyId=key)
        assert found == (INVALID, f"{key} is updating."), name
    found = refusal(client("kms").replicate_key, KeyId=key, ReplicaRegion="us-west-2")
    assert found == (INVALID, f"{key} is updating.")
    for name in ("encrypt", "generate_data_key", "tag_resource", "enable_key_rotation"):
        assert getattr(client("kms"), name)(KeyId=key, **CALLS[name]), name


def test_the_table_names_operations_of_kms() -> None:
    assert REFUSED.keys() <= set(client("kms").meta.service_model.operation_names)

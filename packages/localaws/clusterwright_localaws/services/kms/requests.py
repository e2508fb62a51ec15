"""Requests that KMS refuses and moto takes: new keys, policies, tags, grants, random bytes.

https://docs.aws.amazon.com/kms/latest/APIReference/API_CreateKey.html
https://docs.aws.amazon.com/kms/latest/APIReference/API_PutKeyPolicy.html
https://docs.aws.amazon.com/kms/latest/APIReference/API_TagResource.html
https://docs.aws.amazon.com/kms/latest/developerguide/tagging-keys.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.core.request_tags import is_reserved
from clusterwright_localaws.services.kms import keys
from clusterwright_localaws.services.kms.lockout import check_lockout

_MOST_TAGS = 50
_POLICY_NAME = "default"
# https://docs.aws.amazon.com/kms/latest/developerguide/symm-asymm-choose-key-spec.html
_USES: Final = {
    "SYMMETRIC": ("ENCRYPT_DECRYPT",),
    "RSA": ("ENCRYPT_DECRYPT", "SIGN_VERIFY"),
    "ECC": ("SIGN_VERIFY", "KEY_AGREEMENT"),
    "HMAC": ("GENERATE_VERIFY_MAC",),
}


@operation("kms", "CreateKey")
def create_key(call: Call) -> Mapping[str, Any]:
    asked = call.parameters
    spec = asked.get("KeySpec") or asked.get("CustomerMasterKeySpec") or keys.SYMMETRIC
    usage = asked.get("KeyUsage")
    if usage is None and spec != keys.SYMMETRIC:
        raise AwsError(
            "ValidationException",
            "You must specify a KeyUsage value for all KMS keys except for symmetric encryption "
            "keys.",
            400,
        )
    allowed = _USES.get(spec.split("_")[0])
    if usage is not None and allowed is not None and usage not in allowed:
        raise AwsError(
            "ValidationException", f"KeyUsage {usage} is not compatible with KeySpec {spec}", 400
        )
    check_tags(asked.get("Tags") or [])
    check_lockout(call)
    raise ForwardToMoto


@operation("kms", "PutKeyPolicy")
def put_key_policy(call: Call) -> Mapping[str, Any]:
    key = keys.key_of(call, aliases=False)
    _check_name(call)
    check_lockout(call, key)
    key.policy = call.parameters["Policy"]
    return {}


@operation("kms", "GetKeyPolicy")
def get_key_policy(call: Call) -> Mapping[str, Any]:
    key = keys.key_of(call, aliases=False)
    _check_name(call)
    return {"Policy": key.policy, "PolicyName": _POLICY_NAME}


@operation("kms", "TagResource")
def tag_resource(call: Call) -> Mapping[str, Any]:
    key, tags = keys.key_of(call, aliases=False), call.parameters["Tags"]
    check_tags(tags)
    there = keys.backend_of(call).tagger.get_tag_dict_for_resource(key.id)
    if len({*there, *(tag["TagKey"] for tag in tags)}) > _MOST_TAGS:
        raise AwsError("TagException", "Too many tags", 400)
    raise ForwardToMoto


@operation("kms", "CreateGrant", "ListGrants", "RevokeGrant")
def grant(call: Call) -> Mapping[str, Any]:
    key = keys.key_of(call, aliases=False)
    if call.operation != "RevokeGrant" or call.parameters["GrantId"] in key.grants:
        keys.end_dry_run(call)
    raise ForwardToMoto


@operation("kms", "RetireGrant")
def retire_grant(call: Call) -> Mapping[str, Any]:
    asked = call.parameters
    if asked.get("KeyId") and asked.get("GrantId"):
        keys.key_of(call, aliases=False)
    elif not asked.get("GrantToken"):
        raise AwsError(
            "ValidationException", "Specify a grant token, or a key and the ID of a grant.", 400
        )
    keys.end_dry_run(call)
    raise ForwardToMoto


@operation("kms", "GenerateRandom")
def generate_random(call: Call) -> Mapping[str, Any]:
    if call.parameters.get("NumberOfBytes") is None:
        raise AwsError("ValidationException", "NumberOfBytes is required.", 400)
    raise ForwardToMoto


@operation("kms", "GetPublicKey")
def get_public_key(call: Call) -> Mapping[str, Any]:
    key = keys.key_of(call)
    if key.key_spec == keys.SYMMETRIC or key.key_spec.startswith("HMAC"):
        raise AwsError("UnsupportedOperationException", "", 400)
    return {
        "KeyId": key.arn,
        "PublicKey": key.private_key.public_key(),
        "CustomerMasterKeySpec": key.key_spec,
        "KeySpec": key.key_spec,
        "KeyUsage": keys.usage_of(key),
        **keys.algorithms_of(key),
    }


def _check_name(call: Call) -> None:
    """Refuse another name of a policy than the one there is, which is the default."""
    if call.parameters.get("PolicyName", _POLICY_NAME) != _POLICY_NAME:
        raise AwsError("NotFoundException", "No such policy exists", 400)


def check_tags(tags: Sequence[Mapping[str, str]]) -> None:
    """Refuse tags of a request that KMS does not take.

    Raises
    ------
    AwsError
        TagException.
    """
    names = [tag["TagKey"] for tag in tags]
    if len(set(names)) < len(names):
        raise AwsError("TagException", "Duplicate tag keys", 400)
    if len(names) > _MOST_TAGS:
        raise AwsError("TagException", "Too many tags", 400)
    if any(is_reserved(name) for name in names):
        raise AwsError("TagException", "Tags beginning with aws: are reserved", 400)

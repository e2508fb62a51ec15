"""Which operations the state of a key refuses: the table of AWS's developer guide, as data.

https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html

Operations that are not here succeed in every state: DescribeKey, the lists, those on key policies,
RetireGrant, RevokeGrant, DeleteAlias and GetKeyRotationStatus.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.kms import keys

_DISABLED, _IMPORT, _CREATING, _UPDATING = "Disabled", "PendingImport", "Creating", keys.UPDATING
_CHANGED: Final = keys.DELETION
_USED: Final = keys.DELETION | {_DISABLED, _IMPORT, _CREATING}

REFUSED: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(
        (
            *("CreateGrant", "Decrypt", "DeriveSharedSecret", "Encrypt", "GenerateDataKey"),
            *("GenerateDataKeyPair", "GenerateDataKeyPairWithoutPlaintext"),
            *("GenerateDataKeyWithoutPlaintext", "GenerateMac", "GetPublicKey", "ReEncrypt"),
            *("RotateKeyOnDemand", "Sign", "UpdatePrimaryRegion", "Verify", "VerifyMac"),
        ),
        _USED,
    ),
    **dict.fromkeys(
        (
            *("CreateAlias", "TagResource", "UntagResource", "UpdateAlias"),
            "UpdateKeyDescription",
        ),
        _CHANGED,
    ),
    "DeleteImportedKeyMaterial": frozenset({_CREATING, _UPDATING}),
    "GetParametersForImport": keys.DELETION | {_CREATING, _UPDATING},
    "ImportKeyMaterial": keys.DELETION | {_CREATING},
    "ReplicateKey": _USED | {_UPDATING},
    "ScheduleKeyDeletion": keys.DELETION | {_UPDATING},
    **dict.fromkeys(("DisableKey", "EnableKey"), keys.DELETION | {_IMPORT, _CREATING, _UPDATING}),
    # A key for imports has no rotation, which these operations say in every state.
    **dict.fromkeys(
        ("DisableKeyRotation", "EnableKeyRotation"), keys.DELETION | {_DISABLED, _CREATING}
    ),
}
# Keys of a request; of UpdateAlias the key that the alias had before may be in any state.
_MEMBERS: Final = ("KeyId", "TargetKeyId", "SourceKeyId", "DestinationKeyId")
# Operations on keys for imports only, which say so of other keys in every state.
_OF_IMPORTS: Final = frozenset(
    {"DeleteImportedKeyMaterial", "GetParametersForImport", "ImportKeyMaterial"}
)


def check_states(call: Call) -> None:
    """Refuse a call whose keys are in a state in which its operation fails.

    Raises
    ------
    AwsError
        DisabledException, KMSInvalidStateException.
    """
    refused = REFUSED.get(call.operation)
    for member in _MEMBERS:
        key = _key(call, member)
        if key is None:
            continue
        if call.operation == "CancelKeyDeletion" and key.key_state not in keys.DELETION:
            raise AwsError("KMSInvalidStateException", f"{key.arn} is not pending deletion.", 400)
        if call.operation in _OF_IMPORTS and key.origin != "EXTERNAL":
            continue
        if refused is not None and key.key_state in refused:
            raise keys.refusal(key)


def _key(call: Call, member: str) -> Any | None:
    """Return moto's key that a member of the request names; None for an unknown one."""
    name = call.parameters.get(member)
    if not isinstance(name, str):
        return None
    kms = moto_state.backend("kms", call.account, call.region)
    prefix = f"arn:{call.partition}:kms:{call.region}:{call.account}"
    if keys.problem_of(kms, name, prefix):
        return None
    return kms.keys[kms.any_id_to_key_id(name)]

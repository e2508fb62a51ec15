"""Keys by what a request calls them, and whether an operation may use them.

Key states: https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html
Identifiers: https://docs.aws.amazon.com/kms/latest/developerguide/concepts.html#key-id
"""

from __future__ import annotations

import hashlib
import re
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError

SYMMETRIC: Final = "SYMMETRIC_DEFAULT"
_KEY_ID = re.compile(
    r"(mrk-[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})", re.IGNORECASE
)
DELETION: Final = frozenset({"PendingDeletion", "PendingReplicaDeletion"})
UPDATING: Final = "Updating"
_STATES: Final = {
    "Disabled": ("DisabledException", "is disabled."),
    "PendingDeletion": ("KMSInvalidStateException", "is pending deletion."),
    "PendingReplicaDeletion": ("KMSInvalidStateException", "is pending replica deletion."),
    "PendingImport": ("KMSInvalidStateException", "is pending import."),
    "Creating": ("KMSInvalidStateException", "is creating."),
    UPDATING: ("KMSInvalidStateException", "is updating."),
}
# The algorithms of AWS's published tables, by key spec.
# https://docs.aws.amazon.com/kms/latest/developerguide/symm-asymm-choose-key-spec.html
_OAEP: Final = ("RSAES_OAEP_SHA_1", "RSAES_OAEP_SHA_256")
_CURVE_ALGORITHMS: Final = {
    "ECC_NIST_P256": "ECDSA_SHA_256",
    "ECC_SECG_P256K1": "ECDSA_SHA_256",
    "ECC_NIST_P384": "ECDSA_SHA_384",
    "ECC_NIST_P521": "ECDSA_SHA_512",
}


def backend_of(call: Call) -> Any:
    """Return moto's backend of the account and Region of a call."""
    return moto_state.backend("kms", call.account, call.region)


def key_of(call: Call, member: str = "KeyId", *, aliases: bool = True) -> Any:
    """Return moto's key that a member of a request names.

    Raises
    ------
    AwsError
        NotFoundException: there is no such key, or the text is no identifier of a key.
    """
    kms, name = backend_of(call), str(call.parameters[member])
    prefix = f"arn:{call.partition}:kms:{call.region}:{call.account}"
    problem = problem_of(kms, name, prefix, aliases=aliases)
    if problem:
        raise AwsError("NotFoundException", problem, 400)
    return kms.keys[kms.any_id_to_key_id(name)]


def problem_of(kms: Any, name: str, prefix: str, *, aliases: bool = True) -> str:
    """Return AWS's message about an identifier that names no key; empty for one that does.

    Parameters
    ----------
    kms:
        moto's backend.
    prefix:
        The beginning of the ARNs of KMS here, to the account.
    aliases:
        Whether the operation takes names and ARNs of aliases.
    """
    if name.startswith("arn:"):
        region = name.split(":")[3] if name.count(":") >= 5 else name
        if region != prefix.split(":")[3]:
            return f"Invalid arn {region}"
    if aliases and _is_alias(name):
        alias = kms.get_alias_name(name)
        if kms.get_key_id_from_alias(alias) is not None:
            return ""
        return f"Alias {prefix}:{alias} is not found."
    bare = kms.get_key_id(name)
    if bare in kms.keys:
        return ""
    if not is_key_id(bare):
        return f"Invalid keyId '{name}'"
    return f"Key '{name if name.startswith('arn:') else f'{prefix}:key/{bare}'}' does not exist"


def check_use(key: Any, usage: str, operation: str) -> None:
    """Refuse a key that is not usable in its state, or that was created for another use.

    Raises
    ------
    AwsError
        DisabledException, KMSInvalidStateException, InvalidKeyUsageException.
    """
    check_state(key)
    if usage_of(key) != usage:
        raise AwsError(
            "InvalidKeyUsageException",
            f"{key.arn} key usage is {usage_of(key)} which is not valid for {operation}.",
            400,
        )


def check_state(key: Any) -> None:
    """Refuse a key that cannot be used; while its primary Region is updated it can.

    Raises
    ------
    AwsError
        DisabledException, KMSInvalidStateException.
    """
    if key.key_state in _STATES and key.key_state != UPDATING:
        raise refusal(key)


def refusal(key: Any) -> AwsError:
    """Return the refusal of a key for its state, which is another one than Enabled."""
    code, what = _STATES[key.key_state]
    return AwsError(code, f"{key.arn} {what}", 400)


def check_algorithm(key: Any, algorithm: str, valid: list[str]) -> None:
    """Refuse an algorithm that a key of this spec does not have.

    Raises
    ------
    AwsError
        InvalidKeyUsageException.
    """
    if algorithm not in valid:
        raise AwsError(
            "InvalidKeyUsageException",
            f"Algorithm {algorithm} is incompatible with key spec {key.key_spec}.",
            400,
        )


def end_dry_run(call: Call) -> None:
    """End a call with DryRun that passed the checks.

    Raises
    ------
    AwsError
        DryRunOperationException.
    """
    if call.parameters.get("DryRun"):
        raise AwsError(
            "DryRunOperationException",
            "The request would have succeeded, but the DryRun option is set.",
            400,
        )


def usage_of(key: Any) -> str:
    """Return a key's use; ENCRYPT_DECRYPT unless another one was asked for."""
    return str(key.key_usage or "ENCRYPT_DECRYPT")


def algorithms_of(key: Any) -> dict[str, list[str]]:
    """Return the lists of algorithms in a key's description: those of its use only."""
    usage, spec = usage_of(key), str(key.key_spec)
    if usage == "ENCRYPT_DECRYPT":
        return {"EncryptionAlgorithms": [SYMMETRIC] if spec == SYMMETRIC else list(_OAEP)}
    if usage == "SIGN_VERIFY":
        curve = _CURVE_ALGORITHMS.get(spec)
        return {"SigningAlgorithms": [curve] if curve else list(key.signing_algorithms)}
    if usage == "GENERATE_VERIFY_MAC":
        return {"MacAlgorithms": [spec.replace("HMAC_", "HMAC_SHA_")]}
    return {"KeyAgreementAlgorithms": ["ECDH"]}


def material_id(key: Any, material: bytes) -> str:
    """Return the id of key material in a key: 64 hexadecimal digits, the same for the same bytes.

    AWS does not publish how it derives them; replicas of a key have the ids of their primary.
    """
    return hashlib.sha256(key.id.encode() + material).hexdigest()


def has_material(key: Any) -> bool:
    """Return whether a key has, or had, material: one for imports begins without."""
    return key.origin != "EXTERNAL" or getattr(key, "imported", False)


def lacks_material(key: Any) -> bool:
    """Return whether a key for imports is without material now: none yet, expired or deleted."""
    return key.origin == "EXTERNAL" and not getattr(key, "expiration_model", None)


def is_key_id(text: str) -> bool:
    """Return whether a text has the form of a key's id."""
    return _KEY_ID.fullmatch(text) is not None


def _is_alias(name: str) -> bool:
    return name.startswith("alias/") or (name.startswith("arn:") and ":alias/" in name)

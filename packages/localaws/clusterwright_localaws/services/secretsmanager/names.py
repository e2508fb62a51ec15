"""Names of secrets: their characters, and who may use them until the secret is deleted.

https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_CreateSecret.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto

_NAME: Final = re.compile(r"[A-Za-z0-9/_+=.@!:-]+")
# As recorded on AWS, they check the name before they look for the secret.
_OF_A_SECRET: Final = (
    "DeleteSecret",
    "DescribeSecret",
    "GetSecretValue",
    "ListSecretVersionIds",
    "PutSecretValue",
    "UpdateSecret",
    "ValidateResourcePolicy",
)

_OF_A_VALUE: Final = ("GetSecretValue", "PutSecretValue")


def owner_of(secret_id: str) -> str | None:
    """The account of a secret that is named by its ARN; None for a name."""
    parts = secret_id.split(":")
    return parts[4] if len(parts) > 5 and parts[0] == "arn" else None


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise AwsError(
            "ValidationException",
            "Invalid name. Must be a valid name containing alphanumeric characters, or any of the "
            "following: -/_+=.@!",
        )


def check_token(call: Call, code: str = "InvalidRequestException") -> None:
    """Refuse a request without ClientRequestToken, which SDKs fill in; as recorded on AWS.

    Raises
    ------
    AwsError
        `code`: the request has no token.
    """
    if not call.parameters.get("ClientRequestToken"):
        raise AwsError(
            code, "You must provide a ClientRequestToken value. We recommend a UUID-type value."
        )


def _check_value(call: Call) -> None:
    if call.parameters.get("SecretString") and call.parameters.get("SecretBinary"):
        # "... but not both": the API model. The text is ours.
        raise AwsError(
            "InvalidParameterException",
            "You can't specify both a binary secret value and a string secret value in the same "
            "secret.",
        )


def _check_key(call: Call, named: str) -> None:
    """Refuse the value of another account's secret under the default key; as recorded on AWS."""
    owner = owner_of(named)
    if owner in (None, call.account) or call.operation not in _OF_A_VALUE:
        return
    backend = moto_state.existing("secretsmanager", str(owner), call.region)
    secret = backend.secrets.get(named) if backend is not None else None
    if secret is not None and not secret.kms_key_id:
        raise AwsError(
            "InvalidRequestException",
            "You can't access a secret from a different AWS account if you encrypt the secret "
            "with the default KMS service key.",
        )


@operation("secretsmanager", *_OF_A_SECRET)
def check_named(call: Call) -> Mapping[str, Any]:
    named = str(call.parameters.get("SecretId") or "")
    if named:
        _check_name(named)
        _check_key(call, named)
    if call.operation in ("PutSecretValue", "UpdateSecret"):
        check_token(call)
        _check_value(call)
    raise ForwardToMoto


@operation("secretsmanager", "TagResource", "UntagResource")
def change_tags(call: Call) -> Mapping[str, Any]:
    name = call.parameters["SecretId"]
    _check_name(name)
    # The model does not require the key; moto does.
    if any("Key" not in tag for tag in call.parameters.get("Tags", ())):
        raise AwsError("InvalidParameterException", "A tag needs a Key.")
    secrets = moto_state.backend("secretsmanager", call.account, call.region).secrets
    if name in secrets and secrets[name].is_deleted():
        raise AwsError(
            "InvalidRequestException",
            "You can't perform this operation on the secret because it was marked for deletion.",
        )
    raise ForwardToMoto


@operation("secretsmanager", "CreateSecret")
def create_secret(call: Call) -> Mapping[str, Any]:
    _check_name(call.parameters["Name"])
    check_token(call)
    _check_value(call)
    if any(not region.get("Region") for region in call.parameters.get("AddReplicaRegions", ())):
        raise AwsError("InvalidParameterException", "A replica needs a Region.")
    secrets = moto_state.backend("secretsmanager", call.account, call.region).secrets
    name = call.parameters["Name"]
    if name in secrets and secrets[name].is_deleted():
        raise AwsError(
            "InvalidRequestException",
            "You can't create this secret because a secret with this name is already scheduled "
            "for deletion.",
        )
    raise ForwardToMoto

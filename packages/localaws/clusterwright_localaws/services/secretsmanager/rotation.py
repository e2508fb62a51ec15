"""RotateSecret needs a function that exists; only secrets of other services do without.

The refusal of an unknown function is that recorded on AWS: docs/reference/probes.md, source
`localstack`. The function's policy is not examined.
https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_RotateSecret.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.secretsmanager.names import check_token


@operation("secretsmanager", "RotateSecret")
def rotate_secret(call: Call) -> Mapping[str, Any]:
    secrets = moto_state.backend("secretsmanager", call.account, call.region).secrets
    name = call.parameters["SecretId"]
    check_token(call, "InvalidParameterException")
    function = call.parameters.get("RotationLambdaARN")
    if function and name in secrets and not _exists(call, function):
        raise AwsError(
            "AccessDeniedException",
            "Secrets Manager cannot invoke the specified Lambda function. Ensure that the "
            "function policy grants access to the principal secretsmanager.amazonaws.com.",
        )
    if not call.parameters.get("RotationLambdaARN") and name in secrets:
        secret = secrets[name]
        if not (getattr(secret, "rotation_lambda_arn", None) or secret.owning_service):
            raise AwsError(
                "InvalidRequestException",
                "No Lambda rotation function ARN is associated with this secret.",
            )
    raise ForwardToMoto


def _exists(call: Call, function: str) -> bool:
    parts = function.split(":")
    region, account = (parts[3], parts[4]) if len(parts) > 4 else (call.region, call.account)
    backend = moto_state.existing("awslambda", account, region)
    if backend is None:
        return False
    try:
        backend.get_function(function)
    except Exception:  # noqa: BLE001  moto's exception of an unknown function, of several classes
        return False
    return True

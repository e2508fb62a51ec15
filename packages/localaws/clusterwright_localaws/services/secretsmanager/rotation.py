"""RotateSecret needs a function, which only the secrets of other services do without.

https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_RotateSecret.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto


@operation("secretsmanager", "RotateSecret")
def rotate_secret(call: Call) -> Mapping[str, Any]:
    secrets = moto_state.backend("secretsmanager", call.account, call.region).secrets
    name = call.parameters["SecretId"]
    if not call.parameters.get("RotationLambdaARN") and name in secrets:
        secret = secrets[name]
        if not (getattr(secret, "rotation_lambda_arn", None) or secret.owning_service):
            raise AwsError(
                "InvalidRequestException",
                "No Lambda rotation function ARN is associated with this secret.",
            )
    raise ForwardToMoto

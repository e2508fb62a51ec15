"""CreateSecret: names are reserved until the secret is deleted, and the key must exist.

https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_CreateSecret.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto


@operation("secretsmanager", "CreateSecret")
def create_secret(call: Call) -> Mapping[str, Any]:
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

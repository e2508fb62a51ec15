"""Client ids of OpenID Connect providers: changes that moto lacks.

https://docs.aws.amazon.com/IAM/latest/APIReference/API_AddClientIDToOpenIDConnectProvider.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.iam import entities

_MOST = 100
"""The limit of client ids of a provider (IAM user guide, "IAM and AWS STS quotas")."""


@operation("iam", "AddClientIDToOpenIDConnectProvider")
def add_client(call: Call) -> Mapping[str, Any]:
    clients, name = _clients(call), call.parameters["ClientID"]
    if name not in clients:
        if len(clients) >= _MOST:
            raise AwsError(
                "LimitExceeded",
                f"Cannot exceed quota for ClientIdsPerOpenIdConnectProvider: {_MOST}",
                409,
            )
        clients.append(name)
    return {}


@operation("iam", "RemoveClientIDFromOpenIDConnectProvider")
def remove_client(call: Call) -> Mapping[str, Any]:
    """Remove a client id; removing a missing id is not an error (AWS documentation)."""
    clients, name = _clients(call), call.parameters["ClientID"]
    if name in clients:
        clients.remove(name)
    return {}


def _clients(call: Call) -> list[str]:
    arn = call.parameters["OpenIDConnectProviderArn"]
    backend = entities.backend_of(call.account, call.partition)
    found = backend.open_id_providers.get(arn)
    if found is None:
        raise AwsError("NoSuchEntity", f"OpenIDConnect Provider not found for arn {arn}", 404)
    clients: list[str] = found.client_id_list
    return clients

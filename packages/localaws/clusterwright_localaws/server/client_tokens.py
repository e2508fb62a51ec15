"""Client tokens of services whose repeated calls are answered as the first one was.

The API models say which member of a request is the token (`idempotencyToken`), and what follows
from it: "if the original request completes successfully, the subsequent retries with the same
client token return the result from the original successful request and they have no additional
effect" (PCS; EKS, FSx, Grafana and Prometheus likewise). EC2 has more rules of its own; FSx's
creations and BatchAddClusterNodes describe what exists now.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Final

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.client_tokens import once
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.paging_model import members_of
from clusterwright_localaws.server.wire import FIRST_ERROR, Answer
from clusterwright_localaws.services.eks import state as eks
from clusterwright_localaws.services.fsx import state as fsx
from clusterwright_localaws.services.pcs import state as pcs
from clusterwright_localaws.services.sagemaker import extensions

Mismatch = Callable[[], AwsError] | None

# The models of Grafana and Prometheus name no error for a token with other parameters.
_SERVICES: Final[Mapping[str, Mismatch]] = {
    "amp": None,
    "eks": eks.token_mismatch,
    "fsx": fsx.token_mismatch,
    "grafana": None,
    "pcs": pcs.token_mismatch,
    "sagemaker": extensions.token_mismatch,
}
_ONLY: Final = {"sagemaker": ("CreateClusterExtension", "UpdateClusterExtension")}
# As documented of these; of others no end is.
_LASTS: Final = {
    **dict.fromkeys(("CreateCapability", "UpdateCapability"), timedelta(hours=24)),
    **dict.fromkeys(("CreateClusterExtension", "UpdateClusterExtension"), timedelta(hours=8)),
}


def answered(call: Call, answer: Callable[[], Answer | None]) -> Answer | None:
    """Answer a call by `answer`, or as a call with the same token was answered before.

    Raises
    ------
    AwsError
        The service's refusal of a token that was used with other parameters.
    """
    member = _member(call.service, call.operation)
    token = call.parameters.get(member) if member else None
    if not token:
        return answer()
    found, _ = once(
        call.runtime,
        (call.service, call.account, call.region),
        (call.operation, str(token)),
        {name: value for name, value in call.parameters.items() if name != member},
        answer,
        mismatch=_SERVICES[call.service],
        is_kept=lambda given: given is not None and given[0] < FIRST_ERROR,
        lasts=_LASTS.get(call.operation),
    )
    return found


@functools.cache
def _member(service: str, operation: str) -> str | None:
    """Return the member of an operation's requests with a token that is examined here."""
    if service not in _SERVICES or operation not in _ONLY.get(service, (operation,)):
        return None
    if service == "fsx" and operation.startswith("Create"):
        return None
    _, given, _ = members_of(service, operation)
    return next((name for name, one in given.items() if one.get("idempotencyToken")), None)

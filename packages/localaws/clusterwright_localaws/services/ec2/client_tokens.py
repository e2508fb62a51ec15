"""Client tokens of EC2: a repeated call is answered as the first one, and nothing is done again.

"If you retry a request that completed successfully using the same client token and the same
parameters, the retry succeeds without performing any further actions. If you retry a successful
request using the same client token, but one or more of the parameters are different, other than
the Region or Availability Zone, the retry fails with an IdempotentParameterMismatch error":
https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html. The message, of
RunInstances: https://github.com/ubicloud/ubicloud/pull/5898
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.paging_model import members_of
from clusterwright_localaws.core.runtime import Runtime

Answer = tuple[int, dict[str, str], "str | bytes"]

_MEMBER: Final = "ClientToken"
_FIRST_ERROR: Final = 300
# RunInstances: "A client token is valid for at least 24 hours after the termination of the
# instance"; the page does not say when it ends. Here, the oldest ones end when there are too many.
_MOST_KEPT: Final = 10_000
_MOST_BYTES: Final = 64 * 1024 * 1024


@dataclass
class _First:
    """The first call with a token, and its answer once it succeeded."""

    digest: str = ""
    answer: Answer | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def size(self) -> int:
        return 0 if self.answer is None else len(self.answer[2])


def answered(
    runtime: Runtime,
    whose: tuple[str, str, str],
    parameters: Mapping[str, Any],
    answer: Callable[[], Answer | None],
) -> Answer | None:
    """Answer a call of EC2: by `answer`, or as a call with the same token was answered before.

    `whose` is the operation, the account and the region of the call.

    Raises
    ------
    AwsError
        IdempotentParameterMismatch: the token was used with other parameters.
    """
    operation, account, region = whose
    token = parameters.get(_MEMBER)
    if not token or parameters.get("DryRun") or _MEMBER not in members_of("ec2", operation)[1]:
        return answer()
    zone, request = _zone_and_rest(account, region, parameters)
    digest = hashlib.sha256(json.dumps(request, sort_keys=True, default=str).encode()).hexdigest()
    kept = runtime.store("ec2-client-tokens", account, region, dict[Any, _First])
    key = (operation, str(token), zone)
    with runtime.lock:
        first = kept.setdefault(key, _First())
    with first.lock:  # a second call waits for the first
        if first.answer is not None:
            if first.digest != digest:
                raise AwsError(
                    "IdempotentParameterMismatch",
                    "Arguments on this idempotent request are inconsistent with arguments used in "
                    "previous request(s).",
                )
            return first.answer
        try:
            found = answer()
            if found is not None and found[0] < _FIRST_ERROR:
                first.digest, first.answer = digest, found
        finally:
            with runtime.lock:
                if first.answer is None:
                    kept.pop(key, None)
                _forget_oldest(kept)
    return found


def _forget_oldest(kept: dict[Any, _First]) -> None:
    size = sum(one.size for one in kept.values()) if len(kept) % 100 == 0 else 0
    while len(kept) > _MOST_KEPT or size > _MOST_BYTES:
        size -= kept.pop(next(iter(kept))).size


def _zone_and_rest(
    account: str, region: str, parameters: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Return the zone that a request names, by itself or by its subnet, and the other parameters.

    A token may be used once in every zone.
    """
    rest = {name: value for name, value in parameters.items() if name != _MEMBER}
    placement = dict(rest.pop("Placement", None) or {})
    zone = ""
    for named in (rest, placement):
        for name in ("AvailabilityZone", "AvailabilityZoneId"):
            zone = str(named.pop(name, None) or zone)
    if placement:
        rest["Placement"] = placement
    interfaces: Sequence[Mapping[str, Any]] = rest.get("NetworkInterfaces") or ({},)
    subnet_id = rest.get("SubnetId") or interfaces[0].get("SubnetId")
    if subnet_id and not zone:
        for name, subnets in moto_state.backend("ec2", account, region).subnets.items():
            if subnet_id in subnets:
                zone = str(name)
    return zone, rest

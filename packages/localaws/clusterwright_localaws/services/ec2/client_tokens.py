"""Client tokens of EC2: a repeated call is answered as the first one, and nothing is done again.

"If you retry a request that completed successfully using the same client token and the same
parameters, the retry succeeds without performing any further actions. If you retry a successful
request using the same client token, but one or more of the parameters are different, other than
the Region or Availability Zone, the retry fails with an IdempotentParameterMismatch error":
https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html. The message, of
RunInstances: https://github.com/ubicloud/ubicloud/pull/5898

RunInstances refuses the token of a terminated instance:
https://github.com/boto/boto3/issues/4406
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from xml.sax.saxutils import escape

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.client_tokens import once
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.paging_model import members_of
from clusterwright_localaws.core.runtime import Runtime

Answer = tuple[int, dict[str, str], "str | bytes"]

_MEMBER: Final = "ClientToken"
_FIRST_ERROR: Final = 300
_LONGEST: Final = 64
# "Constraint: Maximum 128 ASCII characters", and "Up to 255 UTF-8 characters in length", in the
# API reference of these; others have a maximum in their model.
_LONGER: Final = {
    "CreateLaunchTemplate": 128,
    "CreateLaunchTemplateVersion": 128,
    "CreateManagedPrefixList": 255,
    "ModifyLaunchTemplate": 128,
}
_UNICODE: Final = frozenset({"CreateManagedPrefixList"})
_INSTANCE: Final = re.compile("<instanceId>([^<]+)</instanceId>")
_STATE: Final = re.compile("<instanceState>.*?</instanceState>", re.DOTALL)


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
        InvalidClientToken: the token is too long or not ASCII; IdempotentParameterMismatch: it was
        used with other parameters; IdempotentInstanceTerminated: its instance is terminated.
    """
    operation, account, region = whose
    token = parameters.get(_MEMBER)
    if not token:
        return answer()
    model, given, returned = members_of("ec2", operation)
    if _MEMBER not in given:
        return answer()
    _check(operation, str(token), model["shapes"][given[_MEMBER]["shape"]])
    if parameters.get("DryRun"):
        return answer()
    zone, request = _zone_and_rest(account, region, parameters)

    def first() -> Answer | None:
        found = answer()
        if found is None or not _succeeded(found) or _MEMBER not in returned:
            return found
        return _with_token(found, operation, str(token))

    found, is_repeated = once(
        runtime,
        ("ec2", account, region),
        (operation, str(token), zone),
        request,
        first,
        mismatch=_mismatch,
        is_kept=_succeeded,
    )
    if is_repeated and found is not None and operation == "RunInstances":
        return _with_states(found, account, region)
    return found


def _succeeded(answer: Answer | None) -> bool:
    return answer is not None and answer[0] < _FIRST_ERROR


def _mismatch() -> AwsError:
    return AwsError(
        "IdempotentParameterMismatch",
        "Arguments on this idempotent request are inconsistent with arguments used in previous "
        "request(s).",
    )


def _check(operation: str, token: str, shape: Mapping[str, Any]) -> None:
    longest = max(_LONGER.get(operation, _LONGEST), shape.get("max", 0))
    if len(token) > longest or not (token.isascii() or operation in _UNICODE):
        raise AwsError("InvalidClientToken", "The specified client token is not valid.")


def _with_token(answer: Answer, operation: str, token: str) -> Answer:
    """Return an answer with the token, which moto leaves out of most."""
    status, headers, body = answer
    text, end = body.decode() if isinstance(body, bytes) else body, f"</{operation}Response>"
    if "<clientToken>" in text or end not in text:
        return answer
    member = f"<clientToken>{escape(token)}</clientToken>"
    return status, headers, text.replace(end, member + end)


def _with_states(answer: Answer, account: str, region: str) -> Answer:
    """Return an answer of RunInstances with the present states of its instances."""
    status, headers, body = answer
    text = body.decode() if isinstance(body, bytes) else body
    states = {
        str(instance.id): instance._state
        for reservation in moto_state.backend("ec2", account, region).reservations.values()
        for instance in reservation.instances
    }
    present = [states.get(name) for name in _INSTANCE.findall(text)]
    if any(state is None or state.name == "terminated" for state in present):
        raise AwsError(
            "IdempotentInstanceTerminated",
            "The client token you have provided is associated with a terminated instance. Please "
            "use a different client token.",
        )
    written = iter(
        f"<instanceState><code>{state.code}</code><name>{state.name}</name></instanceState>"
        for state in present
        if state is not None
    )
    return status, headers, _STATE.sub(lambda _: next(written), text)


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

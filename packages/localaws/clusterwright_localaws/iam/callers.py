"""The caller of a request: from an access key to a principal.

A 12-digit key is its account's administrator: the root user, except that AWS lets no root user
assume a role and here it may, as an administrator's role would.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from clusterwright_localaws.core import credentials
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.iam import entities
from clusterwright_localaws.iam.principals import Caller

if TYPE_CHECKING:
    from moto.core.request import Request

# Set in the environment by moto's mock_aws, so that tests need no credentials.
_MOTO_KEY = "FOOBARKEY"
ANONYMOUS = Caller("anonymous")


@dataclass
class Session:
    """Attributes of an access key issued by STS that moto does not keep."""

    caller: Caller
    token: str
    expires: datetime
    secret_access_key: str


@dataclass
class Sessions:
    """The sessions of one local AWS, by access key."""

    by_key: dict[str, Session] = field(default_factory=dict)


def sessions_of(runtime: Runtime) -> Sessions:
    return runtime.store("iam-sessions", "", "", Sessions)


def forwarded(caller: Caller, service: str) -> Caller:
    """The same caller, whose call a service makes for them (a forward access session).

    https://docs.aws.amazon.com/IAM/latest/UserGuide/access_forward_access_sessions.html
    """
    return replace(caller, called_via=(*caller.called_via, service))


def caller_of(runtime: Runtime, request: Request, service: str, region: str) -> Caller:
    """Return the principal that signed an external request.

    Raises
    ------
    AwsError
        The key is unknown, inactive or expired, or there is none.
    """
    key = credentials.access_key_of(request)
    if key is None:
        if service == "s3":
            return ANONYMOUS
        raise AwsError("MissingAuthenticationToken", "Missing Authentication Token", 403)
    partition = entities.partition_of(region)
    if key == _MOTO_KEY:
        return administrator(runtime.world.account, partition)
    if credentials.is_account(key):
        return administrator(key, partition)
    session = sessions_of(runtime).by_key.get(key)
    if session is not None:
        return _live(runtime, session, request, service)
    found = owner_of_key(key)
    if found is None:
        raise unknown_key(service)
    return found


def owner_of_key(key: str) -> Caller | None:
    """Return the user whose active access key this is, or the session of moto's that has it."""
    from moto.iam.models import iam_backends

    for partitions in list(iam_backends.values()):
        for backend in list(partitions.values()):
            for user in list(backend.users.values()):
                for one in list(user.access_keys):
                    if one.access_key_id == key:
                        return entities.caller_of_user(user) if one.status == "Active" else None
    return _session_of_moto(key)


def _session_of_moto(key: str) -> Caller | None:
    for one in assumed_roles():
        if one.access_key_id == key:
            role = entities.role_of(one.role_arn)
            if role is None:
                return None
            policies = (one.policy,) if one.policy else ()
            return role_session(role, one.session_name, policies=policies)
    return None


def assumed_roles() -> Iterator[Any]:
    """Return the sessions of roles that moto's STS issued."""
    from moto.sts.models import sts_backends

    for partitions in list(sts_backends.values()):
        for backend in list(partitions.values()):
            yield from list(backend.assumed_roles)


def administrator(account: str, partition: str = "aws") -> Caller:
    return Caller("root", account, f"arn:{partition}:iam::{account}:root", unique_id=account)


def role_session(
    role: Any,
    name: str,
    *,
    tags: Mapping[str, str] | None = None,
    policies: tuple[str, ...] = (),
    context: Mapping[str, str] | None = None,
) -> Caller:
    """Return the caller that a session of moto's `role` is."""
    return Caller(
        "role",
        role.account_id,
        f"arn:{role.partition}:sts::{role.account_id}:assumed-role/{role.name}/{name}",
        role_arn=str(role.arn),
        unique_id=f"{role.id}:{name}",
        tags={**entities.tags_of(role), **(tags or {})},
        session_policies=policies,
        context=context or {},
    )


def unknown_key(service: str) -> AwsError:
    """AWS's refusal of an unknown access key, with the code of each protocol.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
    https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
    """
    if service == "s3":
        return AwsError(
            "InvalidAccessKeyId",
            "The AWS Access Key Id you provided does not exist in our records.",
            403,
        )
    if service == "ec2":
        return AwsError(
            "AuthFailure", "AWS was not able to validate the provided access credentials", 401
        )
    code = "InvalidClientTokenId" if _is_query(service) else "UnrecognizedClientException"
    return AwsError(code, "The security token included in the request is invalid.", 403)


def expired_token(service: str) -> AwsError:
    """AWS's refusal of an expired session, with the code of each protocol."""
    code = "ExpiredToken" if service == "s3" or _is_query(service) else "ExpiredTokenException"
    return AwsError(code, "The security token included in the request is expired", 403)


def _live(runtime: Runtime, session: Session, request: Request, service: str) -> Caller:
    token = request.headers.get("X-Amz-Security-Token") or request.args.get("X-Amz-Security-Token")
    if token != session.token:
        raise unknown_key(service)
    if runtime.clock.now() >= session.expires:
        raise expired_token(service)
    # The role's own tags and policies are those of this moment; without it nothing is allowed.
    return session.caller


def _is_query(service: str) -> bool:
    from clusterwright_localaws.server.wire import service_model

    return str(service_model(service).protocol) in ("query", "ec2")

"""AssumeRole and GetSessionToken where IAM is enforced; otherwise moto answers.

The gateway has evaluated the trust policy before, as the policy of the role.
https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.iam import entities
from clusterwright_localaws.iam.callers import Session, role_session, sessions_of
from clusterwright_localaws.iam.inside import acting
from clusterwright_localaws.iam.policy import MalformedPolicy, read_policy
from clusterwright_localaws.iam.principals import Caller

_DEFAULT_SECONDS = 3600
# A session that a session assumes lasts an hour at most (role chaining).
_CHAINED_SECONDS = 3600
_TOKEN_SECONDS = 43_200


@operation("sts", "AssumeRole")
def assume_role(call: Call) -> Mapping[str, Any]:
    caller = acting()
    request = call.parameters
    _check_tags(request, caller)
    enforced = call.world.iam == "enforced" and caller is not None
    if not enforced:
        _check_role(call, request["RoleArn"])
    seconds = int(request.get("DurationSeconds", _DEFAULT_SECONDS))
    role = entities.role_of(request["RoleArn"])
    if role is not None:
        _check_duration(seconds, role, chained=bool(call.session_name))
    if not enforced or caller is None:
        raise ForwardToMoto
    assert role is not None  # the gateway evaluated its trust policy
    session = role_session(
        role,
        request["RoleSessionName"],
        tags={
            **_transitive(caller),
            **{tag["Key"]: tag["Value"] for tag in request.get("Tags", [])},
        },
        policies=_session_policies(request, role),
        context={
            "aws:TokenIssueTime": call.now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "aws:MultiFactorAuthPresent": "false",
            **(
                {"aws:SourceIdentity": request["SourceIdentity"]}
                if request.get("SourceIdentity")
                else {}
            ),
        },
    )
    session = replace(
        session,
        transitive_tag_keys=(*caller.transitive_tag_keys, *request.get("TransitiveTagKeys", [])),
    )
    return {
        "Credentials": give_out(call.runtime, session, seconds),
        "AssumedRoleUser": {"AssumedRoleId": session.unique_id, "Arn": session.arn},
    }


def _check_duration(seconds: int, role: Any, *, chained: bool) -> None:
    if seconds > int(role.max_session_duration or _DEFAULT_SECONDS):
        raise _invalid(
            "The requested DurationSeconds exceeds the MaxSessionDuration set for this role."
        )
    if chained and seconds > _CHAINED_SECONDS:
        raise _invalid(
            "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed "
            "by role chaining"
        )


def _check_tags(request: Mapping[str, Any], caller: Caller | None) -> None:
    """Refuse tags of a session; their keys are compared without regard to case.

    Messages recorded on AWS: docs/reference/probes.md, source `localstack`.
    """
    keys = [tag["Key"].lower() for tag in request.get("Tags", [])]
    if len(set(keys)) != len(keys):
        raise _invalid_value(
            "Duplicate tag keys found. Please note that Tag keys are case insensitive."
        )
    if not {key.lower() for key in request.get("TransitiveTagKeys", [])} <= set(keys):
        raise _invalid_value(
            "The specified transitive tag key must be included in the requested tags."
        )
    if caller is not None:
        check_transitive(caller.transitive_tag_keys, keys)


def check_transitive(kept: Iterable[str], keys: Iterable[str]) -> None:
    """Refuse keys of a session's tags that are transitive in the session that assumes it.

    Raises
    ------
    AwsError
        InvalidParameterValue
    """
    if {key.lower() for key in kept} & {key.lower() for key in keys}:
        raise _invalid_value(
            "One of the specified transitive tag keys can't be set because it conflicts with a "
            "transitive tag key from the calling session."
        )


def _invalid_value(message: str) -> AwsError:
    return AwsError("InvalidParameterValue", message, 400)


def _check_role(call: Call, arn: str) -> None:
    """Refuse, where IAM is not enforced, what is no ARN, and a role that the account lacks.

    Roles of other accounts are assumed whether they exist or not.
    """
    parts = arn.split(":", 5)
    if len(parts) != 6 or parts[0] != "arn" or not all(parts[index] for index in (1, 2, 5)):
        raise _invalid(f"{arn} is invalid")
    if parts[2] != "iam" or not parts[5].startswith("role/"):
        return
    if entities.role_of(arn) is None and parts[4] == call.account:
        who = f"arn:{parts[1]}:iam::{call.account}:root"
        raise AwsError(
            "AccessDenied",
            f"User: {who} is not authorized to perform: sts:AssumeRole on resource: {arn}",
            403,
        )


@operation("sts", "GetSessionToken")
def get_session_token(call: Call) -> Mapping[str, Any]:
    caller = acting()
    if call.world.iam != "enforced" or caller is None:
        raise ForwardToMoto
    if caller.kind == "role":
        raise AwsError("AccessDenied", "Cannot call GetSessionToken with session credentials", 403)
    seconds = int(call.parameters.get("DurationSeconds", _TOKEN_SECONDS))
    session = replace(
        caller,
        context={
            "aws:TokenIssueTime": call.now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "aws:MultiFactorAuthPresent": "false",
        },
    )
    return {"Credentials": give_out(call.runtime, session, seconds)}


def give_out(runtime: Runtime, caller: Caller, seconds: int) -> dict[str, Any]:
    """Create an access key of the caller that is valid for some seconds.

    The id has AWS's format, with the account in it, as in moto.
    """
    from moto.iam.utils import generate_access_key_id_from_account_id

    key = generate_access_key_id_from_account_id(caller.account, prefix="ASIA", total_length=20)
    token = secrets.token_urlsafe(96)
    expires = runtime.clock.now() + timedelta(seconds=seconds)
    secret = secrets.token_urlsafe(30)
    sessions_of(runtime).by_key[key] = Session(caller, token, expires, secret)
    return {
        "AccessKeyId": key,
        "SecretAccessKey": secret,
        "SessionToken": token,
        "Expiration": expires,
    }


def _session_policies(request: Mapping[str, Any], role: Any) -> tuple[str, ...]:
    found = [request["Policy"]] if request.get("Policy") else []
    for policy_arn in request.get("PolicyArns", []):
        policy = entities.backend_of(role.account_id, role.partition).managed_policies.get(
            policy_arn.get("arn")
        )
        if policy is None:
            raise AwsError("NoSuchEntity", f"Policy {policy_arn.get('arn')} does not exist.", 404)
        found.append(entities.document_of(policy))
    for text in found:
        try:
            read_policy(text)
        except MalformedPolicy as error:
            raise AwsError("MalformedPolicyDocument", str(error), 400) from None
    return tuple(found)


def _transitive(caller: Caller) -> dict[str, str]:
    """Return the transitive session tags, for a session that assumes another role.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/id_session-tags.html
    """
    return {key: caller.tags[key] for key in caller.transitive_tag_keys if key in caller.tags}


def _invalid(message: str) -> AwsError:
    return AwsError("ValidationError", message, 400)

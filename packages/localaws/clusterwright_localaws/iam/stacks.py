"""With whose permissions CloudFormation makes what a template asks for.

A stack's calls use the credentials of its caller, or those of its service
role; a custom resource's with those of its function's role.
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-iam-servicerole.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.iam import denials, entities
from clusterwright_localaws.iam.callers import forwarded, role_session
from clusterwright_localaws.iam.enforcement import decide
from clusterwright_localaws.iam.inside import acting, acting_as
from clusterwright_localaws.iam.principals import Caller
from clusterwright_localaws.iam.requirements import Need
from clusterwright_localaws.iam.trust import trusts

CLOUDFORMATION = "cloudformation.amazonaws.com"
_LAMBDA = "lambda.amazonaws.com"
_SESSION = "AWSCloudFormation"


@contextmanager
def for_stack(role_arn: str | None) -> Iterator[None]:
    """Make calls as the stack: with its service role, else on behalf of its caller.

    Raises
    ------
    PermissionError
        The role cannot be assumed by CloudFormation.
    """
    caller = acting()
    if caller is None:
        yield
        return
    with acting_as(stack_caller(caller, role_arn)):
        yield


def stack_caller(caller: Caller, role_arn: str | None) -> Caller:
    """Return the principal of a stack's calls."""
    if role_arn is None:
        return caller if CLOUDFORMATION in caller.called_via else forwarded(caller, CLOUDFORMATION)
    return role_session(service_role(role_arn), _SESSION)


def service_role(role_arn: str) -> Any:
    """Return the role of a stack.

    Raises
    ------
    PermissionError
        It does not exist, or CloudFormation cannot assume it.
    """
    role = entities.role_of(role_arn)
    if role is None or not trusts(role, CLOUDFORMATION):
        raise PermissionError(f"Role {role_arn} is invalid or cannot be assumed")
    return role


@contextmanager
def for_custom_resource(properties: Mapping[str, Any], region: str) -> Iterator[None]:
    """Make calls as the function of a custom resource, which the stack must be allowed to invoke.

    Raises
    ------
    AwsError
        The stack may not invoke the function.
    PermissionError
        The function's role is not there, or Lambda cannot assume it.
    """
    caller, arn = acting(), str(properties.get("ServiceToken", ""))
    function = _function(arn) if caller is not None and ":lambda:" in arn else None
    if caller is None or function is None:
        yield
        return
    decision = decide(runtime(), caller, Need("lambda:InvokeFunction", arn), region)
    if not decision.allowed:
        raise denials.refusal("lambda", caller, "lambda:InvokeFunction", arn, decision)
    role = entities.role_of(function.role)
    if role is None or not trusts(role, _LAMBDA):
        raise PermissionError("The role defined for the function cannot be assumed by Lambda.")
    with acting_as(role_session(role, function.function_name)):
        yield


def demand(action: str, resource: str, region: str) -> None:
    """Check a permission of the caller whom a service acts for, where IAM is enforced.

    Raises
    ------
    PermissionError
        It is not there; the message is AWS's.
    """
    caller = acting()
    if caller is None:
        return
    decision = decide(runtime(), caller, Need(action, resource), region)
    if not decision.allowed:
        raise PermissionError(denials.message(caller, action, resource, decision, quoted=False))


def _function(arn: str) -> Any | None:
    parts = arn.split(":")
    found = moto_state.existing("awslambda", parts[4], parts[3]) if len(parts) > 6 else None
    if found is None:
        return None
    try:
        return found.get_function(parts[6])
    except Exception:  # noqa: BLE001 - moto's own exception for a function that is not there
        return None

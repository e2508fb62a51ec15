"""Converts errors to the reasons that CloudFormation shows in events.

The form of a resource handler's message is the one that AWS shows; the codes are those of
https://docs.aws.amazon.com/cloudformation-cli/latest/userguide/resource-type-test-contract-errors.html
"""

from __future__ import annotations

import re
import uuid
from typing import Any

from clusterwright_localaws.cloudformation.errors import CloudFormationError
from clusterwright_localaws.cloudformation.handler import Cancelled, HandlerFailure

_GONE = re.compile(r"NotFound|NoSuch|DoesNotExist|NotExist|^404$|UnknownResource")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_CODES: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"AlreadyExists|AlreadyOwnedByYou|Duplicate|EntityAlreadyExists"),
        "AlreadyExists",
    ),
    (_GONE, "NotFound"),
    (re.compile(r"LimitExceeded|QuotaExceeded|TooMany|ResourceLimit"), "ServiceLimitExceeded"),
    (
        re.compile(
            r"AccessDenied|UnauthorizedOperation|AuthorizationError|NotAuthorized|Forbidden"
        ),
        "AccessDenied",
    ),
    (re.compile(r"Throttl|RequestLimit"), "Throttling"),
    (re.compile(r"Internal|ServiceUnavailable"), "ServiceInternalError"),
    (re.compile(r"InsufficientInstanceCapacity|InsufficientCapacity"), "GeneralServiceException"),
    (re.compile(r"Conflict|InUse|Dependency|Concurrent"), "ResourceConflict"),
)


def reason(error: Exception) -> str:
    """Return the ``ResourceStatusReason`` for an exception of a handler."""
    if isinstance(error, Cancelled):
        return "Resource operation cancelled"
    if isinstance(error, CloudFormationError):
        return error.message
    if isinstance(error, HandlerFailure):
        return _handler_message(error.message, error.code)
    response = getattr(error, "response", None)
    if isinstance(response, dict) and "Error" in response:
        return _api_message(response)
    if isinstance(error, NotImplementedError):
        return _handler_message(
            f"The local AWS does not have this API: {error}", "InternalFailure"
        )
    return _handler_message(
        f"The local AWS failed: {type(error).__name__}: {error}", "InternalFailure"
    )


def is_gone(error: Exception) -> bool:
    """Return whether an error means that the resource no longer exists."""
    if isinstance(error, HandlerFailure):
        return error.code == "NotFound"
    response = getattr(error, "response", None)
    if not isinstance(response, dict):
        return False
    return bool(_GONE.search(str(response.get("Error", {}).get("Code", ""))))


def is_denied(error: Exception) -> bool:
    """Return whether an error means that the caller lacks a permission."""
    response = getattr(error, "response", None)
    if not isinstance(response, dict):
        return False
    return handler_code(str(response.get("Error", {}).get("Code", "")), 400) == "AccessDenied"


def _api_message(response: dict[str, Any]) -> str:
    about = response["Error"]
    code = str(about.get("Code", "Unknown"))
    message = str(about.get("Message", "")) or code
    metadata = response.get("ResponseMetadata", {})
    status = metadata.get("HTTPStatusCode", 400)
    request_id = str(metadata.get("RequestId", ""))
    if not _UUID.fullmatch(request_id):  # moto answers some calls with a placeholder
        request_id = str(uuid.uuid4())
    return _handler_message(
        f"{message} (Service: {_service(metadata)}, Status Code: {status}, "
        f"Request ID: {request_id})",
        handler_code(code, status),
    )


def handler_code(code: str, status: int) -> str:
    """Return CloudFormation's handler error code for an API's error code."""
    for pattern, found in _CODES:
        if pattern.search(code):
            return found
    return "ServiceInternalError" if status >= 500 else "InvalidRequest"


def _service(metadata: dict[str, Any]) -> str:
    """Name a service as the SDK for Java, in which AWS's handlers are written: Ec2, SageMaker."""
    name = str(metadata.get("ServiceId", "Unknown")).replace(" ", "")
    return name.capitalize() if name.isupper() else name


def _handler_message(message: str, code: str) -> str:
    return (
        f'Resource handler returned message: "{message}" '
        f"(RequestToken: {uuid.uuid4()}, HandlerErrorCode: {code})"
    )

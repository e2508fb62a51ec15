"""Reasons of events from exceptions of handlers."""

from __future__ import annotations

import re

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.failures import handler_code, is_gone, reason
from clusterwright_localaws.cloudformation.handler import Cancelled, HandlerFailure

TOKEN = r"[0-9a-f-]{36}"
REQUEST = "0af1f8a5-3c51-4c43-9a4b-2d8e1f0c7b11"


def api_error(code: str, message: str = "no", service: str = "EC2", **more: object) -> ClientError:
    metadata = {"HTTPStatusCode": 400, "RequestId": REQUEST, "ServiceId": service, **more}
    response = {"Error": {"Code": code, "Message": message}, "ResponseMetadata": metadata}
    return ClientError(response, "CreateVpc")  # type: ignore[arg-type]


def test_an_api_error_in_awss_form() -> None:
    found = reason(api_error("VpcLimitExceeded", "too many"))
    assert re.fullmatch(
        r'Resource handler returned message: "too many \(Service: Ec2, Status Code: 400, '
        rf'Request ID: {REQUEST}\)" \(RequestToken: {TOKEN}, '
        r"HandlerErrorCode: ServiceLimitExceeded\)",
        found,
    )


def test_without_a_message_the_code_is_shown_and_a_placeholder_is_no_request_id() -> None:
    found = reason(api_error("Boom", "", "SageMaker", RequestId="request-id"))
    assert '"Boom (Service: SageMaker, Status Code: 400, Request ID: ' in found
    assert "request-id" not in found


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (Cancelled(), "Resource operation cancelled"),
        (ValidationError("Template error: x"), "Template error: x"),
    ],
)
def test_reasons_without_a_handlers_form(error: Exception, expected: str) -> None:
    assert reason(error) == expected


@pytest.mark.parametrize(
    ("error", "message", "code"),
    [
        (HandlerFailure("not ready", "NotStabilized"), "not ready", "NotStabilized"),
        (
            NotImplementedError("ec2.Foo"),
            "The local AWS does not have this API: ec2.Foo",
            "InternalFailure",
        ),
        (KeyError("x"), "The local AWS failed: KeyError: 'x'", "InternalFailure"),
    ],
)
def test_reasons_in_a_handlers_form(error: Exception, message: str, code: str) -> None:
    found = reason(error)
    assert found.startswith(f'Resource handler returned message: "{message}" (RequestToken: ')
    assert found.endswith(f", HandlerErrorCode: {code})")


@pytest.mark.parametrize(
    ("code", "status", "expected"),
    [
        ("BucketAlreadyOwnedByYou", 409, "AlreadyExists"),
        ("InvalidVpcID.NotFound", 400, "NotFound"),
        ("NoSuchBucket", 404, "NotFound"),
        ("ResourceLimitExceeded", 400, "ServiceLimitExceeded"),
        ("UnauthorizedOperation", 403, "AccessDenied"),
        ("ThrottlingException", 400, "Throttling"),
        ("RequestLimitExceeded", 503, "ServiceLimitExceeded"),
        ("InternalFailure", 500, "ServiceInternalError"),
        ("InsufficientInstanceCapacity", 500, "GeneralServiceException"),
        ("DependencyViolation", 400, "ResourceConflict"),
        ("Weird", 500, "ServiceInternalError"),
        ("Weird", 400, "InvalidRequest"),
    ],
)
def test_cloudformations_code_for_an_apis(code: str, status: int, expected: str) -> None:
    assert handler_code(code, status) == expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (api_error("NoSuchEntity"), True),
        (api_error("404"), True),
        (api_error("ValidationException"), False),
        (HandlerFailure("x", "NotFound"), True),
        (HandlerFailure("NotFound"), False),
        (KeyError("NotFound"), False),
    ],
)
def test_what_means_that_the_resource_is_gone(error: Exception, expected: bool) -> None:
    assert is_gone(error) is expected

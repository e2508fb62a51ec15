"""Botocore's exceptions become one type with a reason, and are never answers."""

from __future__ import annotations

import pytest
from botocore import exceptions as botocore_exceptions

from clusterwright.aws.errors import (
    AwsUnavailable,
    error_code,
    has_no_credentials,
    iam_action_of,
    is_denied,
    is_not_found,
    is_throttled,
    unavailable,
)


def client_error(
    code: str, message: str = "no", status: int = 400
) -> botocore_exceptions.ClientError:
    return botocore_exceptions.ClientError(
        {
            "Error": {"Code": code, "Message": message},
            "ResponseMetadata": {"HTTPStatusCode": status},
        },
        "ListServiceQuotas",
    )


def translated(error: BaseException) -> AwsUnavailable:
    return unavailable(
        error, service="service-quotas", operation="ListServiceQuotas", region="us-east-1"
    )


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (botocore_exceptions.NoCredentialsError(), "no-credentials"),
        (
            botocore_exceptions.PartialCredentialsError(provider="env", cred_var="x"),
            "no-credentials",
        ),
        (botocore_exceptions.ProfileNotFound(profile="nobody"), "no-credentials"),
        (botocore_exceptions.UnauthorizedSSOTokenError(), "no-credentials"),
        (client_error("ExpiredToken", status=403), "no-credentials"),
        (client_error("UnrecognizedClientException"), "no-credentials"),
        (client_error("AccessDeniedException"), "denied"),
        (client_error("UnauthorizedOperation", status=403), "denied"),
        (client_error("SomethingNew", status=403), "denied"),
        (client_error("ThrottlingException"), "throttled"),
        (client_error("SomethingNew", status=429), "throttled"),
        (client_error("RequestTimeout"), "timeout"),
        (client_error("NotImplemented", status=501), "unsupported"),
        (client_error("InternalFailure", status=500), "other"),
        (botocore_exceptions.ConnectTimeoutError(endpoint_url="http://x"), "timeout"),
        (botocore_exceptions.ReadTimeoutError(endpoint_url="http://x"), "timeout"),
        (
            botocore_exceptions.EndpointConnectionError(endpoint_url="http://x", error="refused"),
            "unreachable",
        ),
        (botocore_exceptions.ConnectionClosedError(endpoint_url="http://x"), "unreachable"),
        (
            botocore_exceptions.UnknownServiceError(service_name="x", known_service_names="y"),
            "unsupported",
        ),
        (botocore_exceptions.NoRegionError(), "other"),
        (botocore_exceptions.ParamValidationError(report="bad"), "other"),
    ],
)
def test_every_kind_of_failure_has_a_reason(error: Exception, reason: str) -> None:
    found = translated(error)
    assert found.reason == reason
    assert found.iam_action == "servicequotas:ListServiceQuotas"
    assert "service-quotas ListServiceQuotas in us-east-1" in str(found)
    assert found.hint


def test_denial_names_the_missing_action() -> None:
    error = client_error(
        "AccessDeniedException",
        "User: arn:aws:iam::111122223333:user/ci is not authorized to perform: "
        "servicequotas:GetServiceQuota because no identity-based policy allows it",
    )
    found = translated(error)
    assert found.iam_action == "servicequotas:GetServiceQuota"
    assert str(found) == (
        "service-quotas ListServiceQuotas in us-east-1 was denied: "
        "this identity lacks servicequotas:GetServiceQuota"
    )
    assert found.hint == "allow servicequotas:GetServiceQuota for this identity"


def test_exceptions_in_the_code_are_not_translated() -> None:
    with pytest.raises(ZeroDivisionError):
        translated(ZeroDivisionError("ours"))


def test_encoded_message_and_long_page_are_removed() -> None:
    blob = client_error(
        "UnauthorizedOperation",
        "You are not authorized. Encoded authorization failure message: " + "x" * 900,
    )
    assert translated(blob).detail == "UnauthorizedOperation: You are not authorized"
    page = translated(client_error("InternalFailure", "<html>\n" * 200))
    assert len(page.detail) < 330
    assert "\n" not in page.detail


def test_predicates_agree_on_raw_and_translated_errors() -> None:
    denied = client_error("AccessDenied")
    throttled = client_error("SlowDown")
    expired = client_error("ExpiredToken")
    for raw, predicate in (
        (denied, is_denied),
        (throttled, is_throttled),
        (expired, has_no_credentials),
    ):
        assert predicate(raw)
        assert predicate(translated(raw))
        assert not predicate(client_error("ValidationException"))
    assert error_code(translated(denied)) == "AccessDenied"
    assert error_code(ValueError("no code")) is None


def test_not_found_is_an_answer() -> None:
    assert is_not_found(client_error("NoSuchResourceException"))
    assert is_not_found(client_error("InvalidSubnetID.NotFound"))
    assert is_not_found(translated(client_error("FileSystemNotFound")))
    assert not is_not_found(client_error("AccessDenied"))


@pytest.mark.parametrize(
    ("service", "operation", "action"),
    [
        ("ec2", "DescribeInstanceTypes", "ec2:DescribeInstanceTypes"),
        ("service-quotas", "ListServiceQuotas", "servicequotas:ListServiceQuotas"),
        ("s3", "HeadBucket", "s3:ListBucket"),
        ("s3", "ListBuckets", "s3:ListAllMyBuckets"),
        ("pricing", "GetProducts", "pricing:GetProducts"),
    ],
)
def test_iam_actions_are_derived_from_operations(
    service: str, operation: str, action: str
) -> None:
    assert iam_action_of(service, operation) == action

"""Errors of AWS requests, classified by reason.

`botocore` raises a dozen unrelated classes and several hundred error codes. Every failed request
becomes an `AwsUnavailable` with one of seven reasons, so that a caller never treats an error as a
response. Importing this module does not import botocore.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Final, Literal, ParamSpec, TypeVar, get_args

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")

Reason = Literal[
    "no-credentials",
    "denied",
    "throttled",
    "timeout",
    "unreachable",
    "unsupported",
    "other",
]
REASONS: Final[tuple[Reason, ...]] = get_args(Reason)

# Codes are spelt as in the services; EC2, STS and S3 spell them differently.
NO_CREDENTIALS_CODES: Final = frozenset(
    {
        "AuthFailure",
        "ExpiredToken",
        "ExpiredTokenException",
        "IncompleteSignature",
        "InvalidAccessKeyId",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "InvalidToken",
        "MissingAuthenticationToken",
        "MissingAuthenticationTokenException",
        "RequestExpired",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)
DENIED_CODES: Final = frozenset(
    {
        "AccessDenied",
        "AccessDeniedException",
        "AuthorizationError",
        "Forbidden",
        "403",
        "NotAuthorized",
        "UnauthorizedException",
        "UnauthorizedOperation",
    }
)
THROTTLED_CODES: Final = frozenset(
    {
        "BandwidthLimitExceeded",
        "EC2ThrottledException",
        "PriorRequestNotComplete",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestThrottledException",
        "SlowDown",
        "Throttling",
        "ThrottlingException",
        "ThrottledException",
        "TooManyRequestsException",
        "TransactionInProgressException",
    }
)
TIMEOUT_CODES: Final = frozenset({"RequestTimeout", "RequestTimeoutException", "GatewayTimeout"})
UNSUPPORTED_CODES: Final = frozenset(
    {
        "InvalidAction",
        "NotImplemented",
        "NotImplementedError",
        "OptInRequired",
        "OptInRequiredException",
        "UnknownOperation",
        "UnknownOperationException",
        "UnsupportedOperation",
        "UnsupportedOperationException",
    }
)
NOT_FOUND_CODES: Final = frozenset(
    {
        "404",
        "DataRepositoryAssociationNotFound",
        "FileSystemNotFound",
        "InvalidCapacityReservationId.NotFound",
        "InvalidGroup.NotFound",
        "InvalidPlacementGroup.Unknown",
        "InvalidSubnetID.NotFound",
        "InvalidVpcID.NotFound",
        "NoSuchBucket",
        "NoSuchEntity",
        "NoSuchEntityException",
        "NoSuchKey",
        "NoSuchResourceException",
        "NotFound",
        "NotFoundException",
        "ResourceNotFound",
        "ResourceNotFoundException",
    }
)

# IAM actions that are not "<client name>:<operation>".
_IAM_PREFIX: Final = {
    "apigatewayv2": "apigateway",
    "amp": "aps",
    "efs": "elasticfilesystem",
    "elbv2": "elasticloadbalancing",
    "resource-groups": "resource-groups",
    "service-quotas": "servicequotas",
    "sso-admin": "sso",
    "stepfunctions": "states",
}
_IAM_ACTION: Final = {
    ("s3", "ListObjects"): "s3:ListBucket",
    ("s3", "ListObjectsV2"): "s3:ListBucket",
    ("s3", "HeadBucket"): "s3:ListBucket",
    ("s3", "HeadObject"): "s3:GetObject",
    ("s3", "ListBuckets"): "s3:ListAllMyBuckets",
    ("s3", "GetBucketEncryption"): "s3:GetEncryptionConfiguration",
    ("s3", "GetBucketLifecycleConfiguration"): "s3:GetLifecycleConfiguration",
    ("s3", "GetBucketNotificationConfiguration"): "s3:GetBucketNotification",
    # https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsbudgetservice.html
    ("budgets", "DescribeBudget"): "budgets:ViewBudget",
}

_ACTION_IN_MESSAGE: Final = re.compile(r"not authorized to perform:?\s+([a-z0-9-]+:[A-Za-z0-9*]+)")


class AwsUnavailable(Exception):
    """A request to AWS failed; its result is unknown.

    Attributes
    ----------
    service, operation:
        boto3's client name (`service-quotas`) and the API operation (`ListServiceQuotas`).
    iam_action:
        The permission that the operation needs (`servicequotas:ListServiceQuotas`); if a denial
        names another action, that one.
    region:
        The region of the request, or `None` if none was set.
    reason:
        One of `REASONS`.
    detail:
        The message of AWS or botocore, without a request id.
    code:
        AWS's error code, or `None` without a response.
    """

    def __init__(
        self,
        *,
        service: str,
        operation: str,
        region: str | None,
        reason: Reason,
        detail: str,
        iam_action: str | None = None,
        code: str | None = None,
    ) -> None:
        self.service = service
        self.operation = operation
        self.region = region
        self.reason: Reason = reason
        self.detail = detail
        self.iam_action = iam_action or iam_action_of(service, operation)
        self.code = code
        super().__init__(self.message)

    @property
    def message(self) -> str:
        """The message for users: the request, the region and the reason."""
        where = f" in {self.region}" if self.region else ""
        asked = f"{self.service} {self.operation}{where}"
        match self.reason:
            case "no-credentials":
                return f"{asked} was not called: no usable AWS credentials ({self.detail})"
            case "denied":
                return f"{asked} was denied: this identity lacks {self.iam_action}"
            case "throttled":
                return f"{asked} was throttled, retries included ({self.code or self.detail})"
            case "timeout":
                return f"{asked} timed out ({self.detail})"
            case "unreachable":
                return f"{asked} could not be reached ({self.detail})"
            case "unsupported":
                return f"{asked} is not offered by this endpoint ({self.detail})"
            case "other":
                return f"{asked} failed ({self.detail})"

    @property
    def hint(self) -> str:
        """The hint for users."""
        match self.reason:
            case "no-credentials":
                return "set AWS_PROFILE or sign in, then run the same command again"
            case "denied":
                return f"allow {self.iam_action} for this identity"
            case "throttled" | "timeout":
                return "wait a minute and run the same command again"
            case "unreachable":
                return "check the network, the proxy and AWS_ENDPOINT_URL"
            case "unsupported":
                return "check that the region is enabled and offers the service"
            case "other":
                return "see the message of AWS above, or of the endpoint in AWS_ENDPOINT_URL"


def unavailable(
    error: BaseException, *, service: str, operation: str, region: str | None
) -> AwsUnavailable:
    """Return the `AwsUnavailable` for a botocore exception.

    Any other exception is an internal error and is raised again, not wrapped.
    """
    from botocore import exceptions as botocore_exceptions

    if isinstance(error, AwsUnavailable):
        return error
    code = error_code(error)
    detail = _words(error)
    iam_action = None
    reason: Reason
    if isinstance(error, botocore_exceptions.ClientError):
        reason = _reason_of_code(code or "", _status(error))
        named = _ACTION_IN_MESSAGE.search(detail)
        iam_action = named.group(1) if reason == "denied" and named else None
        detail = f"{code}: {detail}" if code and detail else (code or detail)
    elif isinstance(
        error,
        (
            botocore_exceptions.NoCredentialsError,
            botocore_exceptions.PartialCredentialsError,
            botocore_exceptions.CredentialRetrievalError,
            botocore_exceptions.TokenRetrievalError,
            botocore_exceptions.SSOError,
            botocore_exceptions.ProfileNotFound,
            botocore_exceptions.NoAuthTokenError,
        ),
    ):
        reason = "no-credentials"
    elif isinstance(
        error, (botocore_exceptions.ConnectTimeoutError, botocore_exceptions.ReadTimeoutError)
    ):
        reason = "timeout"
    elif isinstance(
        error, (botocore_exceptions.HTTPClientError, botocore_exceptions.ConnectionError)
    ):
        reason = "unreachable"
    elif isinstance(error, botocore_exceptions.NoRegionError):
        reason, detail = "other", "no region is set: use --region or set AWS_DEFAULT_REGION"
    elif isinstance(
        error,
        (
            botocore_exceptions.UnknownServiceError,
            botocore_exceptions.UnknownRegionError,
            botocore_exceptions.EndpointVariantError,
            botocore_exceptions.OperationNotPageableError,
        ),
    ):
        reason = "unsupported"
    elif isinstance(error, botocore_exceptions.BotoCoreError):
        reason = "other"
    else:
        raise error
    return AwsUnavailable(
        service=service,
        operation=operation,
        region=region,
        reason=reason,
        detail=detail,
        iam_action=iam_action,
        code=code,
    )


def error_code(error: BaseException) -> str | None:
    """Return AWS's error code in a `ClientError` or an `AwsUnavailable`, else `None`."""
    if isinstance(error, AwsUnavailable):
        return error.code
    response = getattr(error, "response", None)
    if not isinstance(response, dict):
        return None
    code = response.get("Error", {}).get("Code")
    return str(code) if code else None


def is_denied(error: BaseException) -> bool:
    """Return whether the identity is known and lacks a permission."""
    return _has(error, "denied", DENIED_CODES)


def is_throttled(error: BaseException) -> bool:
    """Return whether AWS throttled the request, retries included."""
    return _has(error, "throttled", THROTTLED_CODES)


def has_no_credentials(error: BaseException) -> bool:
    """Return whether no credentials were found or AWS does not accept them."""
    return _has(error, "no-credentials", NO_CREDENTIALS_CODES)


def is_not_found(error: BaseException) -> bool:
    """Return whether AWS responded that the resource does not exist, which is a result, not a
    failure.
    """
    code = error_code(error)
    return code is not None and (code in NOT_FOUND_CODES or code.endswith(".NotFound"))


def none_if_not_found(
    *codes: str,
) -> Callable[[Callable[Parameters, Answer]], Callable[Parameters, Answer | None]]:
    """Make a function return None where AWS answers that the thing does not exist.

    `codes` are further error codes that mean the same for this operation.
    """

    def decorate(function: Callable[Parameters, Answer]) -> Callable[Parameters, Answer | None]:
        @wraps(function)
        def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Answer | None:
            try:
                return function(*args, **kwargs)
            except Exception as error:
                if is_not_found(error) or error_code(error) in codes:
                    return None
                raise

        return call

    return decorate


def iam_action_of(service: str, operation: str) -> str:
    """Return the IAM action of an API operation, such as `servicequotas:ListServiceQuotas`."""
    special = _IAM_ACTION.get((service, operation))
    return special or f"{_IAM_PREFIX.get(service, service)}:{operation}"


def _has(error: BaseException, reason: Reason, codes: frozenset[str]) -> bool:
    if isinstance(error, AwsUnavailable):
        return error.reason == reason
    return error_code(error) in codes


def _reason_of_code(code: str, status: int) -> Reason:
    if code in NO_CREDENTIALS_CODES:
        return "no-credentials"
    if code in DENIED_CODES:
        return "denied"
    if code in THROTTLED_CODES or status == 429:
        return "throttled"
    if code in TIMEOUT_CODES or status in (408, 504):
        return "timeout"
    if code in UNSUPPORTED_CODES or status == 501:
        return "unsupported"
    if status in (401, 403) and code not in NOT_FOUND_CODES:
        return "denied"
    return "other"


def _status(error: BaseException) -> int:
    response = getattr(error, "response", {})
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return int(status) if isinstance(status, int) else 0


def _words(error: BaseException) -> str:
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        message = response.get("Error", {}).get("Message")
        text = str(message) if message else ""
    else:
        text = str(error)
    # One line of limited length: some services return HTML or an encoded authorisation message.
    text = text.split("Encoded authorization failure message")[0]
    text = " ".join(text.split()).rstrip(".")
    return text if len(text) <= 300 else text[:297] + "..."

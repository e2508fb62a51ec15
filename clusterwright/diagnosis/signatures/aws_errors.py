"""Errors of AWS's services as SDKs and tools print them, by the words of their codes.

The forms: botocore's `ClientError` and `WaiterError`, the SDKs for Go, Java and Rust, and what
Arrow makes of those of the SDK for C++ (apache/arrow, cpp/src/arrow/filesystem/s3_internal.h).
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis import aws_errors
from clusterwright.diagnosis.signature import Signature, Values
from clusterwright.diagnosis.wording import meaning_of

_KINDS: Final = ("log", "job", "daemon")
_MESSAGE: Final = r"(?P<message>[^\n\"]{0,200})"

_S3: Final = (
    (r"not found|NoSuchKey|NotFound", "the object does not exist (no such key)"),
    (r"bucket does not exist|NoSuchBucket", "the bucket does not exist"),
    (r"SlowDown|503|[Tt]hrottl", "S3 refuses more requests for a while"),
    (r"[Ff]orbidden|AccessDenied|403", "the request is not allowed"),
    (r"[Cc]redential|[Ee]xpired|signing", "credentials are missing or have expired"),
)


def _s3(values: Values) -> str:
    said = meaning_of(_S3, values["reason"])
    why = said or "expired credentials, a refusal or the network"
    return f"S3: a request of the program's S3 client failed: {why}: {values['reason']}"


SIGNATURES: Final = (
    Signature(
        "kubernetes-version",
        "EKS: the Kubernetes version, add-on or configuration is not supported",
        (
            r"UnsupportedVersion|unsupported Kubernetes version|UnsupportedAddonModification|"
            r"Addon version.{0,40}not supported",
        ),
        next=("clusterwright check {file} --only {rules}",),
        rules=("CW-I020",),
    ),
    Signature(
        "volume-size",
        "EC2: a volume of {size} GB is smaller than the snapshot of the image, which needs {snapshot} GB",
        (
            r"Volume of size (?P<size>\d+) ?GB is smaller than {1,4}snapshot[^\n]{0,60}expect size ?>= ?"
            r"(?P<snapshot>\d+)",
        ),
        next=("clusterwright check {file} --only {rules}",),
        rules=("CW-I014",),
    ),
    Signature(
        "aws-waiter",
        aws_errors.waiter,
        (r"Waiter (?P<waiter>\w{3,60}) failed: (?P<message>[^\n]{1,200})",),
        confidence="likely",
        rank=1,
        kinds=_KINDS,
        next=("aws sts get-caller-identity",),
    ),
    Signature(
        "s3-client",
        _s3,
        (
            r"\bawscrt::S3\w*: (?P<reason>[^\n]{1,200})",
            r"(?P<reason>(?:S3Exception|Client error)[^\n]{0,80}(?:AWS_ERROR|S3 client error|Service error)"
            r"[^\n]{0,120}|\bAWS_(?:ERROR|IO)_(?:S3|HTTP|TLS|DNS|SOCKET|CREDENTIALS|AUTH|SIGNING)_?\w*"
            r"[^\n]{0,80})",
        ),
        confidence="likely",
        rank=1,
        kinds=_KINDS,
        next=("aws sts get-caller-identity",),
    ),
    Signature(
        "aws-error",
        aws_errors.cause,
        (
            r"An error occurred \((?P<code>[\w.]{3,80})\) when calling the (?P<operation>\w{3,60}) "
            r"operation[^:\n]{0,60}: ?" + _MESSAGE,
            r"\bAWS Error (?P<code>[A-Z]{2,30}(?:_[A-Z]{2,20}){0,4}) during (?P<operation>[A-Z]\w{3,60}) "
            r"operation: ?" + _MESSAGE,
            r"\b(?:Client|Server)\.(?P<code>[A-Z]\w{3,60}(?:\.\w{3,40})?): " + _MESSAGE,
            r"\"?(?P<code>[A-Z][A-Za-z]{4,60}(?:\.\w{3,40})?): (?P<message>[^\n]{3,200}?)(?:\\n|\s)(?:\\t|\s)*"
            r"status code: \d{3}, request id",
            r"\bapi error (?P<code>[A-Z][\w.]{2,80}): " + _MESSAGE,
            r"(?P<message>[^\n()]{0,300}?)\.?\s?\(Service: [^;)\n]{2,60}; Status Code: \d{3}; Error Code: "
            r"(?P<code>[\w.]{3,80})",
            # Not a class of a Python module of its own, such as marshmallow's.
            r"(?<![\w.])(?:botocore\.(?:errorfactory|exceptions)\.)?(?P<code>(?:ResourceNotFound|Validation|Throttling|LimitExceeded|ServiceQuotaExceeded|"
            r"InvalidParameter\w{0,20}|ResourceInUse|ResourceLimitExceeded|InvalidRequest|"
            r"ServiceUnavailable|InternalServer|Conflict|InvalidSignature|MalformedPolicyDocument|"
            r"InvalidInput|UnsupportedOperation|DependencyViolation|KMSInvalidState)"
            r"(?:Exception|Fault|Error)): " + _MESSAGE,
        ),
        confidence="likely",
        kinds=_KINDS,
        # Another error of the log says more often why than a request without a reason does.
        rank=1,
        next=("aws sts get-caller-identity",),
    ),
)

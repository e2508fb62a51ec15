"""What S3 refuses of the settings of a bucket, and moto accepts or fails at.

Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.s3.notification_overlaps import check_overlaps
from clusterwright_localaws.services.s3.refusals import malformed
from clusterwright_localaws.services.s3.world_buckets import find_bucket

_ENABLED: Final = "Enabled"
_OF_KMS: Final = frozenset({"aws:kms", "aws:kms:dsse"})
_CONFLICT: Final = 409
_PARTS_OF_AN_ARN: Final = 6
# The lists of destinations, and the argument that S3 names.
_DESTINATIONS: Final = {
    "QueueConfigurations": "Queue",
    "TopicConfigurations": "Topic",
    "LambdaFunctionConfigurations": "LambdaFunction",
}


@operation("s3", "GetObjectLockConfiguration", "GetPublicAccessBlock")
def get_setting(call: Call) -> Mapping[str, Any]:
    """Refuse what the bucket does not have, with the name of the bucket."""
    bucket = find_bucket(call.parameters["Bucket"])
    if bucket is None:
        raise ForwardToMoto
    if call.operation == "GetObjectLockConfiguration" and not bucket.object_lock_enabled:
        raise AwsError(
            "ObjectLockConfigurationNotFoundError",
            "Object Lock configuration does not exist for this bucket",
            404,
            BucketName=bucket.name,
        )
    if call.operation == "GetPublicAccessBlock" and bucket.public_access_block is None:
        raise AwsError(
            "NoSuchPublicAccessBlockConfiguration",
            "The public access block configuration was not found",
            404,
            BucketName=bucket.name,
        )
    raise ForwardToMoto


@operation("s3", "PutBucketRequestPayment")
def put_request_payment(call: Call) -> Mapping[str, Any]:
    _existing(call).payer = call.parameters["RequestPaymentConfiguration"]["Payer"]
    return {}


@operation("s3", "GetBucketRequestPayment")
def get_request_payment(call: Call) -> Mapping[str, Any]:
    return {"Payer": getattr(_existing(call), "payer", "BucketOwner")}


def _existing(call: Call) -> Any:
    name = call.parameters["Bucket"]
    bucket = find_bucket(name)
    if bucket is None:
        text = "The specified bucket does not exist"
        raise AwsError("NoSuchBucket", text, 404, BucketName=name)
    return bucket


@operation("s3", "PutBucketVersioning")
def put_versioning(call: Call) -> Mapping[str, Any]:
    bucket = find_bucket(call.parameters["Bucket"])
    status = call.parameters["VersioningConfiguration"].get("Status")
    if bucket is None:
        raise ForwardToMoto
    if status is None:
        raise AwsError(
            "IllegalVersioningConfigurationException",
            "The Versioning element must be specified",
            400,
        )
    if bucket.object_lock_enabled and status != _ENABLED:
        raise AwsError(
            "InvalidBucketState",
            "An Object Lock configuration is present on this bucket, so the versioning state "
            "cannot be changed.",
            _CONFLICT,
        )
    raise ForwardToMoto


@operation("s3", "PutBucketEncryption")
def put_encryption(call: Call) -> Mapping[str, Any]:
    rules = call.parameters["ServerSideEncryptionConfiguration"]["Rules"]
    _check_one(call, rules)
    if find_bucket(call.parameters["Bucket"]) is None:
        raise ForwardToMoto
    default = rules[0].get("ApplyServerSideEncryptionByDefault") or {}
    if default.get("KMSMasterKeyID") and default["SSEAlgorithm"] not in _OF_KMS:
        raise AwsError(
            "InvalidArgument",
            "a KMSMasterKeyID is not applicable if the default sse algorithm is not aws:kms or "
            "aws:kms:dsse",
            400,
            ArgumentName="ApplyServerSideEncryptionByDefault",
        )
    raise ForwardToMoto


@operation("s3", "PutBucketOwnershipControls")
def put_ownership(call: Call) -> Mapping[str, Any]:
    _check_one(call, call.parameters["OwnershipControls"]["Rules"])
    raise ForwardToMoto


def _check_one(call: Call, rules: Sequence[Any]) -> None:
    """Refuse other than one rule, at which moto fails, also of a bucket that does not exist."""
    if len(rules) == 1:
        return
    _existing(call)
    raise malformed()


@operation("s3", "PutObjectLockConfiguration")
def put_object_lock(call: Call) -> Mapping[str, Any]:
    bucket = find_bucket(call.parameters["Bucket"])
    given = call.parameters.get("ObjectLockConfiguration")
    if bucket is None or given is None:
        raise ForwardToMoto
    if given.get("ObjectLockEnabled") != _ENABLED:
        raise malformed()
    retention: Mapping[str, Any] = {}
    if "Rule" in given:
        retention = given["Rule"].get("DefaultRetention") or {}
        if "Mode" not in retention or ("Days" in retention) == ("Years" in retention):
            raise malformed()
    if bucket.versioning_status != _ENABLED:
        raise AwsError(
            "InvalidBucketState",
            "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration",
            _CONFLICT,
        )
    # moto refuses a bucket that has objects, which S3 accepts since November 2023.
    bucket.object_lock_enabled = True
    bucket.default_lock_mode = retention.get("Mode")
    bucket.default_lock_days = retention.get("Days", 0)
    bucket.default_lock_years = retention.get("Years", 0)
    return {}


@operation("s3", "PutBucketNotificationConfiguration")
def put_notifications(call: Call) -> Mapping[str, Any]:
    if find_bucket(call.parameters["Bucket"]) is not None:
        given = call.parameters["NotificationConfiguration"]
        for listed in given.values():
            for one in listed if isinstance(listed, list) else ():
                _check_filter(one)
        for name, argument in _DESTINATIONS.items():
            for one in reversed(given.get(name) or []):
                arn = one[f"{argument}Arn"]
                if len(arn.split(":")) < _PARTS_OF_AN_ARN:
                    said = "CloudFunction" if argument == "LambdaFunction" else argument
                    raise _invalid_argument("The ARN could not be parsed", said, arn)
        check_overlaps(one for name in _DESTINATIONS for one in given.get(name) or ())
        if not call.parameters.get("SkipDestinationValidation"):
            _check_destinations(given)
    raise ForwardToMoto


def _check_filter(configuration: Mapping[str, Any]) -> None:
    key = (configuration.get("Filter") or {}).get("Key") or {}
    rules = key.get("FilterRules") or []
    if any("Name" not in rule or "Value" not in rule for rule in rules):
        raise malformed()
    for rule in rules:
        if rule["Name"].lower() not in ("prefix", "suffix"):
            raise _invalid_argument(
                "filter rule name must be either prefix or suffix", "FilterRule.Name", rule["Name"]
            )


def _invalid_argument(message: str, name: str, value: str) -> AwsError:
    return AwsError("InvalidArgument", message, 400, ArgumentName=name, ArgumentValue=value)


def _check_destinations(given: Mapping[str, Any]) -> None:
    """Refuse destinations that do not exist; S3 sends each one a test message.

    Whether their policies let S3 send is not examined.
    """
    missing: list[tuple[str, str]] = []
    for name, argument in _DESTINATIONS.items():
        for one in given.get(name) or []:
            arn = one[f"{argument}Arn"]
            if argument == "LambdaFunction":
                if not _has_function(arn):
                    missing.append((f"{arn}, null", f"Not authorized to invoke function [{arn}]"))
            elif not _exists(argument, arn):
                missing.append((arn, f"The destination {argument.lower()} does not exist"))
    if missing:
        more: dict[str, str] = {}
        for number, (name, text) in enumerate(missing, 1):
            more |= {f"ArgumentName{number}": name, f"ArgumentValue{number}": text}
        raise AwsError(
            "InvalidArgument",
            "Unable to validate the following destination configurations",
            400,
            **more,
        )


def _exists(kind: str, arn: str) -> bool:
    _, _, _, region, account, name = arn.split(":", 5)
    if kind == "Queue":
        queues = moto_state.existing("sqs", account, region)
        return queues is not None and name in queues.queues
    topics = moto_state.existing("sns", account, region)
    return topics is not None and arn in topics.topics


def _has_function(arn: str) -> bool:
    from moto.awslambda.exceptions import UnknownFunctionException

    _, _, _, region, account, _ = arn.split(":", 5)
    functions = moto_state.existing("awslambda", account, region)
    if functions is None:
        return False
    try:
        functions.get_function(arn)
    except (UnknownFunctionException, ValueError):
        return False
    return True

"""AssociateKmsKey and DisassociateKmsKey; moto sets a log group's key at creation only.

The key's policy must allow CloudWatch Logs to use it.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_AssociateKmsKey.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.iam.context import RequestContext
from clusterwright_localaws.iam.evaluation import Policies, Request, evaluate
from clusterwright_localaws.iam.principals import Caller
from clusterwright_localaws.iam.resource_policies import resource_of
from clusterwright_localaws.services.ec2.zones import partition_of

_ACTIONS = ("kms:Encrypt", "kms:Decrypt", "kms:GenerateDataKey", "kms:DescribeKey")


@operation("logs", "CreateLogGroup")
def create_log_group(call: Call) -> Mapping[str, Any]:
    key, name = call.parameters.get("kmsKeyId"), str(call.parameters["logGroupName"])
    if name.lower().startswith("aws/") and not call.by_aws:
        raise AwsError(
            "InvalidParameterException", "Log groups starting with AWS/ are reserved for AWS."
        )
    if key is not None:
        _check_key(call, str(key), name)
    raise ForwardToMoto


@operation("logs", "AssociateKmsKey")
def associate_kms_key(call: Call) -> Mapping[str, Any]:
    group = _group(call)
    _check_key(call, call.parameters["kmsKeyId"], group.name)
    group.kms_key_id = call.parameters["kmsKeyId"]
    return {}


@operation("logs", "DisassociateKmsKey")
def disassociate_kms_key(call: Call) -> Mapping[str, Any]:
    _group(call).kms_key_id = None
    return {}


def _check_key(call: Call, key: str, group: str) -> None:
    """Check a key of this account; keys of others, and aliases, are not checked."""
    parts = key.split(":")
    if len(parts) < 6 or parts[4] != call.account or not parts[5].startswith("key/"):
        return
    partition = partition_of(call.region)
    arn = f"arn:{partition}:logs:{call.region}:{call.account}:log-group:{group}"
    suffix = "amazonaws.com.cn" if partition == "aws-cn" else "amazonaws.com"
    caller = Caller("service", service=f"logs.{call.region}.{suffix}")
    context = RequestContext(
        {
            "kms:EncryptionContext:aws:logs:arn": arn,
            "aws:SourceArn": arn,
            "aws:SourceAccount": call.account,
            "kms:CallerAccount": call.account,
        }
    )
    for action in _ACTIONS:
        found = resource_of(key, action)
        policies = Policies(resource=found.policy, resource_must_allow=True)
        if not evaluate(Request(caller, action, key, context), policies).allowed:
            raise AwsError(
                "InvalidParameterException",
                "The specified KMS key does not exist or is not allowed to be used with Arn "
                f"'{arn}'",
            )


def _group(call: Call) -> Any:
    name = call.parameters.get("logGroupName")
    identifier = call.parameters.get("resourceIdentifier")
    if (name is None) == (identifier is None):
        raise AwsError(
            "InvalidParameterException",
            "Exactly one of logGroupName and resourceIdentifier must be given.",
        )
    if name is None:
        name = str(identifier).split(":log-group:")[-1].removesuffix(":*")
    found = moto_state.backend("logs", call.account, call.region).groups.get(name)
    if found is None:
        raise AwsError("ResourceNotFoundException", "The specified log group does not exist.")
    return found

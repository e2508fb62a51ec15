"""CloudWatch Logs: the key of a log group can be set and taken away; moto takes it at birth only.

https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_AssociateKmsKey.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright.localaws.call import AwsError, Call, operation


@operation("logs", "AssociateKmsKey")
def associate_kms_key(call: Call) -> Mapping[str, Any]:
    _group(call).kms_key_id = call.parameters["kmsKeyId"]
    return {}


@operation("logs", "DisassociateKmsKey")
def disassociate_kms_key(call: Call) -> Mapping[str, Any]:
    _group(call).kms_key_id = None
    return {}


def _group(call: Call) -> Any:
    from moto.logs.models import logs_backends

    name = call.parameters.get("logGroupName")
    identifier = call.parameters.get("resourceIdentifier")
    if (name is None) == (identifier is None):
        raise AwsError(
            "InvalidParameterException",
            "Exactly one of logGroupName and resourceIdentifier must be given.",
        )
    if name is None:
        name = str(identifier).split(":log-group:")[-1].removesuffix(":*")
    found = logs_backends[call.account][call.region].groups.get(name)
    if found is None:
        raise AwsError("ResourceNotFoundException", "The specified log group does not exist.")
    return found

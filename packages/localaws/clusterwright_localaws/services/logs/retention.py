"""PutRetentionPolicy accepts listed numbers of days; moto accepts any number, and fractions.

https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError

# The model's documentation of retentionInDays lists them.
_DAYS = frozenset(
    {
        *(1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731),
        *(1096, 1827, 2192, 2557, 2922, 3288, 3653),
    }
)


@operation("logs", "PutRetentionPolicy")
def put_retention_policy(call: Call) -> Mapping[str, Any]:
    if call.parameters["retentionInDays"] not in _DAYS:
        raise AwsError(
            "InvalidParameterException",
            "1 validation error detected: Value at 'retentionInDays' failed to satisfy "
            f"constraint: Member must satisfy enum value set: {sorted(_DAYS)}",
        )
    groups = moto_state.backend("logs", call.account, call.region).groups
    group = groups.get(call.parameters["logGroupName"])
    if group is None:
        raise AwsError("ResourceNotFoundException", "The specified log group does not exist.", 400)
    group.set_retention_policy(call.parameters["retentionInDays"])
    return {}

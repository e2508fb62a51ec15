"""Batches of log events that CloudWatch Logs refuses, beside those out of order.

https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutLogEvents.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto

_LARGEST_BATCH: Final = 1_048_576
_BYTES_OF_AN_EVENT: Final = 26
_DAY_MS: Final = 86_400_000
_OLDEST_MS, _NEWEST_MS = 14 * _DAY_MS, 2 * 3_600_000


@operation("logs", "PutLogEvents")
def put_log_events(call: Call) -> Mapping[str, Any]:
    events = call.parameters["logEvents"]
    size = sum(len(one["message"].encode()) + _BYTES_OF_AN_EVENT for one in events)
    if size > _LARGEST_BATCH:
        # The text is ours.
        raise _invalid(f"Upload too large: {size} bytes exceeds limit of {_LARGEST_BATCH}")
    times = [one["timestamp"] for one in events]
    if times != sorted(times):
        raise ForwardToMoto  # which refuses the order
    now = call.now.timestamp() * 1000
    valid = [time for time in times if now - _OLDEST_MS <= time <= now + _NEWEST_MS]
    if valid and valid[-1] - valid[0] > _DAY_MS:
        raise _invalid(
            "The batch of log events in a single PutLogEvents request cannot span more than 24 "
            "hours."
        )
    raise ForwardToMoto


def _invalid(message: str) -> AwsError:
    return AwsError("InvalidParameterException", message)

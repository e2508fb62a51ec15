"""The time of queries that CloudWatch Logs refuses; moto runs the queries.

A query that ends before its log groups were created, or before what they still keep, is refused
with the beginning of the message that users quote; one that begins before is not:
https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_StartQuery.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto

# Of times above, clients mean milliseconds: in seconds, this is the year 5138.
_SECONDS: Final = 100_000_000_000
# The first command of a query of CloudWatch Logs Insights.
_SOURCE: Final = re.compile(r"\A\s*SOURCE\b", re.IGNORECASE)


@operation("logs", "StartQuery")
def start_query(call: Call) -> Mapping[str, Any]:
    request, names = call.parameters, _names(call.parameters)
    backend = moto_state.backend("logs", call.account, call.region)
    ends = float(request["endTime"])
    if ends > _SECONDS:
        ends /= 1000
    found = [backend.groups.get(name) for name in names]
    if all(group is not None and ends < _oldest(call, group) for group in found):
        raise AwsError(
            "MalformedQueryException",
            "Query's end date and time is either before the log groups creation time or exceeds "
            "the log groups log retention settings",
        )
    if request.get("logGroupIdentifiers"):  # moto does not read them
        times = (request["startTime"], request["endTime"])
        return {"queryId": backend.start_query(names, *times, request["queryString"])}
    raise ForwardToMoto


def _names(request: Mapping[str, Any]) -> list[str]:
    """Return the names of a query's log groups, which has at least one; the texts are ours."""
    one = request.get("logGroupName")
    several = request.get("logGroupNames") or request.get("logGroupIdentifiers") or ()
    found = [one] if one else several
    if found:
        # The name in an ARN, or a name as it is.
        return [name.removesuffix(":*").rpartition(":log-group:")[2] for name in found]
    if request.get("queryLanguage", "CWLI") != "CWLI" or _SOURCE.search(request["queryString"]):
        raise _invalid("The local AWS does not implement log groups that a query itself names.")
    raise _invalid("A query has a log group.")


def _invalid(message: str) -> AwsError:
    return AwsError("InvalidParameterException", message)


def _oldest(call: Call, group: Any) -> int:
    """Return the time in whole seconds before which a log group has nothing."""
    created = int(group.to_describe_dict()["creationTime"]) // 1000
    days = group.retention_in_days
    if not days:
        return created
    return max(created, int((call.now - timedelta(days=int(days))).timestamp()))

"""Log groups by pattern and class, and groups that are named twice; moto ignores all of these.

https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DescribeLogGroups.html
https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_ListLogGroups.html
Messages recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.core.pagination import page

_PAGE = 50


@operation("logs", "DescribeLogGroups")
def describe_log_groups(call: Call) -> Mapping[str, Any]:
    given = call.parameters
    pattern, kind = given.get("logGroupNamePattern"), given.get("logGroupClass")
    if pattern and given.get("logGroupNamePrefix"):
        raise AwsError(
            "InvalidParameterException",
            "LogGroup name prefix and LogGroup name pattern are mutually exclusive parameters.",
        )
    if not pattern and not kind:
        raise ForwardToMoto
    prefix = given.get("logGroupNamePrefix") or ""
    found = [
        group
        for group in _described(call)
        if group["logGroupName"].startswith(prefix)
        and (pattern or "") in group["logGroupName"]
        and kind in (None, group["logGroupClass"])
    ]
    return _answer(call, found)


@operation("logs", "ListLogGroups")
def list_log_groups(call: Call) -> Mapping[str, Any]:
    """List groups of this account; those of linked accounts and of data sources do not exist."""
    pattern, kind = (
        call.parameters.get("logGroupNamePattern"),
        call.parameters.get("logGroupClass"),
    )
    found = [
        {name: group[name] for name in ("logGroupName", "logGroupArn", "logGroupClass")}
        for group in _described(call)
        if _matches(pattern, group["logGroupName"]) and kind in (None, group["logGroupClass"])
    ]
    return _answer(call, found)


@operation("logs", "DescribeLogStreams")
def describe_log_streams(call: Call) -> Mapping[str, Any]:
    if call.parameters.get("logGroupName") and call.parameters.get("logGroupIdentifier"):
        raise AwsError(
            "ValidationException",
            "LogGroup name and LogGroup ARN are mutually exclusive parameters.",
        )
    raise ForwardToMoto


def _described(call: Call) -> list[dict[str, Any]]:
    groups = moto_state.backend("logs", call.account, call.region).groups
    return [groups[name].to_describe_dict() for name in sorted(groups)]


def _matches(pattern: str | None, name: str) -> bool:
    """Match a pattern of ListLogGroups: parts of names, of which `^` requires the beginning."""
    parts = pattern.split("|") if pattern else [""]
    return any(
        name.startswith(part[1:]) if part.startswith("^") else part in name for part in parts
    )


def _answer(call: Call, found: list[dict[str, Any]]) -> dict[str, Any]:
    shown, token = page(
        found,
        call,
        default=_PAGE,
        size_member="limit",
        next_member="nextToken",
        stale_page_code="InvalidParameterException",
    )
    return {"logGroups": list(shown)} | ({"nextToken": token} if token else {})

"""Helpers of the EC2 operations: tags in moto's table, filters, ids."""

from __future__ import annotations

import fnmatch
import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError


def new_id(prefix: str) -> str:
    """Return an id of EC2's long form: a prefix and 17 hexadecimal digits."""
    return f"{prefix}-{secrets.token_hex(9)[:17]}"


def refuse_dry_run(call: Call) -> None:
    """Answer a dry run as EC2 does: with the error that stands for success."""
    if call.parameters.get("DryRun"):
        raise dry_run()


def dry_run() -> AwsError:
    """Return EC2's answer to a dry run that would have succeeded."""
    return AwsError(
        "DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412
    )


def filter_name(one: Mapping[str, Any]) -> str:
    """Return the name of a filter, which EC2 requires although its model does not.

    Raises
    ------
    AwsError
        MissingParameter
    """
    if not one.get("Name"):
        raise AwsError("MissingParameter", "The request must contain the parameter Filter.Name")
    return str(one["Name"])


def filters_of(parameters: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the filters of a call: some operations call the parameter `Filter`."""
    return [*(parameters.get("Filters") or ()), *(parameters.get("Filter") or ())]


def number_of(values: Mapping[str, Any], name: str) -> int | None:
    """Return a number of a launch: launch templates keep the text that was sent."""
    given = str(values.get(name))
    return int(given) if given.isdecimal() else None


def tag_new(call: Call, resource_id: str, kind: str) -> None:
    """Store the tags of a create call, where DescribeTags finds them too."""
    tags = {
        str(tag.get("Key", "")): tag.get("Value", "")
        for specification in call.parameters.get("TagSpecifications", [])
        if specification.get("ResourceType") == kind
        for tag in specification.get("Tags", [])
    }
    if tags:
        _ec2(call).create_tags([resource_id], tags)


def forget_tags(call: Call, resource_id: str) -> None:
    """Delete the tags of a deleted resource."""
    _ec2(call).tags.pop(resource_id, None)


def tags_of(call: Call, resource_id: str) -> list[dict[str, str]]:
    """Return a resource's tags."""
    found: Mapping[str, str] = _ec2(call).tags.get(resource_id, {})
    return [{"Key": key, "Value": value} for key, value in found.items()]


def matches(
    shape: Mapping[str, Any], filters: Iterable[Mapping[str, Any]], names: Mapping[str, str]
) -> bool:
    """Return whether a resource matches every filter of a describe call.

    Parameters
    ----------
    names:
        For each supported filter, the member of `shape` that it compares.

    Raises
    ------
    AwsError
        UnsupportedOperation: a filter that is not implemented for this resource. Those that EC2
        does not have were refused before (`filter_names`).
    """
    tags = {tag["Key"]: tag["Value"] for tag in shape.get("Tags", [])}
    for item in filters:
        name, wanted = filter_name(item), item.get("Values", [])
        if name.startswith("tag:"):
            value = tags.get(name.removeprefix("tag:"))
            if value is None or not _any(wanted, value):
                return False
        elif name == "tag-key":
            if not any(_any(wanted, key) for key in tags):
                return False
        elif name in names:
            if not _any(wanted, _text(shape.get(names[name], ""))):
                return False
        else:
            text = f"the local AWS does not implement the filter '{name}' here"
            raise AwsError("UnsupportedOperation", text)
    return True


def _text(value: Any) -> str:
    """Return a value in the format of filters: `2026-11-21T11:30:00.000Z`, `true`."""
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    return str(value).lower() if isinstance(value, bool) else str(value)


def _any(patterns: Iterable[str], value: str) -> bool:
    return any(fnmatch.fnmatchcase(value, pattern) for pattern in patterns)


def _ec2(call: Call) -> Any:
    return moto_state.backend("ec2", call.account, call.region)

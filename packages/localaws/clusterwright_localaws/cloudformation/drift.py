"""Drift: the current state of resources compared with the template.

Compared are the properties that the template sets and that the handler can read back, as
CloudFormation compares only properties with a value in the template.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-stack-drift.html
"""

from __future__ import annotations

import datetime as dt
import json
import uuid
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from clusterwright_localaws.cloudformation import failures
from clusterwright_localaws.cloudformation.dynamic_values import fill_dynamic
from clusterwright_localaws.cloudformation.errors import CloudFormationError
from clusterwright_localaws.cloudformation.handler import Context, NotReadable
from clusterwright_localaws.cloudformation.planning import handler_of
from clusterwright_localaws.cloudformation.schema import resource_schema
from clusterwright_localaws.cloudformation.state import Resource, Stack
from clusterwright_localaws.cloudformation.system_tags import without_system_tags
from clusterwright_localaws.cloudformation.template import canonical

if TYPE_CHECKING:
    from clusterwright_localaws.cloudformation.store import Store

IN_SYNC, MODIFIED, DELETED, NOT_CHECKED = "IN_SYNC", "MODIFIED", "DELETED", "NOT_CHECKED"


@dataclass(frozen=True)
class Drift:
    """The drift of one resource."""

    logical_id: str
    physical_id: str
    resource_type: str
    status: str
    time: dt.datetime
    expected: Mapping[str, Any]
    actual: Mapping[str, Any] | None
    differences: tuple[dict[str, str], ...] = ()
    denied: str = ""
    """The service's message if the caller may not read the resource."""

    def shape(self, stack: Stack) -> dict[str, Any]:
        """Return it as ``DescribeStackResourceDrifts`` shows it."""
        out: dict[str, Any] = {
            "StackId": stack.stack_id,
            "LogicalResourceId": self.logical_id,
            "PhysicalResourceId": self.physical_id,
            "ResourceType": self.resource_type,
            "StackResourceDriftStatus": self.status,
            "Timestamp": self.time,
        }
        if self.status != NOT_CHECKED:
            out["ExpectedProperties"] = json.dumps(self.expected)
            out["PropertyDifferences"] = list(self.differences)
        if self.actual is not None:
            out["ActualProperties"] = json.dumps(self.actual)
        return out


def detect(store: Store, stack: Stack, names: Collection[str] | None = None) -> list[Drift]:
    """Compare resources of a stack with what they are now, and remember the outcome.

    Parameters
    ----------
    store, stack:
        The stacks of the account and region, and the examined one.
    names:
        Logical ids; None is every resource.
    """
    found = []
    for name, one in list(stack.resources.items()):
        if names is not None and name not in names:
            continue
        drift = _detect_one(store, stack, one)
        found.append(drift)
        with stack.lock:
            stack.resources[name] = replace(one, drift_status=drift.status, drift_time=drift.time)
    return found


def stack_status(drifts: Collection[Drift]) -> str:
    """Return a stack's drift status from its resources'."""
    if any(one.status in (MODIFIED, DELETED) for one in drifts):
        return "DRIFTED"
    if any(one.status == IN_SYNC for one in drifts):
        return IN_SYNC
    return NOT_CHECKED


def reading_context(
    store: Store,
    stack: Stack,
    logical_id: str,
    type_name: str,
    *,
    tags: Mapping[str, str] | None = None,
) -> Context:
    """Return the context in which a handler reads a resource of a stack, or one to be created."""
    return Context(
        account=stack.account,
        region=stack.region,
        partition=stack.partition,
        stack_name=stack.name,
        stack_id=stack.stack_id,
        logical_id=logical_id,
        resource_type=type_name,
        stack_tags=tags or {},
        token=str(uuid.uuid4()),
        managed=lambda kind: [
            (other.physical_id, other.properties)
            for each in store.stacks()
            for other in each.resources.values()
            if other.type_name == kind and other.physical_id
        ],
    )


def _detect_one(store: Store, stack: Stack, one: Resource) -> Drift:
    now = dt.datetime.now(dt.UTC)

    def drift(status: str, **more: Any) -> Drift:
        return Drift(
            one.logical_id,
            one.physical_id,
            one.type_name,
            status,
            now,
            more.get("expected", {}),
            more.get("actual"),
            more.get("differences", ()),
            more.get("denied", ""),
        )

    context = reading_context(store, stack, one.logical_id, one.type_name, tags=one.tags)
    try:
        desired = fill_dynamic(dict(one.properties), stack.account, stack.region)
        actual = handler_of(one.type_name).read(context, one.physical_id, desired)
    except (NotReadable, CloudFormationError):
        return drift(NOT_CHECKED)
    except Exception as error:
        if failures.is_gone(error):
            return drift(DELETED, expected=dict(one.properties))
        if failures.is_denied(error):
            return drift(NOT_CHECKED, denied=failures.reason(error))
        raise
    actual = without_system_tags(actual)
    if actual is None:
        return drift(DELETED, expected=dict(one.properties))
    schema = resource_schema(one.type_name, stack.region)
    hidden = {path[0] for path in schema.write_only if len(path) == 1} if schema else set()
    expected = {
        key: value for key, value in desired.items() if key in actual and key not in hidden
    }
    seen = {key: actual[key] for key in expected}
    differences = tuple(
        one_difference
        for key in expected
        for one_difference in _differences(f"/{key}", expected[key], seen[key])
    )
    return drift(
        MODIFIED if differences else IN_SYNC,
        expected=expected,
        actual=seen,
        differences=differences,
    )


def _differences(path: str, expected: Any, actual: Any) -> Iterator[dict[str, str]]:
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        for key in [*expected, *(key for key in actual if key not in expected)]:
            if key not in actual:
                yield _difference(f"{path}/{key}", expected[key], None, "REMOVE")
            elif key not in expected:
                yield _difference(f"{path}/{key}", None, actual[key], "ADD")
            else:
                yield from _differences(f"{path}/{key}", expected[key], actual[key])
        return
    if isinstance(expected, list) and isinstance(actual, list):
        # Lists are compared as sets, because services return them in any order.
        left = {canonical(item): item for item in expected}
        right = {canonical(item): item for item in actual}
        for number, key in enumerate(key for key in left if key not in right):
            yield _difference(f"{path}/{number}", left[key], None, "REMOVE")
        for number, key in enumerate(key for key in right if key not in left):
            yield _difference(f"{path}/{number}", None, right[key], "ADD")
        return
    if _plain(expected) != _plain(actual):
        yield _difference(path, expected, actual, "NOT_EQUAL")


def _difference(path: str, expected: Any, actual: Any, kind: str) -> dict[str, str]:
    return {
        "PropertyPath": path,
        "ExpectedValue": _plain(expected),
        "ActualValue": _plain(actual),
        "DifferenceType": kind,
    }


def _plain(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # services return 1.0 for 1
    return value if isinstance(value, str) else canonical(value)

"""Random operations on stacks in random order with random failures: the state is consistent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.faults import FaultBook
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.server import gateway
from clusterwright_localaws.worlds.model import Fault
from packages.localaws.tests.cloudformation.random_stacks import account, bodies, body
from packages.localaws.tests.cloudformation.stacks import (
    cloudformation,
    create,
    delete,
    described,
    events,
    resources_of,
    update,
)

Resources = dict[str, Any]
Mutation = tuple[str, str, int]
"""Service, operation, and the number of previous calls."""

# Shrinking would take minutes, and the templates are small as they are.
few = settings(
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=8,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)


def drifted(name: str) -> list[dict[str, Any]]:
    cloudformation().detect_stack_drift(StackName=name)
    found = cloudformation().describe_stack_resource_drifts(
        StackName=name, StackResourceDriftStatusFilters=["MODIFIED", "DELETED"]
    )
    return [
        {key: drift.get(key) for key in ("LogicalResourceId", "PropertyDifferences")}
        for drift in found["StackResourceDrifts"]
    ]


def consistent(name: str, resources: Resources) -> None:
    """The stack matches the template, in every answer about it and in the services."""
    assert cloudformation().get_template(StackName=name)["TemplateBody"]["Resources"] == resources
    shown = resources_of(name)
    assert set(shown) == set(resources)
    assert {item["ResourceStatus"] for item in shown.values()} <= {
        "CREATE_COMPLETE",
        "UPDATE_COMPLETE",
    }
    listed = cloudformation().list_stack_resources(StackName=name)["StackResourceSummaries"]
    assert {item["PhysicalResourceId"] for item in listed} == {
        item["PhysicalResourceId"] for item in shown.values()
    }
    assert drifted(name) == []


def changed(name: str, resources: Resources) -> str:
    """Update the stack; a template without changes is refused."""
    try:
        return str(update(name, body(resources))["StackStatus"])
    except ClientError as error:
        if "No updates are to be performed" not in str(error):
            raise
        return "UPDATE_COMPLETE"


@few
@given(first=bodies(), second=bodies())
def test_updates_and_their_reverse_restore_the_stack(first: Resources, second: Resources) -> None:
    with local_aws():
        empty = account()
        assert create("s", body(first))["StackStatus"] == "CREATE_COMPLETE"
        consistent("s", first)
        made = account()
        assert changed("s", second) == "UPDATE_COMPLETE"
        consistent("s", second)
        assert changed("s", first) == "UPDATE_COMPLETE"
        consistent("s", first)
        assert {key: len(value) for key, value in account().items()} == {
            key: len(value) for key, value in made.items()
        }
        delete("s")
        assert account() == empty


def calls_of(runtime: Runtime, work: Callable[[], object]) -> list[Mutation]:
    """The calls of `work` to the services behind CloudFormation, in order."""
    seen: list[tuple[str, str]] = []
    strike = gateway._strike

    def spy(hits: Any, service: str, operation: str, *more: Any) -> None:
        if service != "cloudformation":
            seen.append((service, operation))
        strike(hits, service, operation, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gateway, "_strike", spy)
        work()
    return [(*one, seen[:number].count(one)) for number, one in enumerate(seen)]


def fails_at(runtime: Runtime, point: Mutation) -> None:
    """Let one call fail once, by a fault of the world."""
    service, operation, before = point
    fault = Fault(
        service=service,
        operation=operation,
        error="InternalFailure",
        status=500,
        times=1,
        after=before,
        message="a fault of this world",
    )
    runtime.faults = FaultBook([fault])


def failed_in_clean_up(name: str) -> bool:
    return any(event["ResourceStatus"] == "DELETE_FAILED" for event in events(name))


@few
@given(resources=bodies(), data=st.data())
def test_failure_of_any_call_during_creation_leaves_no_resource(
    resources: Resources, data: st.DataObject
) -> None:
    with local_aws() as runtime:
        points = calls_of(runtime, lambda: create("try", body(resources)))
    point = data.draw(st.sampled_from(points))
    with local_aws() as runtime:
        empty = account()
        fails_at(runtime, point)
        status = create("s", body(resources))["StackStatus"]
        runtime.faults = FaultBook([])
        if status == "CREATE_COMPLETE":  # a handler could ignore the failure
            consistent("s", resources)
        else:
            assert status == "ROLLBACK_COMPLETE", (point, events("s"))
            assert account() == empty, point
        delete("s")
        assert account() == empty, point
        assert create("s", body(resources))["StackStatus"] == "CREATE_COMPLETE"
        consistent("s", resources)


@few
@given(first=bodies(), second=bodies(), data=st.data())
def test_failure_of_any_call_during_an_update_is_rolled_back(
    first: Resources, second: Resources, data: st.DataObject
) -> None:
    with local_aws() as runtime:
        create("try", body(first))
        points = calls_of(runtime, lambda: changed("try", second))
    if not points:
        return
    point = data.draw(st.sampled_from(points))
    with local_aws() as runtime:
        empty = account()
        create("s", body(first))
        before = account()
        fails_at(runtime, point)
        status = changed("s", second)
        runtime.faults = FaultBook([])
        if status == "UPDATE_COMPLETE":
            consistent("s", second)
        else:
            assert status == "UPDATE_ROLLBACK_COMPLETE", (point, events("s"))
            consistent("s", first)
            assert account() == before, point
        leftovers = failed_in_clean_up("s")
        assert changed("s", second) == "UPDATE_COMPLETE"
        consistent("s", second)
        delete("s")
        if not leftovers:
            assert account() == empty, point


@few
@given(resources=bodies(), data=st.data())
def test_failure_of_any_call_during_deletion_can_be_retried(
    resources: Resources, data: st.DataObject
) -> None:
    with local_aws() as runtime:
        create("try", body(resources))
        points = calls_of(runtime, lambda: delete("try"))
    point = data.draw(st.sampled_from(points))
    with local_aws() as runtime:
        empty = account()
        create("s", body(resources))
        stack_id = described("s")["StackId"]
        fails_at(runtime, point)
        status = delete("s")["StackStatus"]
        runtime.faults = FaultBook([])
        if status != "DELETE_COMPLETE":
            assert status == "DELETE_FAILED", (point, events(stack_id))
            assert delete("s")["StackStatus"] == "DELETE_COMPLETE"
        assert account() == empty, point

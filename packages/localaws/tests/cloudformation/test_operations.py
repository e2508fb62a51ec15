"""Creation of stacks, and what their operations undo."""

from __future__ import annotations

import time
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.cloudformation.store import settings
from packages.localaws.tests.cloudformation.stacks import (
    Pretend,
    cloudformation,
    create,
    delete,
    described,
    events,
    history,
    outputs,
    parameter,
    reason,
    resource,
    resources_of,
    settled,
    template,
)

CHAIN = {
    "Third": parameter({"Ref": "Second"}),
    "First": parameter("1"),
    "Second": parameter({"Fn::GetAtt": ["First", "Value"]}),
}


def only(name: str, message: str = "no") -> Any:
    return lambda operation, logical_id, _: (
        message if (operation, logical_id) == ("create", name) else None
    )


def test_resources_are_created_in_the_order_of_their_references(pretend: Pretend) -> None:
    stack = create("s", template(CHAIN))
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    assert pretend.did("create") == ["First", "Second", "Third"]
    assert pretend.existing["Third-3"]["Value"] == "Second-2"
    assert history("s") == [
        ("s", "CREATE_IN_PROGRESS"),
        ("First", "CREATE_IN_PROGRESS"),
        ("First", "CREATE_IN_PROGRESS"),
        ("First", "CREATE_COMPLETE"),
        ("Second", "CREATE_IN_PROGRESS"),
        ("Second", "CREATE_IN_PROGRESS"),
        ("Second", "CREATE_COMPLETE"),
        ("Third", "CREATE_IN_PROGRESS"),
        ("Third", "CREATE_IN_PROGRESS"),
        ("Third", "CREATE_COMPLETE"),
        ("s", "CREATE_COMPLETE"),
    ]
    assert [event.get("ResourceStatusReason") for event in events("s")][:3] == [
        "User Initiated",
        None,
        "Resource creation Initiated",
    ]


def test_event_times_are_increasing(pretend: Pretend) -> None:
    create("s", template(CHAIN))
    times = [event["Timestamp"] for event in events("s")]
    assert times == sorted(set(times))


def test_resource_with_a_false_condition_is_not_created(pretend: Pretend) -> None:
    body = template(
        {"A": parameter("a", Condition="No"), "B": parameter("b")},
        Parameters={"P": {"Type": "String", "Default": "x"}},
        Conditions={"No": {"Fn::Equals": [{"Ref": "P"}, "y"]}},
        Outputs={"A": {"Value": "a", "Condition": "No"}, "B": {"Value": {"Ref": "B"}}},
    )
    assert outputs(create("s", body)) == {"B": "B-1"}
    assert set(resources_of("s")) == {"B"}


def test_failure_rolls_back_in_reverse_order(pretend: Pretend) -> None:
    pretend.fail = only("Third", "the service says no")
    stack = create("s", template(CHAIN))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert (
        reason("s", "s", "ROLLBACK_IN_PROGRESS")
        == "The following resource(s) failed to create: [Third]. Rollback requested by user."
    )
    failed = reason("s", "Third", "CREATE_FAILED")
    assert failed.startswith('Resource handler returned message: "the service says no" (')
    assert failed.endswith("HandlerErrorCode: InvalidRequest)")
    assert pretend.did("delete") == ["Second", "First"]
    assert pretend.existing == {}


def test_resource_that_fails_during_creation_is_deleted(pretend: Pretend) -> None:
    pretend.fail, pretend.half = only("Second"), lambda name: name == "Second"
    assert create("s", template(CHAIN))["StackStatus"] == "ROLLBACK_COMPLETE"
    assert pretend.did("delete") == ["Second", "First"]
    assert pretend.existing == {}


def test_pending_resources_are_cancelled(pretend: Pretend) -> None:
    pretend.fail = only("Bad")
    pretend.delay_s = lambda name: 30.0 if name == "Slow" else 0.0
    started = time.monotonic()
    body = template({"Slow": parameter("1"), "Bad": parameter("2"), "Never": parameter("3")})
    assert create("s", body)["StackStatus"] == "ROLLBACK_COMPLETE"
    assert time.monotonic() - started < 10
    assert reason("s", "Slow", "CREATE_FAILED") == "Resource creation cancelled"
    assert "[Bad, Slow]" in reason("s", "s", "ROLLBACK_IN_PROGRESS")
    assert pretend.did("create") == ["Slow", "Bad"]
    assert pretend.existing == {}


def test_rollback_keeps_retained_resources(pretend: Pretend) -> None:
    pretend.fail = only("Bad")
    body = template(
        {
            "Kept": parameter("1", DeletionPolicy="Retain"),
            "Gone": parameter("2", DeletionPolicy="RetainExceptOnCreate"),
            "Bad": parameter("3"),
        }
    )
    assert create("s", body)["StackStatus"] == "ROLLBACK_COMPLETE"
    assert list(pretend.existing) == ["Kept-1"]
    assert ("Kept", "DELETE_SKIPPED") in history("s")


def test_retain_except_on_create_applies_to_the_operation(pretend: Pretend) -> None:
    pretend.fail = only("Bad")
    body = template({"Kept": parameter("1", DeletionPolicy="Retain"), "Bad": parameter("2")})
    create("s", body, RetainExceptOnCreate=True)
    assert pretend.existing == {}


def test_a_failed_rollback_is_reported(pretend: Pretend) -> None:
    pretend.fail = lambda operation, name, _: (
        "no" if (operation, name) in {("create", "Third"), ("delete", "First")} else None
    )
    stack = create("s", template(CHAIN))
    assert stack["StackStatus"] == "ROLLBACK_FAILED"
    assert stack["StackStatusReason"] == "The following resource(s) failed to delete: [First]. "


def test_stack_without_rollback_keeps_its_resources_and_can_be_updated(pretend: Pretend) -> None:
    pretend.fail = only("Third")
    stack = create("s", template(CHAIN), DisableRollback=True)
    assert stack["StackStatus"] == "CREATE_FAILED"
    assert set(pretend.existing) == {"First-1", "Second-2"}
    pretend.fail = lambda *_: None
    cloudformation().update_stack(
        StackName="s", TemplateBody=template(CHAIN), DisableRollback=True
    )
    assert settled("s")["StackStatus"] == "UPDATE_COMPLETE"
    assert set(pretend.existing) == {"First-1", "Second-2", "Third-3"}


def test_stack_without_rollback_can_be_rolled_back_later(pretend: Pretend) -> None:
    pretend.fail = only("Third")
    create("s", template(CHAIN), DisableRollback=True)
    cloudformation().rollback_stack(StackName="s")
    assert settled("s")["StackStatus"] == "ROLLBACK_COMPLETE"
    assert pretend.existing == {}


def test_on_failure_delete_removes_the_stack(pretend: Pretend) -> None:
    pretend.fail = only("Third")
    answer = cloudformation().create_stack(
        StackName="s", TemplateBody=template(CHAIN), OnFailure="DELETE"
    )
    assert settled(answer["StackId"])["StackStatus"] == "DELETE_COMPLETE"
    with pytest.raises(ClientError, match="Stack with id s does not exist"):
        described("s")


def test_timeout_in_minutes_rolls_back(pretend: Pretend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "clusterwright_localaws.cloudformation.operations.time.monotonic",
        iter(range(0, 10**9, 120)).__next__,
    )
    stack = create("s", template(CHAIN), TimeoutInMinutes=1)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert (
        reason("s", "s", "ROLLBACK_IN_PROGRESS")
        == "Stack creation time exceeded the specified timeout. Rollback requested by user."
    )


def test_all_invalid_properties_are_reported_before_creation(pretend: Pretend) -> None:
    body = template(
        {
            "Good": parameter("1"),
            "Bad": resource("AWS::SSM::Parameter", {"Type": "Strin", "Value": {"Ref": "Good"}}),
            "Worse": resource("AWS::SNS::Topic", {"Colour": "blue"}),
        }
    )
    stack = create("s", body)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert pretend.calls == []
    assert (
        reason("s", "s", "ROLLBACK_IN_PROGRESS")
        == "Validation failed for following resources: [Bad, Worse]. Rollback requested by user."
    )
    assert reason("s", "Bad", "CREATE_FAILED") == (
        "Properties validation failed for resource Bad with message: "
        "[#/Type: failed validation constraint for keyword [enum]]"
    )
    failed = [event for event in events("s") if event["LogicalResourceId"] == "Worse"]
    assert failed[0]["DetailedStatus"] == "VALIDATION_FAILED"


def test_invalid_resolved_value_fails_its_resource(pretend: Pretend) -> None:
    body = template(
        {
            "First": parameter("1"),
            "Second": resource(
                "AWS::SSM::Parameter", {"Type": {"Fn::GetAtt": ["First", "Value"]}, "Value": "x"}
            ),
        }
    )
    assert create("s", body)["StackStatus"] == "ROLLBACK_COMPLETE"
    assert pretend.did("create") == ["First"]
    assert reason("s", "Second", "CREATE_FAILED") == (
        "Properties validation failed for resource Second with message:\n"
        "#/Type: failed validation constraint for keyword [enum]"
    )


def test_states_in_progress_are_visible(pretend: Pretend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "settle_s", 0.05)
    pretend.delay_s = lambda name: 1.0 if name == "Second" else 0.0
    cloudformation().create_stack(StackName="s", TemplateBody=template(CHAIN))
    assert described("s")["StackStatus"] == "CREATE_IN_PROGRESS"
    until = time.monotonic() + 5
    while "Second" not in (now := resources_of("s")):
        assert time.monotonic() < until
        time.sleep(0.01)
    assert now["First"]["ResourceStatus"] == "CREATE_COMPLETE"
    assert now["Second"]["ResourceStatus"] == "CREATE_IN_PROGRESS"
    assert now["Second"]["PhysicalResourceId"] == "Second-2"
    with pytest.raises(ClientError, match="is in CREATE_IN_PROGRESS state and can not be updated"):
        cloudformation().update_stack(StackName="s", TemplateBody=template(CHAIN))
    assert settled("s")["StackStatus"] == "CREATE_COMPLETE"


def test_slow_resources_are_created_in_parallel(pretend: Pretend) -> None:
    pretend.delay_s = lambda _: 3.0
    started = time.monotonic()
    create("s", template({f"P{n}": parameter(str(n)) for n in range(10)}))
    assert time.monotonic() - started < 25.0  # ten in sequence take thirty seconds
    assert pretend.did("create") == [f"P{n}" for n in range(10)]


def test_a_name_is_reserved_while_its_stack_exists(pretend: Pretend) -> None:
    create("s", template(CHAIN))
    with pytest.raises(ClientError) as caught:
        create("s", template(CHAIN))
    assert caught.value.response["Error"]["Code"] == "AlreadyExistsException"


def test_repeated_request_token_returns_the_same_stack(pretend: Pretend) -> None:
    request = {"StackName": "s", "TemplateBody": template(CHAIN), "ClientRequestToken": "t1"}
    first = cloudformation().create_stack(**request)
    settled("s")
    assert cloudformation().create_stack(**request)["StackId"] == first["StackId"]
    assert pretend.did("create") == ["First", "Second", "Third"]


def test_exception_in_a_handler_fails_the_resource(pretend: Pretend) -> None:
    def bug(operation: str, name: str, _: Any) -> str | None:
        if operation == "create" and name == "Second":
            raise KeyError("Oops")
        return None

    pretend.fail = bug
    assert create("s", template(CHAIN))["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "The local AWS failed: KeyError: 'Oops'" in reason("s", "Second", "CREATE_FAILED")


@pytest.mark.parametrize(("production", "kept"), [("yes", ["A-1"]), ("no", [])])
def test_condition_decides_without_a_transform_what_is_kept(
    pretend: Pretend, production: str, kept: list[str]
) -> None:
    policy = {"Fn::If": ["Production", "Retain", "Delete"]}
    body = template(
        {"A": parameter("1", DeletionPolicy=policy, UpdateReplacePolicy=policy)},
        Conditions={"Production": {"Fn::Equals": [production, "yes"]}},
    )
    assert create("s", body)["StackStatus"] == "CREATE_COMPLETE"
    assert delete("s")["StackStatus"] == "DELETE_COMPLETE"
    assert list(pretend.existing) == kept

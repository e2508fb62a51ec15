"""Stopping an update, and getting out of a failed one."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.cloudformation.store import settings
from packages.localaws.tests.cloudformation.stacks import (
    Pretend,
    cloudformation,
    create,
    described,
    failing,
    named,
    parameter,
    reason,
    settled,
    template,
    update,
)


def test_failed_rollback_can_be_continued(pretend: Pretend) -> None:
    create("s", template({"A": parameter("1"), "B": named("one")}))
    body = template(
        {
            "A": parameter("2"),
            "B": named("two", DependsOn="A"),
            "Z": parameter("z", DependsOn=["A", "B"]),
        }
    )
    pretend.fail = lambda operation, name, properties: (
        "no"
        if (operation, name) == ("create", "Z")
        or (operation, name, properties.get("Value")) == ("update", "A", "1")
        else None
    )
    stack = update("s", body)
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_FAILED"
    with pytest.raises(ClientError, match="UPDATE_ROLLBACK_FAILED state and can not be updated"):
        update("s", body)
    pretend.fail = lambda *_: None
    cloudformation().continue_update_rollback(StackName="s")
    assert settled("s")["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert {name: one["Value"] for name, one in pretend.existing.items()} == {
        "A-1": "1",
        "B-2": "v",
    }


def test_resources_can_be_skipped_in_a_continued_rollback(pretend: Pretend) -> None:
    create("s", template({"A": parameter("1"), "B": parameter("1")}))
    pretend.fail = lambda operation, name, properties: (
        "no" if name == "B" or (name, properties.get("Value")) == ("A", "1") else None
    )
    body = template({"A": parameter("2"), "B": parameter("2", DependsOn="A")})
    assert update("s", body)["StackStatus"] == "UPDATE_ROLLBACK_FAILED"
    cloudformation().continue_update_rollback(StackName="s", ResourcesToSkip=["A", "B"])
    assert settled("s")["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"


def test_failed_update_without_rollback_can_be_rolled_back_later(pretend: Pretend) -> None:
    create("s", template({"A": parameter("1"), "B": parameter("1")}))
    pretend.fail = failing(("update", "B"))
    body = template({"A": parameter("2"), "B": parameter("2", DependsOn="A")})
    stack = update("s", body, DisableRollback=True)
    assert stack["StackStatus"] == "UPDATE_FAILED"
    assert pretend.existing["A-1"]["Value"] == "2"
    pretend.fail = lambda *_: None
    cloudformation().rollback_stack(StackName="s")
    assert settled("s")["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert [item["Value"] for item in pretend.existing.values()] == ["1", "1"]


def test_update_can_be_cancelled(pretend: Pretend, monkeypatch: pytest.MonkeyPatch) -> None:
    create("s", template({"A": parameter("1"), "B": parameter("1", DependsOn="A")}))
    monkeypatch.setattr(settings, "settle_s", 0.05)
    pretend.delay_s = lambda name: 20.0 if name == "A" else 0.0
    cloudformation().update_stack(
        StackName="s",
        TemplateBody=template({"A": parameter("2"), "B": parameter("2", DependsOn="A")}),
    )
    assert described("s")["StackStatus"] == "UPDATE_IN_PROGRESS"
    pretend.delay_s = lambda _: 0.0
    cloudformation().cancel_update_stack(StackName="s")
    assert settled("s")["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert reason("s", "A", "UPDATE_FAILED") == "Resource update cancelled"
    assert pretend.existing["A-1"]["Value"] == "1"

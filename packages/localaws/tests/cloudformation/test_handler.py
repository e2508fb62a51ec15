"""The contract of handlers."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.cloudformation.handler import (
    Cancelled,
    Context,
    Handler,
    HandlerFailure,
    NotReadable,
)
from clusterwright_localaws.cloudformation.resource_types import registry
from clusterwright_localaws.cloudformation.schema import resource_schema


def test_every_handler_has_a_schema_or_is_custom_and_answers_the_protocol() -> None:
    for name, handler in registry().items():
        assert isinstance(handler, Handler)
        assert type(handler).create is not Handler.create, name
        assert type(handler).delete is not Handler.delete, name
        if name.startswith("Custom::"):
            continue
        schema = resource_schema(name, "us-east-1")
        assert schema is not None, name
        known = set(schema.body["properties"])
        assert (handler.supported_properties or frozenset()) <= known, name
        assert handler.unsupported_properties <= known, name


def context(**more: Any) -> Context:
    return Context(
        **{  # type: ignore[arg-type]
            "account": "111122223333",
            "region": "us-east-1",
            "partition": "aws",
            "stack_name": "stack",
            "stack_id": "arn",
            "logical_id": "Logical",
            "resource_type": "AWS::EC2::VPC",
            "stack_tags": {},
            "token": "t",
            **more,
        }
    )


class TestWait:
    def test_pauses_grow_up_to_the_interval(self) -> None:
        pauses: list[float] = []
        answers = iter([False] * 6 + [True])
        found = context(pause=pauses.append, poll_interval_s=0.02)
        found.wait(lambda: next(answers), what="it")
        assert pauses == pytest.approx([0.01, 0.015, 0.02, 0.02, 0.02, 0.02])

    def test_a_time_out_names_what_was_waited_for(self) -> None:
        with pytest.raises(
            HandlerFailure, match="Exceeded attempts to wait for the VPC"
        ) as caught:
            context(pause=lambda _: None).wait(lambda: False, what="the VPC", timeout_s=-1)
        assert caught.value.code == "NotStabilized"

    def test_a_cancelled_operation_stops_waiting(self) -> None:
        with pytest.raises(Cancelled):
            context(cancelled=lambda: True).wait(lambda: False, what="it")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "stack-Logical-AbC"),
        ({"lower": True}, "stack-logical-abc"),
        ({"max_length": 14}, "stac-Logic-AbC"),
        ({"max_length": 10}, "st-Log-AbC"),
    ],
)
def test_generated_names_are_cut_on_the_left(options: dict[str, Any], expected: str) -> None:
    assert context(suffix="AbC").generated_name(**options) == expected


def test_tags_of_a_resource_go_over_those_of_its_stack() -> None:
    found = context(stack_tags={"a": "stack", "b": "stack"}, previous_stack_tags={"z": "old"})
    assert found.tag_map([{"Key": "a", "Value": "own"}]) == {"a": "own", "b": "stack"}
    assert found.tags({"c": 1})[-1] == {"Key": "c", "Value": "1"}
    assert found.tag_changes(None, {"a": "own"}) == (
        [{"Key": "a", "Value": "own"}, {"Key": "b", "Value": "stack"}],
        ["z"],
    )


class _Limited(Handler):
    type_name = ""
    unsupported_properties = frozenset({"No"})
    unsupported_attributes = frozenset({"Endpoint"})


class _Listed(Handler):
    supported_properties = frozenset({"Yes"})


def test_defaults_of_a_handler() -> None:
    handler = _Limited()
    assert handler.refused({"No": 1, "Other": 2}) == ["No"]
    assert _Listed().refused({"Yes": 1, "Other": 2}) == ["Other"]
    assert handler.lacks("Endpoint")
    assert handler.lacks("Endpoint.Port")
    assert not handler.lacks("EndpointPort")
    assert handler.replacing({}, {}) == set()
    assert handler.outdated("a", "r", "id", {}) is False
    assert "does not support the policy Snapshot" in str(handler.snapshot_refusal({}))
    with pytest.raises(HandlerFailure, match="cannot be updated in place"):
        handler.update(context(), "id", {}, {})
    with pytest.raises(NotReadable):
        handler.read(context(), "id", {})

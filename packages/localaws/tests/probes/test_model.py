"""The forms of probes: what is refused when they are read."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import pytest
from pydantic import ValidationError

from clusterwright_localaws.probes.model import Operation, Probe, Source, Step


def test_short_form_of_a_step() -> None:
    step = Step.model_validate({"ec2.DescribeVpcs": {"VpcIds": ["v"]}, "error": "NotThere"})
    assert str(step.call) == "ec2.DescribeVpcs"
    assert step.call.parameters == {"VpcIds": ["v"]}
    assert step.error is not None
    assert step.error.code == "NotThere"


def test_call_without_parameters() -> None:
    step = Step.model_validate({"sts.GetCallerIdentity": None, "answer": {"Account": "1"}})
    assert step.call.parameters == {}


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({"error": "X"}, "a step has one call"),
        ({"a.B": {}, "c.D": {}}, "a step has one call"),
        ({"a.B": {}, "error": "X", "answer": {"A": 1}}, "a refused call has no answer"),
        ({"a.B": {}, "answer": {"A": {"like": 1}}}, "is not one operator of"),
        ({"a.B": {}, "answer": {"A": {"is": "blue"}}}, "'blue' is not one of"),
        ({"a.B": {}, "answer": {"A": {"matches": "("}}}, "missing \\)|unterminated"),
        ({"a.B": {}, "anwser": {"A": 1}}, "Extra inputs"),
    ],
)
def test_wrong_step_is_refused(step: dict[str, Any], message: str) -> None:
    with pytest.raises((ValidationError, re.error), match=message):
        Step.model_validate(step)


def test_probe_that_expects_nothing_is_refused() -> None:
    given = {"id": "one", "shows": "x", "sources": ["s"], "steps": [{"a.B": {}}]}
    with pytest.raises(ValidationError, match="the probe one expects nothing"):
        Probe.model_validate(given)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({}, "either `undo` or `leaves`"),
        ({"undo": {"call": "a.B", "parameters": {}}, "leaves": "x"}, "either `undo` or `leaves`"),
        ({"leaves": "x", "price_usd": 1.0}, "a price has a source"),
        ({"leaves": "x", "price_usd": -1.0, "price_source": "p"}, "greater than or equal to 0"),
    ],
)
def test_incomplete_operation_is_refused(row: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Operation.model_validate(row)


def test_source_in_words() -> None:
    day = dt.date(2026, 1, 2)
    assert str(Source(title="T", url="https://x", date=day)) == "T (https://x, read 2026-01-02)"
    recorded = Source(title="T", recorded_by="us", date=day)
    assert str(recorded) == "as recorded on AWS by us on 2026-01-02: T"

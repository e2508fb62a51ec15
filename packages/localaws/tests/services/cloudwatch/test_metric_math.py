"""Tests of services.cloudwatch.metric_math."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.cloudwatch.metric_math import Series, evaluate, names

FIRST = datetime(2026, 11, 29, tzinfo=UTC)
SECOND = FIRST + timedelta(minutes=1)
GIVEN: dict[str, Series] = {"m1": {FIRST: 6.0, SECOND: 8.0}, "m2": {FIRST: 2.0}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("m1", {FIRST: 6.0, SECOND: 8.0}),
        ("m1 / m2", {FIRST: 3.0}),
        ("-(m1 - 2) * 10", {FIRST: -40.0, SECOND: -60.0}),
        ("m2 ^ 3", {FIRST: 8.0}),
    ],
)
def test_results_have_the_datapoints_of_all_operands(text: str, expected: Series) -> None:
    assert evaluate(text, GIVEN) == expected


@pytest.mark.parametrize("text", ["m3", "1 + 1", "AVG(m1)", "m1.real", "m1 +", "(" * 3_000])
def test_other_expressions_are_refused(text: str) -> None:
    with pytest.raises(AwsError) as refused:
        evaluate(text, GIVEN)
    assert refused.value.code == "ValidationError"


def test_names() -> None:
    assert names("100 * (m1 - m2) / m1") == {"m1", "m2"}
    assert names("m1 +") == set()

"""Condition operators, table-driven: AWS's documented examples and the edges of each operator."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright_localaws.iam.conditions import read_operator
from packages.localaws.tests.iam.holding import has, holds


@pytest.mark.parametrize(
    ("operator", "wanted", "value", "expected"),
    [
        ("StringEquals", "JohnDoe", "JohnDoe", True),
        ("StringEquals", "JohnDoe", "johndoe", False),
        ("StringEquals", "a*", "ab", False),
        ("StringEquals", "a*", "a*", True),
        ("StringEqualsIgnoreCase", "JohnDoe", "johndoe", True),
        ("StringNotEquals", ["a", "b"], "b", False),
        ("StringNotEquals", ["a", "b"], "c", True),
        ("StringNotEqualsIgnoreCase", "A", "a", False),
        ("StringLike", "home/${aws:user}/*", "home/ann/x", True),
        ("StringLike", "a?c", "abc", True),
        ("StringLike", "a?c", "abbc", False),
        ("StringNotLike", "a*", "abc", False),
        ("NumericEquals", "10", "10.0", True),
        ("NumericLessThanEquals", "10", "10", True),
        ("NumericLessThan", "10", "9", True),
        ("NumericLessThan", "10", "nine", False),
        ("NumericNotEquals", "10", "nine", True),
        ("NumericGreaterThan", "9", "10", True),
        ("NumericGreaterThanEquals", "10", "9.99", False),
        ("DateGreaterThan", "2020-01-01T00:00:01Z", "2020-01-01T00:00:02Z", True),
        ("DateLessThan", "2020-01-01", "2019-12-31T23:59:59Z", True),
        ("DateEquals", "2020-01-01T01:00:00+01:00", "2020-01-01T00:00:00Z", True),
        ("DateEquals", "1577836800", "2020-01-01T00:00:00Z", True),
        ("DateNotEquals", "2020-01-01", "2020-01-02", True),
        ("DateGreaterThanEquals", "2020-02-30", "2020-03-01", False),
        ("Bool", "true", "true", True),
        ("Bool", "true", "True", True),
        ("Bool", "false", "true", False),
        ("BinaryEquals", "QmluYXJ5VmFsdWVJbkJhc2U2NA==", "QmluYXJ5VmFsdWVJbkJhc2U2NA==", True),
        ("BinaryEquals", "no base64", "no base64", False),
        ("IpAddress", "203.0.113.0/24", "203.0.113.7", True),
        ("IpAddress", "203.0.113.0/24", "203.0.114.7", False),
        ("IpAddress", "203.0.113.7", "203.0.113.7", True),
        ("NotIpAddress", "203.0.113.0/24", "203.0.113.7", False),
        ("IpAddress", "2001:db8:1234:5678::/64", "2001:db8:1234:5678::1", True),
        ("IpAddress", "2001:db8::/32", "203.0.113.7", False),
        ("ArnLike", "arn:aws:sns:*:123456789012:*", "arn:aws:sns:eu-west-1:123456789012:t", True),
        ("ArnEquals", "arn:aws:sns:*:123456789012:t", "arn:aws:sns:a:123456789012:t", True),
        ("ArnLike", "arn:aws:sns:*", "arn:aws:sns:a:123456789012:t:u", True),
        # A wildcard does not reach over a colon into the next part.
        ("ArnLike", "arn:aws:s*:a:1:t", "arn:aws:sns:x:a:1:t", False),
        ("ArnNotLike", "arn:aws:sns:*:*:*", "arn:aws:sqs:a:1:q", True),
        ("ArnNotEquals", "arn:aws:sns:*:*:*", "arn:aws:sns:a:1:q", False),
    ],
)
def test_operators_compare_one_value(
    operator: str, wanted: Any, value: str, expected: bool
) -> None:
    assert holds(operator, wanted, {**has(value), "aws:user": "ann"}) is expected
    assert holds(f"{operator}IfExists", wanted, {**has(value), "aws:user": "ann"}) is expected


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("StringEquals", False),
        ("StringEqualsIfExists", True),
        ("StringNotEquals", True),
        ("StringNotLike", True),
        ("NotIpAddress", True),
        ("ArnNotLike", True),
        ("NumericLessThan", False),
        ("NumericNotEquals", True),
        ("Bool", False),
        ("BoolIfExists", True),
        ("ForAllValues:StringEquals", True),
        ("ForAnyValue:StringEquals", False),
        ("ForAnyValue:StringNotEquals", False),
        ("ForAnyValue:StringEqualsIfExists", True),
    ],
)
def test_missing_key_is_handled_as_documented(operator: str, expected: bool) -> None:
    assert holds(operator, "1", {}) is expected


@pytest.mark.parametrize(
    ("operator", "wanted", "values", "expected"),
    [
        # The table of AWS's page on single-valued and multivalued keys.
        ("ForAllValues:StringEquals", ["PostDate", "Message"], ["PostDate"], True),
        ("ForAllValues:StringEquals", ["PostDate", "Message"], ["PostDate", "Tags"], False),
        ("ForAllValues:StringEquals", ["PostDate"], [], True),
        ("ForAnyValue:StringEquals", ["PostDate", "Message"], ["PostDate", "Tags"], True),
        ("ForAnyValue:StringEquals", ["PostDate"], ["Tags"], False),
        ("ForAnyValue:StringEquals", ["PostDate"], [], False),
        ("ForAllValues:StringNotLike", ["secret*"], ["open", "secret1"], False),
        ("ForAnyValue:StringNotLike", ["secret*"], ["open", "secret1"], True),
        ("ForAnyValue:StringNotLike", ["secret*"], ["secret1"], False),
        ("ForAllValues:NumericLessThan", ["10"], ["1", "11"], False),
    ],
)
def test_set_operators_compare_several_values(
    operator: str, wanted: list[str], values: list[str], expected: bool
) -> None:
    assert holds(operator, wanted, {"aws:k": values}) is expected


@pytest.mark.parametrize(
    ("wanted", "context", "expected"),
    [
        ("true", {}, True),
        ("false", {}, False),
        ("true", {"aws:k": "x"}, False),
        ("false", {"aws:k": "x"}, True),
    ],
)
def test_null_operator_tests_presence(
    wanted: str, context: dict[str, Any], expected: bool
) -> None:
    assert holds("Null", wanted, context) is expected


@pytest.mark.parametrize(
    "name", ["StringIs", "NullIfExists", "ForSomeValues:StringEquals", "", "BoolLike", "Date"]
)
def test_unknown_operators_are_refused(name: str) -> None:
    assert read_operator(name) is None


def test_keys_and_operators_ignore_case() -> None:
    assert holds("stringequals", "x", {"AWS:K": "x"})
    assert holds("StringEquals", "x", {"aws:PrincipalTag/Team": "x"}, "aws:principaltag/team")


@given(st.text(), st.text())
def test_negated_operator_is_the_opposite_for_present_keys(wanted: str, value: str) -> None:
    for positive, negative in (
        ("StringEquals", "StringNotEquals"),
        ("StringEqualsIgnoreCase", "StringNotEqualsIgnoreCase"),
        ("StringLike", "StringNotLike"),
        ("NumericEquals", "NumericNotEquals"),
        ("DateEquals", "DateNotEquals"),
        ("IpAddress", "NotIpAddress"),
        ("ArnLike", "ArnNotLike"),
    ):
        assert holds(positive, wanted, has(value)) is not holds(negative, wanted, has(value))


@given(st.binary())
def test_binary_values_are_compared_as_bytes(data: bytes) -> None:
    text = base64.b64encode(data).decode()
    assert holds("BinaryEquals", text, has(text))


@given(st.integers(), st.integers())
def test_numbers_are_compared_numerically(left: int, right: int) -> None:
    assert holds("NumericLessThan", str(right), has(str(left))) is (left < right)
    assert holds("NumericGreaterThanEquals", str(right), has(str(left))) is (left >= right)

"""The Condition element: every operator, IfExists, ForAllValues and ForAnyValue.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html
"""

from __future__ import annotations

import base64
import binascii
import functools
import ipaddress
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

from clusterwright_localaws.iam.context import RequestContext
from clusterwright_localaws.iam.variables import filled
from clusterwright_localaws.iam.wildcards import Pattern, matches, matches_arn, pattern_of

ALL_VALUES, ANY_VALUE = "ForAllValues", "ForAnyValue"
# The value of the policy, with variables filled, and the request's value.
_Test = Callable[[Pattern, str], bool]


@dataclass(frozen=True)
class Condition:
    """One operator with one key: `{"StringEquals": {"aws:username": ["a", "b"]}}`.

    `quantifier` is `ForAllValues`, `ForAnyValue` or empty; `operator` is the name without it and
    without `IfExists`.
    """

    operator: str
    key: str
    values: tuple[str, ...]
    quantifier: str = ""
    if_exists: bool = False


def read_operator(name: str) -> tuple[str, str, bool] | None:
    """Return quantifier, operator and whether it is ...IfExists; None for what is no operator."""
    quantifier, colon, rest = name.rpartition(":")
    if colon and quantifier not in (ALL_VALUES, ANY_VALUE):
        return None
    base = rest.removesuffix("IfExists")
    known = _BY_NAME.get(base.lower())
    if known is None or (known == "Null" and base != rest):
        return None
    return quantifier, known, base != rest


def met(condition: Condition, context: RequestContext, *, variables: bool) -> bool:
    """Return whether a request meets one condition.

    A missing key fails an operator, except a negated one, `...IfExists`, `ForAllValues` and
    `Null`. Several values of the policy are alternatives, and of a negated operator all must
    differ.
    """
    found = context.get(condition.key)
    if condition.operator == "Null":
        absent = found is None or found == ()
        return any((value.lower() == "true") == absent for value in condition.values)
    positive, test = _OPERATORS[condition.operator]
    if found is None or (found == () and condition.quantifier):
        if condition.quantifier == ALL_VALUES or condition.if_exists:
            return True
        return not positive and condition.quantifier != ANY_VALUE
    desired = [
        pattern
        for value in condition.values
        if (pattern := filled(value, context, enabled=variables)) is not None
    ]

    def holds(value: str) -> bool:
        hit = any(test(pattern, value) for pattern in desired)
        return hit if positive else not hit

    if condition.quantifier == ALL_VALUES:
        return all(holds(value) for value in found)
    if condition.quantifier == ANY_VALUE or positive:
        return any(holds(value) for value in found)
    return all(holds(value) for value in found)


def _text(pattern: Pattern) -> str:
    """The text of the pattern; the operator has no wildcards."""
    return "".join(part if isinstance(part, str) else _sign(part) for part in pattern)


def _sign(part: object) -> str:
    return "*" if (part,) == pattern_of("*") else "?"


def _equals(pattern: Pattern, value: str) -> bool:
    return _text(pattern) == value


def _equals_ignoring_case(pattern: Pattern, value: str) -> bool:
    return _text(pattern).lower() == value.lower()


def _bool(pattern: Pattern, value: str) -> bool:
    return _text(pattern).lower() == value.lower() and value.lower() in ("true", "false")


def _binary(pattern: Pattern, value: str) -> bool:
    try:
        return base64.b64decode(_text(pattern), validate=True) == base64.b64decode(
            value, validate=True
        )
    except (binascii.Error, ValueError):
        return False


def _numeric(compare: Callable[[Decimal, Decimal], bool]) -> _Test:
    def test(pattern: Pattern, value: str) -> bool:
        left, right = number_of(value), number_of(_text(pattern))
        return left is not None and right is not None and compare(left, right)

    return test


def _date(compare: Callable[[datetime, datetime], bool]) -> _Test:
    def test(pattern: Pattern, value: str) -> bool:
        left, right = time_of(value), time_of(_text(pattern))
        return left is not None and right is not None and compare(left, right)

    return test


def _address(pattern: Pattern, value: str) -> bool:
    network = network_of(_text(pattern))
    try:
        return network is not None and ipaddress.ip_address(value) in network
    except ValueError:
        return False


@functools.lru_cache(maxsize=1024)
def number_of(text: str) -> Decimal | None:
    try:
        found = Decimal(text.strip())
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


_DATE = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?)?)?"
)


def is_date(text: str) -> bool:
    """Return whether a text is a time of the W3C's profile, which has dates without times too."""
    return _DATE.fullmatch(text) is not None and time_of(text) is not None


@functools.lru_cache(maxsize=1024)
def time_of(text: str) -> datetime | None:
    """A time of the W3C's ISO 8601 profile, or seconds since 1970."""
    try:
        match = _DATE.fullmatch(text)
        if match:
            year, month, day, hour, minute, second, _, zone = match.groups()
            return datetime.fromisoformat(
                f"{year}-{month or '01'}-{day or '01'}T{hour or '00'}:{minute or '00'}:"
                f"{second or '00'}{(zone or 'Z').replace('Z', '+00:00')}"
            )
        return datetime.fromtimestamp(float(text), UTC)
    except (ValueError, OverflowError, OSError):
        return None


@functools.lru_cache(maxsize=1024)
def network_of(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None


# Name -> whether it is positive, and its test. The negated ones test what they negate.
_OPERATORS: dict[str, tuple[bool, _Test]] = {
    "StringEquals": (True, _equals),
    "StringNotEquals": (False, _equals),
    "StringEqualsIgnoreCase": (True, _equals_ignoring_case),
    "StringNotEqualsIgnoreCase": (False, _equals_ignoring_case),
    "StringLike": (True, matches),
    "StringNotLike": (False, matches),
    "NumericEquals": (True, _numeric(operator.eq)),
    "NumericNotEquals": (False, _numeric(operator.eq)),
    "NumericLessThan": (True, _numeric(operator.lt)),
    "NumericLessThanEquals": (True, _numeric(operator.le)),
    "NumericGreaterThan": (True, _numeric(operator.gt)),
    "NumericGreaterThanEquals": (True, _numeric(operator.ge)),
    "DateEquals": (True, _date(operator.eq)),
    "DateNotEquals": (False, _date(operator.eq)),
    "DateLessThan": (True, _date(operator.lt)),
    "DateLessThanEquals": (True, _date(operator.le)),
    "DateGreaterThan": (True, _date(operator.gt)),
    "DateGreaterThanEquals": (True, _date(operator.ge)),
    "Bool": (True, _bool),
    "BinaryEquals": (True, _binary),
    "IpAddress": (True, _address),
    "NotIpAddress": (False, _address),
    # AWS compares both with wildcards, part by part.
    "ArnEquals": (True, matches_arn),
    "ArnLike": (True, matches_arn),
    "ArnNotEquals": (False, matches_arn),
    "ArnNotLike": (False, matches_arn),
}
_BY_NAME = {name.lower(): name for name in (*_OPERATORS, "Null")}

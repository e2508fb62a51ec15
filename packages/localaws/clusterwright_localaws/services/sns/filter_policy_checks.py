"""Filter policies of subscriptions that SNS refuses.

https://docs.aws.amazon.com/sns/latest/dg/subscription-filter-policy-constraints.html. Messages,
and the column that they name, as recorded on AWS: docs/reference/probes.md, source `localstack`.
The column counts in the policy without spaces, where AWS's parser stands when it refuses.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clusterwright_localaws.services.sns.filter_policies import (
    IN_ATTRIBUTES,
    has_alternatives,
    is_number,
)

_MOST_KEYS: Final = 5
_MOST_COMBINATIONS: Final = 150
_LARGEST_NUMBER: Final = 10**9
_VALUE: Final = "Match value must be String, number, true, false, or null"
_TEXTS: Final = {
    "cidr": "prefix",
    "equals-ignore-case": "equals-ignore-case",
    "prefix": "prefix",
    "suffix": "suffix",
}


class FilterPolicyError(Exception):
    """A filter policy is refused; the text is what SNS's message says of it."""


def check_filter_policy(policy: Mapping[str, Any], scope: str) -> None:
    """Refuse a filter policy that SNS refuses.

    Raises
    ------
    FilterPolicyError
    """
    if len(policy) > _MOST_KEYS:
        raise FilterPolicyError("FilterPolicy: Filter policy can not have more than 5 keys")
    _Reader(policy).read()
    if scope == IN_ATTRIBUTES and _is_nested(policy):
        raise FilterPolicyError(
            "Filter policy scope MessageAttributes does not support nested filter policy"
        )
    if _combinations(policy, 1) > _MOST_COMBINATIONS:
        raise FilterPolicyError("FilterPolicy: Filter policy is too complex")


def _is_nested(policy: Mapping[str, Any]) -> bool:
    return any(
        any(map(_is_nested, value)) if has_alternatives(name, value) else isinstance(value, dict)
        for name, value in policy.items()
    )


def _combinations(policy: Mapping[str, Any], depth: int) -> int:
    """Return the product of the numbers of values, each times its depth; `$or` adds."""
    product = 1
    for name, value in policy.items():
        if has_alternatives(name, value):
            product *= sum(_combinations(one, depth) for one in value)
        elif isinstance(value, dict):
            product *= _combinations(value, depth + 1)
        else:
            product *= len(value) * depth
    return product


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class _Reader:
    """Reads a policy as AWS's parser does, which knows where in its text it stands."""

    def __init__(self, policy: Mapping[str, Any]) -> None:
        self.policy = policy
        self.position = 0

    def read(self) -> None:
        """Read the policy.

        Raises
        ------
        FilterPolicyError
        """
        self._fields(self.policy)

    def _take(self, text: str) -> None:
        self.position += len(text)

    def _begin(self, value: Any) -> None:
        """Read the first token of a value: the quote of a text, the bracket of a list."""
        self._take(_text(value) if isinstance(value, bool | int | float | None) else '"')

    def _refusal(self, problem: str) -> FilterPolicyError:
        return FilterPolicyError(
            f'FilterPolicy: {problem}\n at [Source: (String)"{_text(self.policy)}"; line: 1, '
            f"column: {self.position + 1}]"
        )

    def _name(self, number: int, name: str) -> None:
        self._take(f"{',' if number else ''}{_text(name)}:")

    def _fields(self, fields: Mapping[str, Any]) -> None:
        self._take("{")
        for number, (name, value) in enumerate(fields.items()):
            self._name(number, name)
            if has_alternatives(name, value):
                for one in value:
                    self._take("[")  # or the comma
                    self._fields(one)
                self._take("]")
            elif isinstance(value, dict):
                self._fields(value)
            elif isinstance(value, list):
                self._conditions(value)
            else:
                self._begin(value)
                raise self._refusal(f'"{name}" must be an object or an array')
        self._take("}")

    def _conditions(self, values: Sequence[Any]) -> None:
        self._take("[")
        if not values:
            self._take("]")
            raise self._refusal("Empty arrays are not allowed")
        for number, value in enumerate(values):
            self._take("," if number else "")
            if isinstance(value, dict) and value:
                self._operator(value)
            elif isinstance(value, list | dict):
                self._begin(value)
                raise self._refusal(_VALUE)
            else:
                self._take(_text(value))
                self._check_size(value)
        self._take("]")

    def _operator(self, condition: Mapping[str, Any]) -> None:
        (name, value), *others = condition.items()
        self._take("{")
        self._name(0, name)
        if name in _TEXTS:
            self._string(_TEXTS[name], value)
            if name == "cidr":
                _check_range_of_addresses(value)
        elif name == "anything-but":
            self._anything_but(value)
        elif name == "exists":
            self._begin(value)
            if not isinstance(value, bool):
                raise self._refusal("exists match pattern must be either true or false.")
        elif name == "numeric":
            self._numeric(value)
        else:
            self._begin(value)
            raise self._refusal(f"Unrecognized match type {name}")
        if others:
            self._name(1, others[0][0])
            self._begin(others[0][1])
            raise self._refusal("Only one key allowed in match expression")
        self._take("}")

    def _string(self, name: str, value: Any) -> None:
        if not isinstance(value, str):
            self._begin(value)
            raise self._refusal(f"{name} match pattern must be a string")
        self._take(_text(value))

    def _anything_but(self, value: Any) -> None:
        if isinstance(value, list):
            self._conditions([one if not isinstance(one, dict) else [] for one in value])
            return
        if not isinstance(value, dict) or not value:
            self._take(_text(value))
            self._check_size(value)
            return
        (name, pattern), *others = value.items()
        self._take("{")
        self._name(0, name)
        if name != "prefix":
            self._begin(pattern)
            raise self._refusal(f"Unsupported anything-but pattern: {name}")
        self._string(name, pattern)
        if others:
            self._name(1, others[0][0])
            self._begin(others[0][1])
            raise self._refusal("Only one key allowed in match expression")
        self._take("}")

    def _numeric(self, terms: Any) -> None:
        self._begin(terms)
        if not isinstance(terms, list):
            # The text is ours.
            raise self._refusal("Value of numeric must be an array")
        operator = self._first_operator(terms)
        bottom = self._limit(operator, terms, 1)
        if len(terms) == 2:
            self._take("]")
            return
        if operator not in (">", ">="):
            self._next(terms, 2)
            raise self._refusal("Too many elements in numeric expression")
        second = terms[2]
        self._take(f",{_text(second)}")
        if not isinstance(second, str):
            raise self._refusal(f"Bad value in numeric range: {_text(second)}")
        if second not in ("<", "<="):
            raise self._refusal(f"Bad numeric range operator: {second}")
        top = self._limit(second, terms, 3)
        self._next(terms, 4)
        if len(terms) > 4:
            raise self._refusal("Too many terms in numeric range expression")
        if top <= bottom:
            raise self._refusal("Bottom must be less than top")

    def _first_operator(self, terms: Sequence[Any]) -> str:
        if not terms:
            self._take("]")
            raise self._refusal("Invalid member in numeric match: ]")
        operator = terms[0]
        self._take(_text(operator))
        if not isinstance(operator, str):
            raise self._refusal(f"Invalid member in numeric match: {_text(operator)}")
        if operator not in ("<", "<=", "=", ">", ">="):
            self._next(terms, 1)
            raise self._refusal(f"Unrecognized numeric range operator: {operator}")
        return operator

    def _limit(self, operator: str, terms: Sequence[Any], index: int) -> float:
        self._next(terms, index)
        if index >= len(terms) or not is_number(terms[index]):
            name = "equals" if operator == "=" else operator
            raise self._refusal(f"Value of {name} must be numeric")
        self._check_size(terms[index])
        return float(terms[index])

    def _check_size(self, value: Any) -> None:
        if is_number(value) and not -_LARGEST_NUMBER <= value <= _LARGEST_NUMBER:
            # The range is documented, and the text is ours.
            raise self._refusal(f"Value must be between {-_LARGEST_NUMBER} and {_LARGEST_NUMBER}")

    def _next(self, terms: Sequence[Any], index: int) -> None:
        """Read the first token of a term, or the end of the list."""
        if index < len(terms):
            self._take(",")
            self._begin(terms[index])
        else:
            self._take("]")


def _check_range_of_addresses(text: str) -> None:
    address, *bits = text.split("/")
    if len(bits) != 1:
        raise FilterPolicyError("FilterPolicy: Malformed CIDR, one '/' required")
    if not (bits[0].isascii() and bits[0].isdigit()):
        raise FilterPolicyError("FilterPolicy: Malformed CIDR, mask bits must be an integer")
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise FilterPolicyError(f"FilterPolicy: Nonstandard IP address: {address}") from None

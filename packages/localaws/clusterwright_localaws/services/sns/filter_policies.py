"""Which messages the filter policy of a subscription accepts.

https://docs.aws.amazon.com/sns/latest/dg/sns-subscription-filter-policies.html. Names with dots,
and arrays of objects, are matched as recorded on AWS: docs/reference/probes.md, source
`localstack`.
"""

from __future__ import annotations

import ipaddress
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from clusterwright_localaws.services.sns.message_bodies import Conditions, satisfies

OPERATORS: Final = (
    "anything-but",
    "cidr",
    "equals-ignore-case",
    "exists",
    "numeric",
    "prefix",
    "suffix",
)
"""The operators of a condition; a list `$or` of objects without them is alternatives."""
IN_BODY: Final = "MessageBody"
IN_ATTRIBUTES: Final = "MessageAttributes"

_COMPARISONS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "<": lambda value, limit: value < limit,
    "<=": lambda value, limit: value <= limit,
    "=": lambda value, limit: _equal(value, limit),
    ">": lambda value, limit: value > limit,
    ">=": lambda value, limit: value >= limit,
}
# AWS documents five digits after the decimal point; six were recorded, as in moto.
_PER_UNIT: Final = 1_000_000


def is_number(value: Any) -> bool:
    """Return whether a value of JSON is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def has_alternatives(name: str, value: Any) -> bool:
    """Return whether a member of a policy is the operator `$or`, and no property of that name."""
    return (
        name == "$or"
        and isinstance(value, list)
        and len(value) > 1
        and all(isinstance(one, dict) and not one.keys() & set(OPERATORS) for one in value)
    )


def accepts(
    policy: Mapping[str, Any], scope: str, message: str, attributes: Mapping[str, Any] | None
) -> bool:
    """Return whether a message is delivered.

    Parameters
    ----------
    policy
        A valid filter policy.
    scope
        `IN_BODY` or `IN_ATTRIBUTES`.
    message
        The text of the message; with `IN_BODY` it must be a JSON object.
    attributes
        `{"Type": ..., "Value": ...}` by name.

    Raises
    ------
    TooManyStepsError
    """
    if not policy:
        return True
    if scope == IN_ATTRIBUTES:
        return _accepts_attributes(policy, attributes or {})
    try:
        body = json.loads(message)
        return isinstance(body, dict) and satisfies(body, _alternatives(policy), _holds_in_body)
    except (ValueError, RecursionError):
        return False


def _holds_in_body(values: Sequence[Any] | None, wanted: Sequence[Any]) -> bool:
    return _accepted(values, wanted, every=False)


def _alternatives(policy: Mapping[str, Any]) -> Iterator[Conditions]:
    """Yield each set of conditions that is sufficient, from those of nested objects and `$or`."""
    members: list[list[Conditions]] = []
    for name, value in policy.items():
        if has_alternatives(name, value):
            members.append([found for one in value for found in _alternatives(one)])
        elif isinstance(value, Mapping):
            members.append(
                [
                    {f"{name}.{path}": conditions for path, conditions in found.items()}
                    for found in _alternatives(value)
                ]
            )
        else:
            members.append([{name: value}])
    for chosen in itertools.product(*members):
        yield {path: conditions for one in chosen for path, conditions in one.items()}


def _accepts_attributes(policy: Mapping[str, Any], attributes: Mapping[str, Any]) -> bool:
    values = {
        name: found
        for name, attribute in attributes.items()
        if (found := _values_of(attribute)) is not None
    }
    return any(
        all(_accepted(values.get(name), wanted, every=True) for name, wanted in conditions.items())
        for conditions in _alternatives(policy)
    )


def _values_of(attribute: Mapping[str, Any]) -> list[Any] | None:
    """Return the values of an attribute of a message; None if nothing is compared with it."""
    kind, value = str(attribute["Type"]), attribute["Value"]
    if kind.startswith("Binary"):
        return None
    if kind.startswith("Number"):
        try:
            return [float(value)]
        except ValueError:
            return None
    if kind != "String.Array":
        return [str(value)]
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return [str(value)]
    return found if isinstance(found, list) else [found]


def _accepted(values: Sequence[Any] | None, wanted: Sequence[Any], *, every: bool) -> bool:
    """Return whether one of the conditions holds for a property; None if it does not exist.

    `every` says whether `anything-but` refuses a list with one of its values, as documented for
    attributes, or only a list that has no other value, as documented for bodies.
    """
    for condition in wanted:
        if isinstance(condition, Mapping) and "exists" in condition:
            if condition["exists"] is (values is not None):
                return True
        elif values:
            refuses = isinstance(condition, Mapping) and "anything-but" in condition
            quantifier = all if refuses and every else any
            if quantifier(_matches(value, condition) for value in values):
                return True
    return False


def _matches(value: Any, condition: Any) -> bool:
    if not isinstance(condition, Mapping):
        return _same(value, condition)
    ((operator, wanted),) = condition.items()
    if operator == "anything-but":
        return not _is_any_of(value, wanted)
    if operator == "numeric":
        return is_number(value) and all(
            _COMPARISONS[comparison](value, limit)
            for comparison, limit in zip(wanted[::2], wanted[1::2], strict=True)
        )
    return isinstance(value, str) and _text_matches(value, operator, wanted)


def _text_matches(value: str, operator: str, wanted: str) -> bool:
    if operator == "prefix":
        return value.startswith(wanted)
    if operator == "suffix":
        return value.endswith(wanted)
    if operator == "equals-ignore-case":
        return value.casefold() == wanted.casefold()
    try:
        return ipaddress.ip_address(value) in ipaddress.ip_network(wanted, strict=False)
    except ValueError:
        return False


def _is_any_of(value: Any, unwanted: Any) -> bool:
    if isinstance(unwanted, Mapping):
        return isinstance(value, str) and value.startswith(unwanted["prefix"])
    values = unwanted if isinstance(unwanted, list) else [unwanted]
    return any(_same(value, one) for one in values)


def _same(value: Any, wanted: Any) -> bool:
    if is_number(value) and is_number(wanted):
        return _equal(value, wanted)
    return type(value) is type(wanted) and bool(value == wanted)


def _equal(value: float, wanted: float) -> bool:
    try:
        return int(value * _PER_UNIT) == int(wanted * _PER_UNIT)
    except (OverflowError, ValueError):  # infinite, or no number
        return value == wanted

"""Which messages the filter policy of a subscription accepts.

https://docs.aws.amazon.com/sns/latest/dg/sns-subscription-filter-policies.html. Names with dots,
and arrays of objects, are matched as recorded on AWS: docs/reference/probes.md, source
`localstack`.
"""

from __future__ import annotations

import ipaddress
import itertools
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

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

Conditions = Mapping[str, Sequence[Any]]
"""The conditions by the path of what they are about, its parts joined with dots."""


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
    """
    if not policy:
        return True
    if scope == IN_ATTRIBUTES:
        return _accepts_attributes(policy, attributes or {})
    try:
        body = json.loads(message)
    except (ValueError, RecursionError):
        return False
    return isinstance(body, dict) and any(
        _found(body, conditions) for conditions in _alternatives(policy)
    )


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
    """Return the values of an attribute of a message; those of binary ones are not compared."""
    kind, value = str(attribute["Type"]), attribute["Value"]
    if kind.startswith("Binary"):
        return None
    if kind.startswith("Number"):
        return [float(value)]
    if kind != "String.Array":
        return [str(value)]
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return [str(value)]
    return found if isinstance(found, list) else [found]


def _found(node: Any, conditions: Conditions) -> bool:
    """Return whether all conditions hold in an object, or in one element of an array."""
    if isinstance(node, list):
        return any(_found(one, conditions) for one in node or [{}])
    if not isinstance(node, Mapping):
        node = {}
    choices = []
    for path in conditions:
        parts = path.split(".")
        heads = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
        # A property that is missing is asked for by its whole path.
        choices.append([head for head in heads if head in node] or [path])
    return any(_holds(node, conditions, chosen) for chosen in itertools.product(*choices))


def _holds(node: Mapping[str, Any], conditions: Conditions, chosen: Sequence[str]) -> bool:
    """Return whether conditions hold if each is about the property of `node` chosen for it."""
    below: dict[str, dict[str, Sequence[Any]]] = {}
    for (path, wanted), head in zip(conditions.items(), chosen, strict=True):
        if head == path:
            values = list(_leaves(node[head])) if head in node else None
            if not _accepted(values or None, wanted, every=False):
                return False
        else:
            below.setdefault(head, {})[path[len(head) + 1 :]] = wanted
    return all(_found(node[head], found) for head, found in below.items())


def _leaves(value: Any) -> Iterator[Any]:
    """Yield the values of a property: those of an array one by one, and none of an object."""
    if isinstance(value, list):
        for one in value:
            yield from _leaves(one)
    elif not isinstance(value, Mapping):
        yield value


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
    if not (math.isfinite(value) and math.isfinite(wanted)):
        return value == wanted
    return int(value * _PER_UNIT) == int(wanted * _PER_UNIT)

"""Policy documents that mean the same: those of deployed templates against those that AWS returns.

A single element may stand for a list of one, lists have no order, names of actions have no case,
and IAM returns an account's number as the ARN of its root user.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from clusterwright.review.expressions import scalar
from clusterwright.review.physical_values import UNRESOLVED

_ROOT: Final = re.compile(r"arn:[\w-]+:iam::(\d{12}):root")
_ACTIONS: Final = ("Action", "NotAction")
_UNKNOWN: Final = "(a value that only CloudFormation knows)"


def differing_statements(declared: Any, found: Any) -> tuple[list[str], list[str]]:
    """The declared statements that were not found, and the found ones that are not declared.

    Statements are JSON. A value of the declared document that is not known equals any value.
    """
    wanted, there = _statements(declared), _statements(found)
    # One with a value that is not known may equal any of several: the others come first.
    wanted.sort(key=lambda each: has_unresolved(each[0]))
    missing = []
    for original, statement in wanted:
        match = next((each for each in there if _equal(statement, each[1])), None)
        if match is None:
            missing.append(_json(original))
        else:
            there.remove(match)
    return missing, [_json(original) for original, _ in there]


def has_unresolved(value: Any) -> bool:
    """Whether a part of a value is `UNRESOLVED`."""
    if isinstance(value, Mapping):
        return any(map(has_unresolved, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(has_unresolved, value))
    return value is UNRESOLVED


def _statements(document: Any) -> list[tuple[Any, Any]]:
    """Each statement as it is, and in the form that is compared."""
    found = document.get("Statement") if isinstance(document, Mapping) else document
    return [(each, _statement(each)) for each in as_list(found)]


def _statement(statement: Any) -> Any:
    """The elements as lists, those of conditions and principals by key."""
    if not isinstance(statement, Mapping):
        return statement
    made: dict[str, Any] = {}
    for name, value in statement.items():
        if name in ("Effect", "Sid"):
            made[name] = value
        elif isinstance(value, Mapping):
            made[name] = {
                key: {inner: _values(item) for inner, item in part.items()}
                if isinstance(part, Mapping)
                else _values(part)
                for key, part in value.items()
            }
        elif name in _ACTIONS:
            made[name] = [
                each.lower() if isinstance(each, str) else each for each in _values(value)
            ]
        elif name in ("Principal", "NotPrincipal"):
            made[name] = {"AWS": _values(value)}  # only `*`, which means the same
        else:
            made[name] = _values(value)
    return made


def _values(value: Any) -> list[Any]:
    return [
        each if each is UNRESOLVED else _ROOT.sub(r"\1", _text(each)) for each in as_list(value)
    ]


def _text(value: Any) -> str:
    return _json(value) if isinstance(value, (Mapping, list)) else str(scalar(value))


def as_list(value: Any) -> list[Any]:
    """A list for a single element; an empty one for None."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _equal(declared: Any, found: Any) -> bool:
    if declared is UNRESOLVED:
        return True
    if isinstance(declared, Mapping) and isinstance(found, Mapping):
        return declared.keys() == found.keys() and all(
            _equal(item, found[name]) for name, item in declared.items()
        )
    if isinstance(declared, list) and isinstance(found, list):
        return _equal_lists(declared, found)
    return bool(declared == found)


def _equal_lists(declared: Iterable[Any], found: Iterable[Any]) -> bool:
    """As sets: a value that is not known stands for one that is not declared otherwise."""
    wanted = {each for each in declared if each is not UNRESOLVED}
    unknown = sum(each is UNRESOLVED for each in declared)
    there = set(found)
    return wanted <= there and len(there - wanted) <= unknown


def _json(statement: Any) -> str:
    return json.dumps(statement, sort_keys=True, default=lambda _: _UNKNOWN)

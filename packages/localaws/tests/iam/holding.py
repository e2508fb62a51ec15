"""Conditions evaluated by themselves."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.iam.conditions import Condition, met, read_operator
from clusterwright_localaws.iam.context import RequestContext


def holds(operator: str, wanted: Any, context: dict[str, Any], key: str = "aws:k") -> bool:
    read = read_operator(operator)
    assert read is not None, operator
    quantifier, name, if_exists = read
    values = tuple(wanted) if isinstance(wanted, list) else (wanted,)
    return met(
        Condition(name, key, values, quantifier, if_exists),
        RequestContext(context),
        variables=True,
    )


def has(*values: str) -> dict[str, Any]:
    return {"aws:k": values}

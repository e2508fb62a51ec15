"""Expressions of GetMetricData: arithmetic of results and numbers, and nothing else.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html: the result
has the datapoints that all its operands have. Functions and SEARCH are refused; `metric_insights`
has SELECT.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError

Series = dict[datetime, float]
_OPERATORS: Final[Mapping[type[ast.operator], Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_LONGEST: Final = 2_048
"""Characters of an expression (API model, MetricExpression)."""


def evaluate(expression: str, series: Mapping[str, Series]) -> Series:
    """Return the result of an expression over the results of other queries.

    Raises
    ------
    AwsError
        ValidationError: the expression is none that is implemented here.
    """
    try:
        found = _value(_parsed(expression), series)
    except (ArithmeticError, RecursionError, SyntaxError, TypeError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise AwsError(
            "ValidationError",
            "The local AWS implements arithmetic of the results of other queries only, not the "
            f"expression '{expression[:200]}'.",
        )
    return found


def names(expression: str) -> set[str]:
    """Return the names in an expression; none in one that is not implemented here."""
    try:
        nodes = list(ast.walk(_parsed(expression)))
    except (RecursionError, SyntaxError, ValueError):
        return set()
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def _parsed(expression: str) -> ast.expr:
    return ast.parse(expression.strip()[:_LONGEST].replace("^", "**"), mode="eval").body


def _value(node: ast.expr, series: Mapping[str, Series]) -> Series | float:
    if isinstance(node, ast.Name) and node.id in series:
        return series[node.id]
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return float(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _both(operator.sub, 0.0, _value(node.operand, series))
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        compute = _OPERATORS[type(node.op)]
        return _both(compute, _value(node.left, series), _value(node.right, series))
    raise ValueError("not implemented")


def _both(compute: Any, left: Series | float, right: Series | float) -> Series | float:
    if isinstance(left, float) and isinstance(right, float):
        return float(compute(left, right))
    moments = [set(each) for each in (left, right) if isinstance(each, dict)]
    found: Series = {}
    for moment in set.intersection(*moments):
        operands = [each[moment] if isinstance(each, dict) else each for each in (left, right)]
        try:
            value = compute(*operands)
        except ZeroDivisionError:
            continue
        if isinstance(value, float):
            found[moment] = value
    return found

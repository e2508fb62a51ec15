"""Whether PromQL expressions return data on given series, judged by promtool.

Source: Prometheus, "Unit testing for rules" (promql_expr_test; read 2026-11-23).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from clusterwright.monitoring.grafana import VARIABLES

_AT: Final = "90m"
_GLOBAL: Final = {
    "$__rate_interval": "4m",
    "$__range_s": "3600",
    "$__range": "1h",
}
"""Variables that Grafana itself sets, for a period of an hour."""


def without_variables(expression: str, cluster: str) -> str:
    """The expression as Grafana sends it with All chosen."""
    for name, text in _GLOBAL.items():
        expression = expression.replace(name, text)
    expression = expression.replace('"$cluster"', f'"{cluster}"')
    for variable, (_, _, every) in VARIABLES.items():
        expression = expression.replace(f'"${variable}"', f'"{every}"')
    return expression


def write(path: Path, series: Mapping[str, str], expected: Iterable[tuple[str, bool]]) -> None:
    """A file for `promtool test rules`: whether each expression returns a value.

    NaN, which Grafana does not draw, is none.
    """
    tests: list[dict[str, Any]] = [
        {
            "expr": f"(count(({expression}) >= -Inf) > bool 0) or vector(0)",
            "eval_time": _AT,
            "exp_samples": [{"labels": "{}", "value": int(has_data)}],
        }
        for expression, has_data in expected
    ]
    content = {
        "evaluation_interval": "1m",
        "tests": [
            {
                "interval": "1m",
                "input_series": [
                    {"series": name, "values": values} for name, values in series.items()
                ],
                "promql_expr_test": tests,
            }
        ],
    }
    path.write_text(json.dumps(content), encoding="utf-8")


def without_default(expression: str) -> str:
    """The expression without the zero that stands for no series."""
    return expression.replace(" or vector(0)", "")

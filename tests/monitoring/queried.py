"""Whether PromQL expressions return data on given series, judged by promtool.

Source: Prometheus, "Unit testing for rules" (promql_expr_test; read 2026-11-23).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

_AT: Final = "90m"


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

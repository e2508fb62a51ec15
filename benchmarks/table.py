"""The results as a table and as JSON."""

from __future__ import annotations

import os
import platform
from typing import Any

from benchmarks.compare import Result

_COLUMNS = ("what", "median", "beside", "median", "ratio", "target", "runs")


def as_text(results: list[Result], where: str) -> str:
    """A table with one line per comparison; targets are shown but not enforced."""
    rows = [_COLUMNS, *(_row(result) for result in results)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    lines = [
        "  ".join(
            # Text is aligned left, numbers right.
            cell.ljust(width) if column in (0, 2) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "-" * max(len(line) for line in lines))
    return "\n".join([where, "", *lines])


def as_line(result: Result) -> str:
    """One result as a sentence, printed as soon as it is measured."""
    name, ours, beside, other, ratio, *_ = _row(result)
    return f"{name}: {ours}, {beside} {other}, ratio {ratio}"


def as_json(results: list[Result], where: str) -> dict[str, Any]:
    """The results with the seconds of every run."""
    return {
        "schema_version": 1,
        "machine": where,
        "comparisons": [
            {
                "name": result.comparison.name,
                "unit": result.comparison.unit,
                "seconds": [round(seconds, 4) for seconds in result.ours],
                "median_seconds": round(result.ours_seconds, 4),
                "beside": result.comparison.beside_name,
                "beside_seconds": [round(seconds, 4) for seconds in result.beside],
                "beside_median_seconds": round(result.beside_seconds, 4),
                "ratio": round(result.ratio, 3),
                "target_ratio": result.comparison.target_ratio,
                "target_seconds": result.comparison.target_seconds,
            }
            for result in results
        ],
    }


def machine() -> str:
    """The machine of the measurements, without its name or address."""
    return (
        f"{os.cpu_count()} processors, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}"
    )


def _figure(value: float, unit: str) -> str:
    if unit != "s":
        return f"{value:.0f} {unit}"
    return f"{value:.3f} s" if value >= 0.1 else f"{value * 1000:.2f} ms"


def _row(result: Result) -> tuple[str, ...]:
    comparison = result.comparison
    targets = []
    if comparison.target_ratio is not None:
        targets.append(f"{comparison.target_ratio:g} x")
    if comparison.target_seconds is not None:
        targets.append(f"{comparison.target_seconds:g} {comparison.unit}")
    return (
        comparison.name,
        _figure(result.ours_seconds, comparison.unit),
        comparison.beside_name,
        _figure(result.beside_seconds, comparison.unit),
        f"{result.ratio:.2f} x",
        ", ".join(targets) or "-",
        str(len(result.ours)),
    )

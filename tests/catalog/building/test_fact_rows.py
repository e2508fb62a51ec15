"""Rows of the CSV files as cells."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.catalog.building import fact_rows
from clusterwright.catalog.building.fact_rows import fact
from clusterwright.catalog.cells import cell, unknown


@pytest.mark.parametrize(("text", "value"), [("8", 8), ("8.0", 8), ("0.5", 0.5), ("-1", -1)])
def test_numbers(text: str, value: float) -> None:
    found = fact_rows.number(text)
    assert found == value
    assert type(found) is type(value)


def test_lists_and_disks() -> None:
    assert fact_rows.words("a;b;c") == ["a", "b", "c"]
    assert fact_rows.words("none") == []
    assert fact_rows.disks("3x7500") == [3, 7500]
    assert fact_rows.boolean("yes") is True
    with pytest.raises(KeyError):
        fact_rows.boolean("maybe")


def row(field: str, value: str, note: str = "") -> dict[str, str]:
    return {"field": field, "value": value, "source": "ec2", "note": note}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (row("vcpus", "192"), cell(192, "ec2", "")),
        (row("local_nvme", "8x3800"), cell([8, 3800], "ec2", "")),
        (row("name", "H100"), cell("H100", "ec2", "")),
        (row("precision:fp8", "no", "by table"), cell(False, "ec2", "by table")),
        (
            row("memory_gib", "80", "derived: 640 / 8"),
            cell(80, "ec2", "640 / 8", derived=True),
        ),
        (row("vcpus", "unknown", "not listed"), unknown("not listed")),
        (row("vcpus", "unknown"), unknown("not found")),
    ],
)
def test_a_cell_of_a_row(given: dict[str, str], expected: Any) -> None:
    assert fact(given) == expected


def test_a_value_that_is_not_of_the_field_stops_the_generator() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        fact(row("vcpus", "many"))

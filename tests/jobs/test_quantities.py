"""Quantities of Kubernetes."""

from __future__ import annotations

from decimal import Decimal

import pytest

from clusterwright.jobs.quantities import parse_quantity


@pytest.mark.parametrize(
    ("one", "same"),
    [
        ("5120Mi", "5Gi"),
        ("512Mi", "536870912"),
        ("1.5Gi", "1536Mi"),
        ("1e3", "1k"),
        ("1E3", "1000"),
        ("0.5", "500m"),
        ("+8", "8."),
        ("1E", "1000P"),
        (".5G", "500M"),
        ("2u", "2000n"),
    ],
)
def test_equal_amounts(one: str, same: str) -> None:
    assert parse_quantity(one) is not None
    assert parse_quantity(one) == parse_quantity(same)


def test_amounts() -> None:
    assert parse_quantity("64Ki") == 65_536
    assert parse_quantity("-1m") == Decimal("-0.001")
    assert parse_quantity("5G") != parse_quantity("5Gi")


@pytest.mark.parametrize("text", ["", "Gi", "1 Gi", "1GiB", "1K", "1ki", "8GB", "1e", "0x8", "a8"])
def test_what_is_no_quantity(text: str) -> None:
    assert parse_quantity(text) is None

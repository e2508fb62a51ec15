"""CIDR ranges of a spec, and free ranges for hints."""

from __future__ import annotations

import datetime as dt
from ipaddress import IPv4Network
from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.preflight.context import Context
from clusterwright.preflight.rules.network.ip_ranges import free_range, own_ranges, peered_ranges
from tests.support import specs


def test_ranges_and_their_paths(tmp_path: Path) -> None:
    changes = {"network.secondary_cidrs": ["10.1.0.0/24"], "network.peered_cidrs": ["10.9.0.0/16"]}
    context = Context(specs.load(tmp_path, changes), load_catalog(), dt.date(2026, 11, 20))
    assert own_ranges(context) == [
        (("network", "cidr"), IPv4Network("10.0.0.0/16")),
        (("network", "secondary_cidrs", 0), IPv4Network("10.1.0.0/24")),
    ]
    assert peered_ranges(context) == [(("network", "peered_cidrs", 0), IPv4Network("10.9.0.0/16"))]


@pytest.mark.parametrize(
    ("size", "used", "expected"),
    [
        (16, [], "10.0.0.0/16"),
        (16, ["10.0.0.0/15"], "10.2.0.0/16"),
        (20, ["10.0.0.0/16"], "10.1.0.0/20"),
        (24, ["10.0.255.0/24"], "10.0.0.0/24"),
        (16, ["10.0.0.0/8"], None),
    ],
)
def test_a_free_range(size: int, used: list[str], expected: str | None) -> None:
    found = free_range(size, [IPv4Network(text) for text in used])
    assert found == (expected and IPv4Network(expected))

"""Known and unknown values."""

from __future__ import annotations

from clusterwright.catalog import Known, Unknown


def test_an_unknown_value_is_never_derived() -> None:
    assert Known(32, "AWS", "2026-11-20", derived=True).derived
    assert not Unknown("no source").derived

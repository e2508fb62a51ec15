"""Order of test files among workers: waiting and computing files alternate, long ones first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from tests.support.file_order import in_file_order


@dataclass(frozen=True)
class _Item:
    nodeid: str
    markers: frozenset[str] = field(default_factory=frozenset)

    def get_closest_marker(self, name: str) -> object | None:
        return name if name in self.markers else None


def _order(*items: tuple[str, str]) -> list[str]:
    found = [_Item(name, frozenset(markers.split())) for name, markers in items]
    return [item.nodeid for item in in_file_order(cast(list[pytest.Item], cast(Any, found)))]


def test_waiting_files_alternate_with_computing_ones() -> None:
    assert _order(
        ("a.py::1", ""),
        ("b.py::1", "slow"),
        ("c.py::1", "slow slurm"),
        ("d.py::1", "slow slurm"),
        ("d.py::2", "slow slurm"),
        ("e.py::1", ""),
        ("e.py::2", ""),
    ) == ["d.py::1", "d.py::2", "b.py::1", "c.py::1", "e.py::1", "e.py::2", "a.py::1"]


def test_tests_of_a_file_stay_together_in_their_order() -> None:
    assert _order(("a.py::z", ""), ("b.py::1", ""), ("a.py::a", "")) == [
        "a.py::z",
        "a.py::a",
        "b.py::1",
    ]

"""Paths are compared by their parts."""

from __future__ import annotations

from clusterwright_node.paths import is_under


def test_path_components_are_compared() -> None:
    assert is_under("/fsx/a", "/fsx")
    assert is_under("/fsx", "/fsx")
    assert not is_under("/fsx2", "/fsx")

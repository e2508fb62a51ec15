"""Node counts of tests, and jobs with one process."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from clusterwright.job_templates.node_counts import node_counts, one_node
from clusterwright.job_templates.settings import SettingError


def context(nodes: int, only: int | None = None) -> Any:
    return SimpleNamespace(nodes=nodes, optional=lambda _name: only)


def test_powers_of_two_and_all() -> None:
    assert node_counts(context(1)) == [1]
    assert node_counts(context(7)) == [1, 2, 4, 7]
    assert node_counts(context(8)) == [1, 2, 4, 8]
    assert node_counts(context(7, only=3)) == [3]
    assert node_counts(context(2, only=9)) == [2]


def test_one_process_has_one_node() -> None:
    one_node(context(1))
    with pytest.raises(SettingError, match="2, and this job has one process") as error:
        one_node(context(2))
    assert error.value.hint == "nodes=1"

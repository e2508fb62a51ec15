"""Repositories: disjoint paths and prefixes."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import repositories
from tests.support.rich_specs import EXISTING
from tests.support.validation import found


def test_consistent_specs_pass() -> None:
    assert found(repositories.problems) == {}
    assert found(repositories.problems, base=EXISTING) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"storage.lustre.0.repositories.1.path": "/data/x"},
            "storage.lustre[0].repositories[1].path",
            "overlap: repositories cannot share files",
        ),
        (
            {"storage.lustre.0.repositories.1.path": "/"},
            "storage.lustre[0].repositories[1].path",
            "overlap: repositories cannot share files",
        ),
        (
            {"storage.lustre.0.repositories.1.s3": "s3://acme-corpus/tokens/x"},
            "storage.lustre[0].repositories[1].s3",
            "overlap in the bucket",
        ),
        (
            {"storage.lustre.0.repositories.0.import": ["NEW", "NEW"]},
            "storage.lustre[0].repositories[0].import[1]",
            "NEW is listed twice",
        ),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(repositories.problems, changes)
    assert list(problems) == [path]
    assert message in problems[path]


def test_adjacent_paths_do_not_overlap() -> None:
    changes = {
        "storage.lustre.0.repositories.1.path": "/data2",
        "storage.lustre.0.repositories.1.s3": "s3://acme-corpus/tokens2",
    }
    assert found(repositories.problems, changes) == {}

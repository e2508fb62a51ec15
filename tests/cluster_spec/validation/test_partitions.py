"""Partitions: each compute group is in exactly one."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import partitions
from tests.support.validation import ABSENT, found


def test_consistent_specs_pass() -> None:
    assert found(partitions.problems) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"slurm.partitions.1.name": "Training"},
            "slurm.partitions[1].name",
            "duplicate partition `Training`",
        ),
        (
            {"slurm.partitions.0.name": "DEFAULT"},
            "slurm.partitions[0].name",
            "the partition name `default` is reserved by Slurm",
        ),
        (
            {"slurm.partitions.0.groups": ["workers", "login"]},
            "slurm.partitions[0].groups[1]",
            "`login` is not a compute group",
        ),
        (
            {"slurm.partitions.1.groups": ["spot", "workers"]},
            "slurm.partitions[1].groups[1]",
            "in two partitions; a group can be in only one",
        ),
        (
            {"slurm.partitions.1.groups": ["spot", "spot"]},
            "slurm.partitions[1].groups[1]",
            "`spot` is listed twice",
        ),
        ({"slurm.partitions.1": ABSENT}, "compute[3].name", "`spot` is not in a partition"),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(partitions.problems, changes)
    assert list(problems) == [path]
    assert message in problems[path]


def test_misspelt_group_has_a_suggestion() -> None:
    from tests.support.validation import cluster

    problems = list(partitions.problems(cluster({"slurm.partitions.0.groups": ["wokers"]})))
    assert [p.hint for p in problems] == ["did you mean `workers`?", None]

"""What each program of an all-reduce over several nodes has to offer."""

from __future__ import annotations

import pytest
from clusterwright_acceptance import allreduce, benchmarks, cluster_run, registry
from clusterwright_acceptance.expected import Expected


@pytest.mark.parametrize("kind", cluster_run.PROGRAMS)
def test_a_program_has_a_command_line_and_sizes(kind: str) -> None:
    own: allreduce.Allreduce = cluster_run.PROGRAMS[kind]
    assert own.program in benchmarks.table()
    assert own.pair_mib == own.sweep_mib[-1]
    assert own.ranks(Expected("node", "of-no-catalogue", kind)) == 1
    for check in ("pairs", "cluster-allreduce"):
        assert own.program in registry.check(check).needs


def test_a_command_is_one_task_of_a_node_unless_said_otherwise() -> None:
    assert allreduce.Command("a", ["a"]) == allreduce.Command("a", ["a"], 1, {})
    assert allreduce.Figures({128: 1.0}).bad is None

"""Jobs that request more memory than their nodes have, with checkpoints in memory."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.platforms.kubernetes import node_memory
from tests.platforms.kubernetes.specs import EKS, HYPERPOD
from tests.support.validation import found

JOB = "kubernetes.workloads.jobs.0"
WHERE = "kubernetes.workloads.jobs[0]"


@pytest.mark.parametrize("base", [EKS, HYPERPOD], ids=["eks", "hyperpod-eks"])
def test_jobs_that_fit_pass(base: dict[str, Any]) -> None:
    assert found(node_memory.problems, base=base) == {}


@pytest.mark.parametrize(
    ("changes", "key", "message"),
    [
        # 2048 GiB, of which 5 are huge pages.
        ({f"{JOB}.shared_memory_gib": 2044}, "shared_memory_gib", "needs 2049 GiB"),
        (
            {f"{JOB}.shared_memory_gib": 1640, "hyperpod.tiered_storage": {"memory_percent": 20}},
            "shared_memory_gib",
            "has 1638.4 (20 % of 2048 are reserved for checkpoints)",
        ),
        (
            {f"{JOB}.hugepages_mib": 1_048_576, "hyperpod.tiered_storage": {"memory_percent": 60}},
            "hugepages_mib",
            "needs 1028 GiB",
        ),
    ],
)
def test_jobs_that_do_not_fit_are_refused(changes: dict[str, Any], key: str, message: str) -> None:
    problems = found(node_memory.problems, changes, base=HYPERPOD)
    assert list(problems) == [f"{WHERE}.{key}"]
    assert message in problems[f"{WHERE}.{key}"]


def test_job_with_all_memory_passes() -> None:
    changes = {f"{JOB}.shared_memory_gib": 2043}
    assert found(node_memory.problems, changes, base=HYPERPOD) == {}

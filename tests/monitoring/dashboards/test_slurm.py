"""The dashboard of Slurm's queues."""

from __future__ import annotations

from tests.support.monitored_clusters import GPUS, KUBERNETES, panels, rendered


def test_jobs_are_those_of_the_partition() -> None:
    [query] = panels("slurm", GPUS)["Jobs: Jobs that wait"].queries
    assert query.expression == (
        'sum(slurm_jobs{cluster="$cluster",partition=~"$partition",state="pending"})'
    )


def test_it_exists_only_with_slurm() -> None:
    assert rendered(GPUS)["slurm"].variables == ("partition",)
    assert "slurm" not in rendered(KUBERNETES)

"""Settings of Slurm: accounting, timeouts and lines of slurm.conf."""

from __future__ import annotations

from pathlib import Path

from clusterwright.platforms.parallelcluster import limits
from tests.platforms.parallelcluster.rendered import queue_of, rendered


def test_no_rendered_setting_is_on_the_deny_list(tmp_path: Path) -> None:
    """ParallelCluster reserves some lines of slurm.conf."""
    found = rendered(tmp_path, slurm={"accounting": {"kind": "rds"}, "accounts": [{"name": "a"}]})
    settings = found["Scheduling"]["SlurmSettings"]["CustomSlurmSettings"]
    names = {name.lower() for one in settings for name in one}
    assert all(len(one) == 1 for one in settings)
    assert not names & (limits.DENIED_SLURM_SETTINGS | limits.DENIED_WITH_DATABASE)
    queue = {name.lower() for name in queue_of(found)["CustomSlurmSettings"]}
    assert not queue & limits.DENIED_QUEUE_SETTINGS
    assert {"AccountingStorageEnforce": "associations,limits,qos"} in settings


def test_slurmctld_serves_its_metrics_if_the_spec_says_so(tmp_path: Path) -> None:
    setting = {"MetricsType": "metrics/openmetrics"}
    for asked in (False, True):
        found = rendered(tmp_path, observability={"metrics": {"slurm_openmetrics": asked}})
        settings = found["Scheduling"]["SlurmSettings"]["CustomSlurmSettings"]
        assert (setting in settings) == asked

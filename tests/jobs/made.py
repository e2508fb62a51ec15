"""Job files and clusters for the tests of rules on job files."""

from __future__ import annotations

import datetime as dt
import functools
import json
from pathlib import Path
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.jobs import engine
from clusterwright.jobs.job import Job
from clusterwright.jobs.job_file import read_job
from clusterwright.jobs.registry import all_rules
from clusterwright.platforms.loading import load_cluster_text
from clusterwright.preflight.results import CheckResult, Finding

NOW = dt.datetime(2026, 11, 23, 12, tzinfo=dt.UTC)

SPEC: dict[str, Any] = {
    "environment": "test",
    "account": "111122223333",
    "region": "us-east-1",
    "platform": "hyperpod-slurm",
    "network": {"availability_zone_id": "use1-az6", "egress": "nat"},
    "compute": [
        {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
        {
            "name": "hopper",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 8,
            "spare_count": 1,
            "scratch": {"mount_path": "/scratch"},
        },
        {"name": "trainium", "role": "compute", "instance_type": "trn1.32xlarge", "count": 4},
        {"name": "cpus", "role": "compute", "instance_type": "c5.4xlarge", "count": 4},
    ],
    "storage": {
        "lustre": [{"mount_path": "/fsx", "capacity_gib": 4800, "throughput_mbps_per_tib": 1000}],
        "home": {"kind": "openzfs", "capacity_gib": 512},
        "buckets": [{"name": "acme-results", "mount_path": "/results"}],
        "checkpoint_path": "/fsx/checkpoints",
    },
    "slurm": {
        "configuration": "scripted",
        "partitions": [
            {"name": "gpu", "groups": ["hopper"], "max_time_minutes": 10080},
            {"name": "trn", "groups": ["trainium"]},
            {"name": "cpu", "groups": ["cpus"]},
        ],
        "qos": [{"name": "urgent", "priority": 100, "max_time_minutes": 60}],
        "accounts": [{"name": "research"}],
        "containers": {"pyxis": True},
    },
}

HEAD = "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --exclusive\n"
"""Four whole nodes of the default partition."""


@functools.lru_cache(maxsize=20)
def _cluster(text: str) -> Any:
    return load_cluster_text(text, Path("test.yaml")).cluster


def loaded(spec: dict[str, Any]) -> Any:
    """The cluster of a spec."""
    return _cluster(json.dumps(spec))


def made_job(
    text: str, spec: dict[str, Any] | None = None, ends: dt.datetime | None = None
) -> Job:
    """A job file with its cluster."""
    cluster = loaded(SPEC if spec is None else spec)
    return Job(read_job(text, "job.sbatch"), cluster, load_catalog(), NOW, ends)


def check(
    text: str, spec: dict[str, Any] | None = None, ends: dt.datetime | None = None
) -> CheckResult:
    """The result of every rule on a job file."""
    result = engine.run(all_rules(), made_job(text, spec, ends))
    assert not result.crashed, result.crashed
    return result


def fails(
    rule: str, text: str, spec: dict[str, Any] | None = None, ends: dt.datetime | None = None
) -> Finding:
    """The first finding of a rule."""
    result = check(text, spec, ends)
    found = [finding for finding in result.findings if finding.rule == rule]
    assert found, f"{rule} finds nothing; found: {[f.message for f in result.findings]}"
    return found[0]


def passes(
    rule: str, text: str, spec: dict[str, Any] | None = None, ends: dt.datetime | None = None
) -> None:
    """Assert that a rule finds nothing, and was not skipped."""
    result = check(text, spec, ends)
    assert [f.message for f in result.findings if f.rule == rule] == []
    (status,) = [found.status for found in result.rules if found.rule == rule]
    assert status == "pass"

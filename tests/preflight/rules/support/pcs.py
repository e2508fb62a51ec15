"""Facts and specs for the tests of PCS."""

from __future__ import annotations

from typing import Any

from clusterwright.aws import pcs
from tests.support import specs

SPEC: dict[str, Any] = {
    "platform": "pcs",
    "compute": [
        {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1},
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4},
    ],
    "slurm.accounting": {"kind": "none"},
}

ARN = f"arn:aws:pcs:us-east-1:{specs.ACCOUNT}:cluster/pcs_abcdefghij"


def cluster(version: str = "25.11", status: str = "ACTIVE") -> pcs.Cluster:
    """The cluster of the small spec."""
    return pcs.Cluster("test", ARN.rpartition("/")[2], status, "SMALL", version, (), ARN)

"""Clusters whose alerts are tested, with a price that no catalogue changes."""

from __future__ import annotations

import datetime as dt
import functools
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from clusterwright.alerts.rule_file import RuleFile, rule_file
from clusterwright.alerts.watched import Watched, watched
from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cost.rates import HourlyRate
from clusterwright.platforms.loading import load_cluster
from tests.alerts.cases import END_MINUTE
from tests.support import specs
from tests.support.rich_specs import MINIMAL, changed

USD_PER_HOUR: Final = Decimal("98.32")
END: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(minutes=END_MINUTE)
"""promtool's clock begins in 1970."""

_IMAGE: Final = "111122223333.dkr.ecr.us-east-1.amazonaws.com/python@sha256:" + "0" * 64

SLURM: Final[dict[str, Any]] = changed(
    MINIMAL,
    storage={
        "lustre": [{"mount_path": "/fsx", "capacity_gib": 4800, "throughput_mbps_per_tib": 1000}]
    },
    observability={"prometheus": True},
)
TRAINIUM: Final[dict[str, Any]] = changed(SLURM, compute__1__instance_type="trn1.32xlarge")
EKS: Final[dict[str, Any]] = {
    "environment": "test",
    "account": specs.ACCOUNT,
    "region": "us-east-1",
    "platform": "eks",
    "network": {"availability_zone_id": "use1-az6", "second_availability_zone_id": "use1-az4"},
    "compute": [
        {"name": "system", "role": "system", "instance_type": "m5.2xlarge", "count": 2},
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4},
    ],
    "observability": {"prometheus": True, "metrics": {"image": _IMAGE}},
}
SPECS: Final = {"slurm": SLURM, "trainium": TRAINIUM, "eks": EKS}


def price(instance_type: str, kind: str, usd: Decimal | None = USD_PER_HOUR) -> HourlyRate:
    """The same rate for every type; with `usd` None an unknown one."""
    reason = None if usd is not None else "no source states it"
    return HourlyRate(
        instance_type, kind, "us-east-1", usd, reason, None, None, None, None, stale=False
    )


def cluster_of(spec: dict[str, Any]) -> Cluster:
    """The resolved spec."""
    with tempfile.TemporaryDirectory() as folder:
        return load_cluster(specs.write(Path(folder) / "spec.yaml", spec)).cluster


def watched_cluster(
    spec: dict[str, Any], *, usd: Decimal | None = USD_PER_HOUR, end: dt.datetime | None = None
) -> Watched:
    """What a spec has that alerts can watch."""
    return watched(
        cluster_of(spec),
        load_catalog(),
        file="configs/test.yaml",
        rate=functools.partial(price, usd=usd),
        capacity_end=end,
    )


@functools.cache
def rules_of(name: str, *, priced: bool = True) -> RuleFile:
    """The rules of one of `SPECS`, with the end of its capacity."""
    usd = USD_PER_HOUR if priced else None
    return rule_file(watched_cluster(SPECS[name], usd=usd, end=END))

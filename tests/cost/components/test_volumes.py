"""Root volumes."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from clusterwright.catalog import load_catalog
from clusterwright.cost.estimate import estimate
from tests.support import specs

TODAY = dt.date(2026, 11, 20)


def test_root_volumes_of_a_custom_image_are_unknown(tmp_path: Path) -> None:
    spec = {
        "platform": "parallelcluster",
        "image": {"image_id": "ami-0123456789abcdef0"},
        "slurm": {"accounting": {"kind": "none"}},
    }
    cluster = specs.unchecked(tmp_path, spec).cluster
    bill = estimate(cluster, load_catalog(), today=TODAY)
    roots = [line for line in bill.lines if line.item.endswith(", root")]
    assert roots
    assert all(line.quantity is None for line in roots)

"""Items that are charged by use."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from tests.support.bills import bill_of


def test_every_usage_line_can_be_stated(tmp_path: Path) -> None:
    from clusterwright.cost.usage_items import USAGE_ITEMS

    everything = {
        "network.egress": "nat",
        "storage.lustre": [
            {
                "mount_path": "/fsx",
                "storage_type": "INTELLIGENT_TIERING",
                "throughput_mbps": 4000,
                "backup_retention_days": 7,
                "read_cache": {"mode": "none"},
            }
        ],
        "storage.home": {"kind": "openzfs", "capacity_gib": 64},
        "storage.buckets": [{"name": "b-1", "create": True, "directory": True}],
        "storage.image_repositories": [{"name": "training", "create": True}],
        "slurm.accounting": {"kind": "rds"},
        "observability.prometheus": True,
    }
    usage = dict.fromkeys(USAGE_ITEMS, Decimal(1))
    bill = bill_of(tmp_path, everything, usage=usage)
    assert [line.item for line in bill.lines if line.quantity is None] == []
    closed = bill_of(tmp_path, {**everything, "network.egress": "closed"}, usage=usage)
    assert [line.item for line in closed.lines if line.quantity is None] == []

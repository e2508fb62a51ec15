"""File systems of FSx for Lustre."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from tests.support import specs
from tests.support.bills import bill_of, line


def test_lustre_is_charged_by_tier_and_additional_metadata(tmp_path: Path) -> None:
    metadata = {"mode": "provisioned", "iops": 24000}
    bill = bill_of(tmp_path, {"storage.lustre": [{**specs.LUSTRE, "metadata": metadata}]})
    capacity = line(bill, "PERSISTENT_2 SSD 1000")
    assert capacity.monthly_usd == 4800 * Decimal("0.6")
    # 4,800 GiB include 6,000 IOPS (FSx documentation, automatic mode).
    iops = line(bill, "metadata IOPS")
    assert iops.quantity == 18000
    assert iops.monthly_usd == 18000 * Decimal("0.055")


def test_included_metadata_has_no_line(tmp_path: Path) -> None:
    metadata = {"mode": "provisioned", "iops": 6000}
    bill = bill_of(tmp_path, {"storage.lustre": [{**specs.LUSTRE, "metadata": metadata}]})
    assert not [line for line in bill.lines if "metadata" in line.item]


def test_intelligent_tiering_is_charged_by_throughput_and_use(tmp_path: Path) -> None:
    tiering = {
        "mount_path": "/fsx",
        "storage_type": "INTELLIGENT_TIERING",
        "throughput_mbps": 4000,
        "metadata": {"mode": "provisioned", "iops": 6000},
        "read_cache": {"mode": "provisioned", "capacity_gib": 1024},
    }
    bill = bill_of(tmp_path, {"storage.lustre": [tiering]})
    assert line(bill, "throughput").monthly_usd == 4000 * Decimal("0.52")
    assert line(bill, "Intelligent-Tiering: storage").quantity is None
    assert line(bill, "SSD read cache").quantity == 1024
    assert line(bill, "metadata IOPS").quantity == 6000


def test_hdd_has_its_cache(tmp_path: Path) -> None:
    hdd = {
        "mount_path": "/fsx",
        "deployment_type": "PERSISTENT_1",
        "storage_type": "HDD",
        "capacity_gib": 6000,
        "throughput_mbps_per_tib": 12,
        "hdd_read_cache": True,
        "backup_retention_days": 7,
    }
    bill = bill_of(tmp_path, {"storage.lustre": [hdd]})
    assert line(bill, "PERSISTENT_1 HDD 12").monthly_usd == 6000 * Decimal("0.025")
    assert line(bill, "SSD cache").quantity == 1200
    assert line(bill, "backups").quantity is None

"""The accounting database and its secrets."""

from __future__ import annotations

from pathlib import Path

from tests.support.bills import bill_of, line


def test_an_existing_database_is_not_on_the_bill(tmp_path: Path) -> None:
    rds = bill_of(tmp_path, {"slurm.accounting": {"kind": "rds", "multi_az": True}})
    assert line(rds, "RDS MariaDB").item.endswith("multi-AZ")
    assert line(rds, "RDS storage").quantity is not None
    local = bill_of(tmp_path)
    assert not [line for line in local.lines if line.item.startswith("RDS")]

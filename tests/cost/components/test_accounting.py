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


def test_slurmdbds_own_user_has_a_secret(tmp_path: Path) -> None:
    spec = {"slurm.accounting": {"kind": "rds"}}
    assert line(bill_of(tmp_path, spec), "database password in Secrets").quantity == 1
    scripted = {"slurm.configuration": "scripted", "resilience.node_provisioning": "all-at-once"}
    own = line(bill_of(tmp_path, {**spec, **scripted}), "database passwords in Secrets Manager")
    assert own.quantity == 2

"""Tests of CW-I005."""

from __future__ import annotations

from clusterwright.preflight.facts import storage
from tests.preflight.harness import Harness
from tests.preflight.rules.support.settings import RDS
from tests.support import specs


def test_missing_database_secret_is_reported(rule: Harness) -> None:
    arn = f"arn:aws:secretsmanager:us-east-1:{specs.ACCOUNT}:secret:slurm-AbCdEf"
    existing = {"endpoint": "db.example.internal", "secret_arn": arn}
    changes = {"slurm.accounting": {"kind": "rds", "existing": existing}}
    path = "slurm.accounting.existing.secret_arn"
    facts = {storage.Secret(arn): False}
    rule.fails(
        "CW-I005",
        changes,
        facts,
        path=path,
        message="the secret does not exist, or is scheduled for deletion",
    )
    rule.passes("CW-I005", changes, {storage.Secret(arn): True})
    rule.passes("CW-I005", RDS, tested=False)

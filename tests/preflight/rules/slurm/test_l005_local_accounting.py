"""Tests of CW-L005."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.settings import PEOPLE, RDS


def test_accounting_on_the_controller_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-L005",
        {**PEOPLE, "slurm.accounting": {"kind": "local"}},
        path="slurm.accounting.kind",
        message="the job records of 1 user are lost when the controller is replaced",
        severity="info",
    )
    rule.passes("CW-L005", {**PEOPLE, **RDS})
    rule.passes("CW-L005", {"slurm.accounting": {"kind": "local"}}, tested=False)

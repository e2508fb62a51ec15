"""Tests of the rds quotas."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.preflight.facts import counts
from tests.preflight.harness import Harness, quota
from tests.preflight.rules.support.more_quotas import MINE, RDS, THEIRS


@pytest.mark.parametrize(
    ("name", "code", "limit", "numbers", "path"),
    [
        ("CW-Q070", "L-7B6409FD", 1, (1, 1, 1), "kind"),
        ("CW-Q071", "L-7ADDB58A", 950, (100, 900, 950), "capacity_gib"),
    ],
)
def test_database_quota(
    rule: Harness, name: str, code: str, limit: int, numbers: tuple[int, ...], path: str
) -> None:
    changes = {"slurm.accounting": {"kind": "rds", "capacity_gib": 100}}
    facts: dict[Any, Any] = {counts.Databases(): (THEIRS, MINE)}
    outcome = rule.run(name, changes, {**facts, **quota("rds", code, limit)})
    (finding,) = outcome.findings
    assert (finding.requested, finding.used, finding.limit) == numbers
    assert finding.path == f"slurm.accounting.{path}"
    rule.passes(name, changes, {**facts, **quota("rds", code, limit + 50)})


def test_other_databases_count_and_the_deployed_one_does_not(rule: Harness) -> None:
    facts: dict[Any, Any] = {counts.Databases(): (THEIRS, MINE)}
    where = "slurm.accounting"
    rule.fails(
        "CW-Q070",
        RDS,
        {**facts, **quota("rds", "L-7B6409FD", 1)},
        path=f"{where}.kind",
        message="",
    )
    rule.passes("CW-Q070", RDS, {**facts, **quota("rds", "L-7B6409FD", 2)})
    rule.fails(
        "CW-Q071",
        RDS,
        {**facts, **quota("rds", "L-7ADDB58A", 901)},
        path=f"{where}.capacity_gib",
        message="GB",
    )
    rule.passes("CW-Q071", RDS, {**facts, **quota("rds", "L-7ADDB58A", 5000)})


def test_database_subnet_group_quota(rule: Harness) -> None:
    names = ("a", "b")
    found: dict[Any, Any] = {
        counts.DatabaseSubnetGroups(): names,
        counts.DatabaseParameterGroups(): names,
        counts.Databases(): (THEIRS,),
    }
    rule.fails(
        "CW-Q072",
        RDS,
        {**found, **quota("rds", "L-48C6BF61", 2)},
        path="slurm.accounting.kind",
        message='"DB subnet groups"',
        numbers=(1, 2, 2),
    )
    rule.passes("CW-Q072", RDS, {**found, **quota("rds", "L-48C6BF61", 3)})
    rule.fails(
        "CW-Q073",
        RDS,
        {**found, **quota("rds", "L-DE55804A", 2)},
        path="slurm.accounting.kind",
        message='"Parameter groups"',
        numbers=(1, 2, 2),
    )
    rule.passes("CW-Q073", RDS, {**found, **quota("rds", "L-DE55804A", 3)})
    # One of the two belongs to the stacks, because the database exists.
    standing: dict[Any, Any] = {**found, counts.Databases(): (MINE,)}
    rule.passes("CW-Q072", RDS, {**standing, **quota("rds", "L-48C6BF61", 2)})
    rule.passes("CW-Q073", RDS, {**standing, **quota("rds", "L-DE55804A", 2)})

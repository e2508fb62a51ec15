"""Existing resources: of this partition and region, and sufficient."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import existing
from tests.support.rich_specs import EXISTING
from tests.support.validation import ABSENT, found


def test_consistent_specs_pass() -> None:
    assert found(existing.problems) == {}
    assert found(existing.problems, base=EXISTING) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"identity.kms_key_arn": "arn:aws:kms:us-west-2:111122223333:key/1234"},
            "identity.kms_key_arn",
            "the key is in us-west-2",
        ),
        (
            {"identity.kms_key_arn": "arn:aws-cn:kms:us-east-1:111122223333:key/1234"},
            "identity.kms_key_arn",
            "the ARN is not in the partition aws",
        ),
        (
            {"identity.permissions_boundary_arn": "arn:aws-cn:iam::111122223333:policy/x"},
            "identity.permissions_boundary_arn",
            "the ARN is not in the partition aws",
        ),
        (
            {"storage.home.capacity_gib": ABSENT},
            "storage.home.capacity_gib",
            "`capacity_gib` is missing",
        ),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(existing.problems, changes)
    assert list(problems) == [path]
    assert message in problems[path]


TWO = ["subnet-0a1b2c3d4e5f60718", "subnet-0a1b2c3d4e5f60719"]


def test_new_database_in_an_existing_network_requires_two_subnets() -> None:
    changes: dict[str, Any] = {"slurm.accounting": {"kind": "rds"}}
    path = "network.existing.database_subnet_ids"
    assert "two subnets in two zones" in found(existing.problems, changes, EXISTING)[path]
    changes[path] = TWO
    assert found(existing.problems, changes, EXISTING) == {}


def test_subnets_of_a_database_that_is_not_created_are_unused() -> None:
    path = "network.existing.database_subnet_ids"
    problems = found(existing.problems, {path: TWO}, EXISTING)
    assert "these subnets have no effect: no accounting database is created" in problems[path]


def test_duplicates_are_refused() -> None:
    changes = {
        "network.existing.subnet_ids": [TWO[0], TWO[0]],
        "network.existing.security_group_ids": ["sg-0a1b2c3d4e5f60718"] * 2,
    }
    assert list(found(existing.problems, changes, EXISTING)) == [
        "network.existing.subnet_ids[1]",
        "network.existing.security_group_ids[1]",
    ]


def test_secret_of_an_existing_database_has_the_same_partition() -> None:
    path = "slurm.accounting.existing.secret_arn"
    arn = "arn:aws-cn:secretsmanager:us-east-1:111122223333:secret:x"
    assert list(found(existing.problems, {path: arn}, EXISTING)) == [path]

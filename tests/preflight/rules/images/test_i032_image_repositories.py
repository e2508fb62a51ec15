"""Tests of CW-I032."""

from __future__ import annotations

from clusterwright.preflight.facts.references import ImageRepository
from tests.preflight.harness import Harness
from tests.support import specs

FACT = ImageRepository("team/training")
CHANGES = {"storage.image_repositories": [{"name": "team/training"}]}
ARN = f"arn:aws:ecr:us-east-1:{specs.ACCOUNT}:repository/team/training"


def test_existing_repository_exists(rule: Harness) -> None:
    rule.passes("CW-I032", CHANGES, {FACT: ARN})
    finding = rule.fails(
        "CW-I032", CHANGES, {FACT: None}, path="storage.image_repositories[0].name",
        message="the account has no repository team/training in us-east-1",
    )  # fmt: skip
    assert finding.hint == "create: true creates it; otherwise correct the name"


def test_new_repositories_are_not_expected(rule: Harness) -> None:
    new = {"storage.image_repositories": [{"name": "team/training", "create": True}]}
    rule.passes("CW-I032", new, tested=False)

"""Tests of CW-E017."""

from __future__ import annotations

from clusterwright.preflight.facts.references import ImageRepository
from tests.preflight.harness import Harness
from tests.preflight.rules.support.names import stacks
from tests.support import specs

FACT = ImageRepository("training")
CHANGES = {"storage.image_repositories": [{"name": "training", "create": True}]}
ARN = f"arn:aws:ecr:us-east-1:{specs.ACCOUNT}:repository/training"


def test_existing_repository_names_are_reported(rule: Harness) -> None:
    finding = rule.fails(
        "CW-E017", CHANGES, {FACT: ARN, **stacks()}, path="storage.image_repositories[0].name",
        message="a repository named training already exists, and none of the stacks of",
    )  # fmt: skip
    assert finding.hint is not None
    assert "create: false" in finding.hint
    rule.passes("CW-E017", CHANGES, {FACT: None, **stacks()})
    own = stacks(("AWS::ECR::Repository", "training"))
    rule.passes("CW-E017", CHANGES, {FACT: ARN, **own})


def test_existing_repositories_are_no_conflict(rule: Harness) -> None:
    rule.passes("CW-E017", {"storage.image_repositories": [{"name": "training"}]}, tested=False)

"""Findings of the review between two templates."""

from __future__ import annotations

from clusterwright.review.assembly import Assembly
from clusterwright.review.deployment_blockers import deployment_blockers
from clusterwright.review.results import DeploymentBlocker
from tests.review.templates import SCHEMAS, analysis


def found(before: Assembly, after: Assembly) -> tuple[DeploymentBlocker, ...]:
    return deployment_blockers(before, after, analysis(before, after), SCHEMAS.of)

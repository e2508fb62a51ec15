"""What the review finds between two templates."""

from __future__ import annotations

from clusterwright.review.assembly import Assembly
from clusterwright.review.deployment_blockers import obstacles
from clusterwright.review.results import Obstacle
from tests.review.templates import SCHEMAS, judged


def found(before: Assembly, after: Assembly) -> tuple[Obstacle, ...]:
    return obstacles(before, after, judged(before, after), SCHEMAS.of)

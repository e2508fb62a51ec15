"""The spec recorded in the deployed templates of one version."""

from __future__ import annotations

from clusterwright.cluster_spec.recorded_spec import KEY, recorded_in
from clusterwright.review.assembly import Assembly

__all__ = ["KEY", "recorded_spec"]


def recorded_spec(assembly: Assembly) -> str | None:
    """The resolved spec as JSON, which is a valid spec file; None where none is recorded."""
    found = (recorded_in(stack.template) for stack in assembly.stacks.values())
    return next((text for text in found if text is not None), None)

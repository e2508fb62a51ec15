"""Names of the stacks of a cluster; a stack of another cluster may have the same prefix."""

from __future__ import annotations

from typing import Final

PARTS: Final = (
    "identity",
    "network",
    "storage",
    "accounting",
    "lifecycle",
    "observability",
    "kubernetes",
    "karpenter",
    "cluster",
    "addons",
    "operators",
)
"""Parts in the order of deployment; `tests/stacks` compares the stacks with them."""


def stack_name(environment: str, part: str) -> str:
    """Return the name of a stack."""
    return f"{environment}-{part}"


def part_of(environment: str, stack: str) -> str | None:
    """Return the part of this environment that a stack is; None for any other stack.

    `prod-eu-storage` does not belong to the environment `prod`, although it has that prefix.
    """
    part = stack.removeprefix(f"{environment}-")
    return part if part in PARTS and stack != part else None

"""How the stacks of a cluster are called: what begins with its name may be another cluster's."""

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
"""In the order of deployment; `tests/stacks` holds the stacks against it."""


def stack_name(environment: str, part: str) -> str:
    """The name of one stack."""
    return f"{environment}-{part}"


def part_of(environment: str, stack: str) -> str | None:
    """Which part of this environment a stack is; None for a stack of something else.

    `prod-eu-storage` is not of the environment `prod`, whose name it begins with.
    """
    part = stack.removeprefix(f"{environment}-")
    return part if part in PARTS and stack != part else None

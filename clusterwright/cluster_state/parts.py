"""The parts of a deployed cluster's state, and those that each operating command reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

Part = Literal[
    "stacks",
    "deployed-spec",
    "cluster",
    "nodes",
    "scheduler",
    "capacity",
    "deep-health",
    "rules",
]

EVERY_PART: Final[frozenset[Part]] = frozenset(get_args(Part))

PARTS_READ: Final[Mapping[str, frozenset[Part]]] = {
    "accept": frozenset({"nodes", "scheduler", "deep-health"}),
    "capacity": frozenset({"nodes", "scheduler", "capacity"}),
    "drift": frozenset({"deployed-spec", "cluster", "scheduler"}),
    "node": EVERY_PART - {"rules"},
    "topology": frozenset({"nodes", "scheduler"}),
}
"""By command; every part where a command has no entry."""


def parts_of(command: str) -> frozenset[Part]:
    """The parts that a command reads."""
    return PARTS_READ.get(command, EVERY_PART)

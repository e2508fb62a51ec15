"""The example platform's column of the table of capabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from clusterwright.platforms.cells import Cell

CAPACITY_SOURCE: Final = "the example's documentation"

CELLS: Final[Mapping[str, Cell]] = {
    "scheduler": Cell("yes", "Kubernetes", CAPACITY_SOURCE),
    "recovery": Cell("unknown", "not documented", CAPACITY_SOURCE),
    "auto_resume": Cell("unknown", "not documented", CAPACITY_SOURCE),
    "deep_health_checks": Cell("unknown", "not documented", CAPACITY_SOURCE),
    "spot": Cell("unknown", "not documented", CAPACITY_SOURCE),
    "mig": Cell("unknown", "not documented", CAPACITY_SOURCE),
    "placement_group": Cell("yes", "one per group", CAPACITY_SOURCE),
    "topology": Cell("unknown", "not documented", CAPACITY_SOURCE),
    "custom_image": Cell("unknown", "not documented", CAPACITY_SOURCE),
    "autoscaling": Cell("unknown", "not documented", CAPACITY_SOURCE),
    "login": Cell("unknown", "not documented", CAPACITY_SOURCE),
    "containers": Cell("unknown", "not documented", CAPACITY_SOURCE),
    "accounting": Cell("unknown", "not documented", CAPACITY_SOURCE),
    "rolling_update": Cell("unknown", "not documented", CAPACITY_SOURCE),
    "spares": Cell("unknown", "not documented", CAPACITY_SOURCE),
    "inference": Cell("unknown", "not documented", CAPACITY_SOURCE),
    "most_nodes": Cell("unknown", "not documented", CAPACITY_SOURCE),
    "scheduling": Cell("unknown", "not documented", CAPACITY_SOURCE),
    "scaling": Cell("unknown", "not documented", CAPACITY_SOURCE),
    "access": Cell("unknown", "not documented", CAPACITY_SOURCE),
    "monitoring": Cell("unknown", "not documented", CAPACITY_SOURCE),
}

LIMITATIONS: Final[tuple[str, ...]] = ("the example platform itself",)

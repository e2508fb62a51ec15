"""PCIe accelerator cards of owned hardware, single or in pairs on an NVLink bridge.

Figures are in `data/cards.json`, each with its source. A figure without a source is unknown, and a
plan that needs it is refused.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from clusterwright.sizing.errors import GoalError

FIGURES: Final = {
    "link_gbytes_per_s": "the link speed between two cards",
    "pcie_gbytes_per_s": "the PCIe speed",
}


@dataclass(frozen=True)
class Card:
    """One card; `None` is unknown, with the reason in `unknown`.

    Attributes
    ----------
    dense_bf16_tflops, dense_fp8_tflops:
        Dense, with FP32 accumulation; FP8 is 0 on a card without FP8 units.
    link_gbytes_per_s:
        Of the NVLink bridge that joins two cards, both directions together; 0 without one.
    pcie_gbytes_per_s:
        Of its slot, both directions together.
    """

    name: str
    memory_gib: float
    memory_bandwidth_tbytes_per_s: float
    dense_bf16_tflops: float | None
    dense_fp8_tflops: float | None
    link_gbytes_per_s: float | None
    pcie_gbytes_per_s: float | None
    source: str
    unknown: Mapping[str, str]

    def needed(self, field: str) -> float:
        """A figure that a plan requires.

        Raises
        ------
        GoalError
            It is unknown.
        """
        value = getattr(self, field)
        if value is None:
            raise GoalError(
                f"{FIGURES.get(field, field)} of {self.name} is unknown: "
                f"{self.unknown.get(field, 'no source')}",
                "another card, or one card per node (--per-node 1)"
                if field in FIGURES
                else "another card; unknown figures are not estimated",
                field="accelerator",
            )
        return float(value)


@functools.cache
def cards() -> Mapping[str, Card]:
    """Every card, by name."""
    text = files("clusterwright.sizing").joinpath("data/cards.json").read_text("utf-8")
    data: Mapping[str, Any] = json.loads(text)
    return {
        name: Card(
            name=name,
            source="; ".join(data["sources"][source] for source in row["sources"]),
            unknown=row.get("unknown", {}),
            **{k: v for k, v in row.items() if k not in {"sources", "unknown"}},
        )
        for name, row in data["cards"].items()
    }

"""Training frameworks that support a model on a generation of Trainium: known, or unknown.

All frameworks support NVIDIA's accelerators, so nothing is listed for them. On Trainium support
depends on the generation (AWS Neuron release notes).
"""

from __future__ import annotations

import functools
import json
from importlib.resources import files
from typing import Final

from clusterwright.sizing.hardware import Hardware
from clusterwright.sizing.plan_types import FrameworkSupport
from clusterwright.sizing.shape import ModelShape

ENDED: Final = "NxD Training and the XLA flow reached end of support with Neuron 2.32"
BETA: Final = (
    "TorchTitan Neuron is in beta on Trn2 and Trn3 since Neuron 2.33 (notes of 2026-10-19)"
)


def frameworks(shape: ModelShape, hardware: Hardware) -> tuple[FrameworkSupport, ...]:
    """Support of each framework for this model on this chip; empty except on Trainium."""
    if not hardware.is_neuron:
        return ()
    chip = hardware.accelerator
    measured = chip == "Trn1" and shape.name in _measured_on_trn1()
    run = "known: AWS published its throughput" if measured else "unknown: no source names it"
    return (
        FrameworkSupport("NxD Training", chip, "ended", run, ENDED),
        FrameworkSupport(
            "TorchTitan Neuron",
            chip,
            "beta" if chip in {"Trn2", "Trn3"} else "none",
            "unknown: no source names the supported models",
            BETA,
        ),
    )


@functools.cache
def _measured_on_trn1() -> frozenset[str]:
    path = files("clusterwright.sizing").joinpath("data/benchmarks.json")
    rows = json.loads(path.read_text("utf-8"))["benchmarks"]
    return frozenset(
        row["model"] for row in rows if row["accelerator"] == "Trn1" and "model" in row
    )

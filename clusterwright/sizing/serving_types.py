"""Types of a serving plan."""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright.sizing.hardware import Hardware
from clusterwright.sizing.shape import ModelShape


@dataclass(frozen=True)
class Replica:
    """One copy of the model on the fewest accelerators of a type, or why none is possible.

    Attributes
    ----------
    parts_gib:
        Of the whole replica: `weights`, `kv_cache`.
    tokens_per_s_bound:
        Upper bound of decoding, all sequences together.
    bound_by:
        `memory bandwidth` or `compute`.
    """

    hardware: Hardware
    accelerators: int
    parts_gib: dict[str, float]
    per_accelerator_gib: float
    tokens_per_s_bound: float | None
    bound_by: str | None
    infeasible: str | None = None


@dataclass(frozen=True)
class Serving:
    """Replicas by type, the fewest accelerators first, and warnings."""

    shape: ModelShape
    precision: str
    sequences: int
    seq_len: int
    replicas: tuple[Replica, ...]
    warnings: tuple[str, ...]

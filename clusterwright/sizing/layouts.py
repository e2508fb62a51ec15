"""Every layout of a model on a number of accelerators, as arrays: one column per layout.

What frameworks ask for is built in: tensor parallelism divides the heads and stays on the fast
link, a pipeline has at most one stage per layer, experts are divided by expert parallelism, a
fully sharded layout has no pipeline, and the batch has at least one sequence per replica.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clusterwright.sizing.hardware import Hardware
from clusterwright.sizing.plan_types import Layout, Recompute, Sharding
from clusterwright.sizing.shape import ModelShape

Floats = NDArray[np.float64]
RECOMPUTE: Final[tuple[Recompute, ...]] = ("none", "selective", "full")
SHARDING: Final[tuple[Sharding, ...]] = ("none", "distributed-optimizer", "zero-2", "fsdp")
NO_RECOMPUTE, SELECTIVE, FULL = range(3)
PLAIN, DISTRIBUTED, ZERO_2, FSDP = range(4)

TENSOR_MAX: Final = 16
PIPELINES: Final = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
TOKENS_PER_RANK: Final = 4096
"""Least tokens per accelerator when sequences are split."""


@dataclass(frozen=True)
class Grid:
    """Layouts by column; every array is float64 of the same length.

    `recompute` and `sharding` hold indices into `RECOMPUTE` and `SHARDING`; `recompute_share` is
    1 unless only so many layers are recomputed in full. `accumulation` is the number of
    micro-batches of a replica in a step.
    """

    tensor: Floats
    pipeline: Floats
    context: Floats
    expert: Floats
    data: Floats
    virtual: Floats
    micro_batch: Floats
    accumulation: Floats
    recompute: Floats
    recompute_share: Floats
    sharding: Floats

    def __len__(self) -> int:
        return len(self.tensor)

    @property
    def accelerators(self) -> Floats:
        """Accelerators of each layout."""
        return self.tensor * self.pipeline * self.context * self.data

    def take(self, index: NDArray[np.bool_] | NDArray[np.intp]) -> Grid:
        """The columns of a mask or of indices."""
        return Grid(*(getattr(self, field.name)[index] for field in fields(self)))

    def layout(self, column: int) -> Layout:
        """One column as a `Layout`."""
        return Layout(
            tensor=int(self.tensor[column]),
            pipeline=int(self.pipeline[column]),
            context=int(self.context[column]),
            expert=int(self.expert[column]),
            data=int(self.data[column]),
            virtual=int(self.virtual[column]),
            micro_batch=int(self.micro_batch[column]),
            accumulation=int(self.accumulation[column]),
            recompute=RECOMPUTE[int(self.recompute[column])],
            recompute_share=float(self.recompute_share[column]),
            sharding=SHARDING[int(self.sharding[column])],
        )


def one(layout: Layout) -> Grid:
    """A grid of one layout."""
    values = (
        layout.tensor,
        layout.pipeline,
        layout.context,
        layout.expert,
        layout.data,
        layout.virtual,
        layout.micro_batch,
        layout.accumulation,
        RECOMPUTE.index(layout.recompute),
        layout.recompute_share,
        SHARDING.index(layout.sharding),
    )
    return Grid(*(np.array([float(value)]) for value in values))


def grid(
    shape: ModelShape,
    hardware: Hardware,
    accelerators: int,
    *,
    seq_len: int,
    batch_tokens: float,
    may_idle: bool = False,
) -> Grid:
    """Every plausible layout on a number of accelerators (a few may stay idle).

    Parameters
    ----------
    accelerators:
        How many there are; a layout uses at least 90 % of them.
    batch_tokens:
        Tokens of an optimizer step: a layout has no more replicas than the step has sequences.
    may_idle:
        More than a tenth may stay idle, where a step has too few sequences for all of them:
        otherwise more accelerators would force worse layouts, and be slower than fewer.
    """
    domain = max(1, min(hardware.scale_up_size, accelerators, TENSOR_MAX))
    tensor = [t for t in (1, 2, 4, 8, 16) if t <= domain and shape.heads % t == 0]
    pipeline = [p for p in PIPELINES if p <= min(shape.layers, accelerators)]
    context = _powers(max(1, min(accelerators, seq_len // TOKENS_PER_RANK)))
    expert = [1]
    if shape.experts is not None:
        expert = [e for e in _powers(accelerators) if shape.experts.count % e == 0 and e <= 256]
    axes = (
        tensor,
        pipeline,
        context,
        expert,
        [1, 2, 4, 8],
        [1, 2, 4, 8],
        [DISTRIBUTED, FSDP],
    )
    mesh = np.meshgrid(*(np.array(axis, dtype=float) for axis in axes), indexing="ij")
    t, p, c, e, v, b, z = (array.ravel() for array in mesh)
    sequences = max(1.0, batch_tokens / seq_len)
    data = np.minimum(np.floor(accelerators / (t * p * c)), np.floor(sequences / b))
    # Expert-parallel ranks are whole groups.
    whole = np.maximum(1.0, e / np.gcd(e.astype(int), (t * c).astype(int)))
    data = np.floor(data / whole) * whole
    keep = data >= 1
    if not may_idle:
        keep &= t * p * c * data >= 0.9 * accelerators
    keep &= (p > 1) | (v == 1)
    keep &= shape.layers >= p * v
    keep &= (z != FSDP) | ((p == 1) & (data > 1))
    keep &= e <= t * c * data
    # More expert ranks than tensor x context x data would need a copy of each expert.
    keep &= np.mod(t * c * data, e) == 0
    t, p, c, e, v, b, z, data = (a[keep] for a in (t, p, c, e, v, b, z, data))
    accumulation = np.maximum(1.0, np.round(sequences / (data * b)))
    # Interleaving requires the micro-batches to be a multiple of the stages.
    full = (v == 1) | (accumulation >= p)
    # `memory.fitting` recomputes more if selective recomputation does not fit.
    recompute, share = np.full(len(t), float(SELECTIVE)), np.ones(len(t))
    columns = (t, p, c, e, data, v, b, accumulation, recompute, share, z)
    return Grid(*(column[full] for column in columns))


def _powers(limit: float) -> list[int]:
    found, value = [], 1
    while value <= limit:
        found.append(value)
        value *= 2
    return found or [1]

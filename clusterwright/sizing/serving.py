"""Serving a model: how few accelerators hold it, and what their memory bandwidth allows.

A replica holds the weights in the stated precision and the KV cache of its sequences, in BF16.
Decoding one token for every sequence of a batch reads the weights that are used and the whole
cache once, so memory bandwidth bounds it from above, and the matmul ceiling bounds it again
(roofline; Pope et al. 2022, arXiv:2211.05102, section 2). A bound is no prediction: kernels,
scheduling and network take more. Tensor parallelism stays on the fast link.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from clusterwright.catalog import Catalog
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.flops import inference_flops_per_token
from clusterwright.sizing.hardware import Hardware, of_instance_type, trainable_types
from clusterwright.sizing.inputs import LOW_BITS
from clusterwright.sizing.memory import HEADROOM, inference_bytes
from clusterwright.sizing.serving_types import Replica, Serving
from clusterwright.sizing.shape import ModelShape

GIB: Final = 2**30
QUALITY: Final = (
    "{} loses quality against BF16, by how much depends on the model and the method: measure it "
    "on your own tasks before you serve it"
)


def plan_serving(
    shape: ModelShape,
    catalog: Catalog,
    *,
    precision: str,
    sequences: int,
    seq_len: int,
    types: Iterable[str] | None = None,
) -> Serving:
    """The smallest replica on each instance type.

    Parameters
    ----------
    sequences, seq_len:
        Served at once by one replica, and the tokens that each may have.
    types:
        Instance types; without it every type of the catalogue that can hold some of it.

    Raises
    ------
    GoalError
        No sequences, or no type holds the model.
    """
    if sequences < 1 or seq_len < 1:
        raise GoalError(
            f"{sequences} sequences of {seq_len} tokens", "must be at least 1", field="sequences"
        )
    found = []
    for name in types if types is not None else trainable_types(catalog):
        hardware = of_instance_type(name, catalog)
        found.append(_replica(shape, hardware, precision, sequences, seq_len))
    if all(one.infeasible for one in found):
        raise GoalError(
            f"no instance type holds {shape.name} in {precision} with {sequences} sequences of "
            f"{seq_len:,} tokens within one fast link",
            "fewer sequences, a shorter context, or --precision int8 or int4",
            field="precision",
        )
    warnings = [QUALITY.format(precision)] if precision in LOW_BITS else []
    warnings.append(
        "tokens a second are upper bounds by memory bandwidth and compute; no serving stack "
        "reaches them"
    )
    return Serving(
        shape,
        precision,
        sequences,
        seq_len,
        tuple(sorted(found, key=lambda one: (bool(one.infeasible), one.accelerators))),
        tuple(warnings),
    )


def _replica(
    shape: ModelShape, hardware: Hardware, precision: str, sequences: int, seq_len: int
) -> Replica:
    parts = inference_bytes(shape, precision=precision, tokens_in_cache=float(sequences) * seq_len)
    total = sum(parts.values())
    room = HEADROOM * hardware.memory_gib * GIB
    gib = {name: value / GIB for name, value in parts.items()}
    count = 1
    # Heads are split evenly, so the number of accelerators divides them.
    while count <= hardware.scale_up_size and (total / count > room or shape.heads % count):
        count += 1
    if count > hardware.scale_up_size:
        holds = hardware.scale_up_size * room / GIB
        return Replica(
            hardware,
            hardware.scale_up_size,
            gib,
            total / GIB / hardware.scale_up_size,
            None,
            None,
            f"{total / GIB:,.0f} GiB are required, and {hardware.scale_up_size} accelerators on a "
            f"fast link have {holds:,.0f}",
        )
    used = shape.active / shape.params if sequences == 1 else _experts_met(shape, sequences)
    read = parts["weights"] * used + parts["kv_cache"]
    by_memory = hardware.memory_gbytes_per_s * 1e9 * count / read
    peak = hardware.fp8_tflops if precision == "fp8" and hardware.fp8_tflops else None
    compute = (peak or hardware.bf16_tflops) * 1e12 * hardware.ceiling * count
    by_compute = compute / inference_flops_per_token(shape) / sequences
    steps = min(by_memory, by_compute)
    return Replica(
        hardware,
        count,
        gib,
        total / GIB / count,
        steps * sequences,
        "memory bandwidth" if by_memory <= by_compute else "compute",
    )


def _experts_met(shape: ModelShape, sequences: int) -> float:
    """Share of the weights that a batch reads; 1 if it uses every expert."""
    if shape.experts is None:
        return 1.0
    e = shape.experts
    met = 1 - (1 - e.per_token / e.count) ** sequences
    routed = shape.all_expert_params / shape.counted_params
    return (1 - routed) + routed * met

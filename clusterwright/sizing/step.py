"""Seconds of an optimizer step, by what they are spent on, for every layout at once.

A micro-batch on one pipeline stage costs matrix products, attention, traffic to memory, and what
communication is not hidden; a step is all micro-batches, the pipeline's bubble, the gradients'
reduction and the optimizer. The constants are in `Constants`; those that physics does not give
were fitted to public throughput (`calibration`).

- ring collectives: (n - 1)/n x bytes / bandwidth (Patarasuk and Yuan 2009; Thakur et al. 2005)
- bubble: (p - 1)/(v m) (Narayanan et al. 2021, arXiv:2104.04473, section 2.2)
- tensor with sequence parallelism: two all-gathers and two reduce-scatters per layer and pass
  (Korthikanti et al. 2022, arXiv:2205.05198)
- link efficiency 0.65 on NVLink and 0.9 between nodes (calculon's H100 description)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from clusterwright.sizing.flops import attention_flops_per_token
from clusterwright.sizing.hardware import Hardware
from clusterwright.sizing.layouts import FSDP, FULL, Floats, Grid
from clusterwright.sizing.memory import params_per_rank
from clusterwright.sizing.plan_types import Step
from clusterwright.sizing.shape import ModelShape

SCALE_UP_EFFICIENCY: Final = 0.65
SCALE_OUT_EFFICIENCY: Final = 0.9

PARTS: Final = (
    "matmul",
    "attention",
    "memory traffic",
    "recomputation",
    "tensor parallel",
    "expert parallel",
    "context parallel",
    "pipeline transfers",
    "pipeline bubble",
    "gradients and weights",
    "optimizer",
    "stragglers",
)


@dataclass(frozen=True)
class Constants:
    """Constants of the step model, fitted to benchmarks.

    Attributes
    ----------
    kernel:
        Share of the matmul ceiling that a model's large products reach.
    kernel_fp8, kernel_neuron, kernel_ampere:
        Relative to `kernel`: for FP8 products (quantisation included), on Trainium, and on A100,
        whose memory is faster relative to its tensor cores.
    kernel_experts:
        The same for grouped products of experts.
    attention:
        Share of the ceiling that attention reaches (its backward recomputes).
    copies:
        Reads and writes of a hidden state per layer, forward and backward, not fused away.
    width:
        Dimension of a product at which edge effects halve the throughput.
    exposed_tensor, exposed_expert:
        Share of the communication that does not overlap with computation.
    straggler:
        Slow-down per doubling of nodes.
    tuned:
        Speed-up of a vendor's tuned recipe over framework defaults.
    """

    kernel: float
    kernel_fp8: float
    kernel_neuron: float
    kernel_ampere: float
    kernel_experts: float
    attention: float
    copies: float
    width: float
    exposed_tensor: float
    exposed_expert: float
    straggler: float
    tuned: float


@dataclass(frozen=True)
class Conditions:
    """How a run differs from the median; the factors of one sample of the Monte Carlo.

    `compute` and `network` are speeds relative to the model's; `imbalance` is the load of the
    busiest expert rank over the mean.
    """

    tuned: float = 0.0
    imbalance: float = 1.0


def times(
    shape: ModelShape,
    hardware: Hardware,
    grid: Grid,
    constants: Constants,
    *,
    seq_len: int,
    precision: str,
    conditions: Conditions = Conditions(),
    trainable_share: float = 1.0,
) -> Floats:
    """Seconds of a step by part (rows as `PARTS`) for each layout (columns).

    Parameters
    ----------
    precision:
        `bf16` or `fp8`, of the matrix products; attention and the rest stay BF16.
    conditions:
        `tuned` from 0 (framework defaults) to 1 (a vendor's recipe).
    trainable_share:
        Below 1 for LoRA: frozen weights need no weight gradients, 4 of 6 operations remain.
    """
    gain = constants.tuned**conditions.tuned
    tokens = grid.micro_batch * seq_len / grid.context
    products = _products(
        shape, hardware, grid, constants, tokens, precision, conditions, trainable_share
    )
    products = products / gain
    attention = (
        attention_flops_per_token(shape, seq_len)
        * tokens
        / (grid.tensor * grid.pipeline)
        / _rate(hardware.bf16_tflops, hardware.ceiling * _attention(hardware, constants))
        / gain
    )
    traffic = _traffic(shape, hardware, grid, constants, tokens) / gain
    compute = products + attention + traffic
    # The forward pass is a third of the work; full recomputation repeats it.
    again = recomputed_share(grid) * compute / 3
    tensor = _tensor(shape, hardware, grid, tokens) * constants.exposed_tensor
    expert = _expert(shape, hardware, grid, tokens) * constants.exposed_expert
    expert = expert * conditions.imbalance
    context = _context(shape, hardware, grid, tokens)
    transfers = _transfers(shape, hardware, grid, tokens)
    # The stage with most layers sets the pace; chunks have whole layers.
    chunks = grid.pipeline * grid.virtual
    uneven = np.ceil(shape.layers / chunks) * chunks / shape.layers
    rows = [products, attention, traffic, again, tensor, expert, context, transfers]
    rows = [row * uneven for row in rows]
    micro = np.sum(rows, axis=0)
    m = grid.accumulation
    bubble = micro * (grid.pipeline - 1) / grid.virtual
    reduction = _reduction(shape, hardware, grid, micro, trainable_share)
    common, experts = params_per_rank(shape, grid)
    # 30 bytes per parameter are read and written: state 12, gradient 4, weight 2, state again 12.
    optimizer = trainable_share * 30 * (common + experts) / (grid.data * grid.context)
    optimizer = optimizer / (hardware.memory_gbytes_per_s * 1e9 * 0.8)
    before = micro * m + bubble + reduction + optimizer
    nodes = np.maximum(1.0, grid.accelerators / hardware.per_node)
    late = before * constants.straggler * np.log2(nodes)
    return np.vstack([*(row * m for row in rows), bubble, reduction, optimizer, late])


def step_of(
    parts: Floats,
    column: int,
    *,
    shape: ModelShape,
    hardware: Hardware,
    grid: Grid,
    seq_len: int,
    precision: str,
) -> Step:
    """One column as a `Step`."""
    seconds = float(parts[:, column].sum())
    sequences = grid.data[column] * grid.micro_batch[column] * grid.accumulation[column]
    tokens = float(sequences * seq_len)
    count = float(grid.accelerators[column])
    peak = hardware.peak_tflops(precision)
    rate = tokens / seconds / count
    attention = attention_flops_per_token(shape, seq_len)
    again = 1 + float(recomputed_share(grid)[column]) / 3
    work = 6 * shape.matmul_params + attention
    return Step(
        seconds=seconds,
        parts={name: float(parts[row, column]) for row, name in enumerate(PARTS)},
        tokens=tokens,
        mfu=6 * shape.active * rate / (peak * 1e12),
        mfu_with_attention=work * rate / (peak * 1e12),
        hardware_utilisation=work * again * rate / (peak * 1e12),
        peak_tflops=peak,
        tokens_per_s_per_accelerator=rate,
    )


def recomputed_share(grid: Grid) -> Floats:
    """Share of the layers whose forward pass is repeated."""
    share: Floats = np.where(grid.recompute == FULL, grid.recompute_share, 0.0)
    return share


def _rate(tflops: float, share: float) -> float:
    return tflops * 1e12 * share


def _kernel(hardware: Hardware, constants: Constants) -> float:
    """Share of the ceiling that large products reach on this family; at most 1."""
    if hardware.is_neuron:
        return constants.kernel * constants.kernel_neuron
    if hardware.accelerator.startswith("A100"):
        return min(1.0, constants.kernel * constants.kernel_ampere)
    return constants.kernel


def _attention(hardware: Hardware, constants: Constants) -> float:
    return constants.attention * _kernel(hardware, constants)


def _edges(width: float, *dimensions: Floats | float) -> Floats:
    """Efficiency of a product, given its smaller dimensions."""
    lost: Floats = np.asarray(1.0 + sum(width / np.maximum(d, 1.0) for d in dimensions))
    return 1.0 / lost


def _products(
    shape: ModelShape,
    hardware: Hardware,
    grid: Grid,
    constants: Constants,
    tokens: Floats,
    precision: str,
    conditions: Conditions,
    trainable_share: float,
) -> Floats:
    operations = 6.0 if trainable_share >= 1 else 4.0 + 2.0 * trainable_share
    kernel = _kernel(hardware, constants)
    peak, fast = hardware.bf16_tflops, kernel
    if precision == "fp8":
        peak = hardware.peak_tflops("fp8")
        fast = kernel * constants.kernel_fp8
    rate = _rate(peak, hardware.ceiling * fast)
    routed = 0.0
    if shape.experts is not None:
        e = shape.experts
        routed = float(e.layers * e.per_token * shape.expert_params)
        routed = min(routed, 0.95 * shape.matmul_params)
    head = float(shape.embedding_params)
    blocks = max(shape.matmul_params - routed - head, 0.0)
    inner = shape.experts.shared_ffn if shape.experts and not shape.dense_layers else shape.ffn
    shared = float(max(inner, shape.hidden))
    edge = _edges(constants.width, float(shape.hidden), shared / grid.tensor, tokens)
    per = grid.tensor * grid.pipeline
    seconds = operations * tokens * blocks / per / (rate * edge)
    # The output head is in BF16.
    head_rate = _rate(hardware.bf16_tflops, hardware.ceiling * kernel)
    seconds = seconds + operations * tokens * head / per / (head_rate * edge)
    if shape.experts is None:
        return np.asarray(seconds)
    e = shape.experts
    mine = tokens / grid.tensor
    per_expert = mine * e.per_token * grid.expert / e.count
    edge = _edges(constants.width, float(shape.hidden), float(e.ffn), per_expert)
    experts = operations * mine * routed / grid.pipeline / (rate * constants.kernel_experts * edge)
    return np.asarray(seconds + experts * conditions.imbalance)


def _traffic(
    shape: ModelShape, hardware: Hardware, grid: Grid, constants: Constants, tokens: Floats
) -> Floats:
    """Norms, activations, residuals, rotary embeddings, dropout, permutations, the loss."""
    h = shape.hidden
    per_layer = constants.copies * h * 2.0
    copies = shape.layers * per_layer
    # The MLP's own activation function reads and writes its width.
    widths = float(shape.dense_layers * shape.ffn)
    if shape.experts is not None:
        e = shape.experts
        widths += e.layers * (e.per_token * e.ffn + e.shared_ffn)
        # Routed tokens are sorted, sent, received and put back, forward and backward.
        copies += e.layers * e.per_token * h * 2.0 * 12
    copies += widths * 2.0 * 10
    loss = shape.vocab * 16.0
    per = grid.tensor * grid.pipeline
    return tokens * (copies + loss) / per / (hardware.memory_gbytes_per_s * 1e9 * 0.8)


def _fast(hardware: Hardware, ranks: Floats) -> Floats:
    """Bytes per second of an accelerator in a group inside its domain.

    The link speed for groups within its reach, PCIe for larger groups: of cards in bridged pairs,
    groups of four communicate at the speed of PCIe.
    """
    pcie = hardware.pcie_gbytes_per_s
    link = hardware.scale_up_gbytes_per_s or pcie
    reach = hardware.scale_up_size
    speed: Floats = np.where(ranks <= reach, link, min(link, pcie)) * 1e9 * SCALE_UP_EFFICIENCY
    return speed


def _slow(hardware: Hardware) -> float:
    """Bytes per second of an accelerator between nodes.

    0 if the network speed is unknown: layouts over several nodes are refused before
    (`estimate.try_option`).
    """
    return hardware.scale_out_gbytes_per_s * 1e9 * SCALE_OUT_EFFICIENCY


def _over(volume: Floats, hardware: Hardware) -> Floats:
    """Seconds of a volume between nodes; 0 on one node."""
    slow = _slow(hardware)
    return volume / slow if slow > 0 else np.zeros_like(volume)


def _domain(hardware: Hardware) -> float:
    """Accelerators that communicate without the network: the link's domain, or the node."""
    return float(max(hardware.scale_up_size, hardware.per_node))


def _tensor(shape: ModelShape, hardware: Hardware, grid: Grid, tokens: Floats) -> Floats:
    routed = shape.experts.layers if shape.experts else 0
    # Eight collectives per dense layer and step; experts of routed layers need none.
    collectives = 8 * (shape.layers - routed) + 4 * routed
    volume = collectives * tokens * shape.hidden * 2 * (grid.tensor - 1) / grid.tensor
    seconds: Floats = volume / grid.pipeline / _fast(hardware, grid.tensor)
    return seconds


def _expert(shape: ModelShape, hardware: Hardware, grid: Grid, tokens: Floats) -> Floats:
    if shape.experts is None:
        return np.zeros(len(grid))
    e = shape.experts
    near = np.minimum(grid.expert, _domain(hardware))
    groups = np.maximum(1.0, grid.expert / _domain(hardware))
    # Dispatch and combine, forward and backward.
    volume = 4 * tokens / grid.tensor * shape.hidden * 2 * e.layers / grid.pipeline
    inside = volume * e.per_token * (near - 1) / near
    # A token is sent to another domain once, however many of its experts are there.
    reached = groups * (1 - (1 - 1 / groups) ** e.per_token)
    outside = volume * reached * (1 - 1 / groups)
    seconds: Floats = inside / _fast(hardware, near) + _over(outside, hardware)
    return seconds


def _context(shape: ModelShape, hardware: Hardware, grid: Grid, tokens: Floats) -> Floats:
    """Keys and values circulate in the ring, once forward and twice backward; 30 % is exposed."""
    width = shape.kv_values_per_token * 2.0
    volume = 3 * tokens * width * (grid.context - 1) / (grid.tensor * grid.pipeline)
    ranks = grid.tensor * grid.context
    inside = ranks <= _domain(hardware)
    return 0.3 * np.where(inside, volume / _fast(hardware, ranks), _over(volume, hardware))


def _transfers(shape: ModelShape, hardware: Hardware, grid: Grid, tokens: Floats) -> Floats:
    """Activations to the next stage and gradients back, once per chunk; half is exposed."""
    volume = 2 * grid.virtual * tokens * shape.hidden * 2 / grid.tensor
    inside = grid.accelerators <= _domain(hardware)
    near = volume / _fast(hardware, grid.accelerators)
    seconds = np.where(inside, near, _over(volume, hardware))
    return np.where(grid.pipeline > 1, 0.5 * seconds, 0.0)


def _reduction(
    shape: ModelShape, hardware: Hardware, grid: Grid, micro: Floats, trainable_share: float
) -> Floats:
    """Exposed communication of gradients and weights between replicas."""
    common, experts = params_per_rank(shape, grid)
    replicas = grid.data * grid.context
    expert_replicas = np.maximum(1.0, grid.tensor * replicas / grid.expert)
    slow, domain = _slow(hardware), _domain(hardware)
    seconds = np.zeros(len(grid))
    for params, ranks, together in (
        (common, replicas, grid.tensor),
        (experts, expert_replicas, np.minimum(grid.expert, domain)),
    ):
        beside = np.maximum(1.0, domain / np.maximum(together, 1.0))
        inside = ranks <= beside
        fast = _fast(hardware, np.minimum(ranks * np.maximum(together, 1.0), domain))
        # Ranks of a group in one domain share its network: each carries a part of the ring.
        speed = np.where(inside, fast, np.minimum(fast, slow * np.minimum(beside, ranks)))
        seconds = seconds + params * (ranks - 1) / ranks / speed
    # FSDP gathers weights (BF16) for each pass of each micro-batch, and reduces gradients (FP32).
    per_micro = (4.0 + 4.0 * trainable_share) * seconds
    hidden = np.maximum(0.05 * per_micro, per_micro - 0.85 * micro)
    # Otherwise once a step: gradients in FP32, weights in BF16; they overlap with the first
    # forward and the last backward pass of the pipeline.
    per_step = 6.0 * trainable_share * seconds
    left = np.maximum(0.1 * per_step, per_step - 0.6 * micro)
    return np.where(grid.sharding == FSDP, hidden * grid.accumulation, left)

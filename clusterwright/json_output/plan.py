"""The JSON output of `clusterwright plan`: a training run, or the replicas that serve a model."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from clusterwright.cost.bill_extras import Exchange
from clusterwright.json_output.base import (
    Count,
    Envelope,
    Joined,
    NotNegative,
    Number,
    Output,
    Positive,
    PositiveCount,
    at,
    field,
    json_text,
    optional,
)
from clusterwright.sizing.inference import InferenceAware
from clusterwright.sizing.launch import Launch
from clusterwright.sizing.phases import Phase
from clusterwright.sizing.plan_types import (
    Assumption,
    Explained,
    FrameworkSupport,
    Quantiles,
    Step,
)
from clusterwright.sizing.platform_advice import Advice
from clusterwright.sizing.purchases import Purchase
from clusterwright.sizing.reliability import Intervals
from clusterwright.sizing.report_types import PlanReport, QuotaNeed, Recovery
from clusterwright.sizing.serving_types import Serving
from clusterwright.sizing.storage import LustreChoice

_GIB = 2**30


def _significant(value: Any) -> Any:
    """Six significant digits."""
    return float(f"{value:.6g}")


def _four_decimals(value: Any) -> Any:
    return round(value, 4)


def _gib(parts: Mapping[str, float]) -> dict[str, float]:
    return {name: round(size / _GIB, 4) for name, size in parts.items()}


Days = Annotated[Positive, BeforeValidator(_significant)]


def _rounded(value: Any) -> Any:
    if isinstance(value, Quantiles):
        return Quantiles(*(_significant(number) for number in vars(value).values()))
    return value


def _with_rounded_values(assumption: Assumption) -> Assumption:
    return replace(assumption, values=_rounded(assumption.values))


Rounded = Annotated[Quantiles, BeforeValidator(_rounded)]
"""Quantiles with six significant digits."""


class ModelOutput(Output):
    """The model that is trained."""

    name: str = field("Name of the model.")
    params: Number = field("All parameters.")
    active_params: Number = field("Parameters that a token visits.", validation_alias="active")
    layers: Count = field("Transformer layers.")
    hidden_size: Count = field("Hidden size.", validation_alias="hidden")
    heads: Count = field("Attention heads.")
    kv_heads: Count = field("Heads of keys and values.")
    vocab_size: Count = field("Entries of the vocabulary.", validation_alias="vocab")
    experts: Count | None = at("experts.count", "Routed experts of a layer.")
    experts_per_token: Count | None = at(
        "experts.per_token", "Experts that are active for each token."
    )
    inferred: tuple[str, ...] = field("Fields that were inferred.")
    source: str = field("Where the shape is from.")


class EstimateOutput(Output):
    """The estimate for the chosen candidate."""

    accelerators: PositiveCount = field("Accelerators.")
    accelerators_chosen: bool = field("Whether the number was chosen, not given.")
    nodes: PositiveCount = field("Nodes.")
    accelerator_hours: Rounded = field("Accelerators times hours.")
    days: Rounded = field("Duration of the run.")
    usd: Rounded | None = field("Compute alone; null where no rate is known.")
    usd_unknown: str | None = field("Why it is unknown.")
    in_run_mfu: Rounded = field("Model FLOPs utilisation while training.")
    mfu_peak_tflops: Positive = field("The dense peak that the MFU refers to.")
    goodput: Rounded = field("Share of the time that makes progress.")
    whole_run_mfu: Rounded = field("MFU including lost time.")


class LayoutOutput(Output):
    """How the model is distributed over the accelerators."""

    tensor: PositiveCount = field("Tensor parallel size.")
    pipeline: PositiveCount = field("Pipeline stages.")
    context: PositiveCount = field("Context parallel size.")
    expert: PositiveCount = field("Expert parallel size.")
    data: PositiveCount = field("Data parallel size.")
    virtual: PositiveCount = field("Model chunks per pipeline stage.")
    micro_batch: PositiveCount = field("Sequences of a micro-batch.")
    recompute: str = field("Activation recomputation.")
    recompute_share: Number = field("Share of layers that are recomputed in full.")
    sharding: str = field("Sharding of the optimizer state.")
    accumulation: PositiveCount = field("Gradient accumulation steps.")
    text: str = field("As it is written: `TP8 PP4 DP64`.")


class MemoryOutput(Output):
    """Memory of the most loaded accelerator."""

    parts_gib: Annotated[dict[str, Number], BeforeValidator(_gib)] = field(
        "By kind of content, GiB.", validation_alias="parts"
    )
    total_gib: Annotated[Number, BeforeValidator(_four_decimals)] = field("GiB.")
    limit_gib: Number = field("Memory of the accelerator, GiB.")


class EfaOffOutput(Output):
    """The same nodes with TCP over ENA instead of EFA."""

    days: Rounded | None = field("Null where no layout works.")
    usd: Rounded | None = field("Compute; null where unknown.")
    reason: str | None = field("Why there are no days, or the same.")


class CandidateOutput(Output):
    """One cluster for the run, or the reason why it is not possible."""

    chosen: bool = field("The candidate that `estimate` is about.")
    infeasible: str | None = field("Why it is not possible.")
    instance_type: str | None = at("hardware.instance_type", "Its nodes.")
    accelerator: str = at("hardware.accelerator", "Its accelerators.")
    nodes: PositiveCount = field("Number of nodes.")
    accelerators: PositiveCount = field("Number of accelerators.")
    layout: LayoutOutput | None = field("Null where it is not possible.")
    memory: MemoryOutput | None = field("Null where it is not possible.")
    step: Step | None = field("Null where it is not possible.")
    days: Rounded | None = field("Duration of the run.")
    accelerator_hours: Rounded | None = field("Accelerators times hours.")
    in_run_mfu: Rounded | None = field("MFU while training.")
    goodput: Rounded | None = field("Share of the time that makes progress.")
    efa_off: EfaOffOutput | None = field("The same nodes with TCP, not EFA.")
    unknown_offering: str | None = field("Where it is unknown whether the region offers the type.")
    frameworks: tuple[FrameworkSupport, ...] = field("For Trainium.")
    notes: tuple[str, ...] = field("What to know about it.")


class SwingOutput(Output):
    """The effect of one assumption on the duration, the others at their median."""

    key: str = field("The assumption.")
    text: str = field("What it is.")
    days_low: Days = field("With its P10.")
    days_high: Days = field("With its P90.")


class OfferOutput(Output):
    """The cost of one candidate with one kind of capacity."""

    instance_type: str | None = at("candidate.hardware.instance_type", "Its nodes.")
    nodes: PositiveCount = field("Nodes that are paid for, spares included.")
    capacity_kind: str = field("Kind of capacity.")
    rate_usd_per_hour: Annotated[
        NotNegative | None, BeforeValidator(lambda rate: None if rate is None else float(rate))
    ] = at("rate.usd_per_hour", "Of one node; null where unknown.")
    source: str | None = at("rate.source", "Source of the rate.")
    date: str | None = at("rate.date", "Date of the rate.")
    usd: Quantiles | None = field("Of the run; null where the rate is unknown.")
    unknown: str | None = field("Why the rate is unknown.")
    hint_usd: NotNegative | None = field("At an old offer; not a price.")
    purchases: tuple[Purchase, ...] = at("purchase.purchases", "Bought in advance.", default=())
    idle_instance_days: Number | None = at("purchase.idle_instance_days", "Bought and not used.")
    cautions: tuple[str, ...] = field("What to know about the offer.")


class StorageOutput(Output):
    """Storage of the run."""

    mode: str = field("How checkpoints are saved.")
    checkpoint_bytes: NotNegative = field("A full state.")
    weights_bytes: NotNegative = field("The weights alone.")
    dataset_bytes: NotNegative = field("The tokenised data set.")
    kept: Count = field("Checkpoints that are kept on Lustre.")
    interval_seconds: NotNegative = field("Between checkpoints.")
    blocking_seconds: NotNegative = field("Of one save.")
    blocked_share: NotNegative = field("Of the run.")
    drain_gbytes_per_s: NotNegative = field("To Lustre between saves.")
    restart_gbytes_per_s: NotNegative = field("To read a state back in time.")
    needed_gbytes_per_s: NotNegative = field("The larger of the two.")
    node_gbytes_per_s: NotNegative = field("What one node sends at that rate.")
    client_gbytes_per_s: NotNegative = field("Above this EFA is needed.")
    capacity_needed_gib: NotNegative = field("Capacity that is needed.")
    chosen: LustreChoice = field("The file system.")
    others: tuple[LustreChoice, ...] = field("The alternatives.")
    restart_seconds: NotNegative = field("Reading one state back.")
    first_epoch_hours: NotNegative = field("Filling Lustre from S3, at least.")
    object_bytes: NotNegative = field("In the bucket at the end.")
    object_usd_per_month: NotNegative | None = field("Of the bucket.")
    associations: tuple[tuple[str, str, str], ...] = field("Data repository associations.")
    warnings: tuple[str, ...] = field("What to know about the storage.")


class FailuresOutput(Output):
    """Failures of the run and what they cost."""

    mtti_hours: Quantiles = field("Mean time to interruption.")
    spares: Count = field("Spare nodes.")
    save_seconds: NotNegative = field("Of one checkpoint.")
    intervals: Intervals = field("Checkpoint intervals.")
    recoveries: tuple[Recovery, ...] = field("By kind of recovery.")
    remark: str = field("How the two methods differ.")


class OwnedOutput(Output):
    """Buying compared with renting the same work."""

    owned_total: Number = field("USD of owning.")
    rented_total: Number = field("USD of renting.")
    owned_per_hour: Number = field("USD of an hour of use.")
    hours: Number | None = field("Hours to break-even.")
    years: Number | None = field("Years to break-even.")
    utilisation: Number | None = field("Utilisation at break-even.")
    cheaper: str = field("The cheaper of the two.")


class LevelOutput(Output):
    """One kind of training and what the budget pays of it."""

    name: str = at("level.name", "Its name.")
    usd_least: NotNegative = field("Least cost.")
    usd_most: NotNegative = field("Highest cost.")
    reached: Literal["yes", "in part", "no"] = field("Whether the budget pays it.")
    basis: str = at("level.basis", "What the cost is based on.")


class PlanExchange(Output):
    """The second currency."""

    currency: str = field("ISO 4217 code.")
    rate: Annotated[Number, BeforeValidator(float)] = field("Units for one USD.")
    date: dt.date = field("Date of the rate.")
    amount: Quantiles | None = field("Compute; null where the dollars are unknown.")


class NarrowedOutput(Output):
    """An uncertain input before and after the measurement."""

    key: str = field("`throughput`, `failures`, `save` or `restart`.")
    text: str = field("What it is.")
    unit: str = field("Unit of the values.")
    measured: Annotated[NotNegative, BeforeValidator(_significant)] = field("The measured value.")
    count: Count = field("Measured runs, failures, saves or restarts.")
    before: Rounded = field("Without the measurement.")
    after: Rounded = field("With it.")
    narrower: Annotated[Number, BeforeValidator(_four_decimals)] = field(
        "Share by which log(P90/P10) is smaller; negative if it is larger."
    )
    outside: bool = field("Whether the measured value is outside the interval of before.")


class MeasuredOutput(Output):
    """What measured runs change about the plan."""

    files: tuple[str, ...] = field("The measurements.")
    quantities: tuple[NarrowedOutput, ...] = field("What was measured.")
    days_before: Rounded = field("Duration of the run without the measurement.")
    days_after: Rounded = field("With it, as in `estimate`.")
    narrower: Annotated[Number, BeforeValidator(_four_decimals)] = field(
        "Share by which log(P90/P10) of the days is smaller; negative if it is larger."
    )
    notes: tuple[str, ...] = field("What was scaled or assumed, or contradicts the plan.")
    unknown: tuple[str, ...] = field("What the measurements do not state.")


class PlanOutput(Envelope):
    """The plan of a training run."""

    command: Literal["plan"] = "plan"
    model: ModelOutput = field("The model.", validation_alias="shape")
    kind: str = field("Kind of training.")
    tokens: Positive = field("Tokens of the run.")
    seq_len: PositiveCount = field("Sequence length.")
    batch_tokens: Positive = field("Tokens of a step.")
    precision: str = field("Precision of the matrix products.")
    training_flops: Positive = field("FLOPs of the run.")
    estimate: EstimateOutput = field("The estimate for the chosen candidate.")
    candidates: tuple[CandidateOutput, ...] = field("Every cluster considered.")
    assumptions: tuple[Annotated[Assumption, BeforeValidator(_with_rounded_values)], ...] = field(
        "Uncertain inputs."
    )
    tornado: tuple[SwingOutput, ...] = field("Effect of each, largest first.")
    warnings: tuple[str, ...] = field("What to know about the plan.")
    seed: Count = field("Seed of the Monte Carlo simulation.")
    samples: PositiveCount = field("Its samples.")
    region: str | None = field("The region.")
    offers: tuple[OfferOutput, ...] = field("Costs by candidate and capacity.")
    storage: StorageOutput | None = field("Storage of the run.")
    failures: FailuresOutput | None = field("Failures of the run.")
    quotas: tuple[QuotaNeed, ...] = field("Quotas that the cluster needs.")
    phases: tuple[Phase, ...] = field("With --phases.")
    launch: Launch | None = field("Settings of the training frameworks.")
    platform: Advice | None = field("The platform that suits the run.", validation_alias="advice")
    inference: InferenceAware | None = field("With --inference-tokens.")
    owned: OwnedOutput | None = field("With --owned.")
    owned_run: CandidateOutput | None = field("The run on the owned hardware.")
    levels: tuple[LevelOutput, ...] = field("What the budget affords.")
    not_answered: tuple[str, ...] = field(
        "What could not be computed.", validation_alias="unknown"
    )
    measured: MeasuredOutput | None = optional("With --measured.", validation_alias="narrowing")
    exchange: PlanExchange | None = optional("With --currency.")
    explained: tuple[Explained, ...] | None = optional("With --explain.")


class ServedModel(Output):
    """The model that is served."""

    name: str = field("Name of the model.")
    params: Number = field("All parameters.")


class ReplicaOutput(Output):
    """The smallest replica on one type, or the reason why there is none."""

    instance_type: str | None = at("hardware.instance_type", "The type.")
    accelerator: str = at("hardware.accelerator", "Its accelerators.")
    accelerators: Count = field("Accelerators of the replica.")
    parts_gib: dict[str, Number] = field("Memory by kind of content.")
    per_accelerator_gib: NotNegative | None = field("Memory of one accelerator.")
    tokens_per_s_bound: Positive | None = field("Of all sequences, at most.")
    bound_by: str | None = field("Memory bandwidth or compute.")
    infeasible: str | None = field("Why there is no replica.")


class ServingSetup(Output):
    """The replicas, the fewest accelerators first."""

    precision: str = field("Precision of the weights.")
    sequences: PositiveCount = field("Sequences at the same time.")
    seq_len: PositiveCount = field("Tokens of a sequence.")
    replicas: tuple[ReplicaOutput, ...] = field("By type.")


class ServingOutput(Envelope):
    """With `--kind inference`: replicas that serve a model."""

    command: Literal["plan"] = "plan"
    kind: Literal["inference"] = "inference"
    model: ServedModel = field("The model.", validation_alias="shape")
    serving: ServingSetup = field("The replicas.")
    warnings: tuple[str, ...] = field("What to know about them.")


OUTPUTS = (PlanOutput, ServingOutput)


def plan_json(
    report: PlanReport, *, explain: bool = False, exchange: Exchange | None = None
) -> str:
    """A plan as JSON."""
    plan, storage = report.plan, report.storage
    usd, step = plan.estimate.usd, plan.chosen.step
    explained = (*plan.explained, *(storage.explained if storage is not None else ()))
    return json_text(
        PlanOutput,
        report,
        plan,
        exit_code=0,
        estimate=Joined(plan.estimate, mfu_peak_tflops=step and step.peak_tflops),
        offers=(*report.priced, *report.unpriced),
        exchange=exchange and Joined(exchange, amount=usd and usd.scaled(float(exchange.rate))),
        explained=explained if explain else None,
    )


def serving_json(serving: Serving) -> str:
    """The replicas that serve a model as JSON."""
    return json_text(
        ServingOutput, exit_code=0, shape=serving.shape, serving=serving, warnings=serving.warnings
    )

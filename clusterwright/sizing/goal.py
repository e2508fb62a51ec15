"""The goal of a plan: model, data, cluster, deadline, budget; for `goal.yaml` and for flags."""

from __future__ import annotations

import datetime as dt
import re
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from clusterwright.platforms.registry import PlatformName
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.plan_types import StackName
from clusterwright.sizing.quantities import (
    BATCH_TOKENS,
    BYTES,
    PARAMETERS,
    TOKENS,
    Quantity,
    parse_count,
    parse_hours,
)

TrainingKind = Literal["from-scratch", "continued", "fine-tune", "lora", "qlora", "inference"]
Precision = Literal["bf16", "fp8", "int8", "int4", "fp4"]
_SPELLINGS: Final = {
    "bfloat16": "bf16",
    "float8": "fp8",
    "mxfp8": "fp8",
    "e4m3": "fp8",
    "scratch": "from-scratch",
    "pretrain": "from-scratch",
    "pretraining": "from-scratch",
    "finetune": "fine-tune",
    "fine-tuning": "fine-tune",
    "full": "fine-tune",
    "continue": "continued",
    "auto": "automatic",
}
_HINTS: Final = {
    "fp16": "FP16 and BF16 products are equally fast: --precision bf16",
    "float16": "FP16 and BF16 products are equally fast: --precision bf16",
    "fp32": "training in FP32 is not planned: --precision bf16 keeps FP32 master weights",
    "nvfp4": "fp4 is for inference; training is planned in bf16 and fp8",
    "none": "for recovery by an operator: --recovery manual",
}
Recovery = Literal["manual", "automatic", "checkpointless"]
CapacityKind = Literal[
    "on-demand", "spot", "reservation", "capacity-block", "training-plan", "private-rate"
]
Optimizer = Literal["adam", "adam-8bit"]


def _count(kind: Quantity, field: str) -> BeforeValidator:
    return BeforeValidator(
        lambda value: value if value is None else parse_count(value, kind, field=field)
    )


def _normalised(value: object) -> object:
    """The canonical spelling of a value; case does not matter."""
    if not isinstance(value, str):
        return value
    plain = value.strip().lower().replace("_", "-")
    return _SPELLINGS.get(plain, plain)


def _deadline(value: object) -> object:
    """A deadline as text: YAML reads an unquoted 2027-06-01 as a date, and 90 as a number."""
    if isinstance(value, dt.date):
        return value.isoformat()[:10]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    return value


def _as_list(value: object) -> object:
    """A single kind of capacity as a list."""
    return (value,) if isinstance(value, str) else value


def _section(value: object) -> object:
    """An empty section for one whose keys are all commented out."""
    return {} if value is None else value


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Shape(_Strict):
    """A model by its shape; missing values are inferred, with a warning."""

    layers: int | None = Field(None, gt=0, lt=10_000, description="transformer layers")
    hidden_size: int | None = Field(None, gt=0, lt=10**6, description="width of the residual")
    ffn_size: int | None = Field(None, gt=0, lt=10**7, description="inner width of an MLP")
    heads: int | None = Field(None, gt=0, lt=10**5, description="query heads")
    kv_heads: int | None = Field(None, gt=0, lt=10**5, description="KV heads (GQA)")
    vocab_size: int | None = Field(None, gt=0, lt=10**8, description="vocabulary")
    experts: int | None = Field(None, gt=1, lt=10**5, description="routed experts per layer")
    experts_per_token: int | None = Field(None, gt=0, lt=10**5, description="experts of a token")
    expert_ffn_size: int | None = Field(None, gt=0, lt=10**7, description="width of an expert")


class Dataset(_Strict):
    """A data set, by name or by size in bytes (not in tokens)."""

    name: str | None = Field(None, description="a known data set")
    bytes: Annotated[float | None, _count(BYTES, "data.bytes")] = Field(
        None, description="bytes of uncompressed text"
    )
    language: str = Field("english", description="english, code, japanese, chinese, multilingual")
    epochs: float = Field(1.0, gt=0, le=100, description="passes over the data")


class ClusterGoal(_Strict):
    """A fixed cluster."""

    instance_type: str | None = Field(None, description="EC2's name, without ml.")
    nodes: int | None = Field(None, gt=0, le=100_000, description="instances")
    accelerator: str | None = Field(None, description="H800, A100-80GB, Trn2, ...")
    accelerators: int | None = Field(
        None, gt=0, le=10**6, description="number of accelerators; chosen if not given"
    )
    per_node: int | None = Field(
        None, gt=0, le=64, description="accelerators in each of your nodes"
    )
    network_gbps: float | None = Field(
        None,
        gt=0,
        le=10**5,
        allow_inf_nan=False,
        description="network bandwidth of each of your nodes",
    )


class Goal(_Strict):
    """Everything that `plan` reads; only the model and the tokens are required.

    `parse` reads a goal from a mapping and turns validation errors into sentences.
    """

    model: str | None = Field(None, description="a known model")
    params: Annotated[float | None, _count(PARAMETERS, "params")] = Field(
        None, description="all parameters"
    )
    active_params: Annotated[float | None, _count(PARAMETERS, "active_params")] = Field(
        None, description="parameters used per token, for a mixture of experts"
    )
    shape: Annotated[Shape, BeforeValidator(_section)] = Field(
        default_factory=lambda: Shape.model_validate({})
    )
    tokens: Annotated[float | None, _count(TOKENS, "tokens")] = Field(
        None, description="tokens of the run"
    )
    data: Dataset | None = Field(None, description="the data, if tokens are not given")
    seq_len: int | None = Field(None, ge=16, le=16_777_216, description="tokens per sequence")
    batch_tokens: Annotated[float | None, _count(BATCH_TOKENS, "batch_tokens")] = Field(
        None, description="tokens per optimizer step, all replicas together"
    )
    precision: Annotated[Precision, BeforeValidator(_normalised)] = Field(
        "bf16", description="of the matrix products"
    )
    kind: Annotated[TrainingKind, BeforeValidator(_normalised)] = Field(
        "from-scratch", description="what is trained"
    )
    optimizer: Optimizer = Field("adam", description="adam (FP32 moments) or adam-8bit")
    cluster: Annotated[ClusterGoal, BeforeValidator(_section)] = Field(
        default_factory=lambda: ClusterGoal.model_validate({})
    )
    deadline: Annotated[str | None, BeforeValidator(_deadline)] = Field(
        None, description="90d, 12w, or a date"
    )
    deadline_at: Annotated[Literal["p50", "p90"], BeforeValidator(_normalised)] = Field(
        "p50", description="quantile of the days that must be within the deadline: p50 or p90"
    )
    budget_usd: float | None = Field(None, gt=0, allow_inf_nan=False, description="dollars")
    region: str | None = Field(None, description="AWS region")
    availability_zone_id: str | None = Field(None, description="zone id, such as use1-az6")
    capacity: Annotated[tuple[CapacityKind, ...], BeforeValidator(_as_list)] = Field(
        (), description="kinds of capacity allowed"
    )
    platform: Annotated[PlatformName | None, BeforeValidator(_normalised)] = Field(
        None, description="platform of the cluster; advised if not given"
    )
    recovery: Annotated[Recovery, BeforeValidator(_normalised)] = Field(
        "automatic", description="after a failure"
    )
    stack: Annotated[StackName | None, BeforeValidator(_normalised)] = Field(
        None, description="tuning of the training stack: as-it-comes, tuned or frontier"
    )
    lora_rank: int = Field(16, gt=0, le=4096, description="rank of LoRA's adapters")
    seed: int = Field(0, ge=0, lt=2**63, description="of the Monte Carlo")

    def deadline_hours(self, today: dt.date | None) -> float | None:
        """Hours from `today` to the deadline; `None` without one. Durations need no `today`.

        Raises
        ------
        GoalError
            It is in the past, or neither a duration nor a date.
        """
        if self.deadline is None:
            return None
        try:
            day = dt.date.fromisoformat(self.deadline)
        except ValueError:
            return parse_hours(self.deadline)
        if today is None:
            raise GoalError(
                "a deadline given as a date requires the current date", "a duration such as 90d"
            )
        if day <= today:
            raise GoalError(
                f"the deadline {day} is not after today, {today}",
                "a later day, or a duration such as 90d",
                field="deadline",
            )
        return (day - today).days * 24.0


def parse(data: object) -> Goal:
    """A goal from a mapping, such as a parsed `goal.yaml`.

    Raises
    ------
    GoalError
        The first validation error, as a sentence.
    """
    try:
        return Goal.model_validate(data)
    except ValidationError as error:
        raise _sentence(error) from None


def _sentence(error: ValidationError) -> GoalError:
    from difflib import get_close_matches

    first = error.errors(include_url=False)[0]
    path = ".".join(str(part) for part in first["loc"]) or "the goal"
    if first["type"] == "extra_forbidden":
        known = _fields(first["loc"][:-1])
        near = get_close_matches(str(first["loc"][-1]), known, n=1)
        hint = f"did you mean `{near[0]}`?" if near else f"known: {', '.join(known)}"
        return GoalError(f"unknown key `{path}`", hint, field=path)
    cause: Any = first.get("ctx", {}).get("error")
    if isinstance(cause, GoalError):
        return cause
    message = str(first["msg"])
    advice: str | None = None
    if first["type"] == "int_parsing":
        message = f"expected an integer, got {str(first['input'])[:60]!r}"
        advice = "write all digits, such as 8192"
    if first["type"] == "literal_error":
        given = str(first["input"]).strip().lower()
        expected = re.findall(r"'([^']*)'", str(first.get("ctx", {}).get("expected", "")))
        near = get_close_matches(given, expected, n=1)
        advice = _HINTS.get(given) or (f"did you mean {near[0]}?" if near else None)
    return GoalError(f"{path}: {message[:1].lower()}{message[1:]}", advice, field=path)


def _fields(location: tuple[int | str, ...]) -> list[str]:
    inner: dict[str, type[BaseModel]] = {"shape": Shape, "data": Dataset, "cluster": ClusterGoal}
    owner = inner.get(str(location[-1])) if location else Goal
    return list((owner or Goal).model_fields)

"""The formulas of `plan --explain`, with their numbers and sources."""

from __future__ import annotations

from clusterwright.sizing import reliability
from clusterwright.sizing.datasets import CHINCHILLA
from clusterwright.sizing.flops import ATTENTION, SIX_N_D, attention_flops_per_token
from clusterwright.sizing.memory import CONTEXT_GIB, GIB, params_per_rank
from clusterwright.sizing.plan_types import Assumption, Explained, Plan
from clusterwright.sizing.uncertainty import THROUGHPUT, Work


def explain(plan: Plan, work: Work, found: tuple[Assumption, ...]) -> tuple[Explained, ...]:
    """Every step from the goal to the days, at the medians."""
    medians = {a.key: a.values.p50 for a in found}
    rows = [*_compute(plan), *_memory(plan), *_step(plan), *_reliability(plan, work, medians)]
    return (*rows, *_days(plan, medians))


def _compute(plan: Plan) -> list[Explained]:
    shape, s = plan.shape, plan.seq_len
    attention = attention_flops_per_token(shape, s)
    return [
        Explained(
            "training compute",
            "C = 6 N D",
            f"6 x {shape.active:.4g} x {plan.tokens:.4g}",
            plan.training_flops,
            "FLOP",
            SIX_N_D,
        ),
        Explained(
            "attention per token",
            "6 x layers x attention width x sequence (causal)",
            f"6 x {shape.layers} x {shape.attention_width:,} x {s:,}; "
            f"6N is {6 * shape.active:.4g}",
            attention,
            "FLOP/token",
            ATTENTION,
        ),
        Explained(
            "tokens per parameter",
            "D / N",
            f"{plan.tokens:.4g} / {shape.active:.4g}",
            plan.tokens / shape.active,
            "",
            CHINCHILLA,
        ),
    ]


def _memory(plan: Plan) -> list[Explained]:
    from clusterwright.sizing.layouts import one

    chosen = plan.chosen
    layout, memory = chosen.layout, chosen.memory
    assert layout is not None
    assert memory is not None
    common, experts = params_per_rank(plan.shape, one(layout))
    megatron = "Megatron-LM, theoretical_memory_usage.py"
    sources = {
        "weights": f"2 bytes per parameter ({megatron}); over DP with FSDP",
        "gradients": f"4 bytes per parameter, FP32 ({megatron}); over DP with FSDP",
        "optimizer": f"12 bytes per parameter over data-parallel ranks ({megatron}; ZeRO)",
        "activations": "Korthikanti et al. 2022, arXiv:2205.05198, table 2",
        "logits": "6 bytes per token and entry of the vocabulary (stas00/ml-engineering)",
        "buffers": "gathered layers, gradient buckets, routed tokens",
        "context": f"CUDA context and NCCL: {CONTEXT_GIB} GiB (stas00/ml-engineering: 0.5 to 2)",
        "fragmentation": "5 % of the allocations of every step (Megatron-LM's estimator)",
    }
    rows = [
        Explained(
            "parameters on the fullest rank",
            "(layers/PP + embeddings)/TP, experts/EP",
            f"{layout.text}: {float(common[0]):.4g} and {float(experts[0]):.4g} of experts",
            float(common[0] + experts[0]),
            "parameters",
            megatron,
        )
    ]
    rows += [
        Explained(f"memory: {name}", "", "", value / GIB, "GiB", sources[name])
        for name, value in memory.parts.items()
    ]
    rows.append(
        Explained(
            "memory: total",
            "sum of the parts <= 90 % of the accelerator's",
            f"{memory.total_gib:.1f} of {memory.limit_gib:g} GiB = {memory.used_share:.0%}",
            memory.total_gib,
            "GiB",
            "10 % of the memory stays free",
        )
    )
    return rows


def _step(plan: Plan) -> list[Explained]:
    chosen = plan.chosen
    step, layout = chosen.step, chosen.layout
    assert step is not None
    assert layout is not None
    rows = [
        Explained(f"step: {name}", "", "", seconds, "s", "sizing.step, constants fitted")
        for name, seconds in step.parts.items()
        if seconds > 0
    ]
    rows.append(
        Explained(
            "tokens per second and accelerator",
            "tokens per step / seconds / accelerators",
            f"{step.tokens:,.0f} / {step.seconds:.4g} / {layout.accelerators:,}",
            step.tokens_per_s_per_accelerator,
            "tokens/s",
            "sizing.step",
        )
    )
    rows.append(
        Explained(
            "MFU of the layout, before losses in production",
            "6 N tokens/s / (accelerators x peak)",
            f"6 x {plan.shape.active:.4g} x {step.tokens_per_s_per_accelerator:,.1f} / "
            f"{step.peak_tflops:g}e12 (dense {plan.precision.upper()})",
            step.mfu,
            "",
            f"matmul ceiling {chosen.hardware.ceiling:.1%}: {chosen.hardware.ceiling_source}",
        )
    )
    return rows


def _reliability(plan: Plan, work: Work, medians: dict[str, float]) -> list[Explained]:
    rate = medians["failures"]
    mtti = float(reliability.mtti_hours(float(work.nodes), rate))
    save, restart = medians["save"] / 3600, medians["restart"] / 60
    rules = reliability.intervals(mtti, save, restart)
    return [
        Explained(
            "mean time to interruption",
            "24 / (nodes x failures per node-day)",
            f"24 / ({work.nodes:,} x {rate:.2e})",
            mtti,
            "h",
            reliability.FAILURES_SOURCE,
        ),
        Explained(
            "checkpoint interval, Young",
            "sqrt(2 w M)",
            f"sqrt(2 x {save:.4g} x {mtti:.4g}); goodput {rules.goodput_young:.4f}",
            float(rules.young_hours * 60),
            "min",
            "Young 1974",
        ),
        Explained(
            "checkpoint interval, Daly",
            "sqrt(2 w M) (1 + sqrt(w/2M)/3 + (w/2M)/9) - w",
            f"goodput {rules.goodput_daly:.4f}",
            float(rules.daly_hours * 60),
            "min",
            "Daly 2006, equation 37",
        ),
        Explained(
            "checkpoint interval, a tenth of the mean time",
            "M / 10",
            f"{mtti:.4g} / 10; goodput {rules.goodput_tenth:.4f}",
            float(rules.tenth_hours * 60),
            "min",
            "rule of thumb; equals Young's interval for w = M / 200 only",
        ),
        Explained(
            "goodput",
            "t / (M e^(u/M) (e^((t + w)/M) - 1))",
            f"u {restart * 60:.3g} min, w {save * 3600:.3g} s, t {medians['interval']:g} x Young",
            plan.estimate.goodput.p50,
            "",
            "Daly 2006; failures during saves and restarts included",
        ),
    ]


def _days(plan: Plan, medians: dict[str, float]) -> list[Explained]:
    e = plan.estimate
    step = plan.chosen.step
    assert step is not None
    return [
        Explained(
            "in-run MFU, P50",
            *_throughput(medians),
            e.in_run_mfu.p50,
            "",
            "sizing.uncertainty, with reasons per assumption",
        ),
        Explained(
            "whole-run MFU, P50",
            "in-run x goodput x programme",
            f"{e.in_run_mfu.p50:.3f} x {e.goodput.p50:.3f} x {medians['programme']:g}",
            e.whole_run_mfu.p50,
            "",
            "published runs: 0.76 to 0.91 from in-run to whole run",
        ),
        Explained(
            "days, P50",
            "6 N D / (accelerators x peak x MFU x 86,400)",
            f"{plan.training_flops:.4g} / ({e.accelerators:,} x {step.peak_tflops:g}e12 x "
            f"{e.whole_run_mfu.p50:.4g} x 86,400)",
            e.days.p50,
            "d",
            SIX_N_D,
        ),
        Explained(
            "accelerator-hours, P50",
            "days x 24 x accelerators",
            f"{e.days.p50:.4g} x 24 x {e.accelerators:,}",
            e.accelerator_hours.p50,
            "h",
            "",
        ),
    ]


def _throughput(medians: dict[str, float]) -> tuple[str, str]:
    """Formula and numbers of the in-run MFU."""
    if THROUGHPUT in medians:
        return "6 N tokens/s / (accelerators x peak)", f"{medians[THROUGHPUT]:,.6g} tokens/s"
    return (
        "layout x production relative to benchmark x network",
        f"practice {medians['practice']:g}, network {medians['network']:g}",
    )

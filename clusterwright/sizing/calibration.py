"""Fit the step model to public throughput benchmarks.

`python -m clusterwright.sizing.calibration` prints prediction against measurement; `--fit` fits
the constants anew and writes `data/calibration.json`; `--check` exits 1 if a fit would be better
by more than noise. Every benchmark has its source. Published accelerator-hours of whole runs are
not in the data: the planner is evaluated against them.

The fit is ridge-regularised Gauss-Newton on log tokens per second; every group of benchmarks has
the weight of the square root of its size, so that a long table does not dominate.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.resources import files
from pathlib import Path
from statistics import NormalDist
from typing import Any, Final

import numpy as np

from clusterwright.catalog import Catalog, load_catalog
from clusterwright.sizing import layouts, memory, step
from clusterwright.sizing.hardware import Hardware, of_accelerator
from clusterwright.sizing.layouts import Floats
from clusterwright.sizing.models import model
from clusterwright.sizing.plan_types import Layout
from clusterwright.sizing.shape import ModelShape, infer
from clusterwright.sizing.step import Conditions, Constants

_FOLDER: Final = files("clusterwright.sizing").joinpath("data")

PRIOR: Final = Constants(
    kernel=0.82,
    kernel_fp8=0.80,
    kernel_neuron=0.55,
    kernel_ampere=1.05,
    kernel_experts=0.85,
    attention=0.50,
    copies=50.0,
    width=160.0,
    exposed_tensor=0.5,
    exposed_expert=0.5,
    straggler=0.006,
    tuned=1.15,
)
"""Start of the fit, and prior of constants with few benchmarks."""

SPREAD: Final = Constants(
    kernel=0.10,
    kernel_fp8=0.15,
    kernel_neuron=0.30,
    kernel_ampere=0.15,
    kernel_experts=0.25,
    attention=0.35,
    copies=0.40,
    width=0.50,
    exposed_tensor=0.50,
    exposed_expert=0.50,
    straggler=0.60,
    tuned=0.12,
)
"""Prior standard deviation of the logarithm of each constant."""

LIMITS: Final = {
    "kernel": 0.98,
    "attention": 0.95,
    "kernel_experts": 1.0,
    "kernel_fp8": 1.0,
    "exposed_tensor": 1.0,
    "exposed_expert": 1.0,
}
"""Shares of a ceiling, and of exposed communication, are at most 1."""

GROUPS_ENOUGH: Final = 4

NOISE: Final = 0.12
"""Standard deviation of log tokens per second of one benchmark."""


@dataclass(frozen=True)
class Benchmark:
    """A published throughput; `tuned`: 1 a vendor's recipe, 0 framework defaults."""

    group: str
    name: str
    shape: ModelShape
    hardware: Hardware
    accelerators: int
    tokens_per_s_per_accelerator: float
    seq_len: int
    batch_tokens: float
    precision: str
    tuned: float
    source: str
    layout: Layout | None = None


@functools.cache
def constants() -> Constants:
    """The fitted constants that the planner uses."""
    data = json.loads(_FOLDER.joinpath("calibration.json").read_text("utf-8"))
    return Constants(**data["constants"])


@functools.cache
def residual_spread() -> dict[str, float]:
    """Standard deviation of log(measured/predicted) for benchmarks excluded from the fit.

    Keys are `dense`, `moe` and `neuron`.
    """
    data = json.loads(_FOLDER.joinpath("calibration.json").read_text("utf-8"))
    spread: dict[str, float] = data["residual_spread"]
    return spread


SAME_CHIP: Final = {"H800": "H100", "GH200": "H100"}
"""Chips with the same compute (data/hardware.json)."""


@functools.cache
def seen_accelerators() -> frozenset[str]:
    """Accelerators with a benchmark in the fit, and those with the same chip."""
    rows = json.loads(_FOLDER.joinpath("benchmarks.json").read_text("utf-8"))["benchmarks"]
    found = {row["accelerator"] for row in rows}
    return frozenset(found | {name for name, same in SAME_CHIP.items() if same in found})


def coverage(data: Sequence[Benchmark]) -> dict[str, float]:
    """Share of benchmarks in the 80 % interval of a fit without them, by kind.

    It should be about 0.8: with less the interval is too narrow, with more too wide.
    """
    stored = json.loads(_FOLDER.joinpath("calibration.json").read_text("utf-8"))
    unseen = np.array(stored["unseen_residuals"])
    kinds = np.array([_kind(b) for b in data])
    width = NormalDist().inv_cdf(0.9)
    return {
        kind: float(np.mean(np.abs(unseen[kinds == kind]) <= width * spread))
        for kind, spread in residual_spread().items()
    }


def benchmarks(catalog: Catalog) -> tuple[Benchmark, ...]:
    """Every benchmark of `data/benchmarks.json`."""
    rows = json.loads(_FOLDER.joinpath("benchmarks.json").read_text("utf-8"))["benchmarks"]
    return tuple(_benchmark(row, catalog) for row in rows)


def predict(benchmark: Benchmark, with_constants: Constants) -> float:
    """Tokens per second and accelerator with the stated layout, or with the fastest."""
    b = benchmark
    if b.layout is not None:
        grid = layouts.one(b.layout)
    else:
        grid = layouts.grid(
            b.shape,
            b.hardware,
            b.accelerators,
            seq_len=b.seq_len,
            batch_tokens=b.batch_tokens,
        )
        grid, _ = memory.fitting(
            b.shape, grid, seq_len=b.seq_len, memory_gib=b.hardware.memory_gib
        )
    seconds = step.times(
        b.shape,
        b.hardware,
        grid,
        with_constants,
        seq_len=b.seq_len,
        precision=b.precision,
        conditions=Conditions(tuned=b.tuned),
    ).sum(axis=0)
    tokens = grid.data * grid.micro_batch * grid.accumulation * b.seq_len
    return float((tokens / seconds / b.accelerators).max())


def fit(
    data: Sequence[Benchmark], *, start: Constants = PRIOR, rounds: int = 12
) -> tuple[Constants, Floats]:
    """The fitted constants, and log(measured/predicted) of every benchmark."""
    names = list(asdict(PRIOR))
    prior = np.log(np.array(list(asdict(PRIOR).values())))
    spread = np.array(list(asdict(SPREAD).values()))
    weights = _weights(data)

    def unpack(values: Floats) -> Constants:
        found = dict(zip(names, np.exp(values).tolist(), strict=True))
        return Constants(**{k: min(v, LIMITS.get(k, math.inf)) for k, v in found.items()})

    def errors(values: Floats) -> Floats:
        return np.concatenate(
            [_residuals(data, unpack(values)) * weights / NOISE, (values - prior) / spread]
        )

    at = np.log(np.array(list(asdict(start).values())))
    best = errors(at)
    damping = 1.0
    for _ in range(rounds):
        slope = np.empty((len(best), len(at)))
        for column in range(len(at)):
            moved = at.copy()
            moved[column] += 0.02
            slope[:, column] = (errors(moved) - best) / 0.02
        normal = slope.T @ slope + damping * np.eye(len(at))
        move = -np.linalg.solve(normal, slope.T @ best)
        tried = at + np.clip(move, -0.4, 0.4)
        found = errors(tried)
        if found @ found < best @ best:
            gained = best @ best - found @ found
            at, best, damping = tried, found, damping / 3
            if gained < 1e-3:
                break
        else:
            damping *= 5
    chosen = unpack(at)
    return chosen, _residuals(data, chosen)


def loss(data: Sequence[Benchmark], with_constants: Constants) -> float:
    """The loss of `fit`: weighted squares of residuals and of distances to the prior."""
    values = np.log(np.array(list(asdict(with_constants).values())))
    prior = np.log(np.array(list(asdict(PRIOR).values())))
    spread = np.array(list(asdict(SPREAD).values()))
    found = _residuals(data, with_constants) * _weights(data) / NOISE
    return float(found @ found + ((values - prior) / spread) @ ((values - prior) / spread))


def cross_validated(data: Sequence[Benchmark], fitted: Constants) -> Floats:
    """Cross-validated residuals of all benchmarks.

    Kinds with four groups or more are excluded group by group, so that no figure of the same table
    is in the fit; kinds with fewer groups one by one, because without its only group a kind has no
    benchmarks.
    """
    kinds = [_kind(b) for b in data]
    groups = {
        kind: {b.group for b, k in zip(data, kinds, strict=True) if k == kind} for kind in kinds
    }
    parts = [
        b.group if len(groups[kind]) >= GROUPS_ENOUGH else f"{kind} {index}"
        for index, (b, kind) in enumerate(zip(data, kinds, strict=True))
    ]
    found = np.zeros(len(data))
    for part in dict.fromkeys(parts):
        seen = [b for b, p in zip(data, parts, strict=True) if p != part]
        chosen, _ = fit(seen, start=fitted, rounds=6)
        for index, benchmark in enumerate(data):
            if parts[index] == part:
                found[index] = _residuals([benchmark], chosen)[0]
    return found


def spreads(data: Sequence[Benchmark], residuals: Floats) -> dict[str, float]:
    """Root mean square of the residuals by kind of model, groups weighted as in the fit."""
    weights = _weights(data) ** 2
    kinds = np.array([_kind(b) for b in data])
    return {
        kind: round(
            float(
                np.sqrt(np.average(residuals[kinds == kind] ** 2, weights=weights[kinds == kind]))
            ),
            4,
        )
        for kind in ("dense", "moe", "neuron")
        if kind in kinds
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m clusterwright.sizing.calibration")
    parser.add_argument("--fit", action="store_true", help="fit anew and write the constants")
    parser.add_argument("--check", action="store_true", help="1 if a fit would be better")
    options = parser.parse_args(arguments)
    data = benchmarks(load_catalog())
    if options.fit:
        found, _ = fit(data)
        _write(data, found, cross_validated(data, found))
        constants.cache_clear()
    used = constants()
    residuals = _residuals(data, used)
    if options.check:
        better, _ = fit(data, start=used, rounds=3)
        gain = loss(data, used) - loss(data, better)
        print(f"a new fit would lower the loss by {gain:.3f}", file=sys.stderr)
        return 1 if gain > 0.5 else 0
    for benchmark, residual in zip(data, residuals, strict=True):
        measured = benchmark.tokens_per_s_per_accelerator
        print(
            f"{benchmark.group:26} {benchmark.name:40} {measured:9.1f} {math.exp(residual):6.2f}"
        )
    print(json.dumps({**asdict(used), **spreads(data, residuals)}, indent=1))
    return 0


def _weights(data: Sequence[Benchmark]) -> Floats:
    sizes = Counter(b.group for b in data)
    return np.array([sizes[b.group] ** -0.25 for b in data])


def _residuals(data: Sequence[Benchmark], with_constants: Constants) -> Floats:
    return np.array(
        [math.log(b.tokens_per_s_per_accelerator / predict(b, with_constants)) for b in data]
    )


def _kind(benchmark: Benchmark) -> str:
    if benchmark.hardware.is_neuron:
        return "neuron"
    return "moe" if benchmark.shape.is_moe else "dense"


def _benchmark(row: Mapping[str, Any], catalog: Catalog) -> Benchmark:
    params = row.get("params")
    shape = infer(params, name=row["name"]) if params else model(row["model"])
    return Benchmark(
        group=row["group"],
        name=row["name"],
        shape=shape,
        hardware=of_accelerator(row["accelerator"], catalog),
        accelerators=row["accelerators"],
        tokens_per_s_per_accelerator=row["tokens_per_s_per_accelerator"],
        seq_len=row["seq_len"],
        batch_tokens=row["batch_tokens"],
        precision=row["precision"],
        tuned=row["tuned"],
        source=row["source"],
        layout=Layout(**row["layout"]) if "layout" in row else None,
    )


def _write(data: Sequence[Benchmark], found: Constants, unseen: Floats) -> None:
    rounded = replace(found, **{k: float(f"{v:.4g}") for k, v in asdict(found).items()})
    written = {
        "schema_version": 1,
        "note": "written by python -m clusterwright.sizing.calibration --fit",
        "constants": asdict(rounded),
        "residual_spread": spreads(data, unseen),
        "unseen_residuals": [round(float(value), 4) for value in unseen],
    }
    path = Path(str(_FOLDER.joinpath("calibration.json")))
    path.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

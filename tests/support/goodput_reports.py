"""Reports of a killed and resumed run, whose right answer is known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.goodput.accounting import JobRecord
from clusterwright.goodput.attempts import NamedLog
from clusterwright.goodput.layouts import LayoutFolder, layout_report
from clusterwright.goodput.report import Prices, RecordedPlan, goodput_report
from clusterwright.goodput.results import GoodputReport, LayoutReport, ScalingReport
from clusterwright.goodput.scaling import scaling_report
from clusterwright.job_logs import read_log
from tests.support.training_logs import WORLD, WRITERS, Attempt

START = 1_764_000_000
KILLED = Attempt(START, 0, 27, start_s=60, saves=(10, 20))
LAST = Attempt(START + 900, 20, 40, saves=(30, 40), stalls={35: 200.0}, finished=True)
CLUSTER = cast("Cluster", SimpleNamespace(environment="prod"))
PRICES = Prices("p5.48xlarge", 8, 36.0, processes=8)
PLAN: dict[str, Any] = {
    "command": "plan",
    "tokens": 1e12,
    "training_flops": 4.2e22,
    "seq_len": 4096,
    "estimate": {
        "accelerators": 16,
        "mfu_peak_tflops": 989.5,
        "goodput": {"p10": 0.2, "p50": 0.3, "p90": 0.4},
        "in_run_mfu": {"p10": 0.3, "p50": 0.4, "p90": 0.5},
        "days": {"p10": 100.0, "p50": 200.0, "p90": 400.0},
        "usd": {"p10": 1e5, "p50": 2e5, "p90": 3e5},
    },
    "candidates": [{"chosen": True, "instance_type": "p5.48xlarge"}],
}
"""42 GFLOPs a token: 7 x 10^9 active parameters."""


def job(submit: int, start: int, end: int, *, state: str = "NODE_FAIL") -> JobRecord:
    return JobRecord("7", "llama3", submit, submit, start, end, state, 2, "w-[1-2]", "")


JOBS = (
    job(START - 100, START - 20, START + 400),
    job(START + 450, START + 880, START + 1500, state="COMPLETED"),
)


def logs(framework: str = "torchtitan") -> list[NamedLog]:
    text = WRITERS[framework](KILLED) + WRITERS[framework](LAST)
    return [NamedLog("slurm-7.out", read_log(text))]


def report(**changes: Any) -> GoodputReport:
    """The report of the run with accounting, prices and plan; `changes` replace arguments."""
    options: dict[str, Any] = {
        "file": "configs/prod.yaml",
        "run": "llama3",
        "prices": PRICES,
        "plan": RecordedPlan("prod.plan.json", PLAN),
    }
    found = changes.pop("logs", None) or logs()
    records = changes.pop("records", JOBS)
    return goodput_report(CLUSTER, found, records, **(options | changes))


def scaling(seconds: dict[int, float], **changes: Any) -> ScalingReport:
    """The report of torchtitan runs with the given seconds per step by number of nodes."""
    found = []
    for nodes, step_s in seconds.items():
        text = WRITERS["torchtitan"](Attempt(START, 0, 12, step_s=step_s))
        text = text.replace(f"dp_shard={WORLD}", f"dp_shard={nodes * 8}")
        found.append(NamedLog(f"n{nodes}.out", read_log(text)))
    options: dict[str, Any] = {
        "file": "configs/prod.yaml",
        "prices": PRICES,
        "plan": RecordedPlan("prod.plan.json", PLAN),
    }
    records = changes.pop("records", ())
    return scaling_report(CLUSTER, found, records, **(options | changes))


def layouts(folders: dict[str, tuple[dict[str, Any], str]], **changes: Any) -> LayoutReport:
    """The report of a sweep: layout and log of each folder; `changes` replace arguments."""
    found = [
        LayoutFolder(name, layout, (NamedLog("layout-sweep-7_1.out", read_log(text)),))
        for name, (layout, text) in folders.items()
    ]
    options: dict[str, Any] = {
        "file": "configs/prod.yaml",
        "prices": PRICES,
        "plan": RecordedPlan("prod.plan.json", PLAN),
    }
    return layout_report(CLUSTER, found, **(options | changes))

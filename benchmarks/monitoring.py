"""What a scrape of a large node costs, the parsers of job logs, and the report of a long run.

The node is a folder with the files that the exporter reads, and commands that print what
nvidia-smi, dcgmi and the others print at once: the processor time is the exporter's own and that
of starting these commands, without the time that drivers take.
"""

from __future__ import annotations

import functools
import gzip
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.compare import ROOT, Comparison
from clusterwright.catalog import load_catalog
from clusterwright.goodput.accounting import JobRecord
from clusterwright.goodput.attempts import NamedLog
from clusterwright.goodput.report import Prices, goodput_report
from clusterwright.job_logs import read_log
from clusterwright.monitoring.series import group_series
from clusterwright.platforms.loading import load_cluster

sys.path.insert(0, str(ROOT / "lifecycle_scripts"))

INTERFACES = 32
LINES = 100_000
"""Every line is a step; the time is stated for a million."""
DAYS = 54
INTERRUPTIONS = 500
_SPEC = ROOT / "configs/examples/p5-64.yaml"
_SCRAPES = 20
_PATIENCE_S = 60.0
"""Instead of the budget of a scrape: on a busy machine a source would be missing."""
_STEP_S = 10.0
_STEPS_OF_A_LINE = 10
_DOWN_S = 300.0
_START = 1_764_000_000.0


def monitoring_comparisons(folder: Path) -> list[Comparison]:
    """A scrape, a million lines of a log, and the report of a long run."""
    node = f"a node with 8 GPUs and {INTERFACES} interfaces"
    return [
        Comparison(
            f"scrape of {node}, processor time",
            lambda: _Node.of(folder).cpu_seconds(),
            lambda: _Node.of(folder).reading_seconds(),
            "reading its files",
        ),
        Comparison(
            f"scrape of {node}, size",
            lambda: float(len(_Node.of(folder).text())),
            lambda: float(len(gzip.compress(_Node.of(folder).text()))),
            "compressed",
            unit="bytes",
        ),
        Comparison(
            f"scrape of {node}, series",
            lambda: float(_Node.of(folder).series()),
            _planned_series,
            "the upper bound of CW-Q096",
            unit="series",
        ),
        Comparison(
            "parser of job logs, processor time of a million step lines",
            lambda: 1e6 / LINES * _cpu_seconds(lambda: read_log(_long_log())),
            lambda: 1e6 / LINES * _cpu_seconds(lambda: _long_log().splitlines()),
            "splitting them into lines",
            most_runs=1,
        ),
        Comparison(
            f"report goodput of {DAYS} days with {INTERRUPTIONS} interruptions, processor time",
            _report_seconds,
            lambda: _cpu_seconds(lambda: [read_log(text) for text in _texts()]),
            "reading its logs",
        ),
    ]


class _Node:
    """A fake node with everything that a p5.48xlarge's exporter reads."""

    @staticmethod
    @functools.cache
    def of(folder: Path) -> _Node:
        return _Node(folder / "scraped-node")

    def __init__(self, folder: Path) -> None:
        # They are found after the path below is added.
        from clusterwright_metrics.scrape import Scraper  # noqa: PLC0415
        from clusterwright_metrics.sources import efa  # noqa: PLC0415

        from tests.monitoring.complete_node import complete_node  # noqa: PLC0415

        folder.mkdir()
        machine = complete_node(folder, "healthy")
        first = machine.root / efa.FOLDER.lstrip("/") / "rdmap0s0"
        files = [path for path in first.rglob("*") if path.is_file()]
        for number in range(1, INTERFACES):
            for path in files:
                name = f"rdmap{number}s0/{path.relative_to(first)}"
                machine.file(f"{efa.FOLDER}/{name}", path.read_text())
        cpus = "".join(f"cpu{number} 200 0 100 700 0 0 0 0\n" for number in range(192))
        machine.file("/proc/stat", f"{cpus}btime 1700000000\n")
        self._root = machine.root
        self._answer: Callable[[], str] = lambda: Scraper(
            "compute", lambda: machine.probe(_PATIENCE_S), _PATIENCE_S, tell=lambda _: None
        ).text()

    def text(self) -> bytes:
        return self._answer().encode()

    def series(self) -> int:
        return sum(not line.startswith("#") for line in self.text().decode().splitlines())

    def cpu_seconds(self) -> float:
        """Processor seconds of one scrape, those of the started commands included."""
        before = _cpu()
        for _ in range(_SCRAPES):
            self.text()
        return (_cpu() - before) / _SCRAPES

    def reading_seconds(self) -> float:
        before = _cpu()
        for _ in range(_SCRAPES):
            for path in self._root.rglob("*"):
                if path.is_file():
                    path.read_text(errors="replace")
        return (_cpu() - before) / _SCRAPES


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _planned_series() -> float:
    groups = group_series(load_cluster(_SPEC).cluster, load_catalog())
    (workers,) = (group for group in groups if group.instance_type == "p5.48xlarge")
    return float(workers.per_node or 0)


def _cpu_seconds(operation: Callable[[], object]) -> float:
    before = _cpu()
    operation()
    return _cpu() - before


@functools.cache
def _long_log() -> str:
    head = (
        "[titan] 2025-11-24 16:00:00,000 - root - INFO - Trainer is initialized with local batch "
        "size 2, global batch size 64, sequence length 4096, total steps 1000000"
    )
    lines = [head, *(_titan(step, _START + step) for step in range(1, LINES))]
    return "\n".join(lines) + "\n"


def _titan(step: int, at: float) -> str:
    clock = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(at))
    return (
        f"[titan] {clock},000 - root - INFO - step: {step}  loss:  2.50000  grad_norm:  0.4120  "
        "memory: 61.20GiB(77.4%)  tps: 26,214  tflops: 412.10  mfu: 41.65%"
    )


@functools.cache
def _run() -> tuple[tuple[tuple[str, ...], ...], tuple[JobRecord, ...]]:
    """The lines and the record of each job: equal lengths, each loses half a line's steps."""
    each = DAYS * 86_400 / (INTERRUPTIONS + 1)
    logs, records, done = [], [], 0
    for number in range(INTERRUPTIONS + 1):
        start = _START + number * each
        steps = int((each - _DOWN_S) / _STEP_S) // _STEPS_OF_A_LINE * _STEPS_OF_A_LINE
        lines = tuple(
            _titan(done + step, start + step * _STEP_S)
            for step in range(_STEPS_OF_A_LINE, steps + 1, _STEPS_OF_A_LINE)
        )
        logs.append(lines)
        done += steps - _STEPS_OF_A_LINE
        end = start + each - _DOWN_S
        records.append(
            JobRecord(str(number), "long", start, start, start, end, "NODE_FAIL", 2048, "w", "")
        )
    return tuple(logs), tuple(records)


@functools.cache
def _texts() -> tuple[str, ...]:
    return tuple("\n".join(lines) + "\n" for lines in _run()[0])


def _report_seconds() -> float:
    """Seconds of the report from the text of the logs on."""
    cluster, records = load_cluster(_SPEC).cluster, _run()[1]

    def report() -> None:
        logs = [
            NamedLog(f"slurm-{number}.out", read_log(text)) for number, text in enumerate(_texts())
        ]
        prices = Prices("p5.48xlarge", 8, 98.32, processes=8)
        found = goodput_report(
            cluster, logs, records, file="bench", run="long", prices=prices, plan=None
        )
        if found.parts is None or sum(found.parts.values()) != found.wall_s:
            raise RuntimeError(f"the parts {found.parts} are not the wall time {found.wall_s}")
        if len(found.attempts) != INTERRUPTIONS + 1 or not found.steps.repeated:
            raise RuntimeError(f"{len(found.attempts)} attempts, steps {found.steps}")

    return _cpu_seconds(report)

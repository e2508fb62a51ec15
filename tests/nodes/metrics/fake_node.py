"""A fake node: files and commands whose output tests set."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from clusterwright_common.probe import Probe
from clusterwright_metrics.text import Metrics, exposition
from prometheus_client.parser import text_string_to_metric_families

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def parsed(exposed: str) -> Samples:
    """Every sample by name and labels, as parsed by Prometheus' client."""
    found: Samples = {}
    for family in text_string_to_metric_families(exposed):
        for sample in family.samples:
            key = (sample.name, frozenset(sample.labels.items()))
            assert key not in found, f"{key} twice"
            found[key] = sample.value
    return found


class Machine:
    """A folder with files, and commands with prepared output."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self.bin = folder / "bin"
        self.root.mkdir()
        self.bin.mkdir()

    def file(self, path: str, content: str) -> None:
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)

    def command(self, name: str, script: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def says(self, name: str, output: str) -> None:
        self.file(f"/said/{name}", output)
        self.command(name, f"cat {self.root}/said/{name}")

    def probe(self, seconds: float = 5.0) -> Probe:
        return Probe(str(self.root), seconds, f"{self.bin}:/usr/bin:/bin")

    def samples(self, source: ModuleType) -> Samples:
        metrics = Metrics()
        source.collect(self.probe(), metrics)
        return parsed(exposition([metrics]))


def at(found: Samples, name: str, **labels: str) -> float:
    return found[name, frozenset(labels.items())]


SMI = "\n".join(
    f"{n}, GPU-{n}, 97, 81559, 1024, 45, 350.25, 1980, 16, 0, {2 if n == 3 else 0}"
    for n in range(8)
)


LLITE = """llite.fsx-ffff9a0c1e2d3000.stats=
snapshot_time             1700000000.123456789 secs.nsecs
start_time                1690000000.1 secs.nsecs
read_bytes                10 samples [bytes] 4096 1048576 10485760 99999
write_bytes               3 samples [bytes] 1 2 5
open                      7 samples [usec] 1 2 9 20
"""


LNET = """net:
    - net type: lo
      local NI(s):
        - nid: 0@lo
          status: up
    - net type: efa
      local NI(s):
        - nid: 10.0.0.5@efa
          status: down
          interfaces:
              0: rdmap0s0
          statistics:
              send_count: 12
              recv_count: 13
              drop_count: 0
"""


SINFO = """\
train   |ip-10-0-0-31 |idle    |gpu:h100:8(S:0-1)   |gpu:h100:0(IDX:N/A) |none
debug   |ip-10-0-0-31 |idle    |gpu:h100:8(S:0-1)   |gpu:h100:0(IDX:N/A) |none
train   |ip-10-0-0-32 |mixed-  |gpu:h100:8(S:0-1)   |gpu:h100:5(IDX:0-4) |none
train   |ip-10-0-0-33 |drained |gpu:h100:8,neuron:2 |gpu:0 |clusterwright: gpu: 7 of 8
train   |ip-10-0-0-34 |down*   |(null)              |gpu:0 |Not responding
"""


SQUEUE = """\
train|RUNNING|7|ip-10-0-0-[31-32,34]
train|RUNNING|8|ip-10-0-0-34
train|PENDING|9|
train|NODE_FAIL|6|ip-10-0-0-33
"""


CONFIG = """\
MetricsType             = metrics/openmetrics
SlurmctldHost[0]        = ip-10-1-0-10(10.1.0.10)
SlurmctldPort           = 6817
"""
"""Of `scontrol show config` of Slurm 26.05.5."""

OPENMETRICS = (Path(__file__).parents[1] / "data/slurmctld_metrics.prom").read_text()
"""What slurmctld 26.05.5 serves with two nodes."""


SDIAG = """*******************************************************
sdiag output at Sat Nov 21 05:00:00 2026 (1)
*******************************************************
Server thread count:  3
Agent queue size:     0
DBD Agent queue size: 2

Jobs submitted: 5
Jobs started:   4

Main schedule statistics (microseconds):
	Last cycle:   129
	Max cycle:    1000

Backfilling stats
	Last cycle: 2000
"""


def fake(collect: Callable[[Probe, Metrics], None]) -> ModuleType:
    module = ModuleType("fake")
    module.ROLES = ("compute",)  # type: ignore[attr-defined]
    module.collect = collect  # type: ignore[attr-defined]
    return module


def good(_: Probe, metrics: Metrics) -> None:
    metrics.add("good", "gauge", "About.", 1)

"""The table of metrics is what the exporters return: every name, kind and label."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from clusterwright_metrics.scrape import Scraper, load_sources
from clusterwright_metrics.sources import efa, host, lustre, neuron, nvidia, ours, slurm
from clusterwright_metrics.text import Metrics

from clusterwright.monitoring.metrics import TARGET_LABELS, metrics, sources
from clusterwright.platforms.kubernetes.metrics import scrape_configuration
from clusterwright.platforms.loading import load_cluster
from tests.nodes.metrics.fake_node import LLITE, LNET, SDIAG, SINFO, SMI, SQUEUE, Machine

_EXPORTER = {
    "host": host,
    "nvidia": nvidia,
    "neuron": neuron,
    "efa": efa,
    "lustre": lustre,
    "slurm": slurm,
    "ours": ours,
}


@pytest.fixture
def node(tmp_path: Path) -> Machine:
    """A node that has everything: GPUs with DCGM, Neuron, EFA, Lustre and Slurm."""
    machine = Machine(tmp_path)
    _host(machine)
    machine.file("/proc/driver/nvidia/version", "570\n")
    machine.says("nvidia-smi", SMI + "\n")
    values = "   ".join("1" for number, *_ in nvidia._DCGM)
    machine.says("dcgmi", "".join(f"GPU {n}     {values}\n" for n in range(8)))
    _neuron(machine)
    for name in _counters():
        machine.file(f"{efa.FOLDER}/rdmap0s0/ports/1/hw_counters/{name}", "1\n")
    machine.file(f"{efa.FOLDER}/rdmap0s0/device/vendor", "0x1d0f\n")
    machine.file(f"{efa.FOLDER}/rdmap0s0/ports/1/state", "4: ACTIVE\n")
    machine.says("lctl", LLITE)
    machine.says("lnetctl", LNET)
    machine.says("sinfo", SINFO)
    machine.says("squeue", SQUEUE)
    more = "".join(f"Jobs {word}: 1\n" for word in ("completed", "failed"))
    machine.says("sdiag", SDIAG.replace("Jobs started", more + "Jobs started"))
    state = "/var/lib/clusterwright"
    machine.file(f"{state}/health.json", '{"findings": ["gpu: 7 of 8"]}')
    row = {"bus": "0000:b9:00", "code": 79, "action": "replace", "bucket": "x", "count": 1}
    machine.file(f"{state}/xid.json", json.dumps({"boot": "", "verdicts": [row]}))
    machine.file(f"{state}/journal.json", '{"step": null}')
    machine.file(f"{state}/preload-fsx.json", '{"files_seen": 9, "files_loaded": 4}')
    return machine


@pytest.mark.parametrize("name", _EXPORTER)
def test_table_has_exactly_the_metrics_of_a_source(node: Machine, name: str) -> None:
    found = Metrics()
    _EXPORTER[name].collect(node.probe(), found)
    [source] = [source for source in sources() if source.name == name]
    returned = {
        (family.name, family.kind, frozenset(key for key, _ in labels))
        for family in found.families.values()
        for labels, _ in family.samples
    }
    assert returned == {(m.name, m.kind, frozenset(m.labels)) for m in source.metrics}


def test_every_source_of_the_exporter_is_in_the_table() -> None:
    exporters = {
        source.name: set(source.nodes)
        for source in sources()
        if source.exporter == "clusterwright" and source.name != "scrape"
    }
    roles = ("controller", "login", "compute")
    loaded = {role: set(load_sources(role)) for role in roles}
    assert exporters == {
        name: {role for role in roles if name in loaded[role]}
        for name in set().union(*loaded.values())
    }


def test_table_has_the_metrics_of_a_scrape_itself(node: Machine) -> None:
    text = Scraper("controller", node.probe, tell=lambda _: None).text()
    own = set(re.findall(r"^(clusterwright_source_\w+)\{source=", text, re.MULTILINE))
    [source] = [source for source in sources() if source.name == "scrape"]
    assert own == {metric.name for metric in source.metrics}
    assert all(metric.labels == ("source",) for metric in source.metrics)


def test_metrics_of_kubernetes_are_those_that_the_collector_keeps() -> None:
    cluster = load_cluster(Path("configs/examples/full-eks.yaml")).cluster
    jobs = json.loads(scrape_configuration(cluster))["scrape_configs"]
    kept = {
        job["job_name"]: re.compile(job["metric_relabel_configs"][0]["regex"])
        for job in jobs
        if "metric_relabel_configs" in job
    }
    for name in ("containers", "kubernetes-apiservers"):
        [source] = [source for source in sources() if source.name == name]
        refused = [m.name for m in source.metrics if not kept[name].fullmatch(m.name)]
        assert refused == []


def test_names_are_unique_and_units_follow_them() -> None:
    rows = [metric for source in sources() for metric in source.metrics]
    assert len(metrics()) == len(rows)
    for metric in rows:
        # Scraping would rename it to exported_node and so on.
        assert not set(metric.labels) & set(TARGET_LABELS), metric.name
        if metric.name.startswith("DCGM_") or metric.name == "container_memory_rss":
            continue
        assert ("_seconds" in metric.name) == metric.unit.startswith("seconds"), metric.name
        assert ("_bytes" in metric.name) == (metric.unit == "bytes"), metric.name
        assert metric.name.endswith("_ratio") == (metric.unit == "ratio"), metric.name
        assert not metric.name.endswith("_total") or metric.kind == "counter", metric.name


def _counters() -> list[str]:
    """The counters of the table: those of the driver, which the source passes on."""
    return [
        name.removeprefix("efa_").removesuffix("_total")
        for name, metric in metrics().items()
        if metric.source == "efa" and metric.kind == "counter"
    ]


def _host(machine: Machine) -> None:
    machine.file("/proc/loadavg", "0.50 0.25 0.10 1/200 4242\n")
    machine.file("/proc/stat", "cpu  10 0 0 0\ncpu0 200 0 100 700 0 0 0 0\nbtime 1700000000\n")
    names = ("MemTotal", "MemFree", "MemAvailable", "Buffers", "Cached", "SwapTotal", "SwapFree")
    names += ("Shmem",)
    machine.file("/proc/meminfo", "".join(f"{name}: 2048 kB\n" for name in names))
    line = " ".join("1" for _ in range(16))
    machine.file("/proc/net/dev", f"head\nhead\n  ens5: {line}\n")
    (machine.root / "sys/block/nvme0n1").mkdir(parents=True)
    machine.file("/proc/diskstats", "259 0 nvme0n1 5 0 8 1 6 0 16 1 0 1500 2\n")
    machine.file("/proc/1/mounts", "/dev/root / ext4 rw 0 0\n")


def _neuron(machine: Machine) -> None:
    folder = f"{neuron.FOLDER}/neuron0"
    machine.file("/dev/neuron0", "")
    for name in neuron._ECC:
        machine.file(f"{folder}/stats/hardware/{name}", "0\n")
    machine.file(f"{folder}/stats/power/utilization", "POWER_STATUS_VALID,17000,1.0,90.0,45.5\n")
    core = f"{folder}/neuron_core0/stats"
    machine.file(f"{core}/status/success/total", "12\n")
    machine.file(f"{core}/memory_usage/device_mem/total", "4096\n")
    machine.file(f"{core}/other_info/flop_count", "77\n")

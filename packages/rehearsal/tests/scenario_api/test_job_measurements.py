"""What scenarios write about a job is what the exporter's sources read."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from clusterwright_common.probe import Probe
from clusterwright_metrics.sources import acceptance, gpu_jobs, nccl
from clusterwright_metrics.text import Metrics

from clusterwright_rehearsal.scenario_api import job_measurements as measurements

SHAPE = {"n_nodes": "2", "nranks": "2", "size_mib": "1024"}


def node(root: Path) -> Any:
    """A node whose files are in a folder; it runs no other command than a shell's redirection."""

    def write(path: str, text: str) -> None:
        file = root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def must(command: str) -> str:
        if "echo" in command:
            word, _, path = command.partition("echo ")[2].partition(" >")
            write(path, f"{word}\n")
        return json.dumps({"instance_type": "p5.48xlarge"})

    return SimpleNamespace(write=write, must=must)


def samples(source: Any, root: Path) -> dict[str, tuple[dict[str, str], float]]:
    found = Metrics()
    source.collect(Probe(str(root)), found)
    return {
        family.name: (dict(labels), value)
        for family in found.families.values()
        for labels, value in family.samples
    }


def test_the_files_are_in_the_form_that_the_exporter_reads(tmp_path: Path) -> None:
    machine = node(tmp_path)
    measurements.write_nccl(machine, "7", 200.0)
    measurements.write_gpu_jobs([machine], "7")
    found = samples(nccl, tmp_path)
    assert set(found) == {
        "nccl_bus_bandwidth_gbs",
        "nccl_collective_exec_time_microseconds",
        "nccl_p2p_bus_bandwidth_gbs",
        "nccl_p2p_exec_time_microseconds",
    }
    labels, value = found["nccl_bus_bandwidth_gbs"]
    assert value == 200.0
    assert labels.items() >= {**SHAPE, "job_id": "7", "collective": "AllReduce"}.items()
    assert samples(gpu_jobs, tmp_path)["gpu_job_info"][0] == {"gpu": "0", "job_id": "7"}


def test_the_accepted_bandwidth_is_of_the_same_shape(tmp_path: Path) -> None:
    machine = node(tmp_path)
    with measurements.accepted_bandwidth(machine, machine, 400.0):
        labels, value = samples(acceptance, tmp_path)["clusterwright_accepted_bus_bandwidth_gbs"]
    assert value == 400.0
    assert labels == {**SHAPE, "instance_type": "p5.48xlarge"}

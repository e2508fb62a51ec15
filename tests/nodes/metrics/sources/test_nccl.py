"""Tests of nccl."""

from __future__ import annotations

import os
import time

import pytest
from clusterwright_common.job_files import INSPECTOR
from clusterwright_metrics.sources import nccl

from clusterwright.job_templates import inspector
from tests.nodes.metrics.fake_node import Machine, at

UUID = "GPU-8a1c"
FILE = f"{INSPECTOR}/7/nccl_inspector_metrics_{UUID}.prom"


def line(name: str, value: str, **labels: str) -> str:
    """A line as NCCL Inspector writes it."""
    operation = "p2p_operation" if "p2p" in name else "collective"
    given = {
        "version": "v5.1",
        "slurm_job_id": "7",
        "node": "ip-10-1-0-9",
        "gpu": "GPU0",
        "comm_name": "unknown",
        "n_nodes": "4",
        "nranks": "32",
        operation: "AllReduce",
        "message_size": "1-2GB",
        "algo_proto": "RING_SIMPLE",
        **labels,
    }
    pairs = ",".join(f'{key}="{text}"' for key, text in given.items())
    return f"{name}{{{pairs}}} {value}\n"


BANDWIDTH = "nccl_bus_bandwidth_gbs"
SHAPE = {"n_nodes": "4", "nranks": "32", "job_id": "7", "uuid": UUID}
SIZE = {"message_size": "1-2GB", "size_mib": "1024"}
ALL_REDUCE = {**SHAPE, **SIZE, "collective": "AllReduce"}


def test_rendered_jobs_write_files_here_and_often_enough() -> None:
    assert inspector.FOLDER == INSPECTOR
    assert inspector.DUMP_SECONDS * 2 < nccl.FRESH_SECONDS


def test_each_metric_of_a_file_has_the_job_and_the_gpu(machine: Machine) -> None:
    machine.file(
        FILE,
        line(BANDWIDTH, "371.5")
        + line("nccl_collective_exec_time_microseconds", "2900")
        + line("nccl_p2p_bus_bandwidth_gbs", "40.5", p2p_operation="Send")
        + line("nccl_p2p_exec_time_microseconds", "17", p2p_operation="Send"),
    )
    found = machine.samples(nccl)
    sent = {**SHAPE, **SIZE, "p2p_operation": "Send"}
    assert len(found) == 4
    assert at(found, BANDWIDTH, **ALL_REDUCE) == 371.5
    assert at(found, "nccl_collective_exec_time_microseconds", **ALL_REDUCE) == 2900
    assert at(found, "nccl_p2p_bus_bandwidth_gbs", **sent) == 40.5
    assert at(found, "nccl_p2p_exec_time_microseconds", **sent) == 17


@pytest.mark.parametrize(
    ("message", "size"),
    [
        ("1023-1024KB", ""),
        ("1-2MB", "1"),
        ("128-129MB", "128"),
        ("255-256MB", "128"),
        ("3-4GB", "2048"),
        ("0B", ""),
    ],
)
def test_the_size_of_the_acceptance_is_not_above_the_message(
    machine: Machine, message: str, size: str
) -> None:
    machine.file(FILE, line(BANDWIDTH, "1", message_size=message))
    (labels,) = (dict(labels) for _, labels in machine.samples(nccl))
    assert (labels["message_size"], labels["size_mib"]) == (message, size)


def test_samples_that_differ_in_algorithm_or_communicator_are_one_mean(machine: Machine) -> None:
    machine.file(
        FILE,
        line(BANDWIDTH, "300", algo_proto="RING_SIMPLE")
        + line(BANDWIDTH, "400", algo_proto="TREE_LL128", comm_name="dp"),
    )
    assert machine.samples(nccl) == {(BANDWIDTH, frozenset(ALL_REDUCE.items())): 350}


def test_job_is_that_of_the_folder_whatever_the_file_says(machine: Machine) -> None:
    machine.file(FILE, line(BANDWIDTH, "371.5", slurm_job_id="1"))
    assert at(machine.samples(nccl), BANDWIDTH, **ALL_REDUCE) == 371.5


def test_the_largest_messages_remain_where_there_are_too_many(machine: Machine) -> None:
    sizes = [f"{n}-{n + 1}{unit}" for unit in ("KB", "MB", "GB") for n in range(8, 40)]
    machine.file(FILE, "".join(line(BANDWIDTH, "1", message_size=size) for size in sizes))
    kept = {dict(labels)["message_size"] for _, labels in machine.samples(nccl)}
    assert kept == set(sizes[-nccl.MOST_SERIES :])


@pytest.mark.parametrize(
    "text",
    [
        line("up", "1"),
        line(BANDWIDTH, "much"),
        line(BANDWIDTH, "1", message_size="large"),
        line(BANDWIDTH, "1", message_size="1" * 5000 + "GB"),
        line(BANDWIDTH, "1")[:-8],
        "nccl_bus_bandwidth_gbs 1\n",
        "\0\n",
    ],
    ids=["other-metric", "no-number", "no-size", "long-size", "cut", "no-labels", "binary"],
)
def test_other_lines_are_left_out(machine: Machine, text: str) -> None:
    machine.file(FILE, text)
    assert machine.samples(nccl) == {}


def test_files_that_no_job_of_now_writes_are_left_out(machine: Machine) -> None:
    for path in (FILE, f"{INSPECTOR}/x/{FILE[-40:]}", f"{INSPECTOR}/7/other.prom"):
        machine.file(path, line(BANDWIDTH, "1"))
    old = time.time() - nccl.FRESH_SECONDS - 60
    os.utime(machine.root / FILE.lstrip("/"), (old, old))
    assert machine.samples(nccl) == {}


def test_only_regular_files_of_bounded_size_are_read(machine: Machine) -> None:
    folder = machine.root / f"{INSPECTOR}/7".lstrip("/")
    folder.mkdir(parents=True)
    machine.file("/secret", line(BANDWIDTH, "1"))
    (folder / "nccl_inspector_metrics_a.prom").symlink_to(machine.root / "secret")
    os.mkfifo(folder / "nccl_inspector_metrics_b.prom")
    (folder / "nccl_inspector_metrics_c.prom").mkdir()
    large = line(BANDWIDTH, "1") * (nccl.MOST_BYTES // 200)
    (folder / "nccl_inspector_metrics_d.prom").write_text(large)
    assert machine.samples(nccl) == {}

"""Values in NCCL Inspector's files for Prometheus."""

from __future__ import annotations

import pytest
from clusterwright_metrics.job_logs import nccl_inspector as ours

from clusterwright.job_logs import nccl_inspector
from clusterwright.job_logs.nccl_inspector import FILE, samples

LINE = (
    'nccl_bus_bandwidth_gbs{version="v5.1",slurm_job_id="7",node="ip-10-1-0-9",gpu="GPU0",'
    'comm_name="DP Group 0",n_nodes="4",nranks="32",collective="AllReduce",message_size="SIZE",'
    'algo_proto="Ring_ll"} 678.263\n'
)


@pytest.mark.parametrize(
    ("size", "least"),
    [
        ("0B", 0),
        ("8-9KB", 8192),
        ("512-513MB", 512 * 1024**2),
        ("4-5GB", 4 * 1024**3),
        ("16777215-16777216TB", 2**64 - 2**40),
    ],
)
def test_a_value_has_its_labels_and_the_least_size(size: str, least: int) -> None:
    (found,) = samples("# TYPE nccl_bus_bandwidth_gbs gauge\n" + LINE.replace("SIZE", size))
    assert (found.name, found.least_bytes, found.value) == (
        "nccl_bus_bandwidth_gbs", least, 678.263,
    )  # fmt: skip
    assert (found.labels["collective"], found.labels["comm_name"]) == ("AllReduce", "DP Group 0")


@pytest.mark.parametrize(
    "text",
    [
        "",
        LINE,
        LINE.replace("SIZE", "1-2GB")[:-8],
        LINE.replace("SIZE", "1GB").replace("678", "x"),
        LINE.replace("SIZE", f"{'1' * 5000}-2GB"),
        LINE.replace("SIZE", f"1-{'2' * 400}GB"),
        LINE.replace("SIZE", f"{'1' * 400}GB"),
    ],
)
def test_other_lines_are_left_out(text: str) -> None:
    assert list(samples(text)) == []


def test_the_name_of_a_file_has_the_gpu() -> None:
    assert FILE.fullmatch("nccl_inspector_metrics_GPU-8a1c-02.prom")
    assert not FILE.fullmatch("other.prom")


def test_nodes_read_the_same_as_the_commands() -> None:
    text = LINE.replace("SIZE", "1-2GB")
    assert [vars(one) for one in ours.samples(text)] == [
        vars(one) for one in nccl_inspector.samples(text)
    ]

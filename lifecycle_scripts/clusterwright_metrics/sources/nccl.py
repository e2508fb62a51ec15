"""Bandwidth and duration of the NCCL operations of jobs, from the files of NCCL Inspector.

Their form is described where they are parsed: clusterwright_metrics.job_logs.nccl_inspector.

Users write these files, so only numbers of the four metrics are passed on, of regular files of
bounded size that others may read, with the job's id that the folder has, and for the largest
messages only. `gpu` of the file is the number that the process gives its GPU, which is 0 for all
if each process sees one: the label `uuid` has the name of the file instead.
"""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

from clusterwright_common.job_files import INSPECTOR
from clusterwright_common.probe import Probe

from clusterwright_metrics.job_logs.nccl_inspector import FILE, samples
from clusterwright_metrics.text import Metrics

ROLES = ("compute",)

MOST_SERIES = 8
"""Series of a metric for one GPU."""
MOST_BYTES = 1024 * 1024
FRESH_SECONDS = 300.0
"""Older files are of a job that waits, or whose epilog did not run."""

_KINDS = {
    "nccl_bus_bandwidth_gbs": ("collective", "Bus bandwidth of collectives in GB/s."),
    "nccl_collective_exec_time_microseconds": ("collective", "Duration of collectives."),
    "nccl_p2p_bus_bandwidth_gbs": ("p2p_operation", "Bus bandwidth of transfers in GB/s."),
    "nccl_p2p_exec_time_microseconds": ("p2p_operation", "Duration of transfers."),
}


def collect(probe: Probe, metrics: Metrics) -> None:
    for job in probe.names(INSPECTOR):
        if not job.isdigit():
            continue
        for name in probe.names(f"{INSPECTOR}/{job}"):
            match = FILE.fullmatch(name)
            text = _read(probe.path(f"{INSPECTOR}/{job}/{name}")) if match else None
            if match and text is not None:
                _add(metrics, {"job_id": job, "uuid": match.group(1)}, text)


def _add(metrics: Metrics, of_gpu: dict[str, str], text: str) -> None:
    """The means of a file, those that differ in algorithm or communicator only taken as one."""
    found: dict[str, dict[tuple[int, tuple[tuple[str, str], ...]], list[float]]] = {}
    for sample in samples(text):
        name, given = sample.name, sample.labels
        if name not in _KINDS:
            continue
        kept = {key: given.get(key, "") for key in (_KINDS[name][0], "n_nodes", "nranks")}
        kept["message_size"] = given["message_size"]
        mib = sample.least_bytes // 1024**2
        kept["size_mib"] = str(1 << mib.bit_length() - 1) if mib else ""
        key = (sample.least_bytes, tuple(kept.items()))
        found.setdefault(name, {}).setdefault(key, []).append(sample.value)
    for name, values in found.items():
        for key in sorted(values, reverse=True)[:MOST_SERIES]:
            mean = sum(values[key]) / len(values[key])
            metrics.add(name, "gauge", _KINDS[name][1], mean, {**of_gpu, **dict(key[1])})


def _read(path: Path) -> str | None:
    """The text of a fresh regular file of bounded size; None for anything else."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        status = os.fstat(opened)
        fresh = time.time() - status.st_mtime <= FRESH_SECONDS
        if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES or not fresh:
            return None
        return os.read(opened, MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    finally:
        os.close(opened)

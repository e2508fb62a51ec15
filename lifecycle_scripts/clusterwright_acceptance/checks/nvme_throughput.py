"""The scratch file system on the instance store: sequential write and read with fio.

No floor was found; the nodes of the cluster are compared with each other. The lower figure of both
directions counts.
"""

from __future__ import annotations

import json
from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import benchmarks, floors, running
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, against_floor

ID = "nvme-throughput"
FILE = ".clusterwright-acceptance.fio"
RUN_SECONDS = 10
SECONDS = 60.0


def applies(expected: Expected) -> Optional[str]:
    if expected.scratch_path is None:
        return "the group has no scratch file system"
    return "the type has no instance store" if expected.type.nvme_count == 0 else None


def look(probe: Probe, expected: Expected) -> Outcome:
    assert expected.scratch_path is not None, "applies() says so"
    fio = running.program(probe, expected, "fio")
    file = probe.path(f"{expected.scratch_path}/{FILE}")
    try:
        values = [fio_mbps(probe, fio, str(file), way, SECONDS) for way in ("write", "read")]
    finally:
        file.unlink(missing_ok=True)
    mine = floors.own(expected, ID)
    floor, source = (mine.value, mine.source) if mine else (None, "no measurement was found")
    return against_floor(min(values), "MB/s", floor, source, action="replace")


def fio_mbps(probe: Probe, fio: str, file: str, way: str, seconds: float) -> float:
    """The throughput of one direction in MB/s. Raises Hung or Unreadable."""
    words = benchmarks.arguments("fio", way=way, gib=8, seconds=RUN_SECONDS)
    argv = [fio, "--name=acceptance", f"--filename={file}", *words, "--output-format=json"]
    text = running.output(probe, argv, seconds)
    try:
        # Warnings may stand before the JSON.
        job = json.loads(text[text.index("{") :])["jobs"][0]
        error, value = int(job.get("error", 0)), float(job[way]["bw_bytes"]) / 1e6
    except (ValueError, KeyError, IndexError, TypeError) as reason:
        raise running.Unreadable("the output of fio has an unknown form") from reason
    if error or value <= 0:
        raise running.Unreadable(f"fio reports error {error}")
    return value

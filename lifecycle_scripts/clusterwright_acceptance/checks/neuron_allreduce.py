"""Neuron: an all-reduce over the cores of one instance, with nccom-test.

No floor for a whole instance was found; the nodes of the cluster are compared with each other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import benchmarks, floors, nccl_output, running
from clusterwright_acceptance.baseline import RANKS
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.nccom_test import NccomTest
from clusterwright_acceptance.outcome import Outcome, against_floor, failed

ID = "neuron-allreduce"
SIZE_BYTES = 128 * 2**20
SECONDS = 170.0
REPORT = "/run/clusterwright-nccom.json"


def applies(expected: Expected) -> Optional[str]:
    return None if expected.kind == "neuron" else "the type has no Neuron devices"


def look(probe: Probe, expected: Expected) -> Outcome:
    nccom = running.program(probe, expected, "nccom-test")
    if expected.type.accelerator_count is None:
        raise running.Unreadable("no source states how many devices this type has")
    report = probe.path(REPORT)
    report.unlink(missing_ok=True)
    ranks = NccomTest().ranks(expected)
    words = benchmarks.arguments(
        "nccom-test", ranks=ranks, smallest=SIZE_BYTES, largest=SIZE_BYTES, report=report
    )
    result = running.run(probe, [nccom, "allr", *words], SECONDS)
    try:
        value = nccl_output.parse_nccom(probe.read(REPORT) or "").get(SIZE_BYTES)
    except nccl_output.BadOutput as error:
        if not result.ok:
            return failed(f"nccom-test: {result.summary}", "check")
        raise running.Unreadable(str(error)) from error
    if value is None or not result.ok:
        return failed(f"nccom-test: {result.summary}", "check")
    mine = floors.own(expected, ID)
    floor, source = (mine.value, mine.source) if mine else (None, "no measurement was found")
    found = against_floor(value, "GB/s", floor, source, action="reboot")
    return replace(found, facts={RANKS: ranks})

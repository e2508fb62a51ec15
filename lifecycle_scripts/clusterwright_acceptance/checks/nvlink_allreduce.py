"""NVLink: an all-reduce over the node's GPUs with nccl-tests."""

from __future__ import annotations

from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import benchmarks, floors, nccl_output, running
from clusterwright_acceptance.checks import nvlink
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, against_floor, failed

ID = "nvlink-allreduce"
SECONDS = 170.0


def applies(expected: Expected) -> Optional[str]:
    return nvlink.applies(expected)


def look(probe: Probe, expected: Expected) -> Outcome:
    perf = running.program(probe, expected, "all_reduce_perf")
    count = expected.type.accelerator_count
    if count is None:
        raise running.Unreadable("no source states how many GPUs this type has")
    floor, mib = floors.nvlink_allreduce(expected)
    size = f"{mib}M"
    words = benchmarks.arguments("all_reduce_perf", smallest=size, largest=size, devices=count)
    result = running.run(probe, [perf, *words], SECONDS)
    try:
        report = nccl_output.parse(result.stdout + result.stderr)
        value = report.busbw(mib * 2**20)
    except nccl_output.BadOutput as error:
        if not result.ok:
            return failed(str(error), "check", source=floor.source)
        raise running.Unreadable(str(error)) from error
    if report.wrong:
        return failed(f"{report.wrong} wrong values", "replace", value=value, unit="GB/s")
    if not result.ok:
        return failed(f"all_reduce_perf exited {result.exit_code}", "check", value=value)
    return against_floor(value, "GB/s", floor.value, floor.source, action="reboot")

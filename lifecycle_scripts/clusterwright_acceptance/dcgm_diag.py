"""Run DCGM's diagnostic at one of its levels, for the checks `dcgm-medium` and `dcgm-extended`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from clusterwright_common import dcgm
from clusterwright_common.probe import Probe

from clusterwright_acceptance import running
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, failed

READERS = (
    "clusterwright-metrics.service",
    "dcgm-exporter.service",
    "nvidia-dcgm-exporter.service",
)
"""Services that read profiling counters, of which a GPU allows one reader at a time. The fabric
manager must go on running: without it the GPUs have no NVLink."""

SOURCE = "NVIDIA, dcgmi diag; actions by NVIDIA/NVSentinel dcgmerrorsmapping.csv (b6180c37)"


def look(probe: Probe, expected: Expected, level: int, seconds: float) -> Outcome:
    """The outcome of `dcgmi diag --run LEVEL`.

    Raises
    ------
    Missing, Hung, Unreadable
        As in `running`; an output without results is unreadable.
    """
    dcgmi = running.program(probe, expected, "dcgmi")
    result = running.run(probe, [dcgmi, "diag", "--run", str(level), "--json"], seconds)
    try:
        action = dcgm.decide(dcgm.parse(result.stdout), dcgm.read_table())
    except dcgm.UnreadableOutput as error:
        said = str(error) or result.summary
        raise running.Unreadable(f"dcgmi diag --run {level}: {said}") from error
    if action.action != "none":
        return failed(action.reason, action.action, source=SOURCE)
    if not result.ok:
        # Every test passed, and the program says that it failed: nothing can be concluded.
        raise running.Unreadable(f"dcgmi diag --run {level} exited {result.exit_code}")
    return Outcome("pass", source=SOURCE)


@contextmanager
def readers_stopped(probe: Probe) -> Iterator[None]:
    """Stop the services that read profiling counters, and start again those that ran."""
    stopped = []
    if probe.has("systemctl"):
        for name in READERS:
            if probe.run(["systemctl", "is-active", "--quiet", name]).ok:
                stopped.append(name)
                running.run(probe, ["systemctl", "stop", name], 60.0)
    try:
        yield
    finally:
        # The diagnostic may have used all of the time.
        for name in stopped:
            probe.with_time(60.0).run(["systemctl", "start", name], timeout_seconds=60.0)

"""EFA: libfabric's ping-pong over each device by itself, and its traffic counters move.

Without `FI_EFA_ENABLE_SHM_TRANSFER=0` both ends are on one node and use shared memory. The program
prints a table whose columns begin `bytes #sent #ack`; no bandwidth of a loopback is published, so
only success counts (awsome-distributed-ai, gpu-cluster-healthcheck, check 6).
"""

from __future__ import annotations

import re
from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import benchmarks, running
from clusterwright_acceptance.checks import efa_devices
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, failed

ID = "efa-loopback"
SECONDS_PER_DEVICE = 15.0
SOURCE = "awsome-distributed-ai, gpu-cluster-healthcheck (2026-07-23)"

_FIRST_PORT = 47_600
_SCRIPT = """
program=$1 port=$2
shift 2
"$program" "$@" -B "$port" >/dev/null 2>&1 &
server=$!
trap 'kill $server 2>/dev/null' EXIT
for try in 1 2 3 4 5; do
  sleep 0.2
  "$program" "$@" -P "$port" 127.0.0.1 && exit 0
  kill -0 $server 2>/dev/null || exit 1
done
exit 1
"""
_ROW = re.compile(r"^\s*\d+[kmg]?\s+\d+[kmg]?\s+=?\d+", re.MULTILINE)


def applies(expected: Expected) -> Optional[str]:
    return efa_devices.applies(expected)


def look(probe: Probe, expected: Expected) -> Outcome:
    pingpong = running.program(probe, expected, "fi_pingpong")
    names = efa_devices.devices(probe)
    if not names:
        return failed("no EFA device is there", "reboot", source=SOURCE)
    before = efa_devices.traffic(probe)
    bad: list[str] = []
    for number, name in enumerate(names):
        words = benchmarks.arguments("fi_pingpong", device=name)
        result = running.run(
            probe,
            ["sh", "-c", _SCRIPT, "sh", pingpong, str(_FIRST_PORT + number), *words],
            SECONDS_PER_DEVICE,
            {"FI_EFA_ENABLE_SHM_TRANSFER": "0", "FI_EFA_DEVICE_NAME": name},
        )
        if not result.ok or not _ROW.search(result.stdout):
            bad.append(f"{name}: {result.summary if not result.ok else 'no result'}")
    shown = {"value": float(len(names) - len(bad)), "floor": float(len(names))}
    shown.update({"unit": "devices", "source": SOURCE})  # type: ignore[dict-item]
    if bad:
        more = f"; {len(bad) - 1} more" if len(bad) > 1 else ""
        return failed(f"{bad[0]}{more}", "reboot", **shown)
    idle = efa_devices.idle_devices(before, efa_devices.traffic(probe))
    if idle:
        text = f"{idle[0]} sent nothing: the test did not use it ({len(idle)} of {len(names)})"
        return failed(text, "reboot", **shown)
    return Outcome("pass", **shown)  # type: ignore[arg-type]

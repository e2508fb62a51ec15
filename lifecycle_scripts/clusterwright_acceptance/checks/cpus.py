"""CPUs: exactly those of the type, with or without hyper-threading, none offline."""

from __future__ import annotations

from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import running
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, failed, unknown

ID = "cpus"
_SOURCE = "EC2's instance types, catalogue"


def applies(expected: Expected) -> Optional[str]:
    return None


def look(probe: Probe, expected: Expected) -> Outcome:
    lscpu = running.program(probe, expected, "lscpu")
    text = running.output(probe, [lscpu, "--online", "--parse=CPU,CORE,SOCKET"], 10.0)
    rows = [line.split(",") for line in text.splitlines() if line and not line.startswith("#")]
    if not rows or any(len(row) != 3 for row in rows):
        raise running.Unreadable("the output of lscpu has an unknown form")
    cores = len({(core, socket) for _, core, socket in rows})
    facts = {"cpus": len(rows), "cores": cores, "sockets": len({row[2] for row in rows})}
    kind = expected.type
    shown = {"value": float(len(rows)), "unit": "CPUs", "source": _SOURCE, "facts": facts}
    if kind.vcpus is None:
        return unknown("no source states how many CPUs this type has", **shown)
    shown["floor"] = float(kind.vcpus)
    # One thread per core is a setting of the launch, not a fault.
    allowed = {kind.vcpus} | ({kind.cores} if kind.cores else set())
    if len(rows) not in allowed:
        named = " or ".join(str(number) for number in sorted(allowed))
        text = f"{len(rows)} CPUs are online, {expected.instance_type} has {named}"
        return failed(text, "replace", **shown)
    if kind.cores and cores != kind.cores:
        return failed(f"{cores} of {kind.cores} cores are online", "replace", **shown)
    return Outcome("pass", **shown)  # type: ignore[arg-type]

"""LNet's interfaces over EFA: the expected ones, the existing ones, and their counters."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clusterwright_node.errors import StepError
from clusterwright_node.machine import failure_of
from clusterwright_node.node import Node

_AMAZON = "0x1d0f"
# AWS's FSx for Lustre guide, "Configuring EFA clients": these types use every fourth device (one
# of each network card's four), others the first and the last. Read in public copies of the guide's
# script, 2026-11-20.
_EVERY_FOURTH = ("p5.48xlarge", "p5e.48xlarge")
_INFINIBAND = "/sys/class/infiniband"


@dataclass(frozen=True)
class Interface:
    """A local NI of LNet and its counters since its creation."""

    nid: str
    devices: tuple[str, ...]
    status: str
    sent: int
    received: int


def efa_devices(node: Node) -> list[str]:
    """The machine's EFA devices in the order of their bus numbers."""
    machine = node.machine
    found = []
    for name in machine.listing(_INFINIBAND):
        vendor = machine.read_text(f"{_INFINIBAND}/{name}/device/vendor") or ""
        if vendor.strip() == _AMAZON:
            found.append(name)
    return sorted(found, key=_by_number)


def wanted_devices(node: Node) -> list[str]:
    """The EFA devices that LNet should use. Raises StepError if the machine has none."""
    devices = efa_devices(node)
    if not devices:
        raise StepError(
            f"this machine has no EFA device, but group {node.group.name} has efa",
            "choose a type with EFA, or set efa to false for the group",
        )
    if node.group.instance_type in _EVERY_FOURTH:
        return devices[::4]
    return devices[:1] if len(devices) == 1 else [devices[0], devices[-1]]


def efa_interfaces(node: Node) -> list[Interface]:
    """LNet's EFA interfaces with their counters; empty if LNet has no EFA network."""
    result = node.machine.query("lnetctl", "net", "show", "--net", "efa", "--verbose")
    if not result.ok:
        # Older clients fail if a network does not exist; newer ones print nothing.
        if (
            "no such" in result.said.lower()
            or "not found" in result.said.lower()
            or "errno: -2" in result.said
        ):
            return []
        raise failure_of(result)
    return parse_interfaces(result.stdout)


def parse_interfaces(text: str) -> list[Interface]:
    """The local NIs in the YAML of `lnetctl net show --verbose`.

    Each NI must carry its status and both counters; an NI without them raises StepError, because a
    transport check that takes a missing counter for zero, or for progress, cannot fail.
    """
    found: list[dict[str, object]] = []
    section = ""
    for line in text.splitlines():
        match = re.match(r"^\s*(-\s+)?([A-Za-z0-9_ ()]+):\s*(.*)$", line)
        if match is None:
            continue
        key, value = match.group(2).strip(), match.group(3).strip().strip("\"'")
        if key == "net type":
            section = ""
        elif key == "nid" and match.group(1):
            found.append({"nid": value, "devices": []})
            section = ""
        elif not found:
            continue
        elif not value:
            section = key
        elif section == "interfaces" and key.isdigit():
            devices = found[-1]["devices"]
            assert isinstance(devices, list)
            devices.append(value)
        elif key == "status" and section in ("", "interfaces"):
            found[-1].setdefault("status", value)
        elif key in ("send_count", "recv_count") and section == "statistics":
            found[-1].setdefault(key, value)
    return [_interface(fields) for fields in found]


def _interface(fields: dict[str, object]) -> Interface:
    nid = str(fields["nid"])
    counters = {}
    for key in ("send_count", "recv_count"):
        value = str(fields.get(key, ""))
        if not re.fullmatch(r"[0-9]+", value):
            raise StepError(
                f"lnetctl shows no {key} for {nid}",
                "this version of the Lustre client's lnetctl is not supported",
            )
        counters[key] = int(value)
    devices = fields["devices"]
    assert isinstance(devices, list)
    return Interface(
        nid,
        tuple(devices),
        str(fields.get("status", "unknown")),
        counters["send_count"],
        counters["recv_count"],
    )


def _by_number(name: str) -> tuple[list[int], str]:
    return [int(number) for number in re.findall(r"[0-9]+", name)], name

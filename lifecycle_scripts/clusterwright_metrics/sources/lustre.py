"""Lustre: reads and writes of the client, and messages over each interface of LNet.

Source: Lustre manual, "Monitoring client activity" (`lctl get_param llite.*.stats`: name, number
of samples, and for bytes their unit, smallest, largest and sum) and "Dynamically configuring LNet
routes" (`lnetctl net show --verbose`).
"""

from __future__ import annotations

import re

from clusterwright_common.probe import Probe, ProbeError

from clusterwright_metrics.text import Metrics, sanitised

ROLES = ("controller", "login", "compute")

_PARAMETERS = ("/sys/kernel/debug/lustre/llite", "/proc/fs/lustre/llite")
# Of releases from 2.12 on, and of older ones (Lustre manual, "Lustre parameters").

_STATS = re.compile(r"^(\w+)\s+(\d+) samples \[(\w+)\](?:\s+(\d+)\s+(\d+)\s+(\d+))?")


def collect(probe: Probe, metrics: Metrics) -> None:
    mounts = [line.split() for line in (probe.read("/proc/self/mounts") or "").splitlines()]
    if not any(len(words) > 2 and words[2] == "lustre" for words in mounts) and not probe.has(
        "lctl"
    ):
        return
    if not probe.has("lctl"):
        # In a container without Lustre's programs: what `lctl get_param` would read itself.
        _clients(_parameter_files(probe), metrics)
        return
    failed = []
    for command, read in (
        (["lctl", "get_param", "llite.*.stats"], _clients),
        (["lnetctl", "net", "show", "--verbose"], _interfaces),
    ):
        if not probe.has(command[0]):
            continue
        try:
            read(probe.output(command), metrics)
        except ProbeError as error:
            failed.append(str(error))
    if failed:
        raise ProbeError("; ".join(failed))


def _parameter_files(probe: Probe) -> str:
    """`llite.*.stats` as `lctl get_param` prints it, from the files that it reads."""
    found = []
    for folder in _PARAMETERS:
        for instance in probe.names(folder):
            text = probe.read(f"{folder}/{instance}/stats")
            if text is not None:
                found.append(f"llite.{instance}.stats=\n{text}")
    return "\n".join(found)


def _clients(text: str, metrics: Metrics) -> None:
    instance = ""
    for line in text.splitlines():
        heading = re.match(r"^llite\.(.+)\.stats=", line)
        if heading is not None:
            # fsname-ffff9a0c1e2d3000: drop the kernel address.
            instance = heading.group(1).rpartition("-")[0] or heading.group(1)
            continue
        match = _STATS.match(line.strip())
        if match is None or not instance:
            continue
        name, samples, unit, total = match.group(1), match.group(2), match.group(3), match.group(6)
        labels = {"fs": instance, "operation": sanitised(name)}
        metrics.add(
            "lustre_client_operations_total",
            "counter",
            "Operations of this client.",
            float(samples),
            labels,
        )
        if unit == "bytes" and total is not None:
            metrics.add(
                "lustre_client_bytes_total",
                "counter",
                "Bytes that these operations moved.",
                float(total),
                labels,
            )


def _interfaces(text: str, metrics: Metrics) -> None:
    network = nid = ""
    for line in text.splitlines():
        words = line.strip().lstrip("- ").split(":", 1)
        key, value = words[0].strip(), words[1].strip() if len(words) > 1 else ""
        if key == "net type":
            network = value
        elif key == "nid":
            nid = value
        elif key == "status" and nid:
            metrics.add(
                "lustre_lnet_up",
                "gauge",
                "Whether LNet has this interface up.",
                float(value == "up"),
                {"net": network, "nid": nid},
            )
        elif key in ("send_count", "recv_count", "drop_count") and value.isdigit() and nid:
            metrics.add(
                "lustre_lnet_messages_total",
                "counter",
                "Messages of LNet over this interface.",
                float(value),
                {"net": network, "nid": nid, "direction": key[: -len("_count")]},
            )

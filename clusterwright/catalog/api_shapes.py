"""Convert EC2's responses, from moto's data or a live account, to records of the data files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clusterwright.catalog.cells import cell, unknown

_MIB_PER_GIB: Final = 1024
_PERFORMANCE: Final = re.compile(r"(Up to )?(?:(\d+)x )?([\d.]+) (Gigabit|Megabit)")

LEFT_OUT: Final = unknown("EC2's answer leaves it out")

# Fields from DescribeInstanceTypes; other fields come from other sources and survive a refresh.
API_FIELDS: Final = (
    "vcpus",
    "cores",
    "threads_per_core",
    "memory_gib",
    "architecture",
    "bare_metal",
    "burstable",
    "accelerator_name",
    "accelerator_count",
    "accelerator_memory_gib",
    "network_gbps",
    "network_cards",
    "efa_interfaces",
    "interfaces_max",
    "interfaces_max_card0",
    "interfaces_max_other_cards",
    "ipv4_per_interface",
    "local_nvme",
    "placement_group_cluster",
    "spot",
)


def instance_record(api: Mapping[str, Any], source: str) -> dict[str, Any]:
    """One instance of DescribeInstanceTypes as a record, every field of `API_FIELDS` in it.

    Every member of the API's answer is optional; what an answer leaves out is unknown.
    """
    network = api.get("NetworkInfo", {})
    cards = network.get("NetworkCards", [])
    others = [card["MaximumNetworkInterfaces"] for card in cards if card["NetworkCardIndex"] != 0]
    cpu = api.get("VCpuInfo", {})
    return {
        "source": source,
        "vcpus": cpu.get("DefaultVCpus", LEFT_OUT),
        "cores": cpu.get("DefaultCores", LEFT_OUT),
        "threads_per_core": cpu.get("DefaultThreadsPerCore", LEFT_OUT),
        "memory_gib": _gib(api.get("MemoryInfo", {}), digits=3),
        "architecture": _architecture(api),
        "bare_metal": api.get("BareMetal", LEFT_OUT),
        "burstable": api.get("BurstablePerformanceSupported", LEFT_OUT),
        **_accelerators(api),
        "network_gbps": _network_gbps(network, source),
        "network_cards": network.get("MaximumNetworkCards", LEFT_OUT),
        "efa_interfaces": _efa_interfaces(network),
        "interfaces_max": network.get("MaximumNetworkInterfaces", LEFT_OUT),
        "interfaces_max_card0": cards[0]["MaximumNetworkInterfaces"] if cards else LEFT_OUT,
        "interfaces_max_other_cards": min(others, default=0) if cards else LEFT_OUT,
        "ipv4_per_interface": network.get("Ipv4AddressesPerInterface", LEFT_OUT),
        "local_nvme": _local_nvme(api),
        "placement_group_cluster": _holds(
            api.get("PlacementGroupInfo", {}).get("SupportedStrategies"), "cluster"
        ),
        "spot": _holds(api.get("SupportedUsageClasses"), "spot"),
    }


def _efa_interfaces(network: Mapping[str, Any]) -> Any:
    if "EfaSupported" not in network:
        return LEFT_OUT
    if not network["EfaSupported"]:
        return 0
    return network.get("EfaInfo", {}).get("MaximumEfaInterfaces", LEFT_OUT)


def _holds(listed: Sequence[str] | None, name: str) -> Any:
    return LEFT_OUT if listed is None else name in listed


def _gib(memory: Mapping[str, Any], *, digits: int) -> Any:
    if "SizeInMiB" not in memory:
        return LEFT_OUT
    return _number(round(memory["SizeInMiB"] / _MIB_PER_GIB, digits))


def _architecture(api: Mapping[str, Any]) -> Any:
    # i386 beside x86_64 is an old capability of a 64-bit processor.
    listed = api.get("ProcessorInfo", {}).get("SupportedArchitectures", [])
    names = [name for name in listed if name != "i386"]
    if not names:
        return LEFT_OUT
    return names[0] if len(names) == 1 else unknown(f"EC2 states several: {', '.join(names)}")


def _accelerators(api: Mapping[str, Any]) -> dict[str, Any]:
    gpus = api.get("GpuInfo", {}).get("Gpus", [])
    neuron = api.get("NeuronInfo", {}).get("NeuronDevices", [])
    found = [*gpus, *neuron]
    if not found:
        return {"accelerator_name": "", "accelerator_count": 0, "accelerator_memory_gib": 0}
    first = found[0]
    return {
        "accelerator_name": first.get("Name", LEFT_OUT),
        "accelerator_count": sum(device.get("Count", 0) for device in found),
        "accelerator_memory_gib": _gib(first.get("MemoryInfo", {}), digits=1),
    }


def _network_gbps(network: Mapping[str, Any], source: str) -> Any:
    text = network.get("NetworkPerformance")
    if text is None:
        return LEFT_OUT
    found = _PERFORMANCE.fullmatch(text)
    if found is None:
        return unknown(f'EC2 says "{text}"')
    burst, times, amount, unit = found.groups()
    gbps = int(times or 1) * float(amount) / (1000 if unit == "Megabit" else 1)
    if burst:
        return cell(_number(gbps), source, "up to")
    return _number(gbps)


def _local_nvme(api: Mapping[str, Any]) -> Any:
    disks = api.get("InstanceStorageInfo", {}).get("Disks", [])
    if not disks:
        return [0, 0] if "InstanceStorageSupported" in api else LEFT_OUT
    if len(disks) > 1:
        return unknown("disks of several sizes")
    return [disks[0]["Count"], disks[0]["SizeInGB"]]


def _number(value: float) -> float | int:
    """A number, as an integer if it is one, so that the files stay readable."""
    return int(value) if float(value).is_integer() else value

"""EC2's answers turned into records of the data files, for moto's dump and for a live account."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright.catalog.cells import cell, unknown

_MIB_PER_GIB: Final = 1024
_PERFORMANCE: Final = re.compile(r"(Up to )?(?:(\d+)x )?([\d.]+) (Gigabit|Megabit)")

# What a record takes from DescribeInstanceTypes; the rest of a record comes from other sources
# and survives a refresh.
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
    """One instance of DescribeInstanceTypes as a record, every field of `API_FIELDS` in it."""
    network = api["NetworkInfo"]
    cards = network.get("NetworkCards", [])
    others = [card["MaximumNetworkInterfaces"] for card in cards if card["NetworkCardIndex"] != 0]
    cpu = api["VCpuInfo"]
    efa = network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0)
    return {
        "source": source,
        "vcpus": cpu["DefaultVCpus"],
        "cores": cpu.get("DefaultCores", unknown("EC2 does not state it for this type")),
        "threads_per_core": cpu.get(
            "DefaultThreadsPerCore", unknown("EC2 does not state it for this type")
        ),
        "memory_gib": _number(api["MemoryInfo"]["SizeInMiB"] / _MIB_PER_GIB),
        "architecture": _architecture(api),
        "bare_metal": api["BareMetal"],
        "burstable": api["BurstablePerformanceSupported"],
        **_accelerators(api),
        "network_gbps": _network_gbps(network, source),
        "network_cards": network["MaximumNetworkCards"],
        "efa_interfaces": efa if network["EfaSupported"] else 0,
        "interfaces_max": network["MaximumNetworkInterfaces"],
        "interfaces_max_card0": cards[0]["MaximumNetworkInterfaces"],
        "interfaces_max_other_cards": min(others, default=0),
        "ipv4_per_interface": network["Ipv4AddressesPerInterface"],
        "local_nvme": _local_nvme(api),
        "placement_group_cluster": "cluster"
        in api.get("PlacementGroupInfo", {}).get("SupportedStrategies", []),
        "spot": "spot" in api["SupportedUsageClasses"],
    }


def _architecture(api: Mapping[str, Any]) -> Any:
    # i386 beside x86_64 is an old capability of a 64-bit processor.
    names = [n for n in api["ProcessorInfo"]["SupportedArchitectures"] if n != "i386"]
    return names[0] if len(names) == 1 else unknown(f"EC2 states several: {', '.join(names)}")


def _accelerators(api: Mapping[str, Any]) -> dict[str, Any]:
    gpus = api.get("GpuInfo", {}).get("Gpus", [])
    neuron = api.get("NeuronInfo", {}).get("NeuronDevices", [])
    found = [*gpus, *neuron]
    if not found:
        return {"accelerator_name": "", "accelerator_count": 0, "accelerator_memory_gib": 0}
    first = found[0]
    return {
        "accelerator_name": first["Name"],
        "accelerator_count": sum(device["Count"] for device in found),
        "accelerator_memory_gib": _number(
            round(first["MemoryInfo"]["SizeInMiB"] / _MIB_PER_GIB, 1)
        ),
    }


def _network_gbps(network: Mapping[str, Any], source: str) -> Any:
    text = network.get("NetworkPerformance", "")
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
        return [0, 0]
    if len(disks) > 1:
        return unknown("disks of several sizes")
    return [disks[0]["Count"], disks[0]["SizeInGB"]]


def _number(value: float) -> float | int:
    """A whole number without its decimal point, so that the files stay readable."""
    return int(value) if float(value).is_integer() else value

"""moto's instance data lacks types that AWS documents."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.catalog_facts import catalog, known

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: DescribeInstanceTypes returns p6e-gb200.36xlarge as far as AWS documents it (the API's "
    "other members are left out, not guessed)"
)
MISSING = ("p6e-gb200.36xlarge",)


def apply() -> None:
    from moto.ec2.models import instance_types

    for name in MISSING:
        if name not in instance_types.INSTANCE_TYPES:
            instance_types.INSTANCE_TYPES[name] = describe(name)
            instance_types.InstanceTypeBackend.instance_types.append(
                instance_types.InstanceType(name)
            )


def describe(name: str) -> dict[str, Any]:
    """Return the DescribeInstanceTypes entry of a type, from the catalogue's known facts."""
    found = catalog().instance(name)
    answer: dict[str, Any] = {
        "InstanceType": name,
        "CurrentGeneration": True,
        "BareMetal": False,
        "Hypervisor": "nitro",
        "InstanceStorageSupported": known(found.local_nvme) is not None,
        "SupportedRootDeviceTypes": ["ebs"],
        "SupportedVirtualizationTypes": ["hvm"],
        # "UltraServer Capacity Block only" (the catalogue's note on on_demand).
        "SupportedUsageClasses": ["capacity-block"],
        "NetworkInfo": {},
    }
    vcpus, memory_gib = known(found.vcpus), known(found.memory_gib)
    if vcpus is not None:
        answer["VCpuInfo"] = {"DefaultVCpus": vcpus}
    if memory_gib is not None:
        answer["MemoryInfo"] = {"SizeInMiB": int(memory_gib * 1024)}
    architecture = known(found.architecture)
    if architecture is not None:
        answer["ProcessorInfo"] = {"SupportedArchitectures": [architecture]}
    count, memory_each = known(found.accelerator_count), known(found.accelerator_memory_gib)
    if count is not None and memory_each is not None:
        mib = int(memory_each * 1024)
        gpu = {
            "Name": known(found.accelerator_name),
            "Manufacturer": "NVIDIA",
            "Count": count,
            "MemoryInfo": {"SizeInMiB": mib},
        }
        answer["GpuInfo"] = {"Gpus": [gpu], "TotalGpuMemoryInMiB": mib * count}
    disks = known(found.local_nvme)
    if disks is not None:
        answer["InstanceStorageInfo"] = {
            "TotalSizeInGB": disks.total_gb,
            "Disks": [{"SizeInGB": disks.size_gb, "Count": disks.count, "Type": "ssd"}],
            "NvmeSupport": "required",
        }
    for member, fact, form in (
        ("MaximumNetworkCards", found.network_cards, int),
        ("NetworkPerformance", found.network_gbps, lambda gbps: f"{gbps:g} Gigabit"),
    ):
        value = known(fact)
        if value is not None:
            answer["NetworkInfo"][member] = form(value)
    return answer

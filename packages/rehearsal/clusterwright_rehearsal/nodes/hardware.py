"""The emulated hardware of an instance type, from the facts of the catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from clusterwright_localaws.drivers import catalog, ec2_name

T = TypeVar("T")

_NVIDIA_NAMES = {"H100": "H100 80GB HBM3", "H200": "H200", "A100": "A100-SXM4-40GB"}
"""Names that nvidia-smi prints; other accelerators keep the catalogue's name."""
DRIVER = "570.0-emulated"
"""The driver version of the real image is not known; this value marks the emulation."""


@dataclass(frozen=True)
class Hardware:
    """Counts and sizes of one instance type. Unknown facts are None."""

    instance_type: str
    vcpus: int | None
    cores: int | None
    threads_per_core: int | None
    memory_gib: float | None
    accelerator: str
    """The catalogue's name; empty without an accelerator."""
    accelerator_count: int
    accelerator_memory_gib: float
    efa_interfaces: int
    nvme_disks: int
    nvme_gb: int = 0
    """Of one disk, in units of 10^9 bytes."""

    @property
    def kind(self) -> str:
        """`nvidia`, `neuron` or `none`."""
        if not self.accelerator_count:
            return "none"
        return "neuron" if self.instance_type.startswith(("trn", "inf")) else "nvidia"

    def as_file(self, instance_id: str) -> dict[str, Any]:
        """The contents of the machine's /etc/emulation/hardware.json."""
        return {
            "instance_id": instance_id,
            "instance_type": self.instance_type,
            "cpus": self.vcpus or 1,
            "cores": self.cores,
            "memory_gib": self.memory_gib,
            "accelerator": {
                "kind": self.kind,
                "count": self.accelerator_count,
                "model": _NVIDIA_NAMES.get(self.accelerator, self.accelerator),
                "memory_mib": int(self.accelerator_memory_gib * 1024),
                "driver": DRIVER,
            },
            "efa": self.efa_interfaces,
            "nvme": {"count": self.nvme_disks, "gb": self.nvme_gb},
        }


def hardware_of(instance_type: str) -> Hardware:
    """The hardware of an EC2 or SageMaker instance type; without devices for an unknown type."""
    name = ec2_name(instance_type)
    found = catalog().instance(name)
    if found is None:
        return Hardware(name, None, None, None, None, "", 0, 0.0, 0, 0)
    nvme = _known(found.local_nvme)
    return Hardware(
        instance_type=name,
        vcpus=_known(found.vcpus),
        cores=_known(found.cores),
        threads_per_core=_known(found.threads_per_core),
        memory_gib=_known(found.memory_gib),
        accelerator=str(_known(found.accelerator) or _known(found.accelerator_name) or ""),
        accelerator_count=int(_known(found.accelerator_count) or 0),
        accelerator_memory_gib=float(_known(found.accelerator_memory_gib) or 0),
        efa_interfaces=int(_known(found.efa_interfaces) or 0),
        nvme_disks=int(nvme.count) if nvme is not None else 0,
        nvme_gb=int(nvme.size_gb) if nvme is not None else 0,
    )


def _known(fact: Any) -> Any:
    return getattr(fact, "value", None)

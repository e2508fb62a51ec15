"""Programs of NVIDIA on nodes and in Kubernetes, by their lines and the words of their messages.

Sources: NVIDIA/gpu-operator (cmd, controllers, validator), NVIDIA/gpu-driver-container
(nvidia-driver), NVIDIA/k8s-device-plugin, NVIDIA/mig-parted, NVIDIA/dcgm-exporter,
NVIDIA/nvidia-persistenced; NVIDIA/open-gpu-kernel-modules (kernel-open/nvidia, src/nvidia,
nvstatuscodes.h); read 2026-11.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis.parts import part
from clusterwright.diagnosis.programs import Program
from clusterwright.diagnosis.signature import Values
from clusterwright.diagnosis.wording import meaning_of

PERSISTENCE: Final = Program(
    "GPU: the persistence daemon (nvidia-persistenced)",
    (r"\bnvidia-persistenced(?:\[\d+\])?: ",),
    (
        part(
            "finds no device files (/dev/nvidia*): the driver is not loaded or does not work",
            r"query NVIDIA devices|device files|/dev/nvidia|load symbol|driver",
        ),
        part(
            "cannot bring the GPU's memory online for the kernel",
            r"NUMA: (?:Failed|Changing|Device NUMA status)|auto_online",
        ),
        part(
            "cannot make or lock its folder, PID file or socket: another one runs, or its user "
            "has no permission",
            r"Failed to [^\n]*(?:PID file|socket|directory|change ownership|group ID|user ID|"
            r"RPC service)",
        ),
    ),
)

HOST_ENGINE: Final = Program(
    "DCGM",
    (
        r"\bnv-hostengine\b",
        r"\bStarting (?:NVIDIA )?host ?engine\b|\bterminate host engine\b",
        r"\bDCGM Server\b|\bdcgm-exporter\b|\bstart-hostengine\b|\bnv-hostengine:",
        r"\bDCGM initiali[sz]ation error\b|\bdcgmi\b|\bDCGM_ST_\w+",
    ),
    (
        part(
            "its host engine does not start or ended: another one runs (port 5555), the driver "
            "does not work, or it may not write its PID file",
            r"Failed to start (?:DCGM|host)|Unable to terminate host ?engine|initiali[sz]ation "
            r"error|Error starting nv-hostengine|waiting for SIGUSR1|already (?:running|in use)|"
            r"INIT_ERROR|NVML_NOT_LOADED",
        ),
        part(
            "a GPU is lost or needs a reset",
            r"GPU_IS_LOST|RESET_REQUIRED|GPU is lost",
        ),
        part(
            "its host engine is not reached: it does not run, or has another address or version",
            r"connect|CONNECTION_NOT_VALID|VER_MISMATCH|Version mismatch|hostengine",
        ),
        part(
            "it does not have the privileges for what it measures (root or CAP_SYS_ADMIN)",
            r"REQUIRES_ROOT|NO_PERMISSION|CAP_SYS_ADMIN",
        ),
        part(
            "a list of metrics or a setting of the exporter is not valid",
            r"metrics file|(?:collector|field|config|setting)\w*[^\n,]{0,60}(?:fail|error|invalid|"
            r"not valid|unknown|cannot|could not|unable)|(?:fail|error|invalid|unknown|cannot|"
            r"could not|unable)\w*[^\n,]{0,60}(?:collector|field|config|setting)",
        ),
    ),
    frozenset({"dcgm-test", "dcgm-host-engine", "dcgm-profiling", "gpu-ecc", "nvlink"}),
)

DRIVER_CONTAINER: Final = Program(
    "GPU operator: the driver's container",
    (
        r"Could not (?:resolve|locate) Linux kernel version",
        r"Could not unload NVIDIA driver kernel modules|Could not stop NVIDIA",
        r"Failed to (?:find NVIDIA driver source|update the NVIDIA driver)",
        r"FATAL: failed to (?:install elfutils|reach RHEL|update the dnf)",
        r"\bnvidia-driver-ctr\b|\bk8s-driver-manager\b",
    ),
    (
        part(
            "finds no headers of the node's kernel in its package repositories: use a driver "
            "image for this kernel, precompiled drivers, or an image with the driver installed",
            r"kernel version|package (?:cache|repositor)|dnf|elfutils|RHEL",
        ),
        part(
            "cannot replace the driver, because programs still use the GPUs: drain the node or "
            "reboot it",
            r"Could not (?:unload|stop)|driver is in use|Failed to (?:uninstall|drain|evict)",
        ),
        part("does not build or load the driver", r"NVIDIA driver|exiting|Back-off"),
    ),
    frozenset({"crash-loop"}),
)

DEVICE_PLUGIN: Final = Program(
    "GPU: the device plug-in of Kubernetes",
    (
        r"\] (?:\"?Incompatible (?:strategy|platform) detected|error starting plugins)",
        r"invalid device discovery strategy|failed to construct (?:resource|"
        r"NVML resource) managers?",
        r"Invalid configuration detected for mig-strategy|\bnvidia-device-plugin\b",
        r"GRPC server for '[^'\n]*' has repeatedly crashed|Could not (?:register|"
        r"start) device plugin",
    ),
    (
        part(
            "the MIG mode or the profiles of the node's GPUs do not fit its MIG strategy",
            r"mig-strategy|\bMIG\b",
        ),
        part(
            "finds neither the driver nor its library (NVML) on the node: its pod runs without "
            "NVIDIA's container runtime (container toolkit, runtime class nvidia), or the "
            "node has "
            "no driver or no GPU",
            r"Incompatible (?:strategy|platform)|discovery strategy|resource managers|NVML|"
            r"container toolkit",
        ),
        part(
            "cannot register with the kubelet: the kubelet was restarted, or its folder of "
            "plug-ins cannot be used",
            r"register|repeatedly crashed|Could not start|socket|FS watcher",
        ),
        part("does not start: a setting is not valid", r"config|strategy|error starting"),
    ),
    frozenset({"nvml", "container-lost-gpu"}),
)

OPERATOR: Final = Program(
    "GPU operator",
    (
        r"\bcontrollers\.(?:ClusterPolicy|NVIDIADriver|Upgrade)\b",
        r"error (?:validating|checking) (?:the )?(?:driver|toolkit|vfio|vgpu|mofed)\b",
        r"error validating (?:plugin|cuda) (?:installation|workload)\b",
        r"apply(?:ing)? MIG config(?:uration)?|\bnvidia-mig-manager\b|MigConfig\b",
        r"GPU resources are not discovered by the node",
        r"error running nvidia-smi",
    ),
    (
        part(
            "the MIG configuration of a node cannot be changed: programs still use its GPUs, or "
            "the profiles do not exist for this GPU",
            r"\bMIG\b|MigConfig|mig-manager",
        ),
        part(
            "waits for Node Feature Discovery, whose labels the nodes do not have",
            r"\bNFD\b|Node Feature Discovery|missing label",
        ),
        part(
            "its device plug-in reports no GPU on the node",
            r"not discovered by the node|plugin",
        ),
        part(
            "the driver does not work on a node, so that its validator and all that follows wait",
            r"driver|nvidia-smi|toolkit|cuda",
        ),
        part(
            "its own resources in the cluster cannot be read or written",
            r"Couldn't|Could not|could not get|cannot list|failed to get|Failed to (?:apply|"
            r"patch|list)",
        ),
    ),
)

FABRIC: Final = Program(
    "GPU: the fabric manager or IMEX",
    (r"\bnv(?:idia)?-(?:fabricmanager|imex)(?:-start\.sh)?(?:\[\d+\])?: ", r"\bnvlsm: "),
    (
        part(
            "a node of the NVLink domain is not reached: its IMEX service does not run, or the "
            "security group does not allow its port (nodes_config.cfg)",
            r"connect to (?:node|peer)|Connection to node|timed? ?out|lost connection|"
            r"unreachable|domain",
        ),
        part(
            "a link or switch of NVLink cannot be used",
            r"\blinks?\b[^\n]*(?:fail|down|degrad|error)|(?:fail|error|unable)[^\n]*\blinks?\b|"
            r"trunk|NVSwitch[^\n]*(?:fail|error)|(?:fail|error)[^\n]*NVSwitch",
        ),
        part(
            "a request of a program for memory over NVLink (multicast, SHARP) failed",
            r"multicast|FLA\b|export|import|SHARP|team",
        ),
    ),
    frozenset(
        {
            *("fabric-manager", "fabric-manager-version", "fabric-manager-no-switch"),
            *("fabric-kernel-module", "fabric-manager-configuration", "nvlink", "imex-memory"),
        }
    ),
)

PROGRAMS: Final = (
    PERSISTENCE,
    HOST_ENGINE,
    DRIVER_CONTAINER,
    DEVICE_PLUGIN,
    OPERATOR,
    FABRIC,
)

_STATUS: Final = (
    (r"GPU_IS_LOST|CARD_NOT_PRESENT", "the GPU has fallen off the bus"),
    (r"FABRIC_MANAGER_NOT_PRESENT", "the fabric manager is not running"),
    (r"NVLINK|FABRIC", "an NVLink does not work"),
    (r"LIB_RM_VERSION_MISMATCH", "the libraries have another version than the kernel module"),
    (r"ECC_ERROR|MEMORY_ERROR|BROKEN_FB|MEMORY_TRAINING|RETIREMENT", "the GPU's memory is faulty"),
    (r"RESET_REQUIRED|FULLCHIP_RESET", "the GPU needs a reset"),
    (r"SECURE_BOOT|REJECTED_VBIOS|PRIV_SEC", "its firmware does not start (VBIOS, secure boot)"),
    (r"FLCN|RISCV|PMU_NOT_READY|FATAL_ERROR|RC_ERROR", "its firmware stopped (GSP)"),
    (r"TIMEOUT", "the GPU or its firmware (GSP) does not answer in time"),
    (r"ONLINING", "the GPU's memory cannot be brought online for the kernel"),
    (r"POWER", "the GPU does not have enough power"),
    (r"NO_MEMORY|INSUFFICIENT_RESOURCES", "memory of the GPU or of the driver is used up"),
    (r"IRQ_NOT_FIRING", "no interrupts arrive from it"),
    (r"PERMISSIONS", "the caller may not do this"),
    (r"MODULE_LOAD", "a module of the driver cannot be loaded"),
)
"""Names of the driver's statuses (NV_ERR_*) without their beginning."""

_CODES: Final = {
    0x05: "CARD_NOT_PRESENT",
    0x0B: "ECC_ERROR",
    0x0F: "GPU_IS_LOST",
    0x10: "GPU_IN_FULLCHIP_RESET",
    0x11: "GPU_NOT_FULL_POWER",
    0x1A: "INSUFFICIENT_RESOURCES",
    0x1C: "INSUFFICIENT_POWER",
    0x45: "IRQ_NOT_FIRING",
    0x47: "MEMORY_TRAINING_FAILED",
    0x51: "NO_MEMORY",
    0x60: "RC_ERROR",
    0x61: "REJECTED_VBIOS",
    0x62: "RESET_REQUIRED",
    0x65: "TIMEOUT",
    0x6A: "LIB_RM_VERSION_MISMATCH",
    0x6F: "PMU_NOT_READY",
    0x70: "FLCN_ERROR",
    0x71: "FATAL_ERROR",
    0x72: "MEMORY_ERROR",
    0x74: "NVLINK_INIT_ERROR",
    0x75: "NVLINK_MINION_ERROR",
    0x76: "NVLINK_CLOCK_ERROR",
    0x77: "NVLINK_TRAINING_ERROR",
    0x78: "NVLINK_CONFIGURATION_ERROR",
    0x79: "RISCV_ERROR",
    0x7A: "FABRIC_MANAGER_NOT_PRESENT",
    0x7F: "SECURE_BOOT_FAILED",
    0x82: "NVLINK_FABRIC_FAILURE",
    0x83: "GPU_MEMORY_ONLINING_FAILURE",
    0x86: "RESOURCE_RETIREMENT_ERROR",
}
"""Statuses that tell something about a GPU, by number (nvstatuscodes.h)."""

_PLACES: Final = (
    (
        r"PCI I/O region|BAR\d|request_mem_region|resizable BAR|pci_enable_device|32-bit address",
        "the firmware or hypervisor gave the GPU no usable memory region on PCI",
    ),
    (r"WPR2|GspRm|kgsp|_GSP\b|\bGSP\b|\bFSP\b|GFW", "its firmware (GSP) does not work"),
    (r"knvlink|NVLink|nvlink", "an NVLink does not work"),
    (r"bad register read|RegRead|PCI config|PCIe|AER|FLR", "the GPU does not answer on PCI"),
    (r"IRQ|interrupt|MSI", "the GPU has no interrupt"),
    (r"auto_online|NUMA|onlin", "the GPU's memory cannot be brought online for the kernel"),
    (r"conflicting kernel module|another driver|nouveau|vfio", "another driver has the GPU"),
    (r"ECC|row remap|FB |framebuffer", "the GPU's memory is faulty"),
)
"""Words of messages of the driver's kernel module without a status."""

_CODE: Final = re.compile(
    r"(?:status|error|rc|ret)\w*[ =:(]{1,3}(?P<code>0x[0-9a-f]{2,8})\b", re.I
)


def driver(values: Values) -> str | None:
    """What a message of the driver's kernel module says of a GPU; None if it says nothing."""
    said = values["said"]
    named = re.search(r"NV_ERR_(\w+)", said)
    coded = _CODE.search(said)
    status = named[1] if named else _CODES.get(int(coded["code"], 16), "") if coded else ""
    wrong = meaning_of(_STATUS, status) if status else None
    wrong = wrong or meaning_of(_PLACES, said)
    return None if wrong is None else f"GPU: {wrong}, as the driver says: {said.strip()[:200]}"

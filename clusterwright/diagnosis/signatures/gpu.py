"""Accelerators: Xid and SXid, ECC, NVLink, DCGM, HyperPod's health agent, Neuron.

Sources: NVIDIA's Xid catalogue (see `xid.py`), DCGM diagnostics, AWS's health agent.
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis import amd_gpu, native_errors, parts_dcgm, parts_nvshmem, xid
from clusterwright.diagnosis.model import Confidence
from clusterwright.diagnosis.signature import Signature, Values
from clusterwright.diagnosis.wording import meaning_of

_REPLACE: Final = "clusterwright node replace {file} {nodes} --because {because}"
_REBOOT: Final = "clusterwright node reboot {file} {nodes} --because {because}"
_ACCEPT: Final = "clusterwright accept {file} --nodes {nodes} --level full"
_XID: Final = (
    r"\bXid\b[^()\n]{0,20}\((?:PCI:)?(?P<bus>[0-9A-Fa-f:.]+)[^)]*\): (?P<code>\d+)\b,?"
    r"(?P<rest>.*)"
)
_XID_SHORT: Final = (
    r"\bXid(?: error)?[ :=#]*(?P<code>\d+)\b(?: on (?P<bus>[0-9A-Fa-f:.]+))?(?P<rest>.*)"
)


def _likely(values: Values) -> Confidence:
    return "likely" if xid.is_application(values) else "certain"


# Descriptions of `nvmlErrorString` (NVML API reference), in lower case.
_NVML: Final = (
    ("permission", "the program may not do this with the GPU"),
    ("reset", "the GPU must be reset before it can be used again"),
    ("inforom", "the GPU's infoROM is damaged"),
    (
        "not loaded|function not found",
        "the driver is not loaded, or its library is another version",
    ),
    ("power", "the GPU does not have enough external power"),
    (
        "blocked",
        "the operating system or the container's cgroup does not let the program use the GPU",
    ),
    ("", "the driver or the GPU does not answer or is in a bad state"),
)


def _nvml(values: Values) -> str:
    reason = values["reason"]
    said = meaning_of(_NVML, reason.lower())
    return f"GPU: {said} (NVML: {reason})"


SIGNATURES: Final = (
    Signature(
        "amd-gpu",
        amd_gpu.cause,
        amd_gpu.PATTERNS,
        confidence="likely",
        one_per_log=True,
        kinds=("log", "job"),
        next=(_ACCEPT,),
    ),
    Signature(
        "dcgm-start",
        parts_dcgm.start,
        (r"\bCacheManager Init Failed\. Error: (?P<status>-\d{1,3})",),
        confidence="likely",
        rank=1,
        kinds=("log",),
        next=(_REBOOT,),
    ),
    Signature(
        "dcgm-test",
        "GPU: DCGM's test {test} failed: {reason}",
        (
            r"\bTest fail\b[^\n]{0,200}?\btest\W{1,4}(?P<test>\w{2,40})[^\n]{0,120}?\bdetail\W{1,4}"
            r"(?P<reason>[^\"\n]{3,120})",
        ),
        per_node=True,
        kinds=("log",),
        next=(_REBOOT, _ACCEPT),
    ),
    Signature(
        "xid-replace",
        lambda values: xid.cause(values) if xid.action(values) == "replace" else None,
        (_XID, _XID_SHORT),
        per_node=True,
        next=(_REPLACE, _ACCEPT),
    ),
    Signature(
        "xid-reboot",
        lambda values: xid.cause(values) if xid.action(values) == "reboot" else None,
        (_XID, _XID_SHORT),
        per_node=True,
        next=(_REBOOT, _ACCEPT),
    ),
    Signature(
        "xid",
        xid.cause,
        (_XID, _XID_SHORT),
        confidence=_likely,
        # What the driver says about an application often follows from something else.
        rank=1,
        per_node=True,
        next=(_ACCEPT,),
    ),
    Signature(
        "sxid",
        xid.switch_cause,
        (
            r"SXid \((?:PCI:)?(?P<bus>[0-9A-Fa-f:.]+)[^)]*\): (?P<code>\d+),? (?P<fatal>Fatal|"
            r"Non-fatal)",
        ),
        per_node=True,
        next=(_REPLACE,),
    ),
    Signature(
        # A code that needs no action, or echoes another message.
        "xid-without-effect",
        "",
        (_XID, r"\bXid(?: error)?[ :=#]*\d+\b", r"\bSXid \("),
        rank=3,
    ),
    Signature(
        "gpu-lost",
        "GPU: it has fallen off the bus (as Xid 79; what to do: replace)",
        (
            r"fallen off the bus|GPU is lost|ERROR_GPU_IS_LOST|Unable to determine the device handle for GPU|"
            r"GPU .{0,30}(?:not detected|disappeared|lost)",
        ),
        per_node=True,
        next=(_REPLACE, _ACCEPT),
    ),
    Signature(
        "gpu-row-remap",
        "GPU: rows of its memory wait to be remapped, for which it needs a reset",
        (
            r"^Pending(?: Page Blacklist)?\s{1,60}: Yes$",
            r"row[- ]?remap\w{0,4}[^\n]{0,20} (?:is )?pending|Row Remapper: New row [^\n]{0,60}marked",
        ),
        confidence="likely",
        kinds=("log", "scheduler-node"),
        per_node=True,
        next=(_REBOOT, _ACCEPT),
    ),
    Signature(
        "gpu-ecc",
        "GPU: uncorrectable memory (ECC) error",
        (
            r"uncorrectable (?:volatile )?(?:ECC|memory)? ?error(?!s?\s{0,40}:\s{0,4}0\b|\s{2,40}:)|"
            r"Remapping Failure Occurred\s{1,40}: Yes|"
            r"double[- ]bit ECC|\bDBE\b|DCGM_FR_(?:\w*DBE\w*|UNCONTAINED\w*|FAULTY_MEMORY)|"
            r"cudaErrorECCUncorrectable|row[- ]?remap\w* (?:fail|pending)|HBM.{0,30}(?:error|fault)",
        ),
        per_node=True,
        next=(_REPLACE, _ACCEPT),
    ),
    Signature(
        "fabric-manager-version",
        "GPU: the fabric manager has another version than the driver, so NVLink is not usable",
        (r"fabric ?manager.{0,80}version.{0,60}(?:do(?:es)?n['\u2019]t|do(?:es)? not) match",),
        per_node=True,
        next=("clusterwright drift {file}",),
    ),
    Signature(
        "fabric-manager-no-switch",
        "GPU: the fabric manager finds no NVSwitch: the node has none, so the service must not "
        "run, or the driver does not show them",
        (
            r"NV_WARN_NOTHING_TO_DO|query NVSwitch device information[^\n]{0,80}failed|"
            r"fabric ?manager[^\n]{0,80}(?:no NVSwitch|NVSwitch devices? (?:were )?not found)",
        ),
        confidence="likely",
        per_node=True,
        next=("clusterwright drift {file}", _ACCEPT),
    ),
    Signature(
        "container-lost-gpu",
        "GPU: a container may not open its GPUs: its cgroup was written anew while it ran (systemctl "
        "daemon-reload; start it again), or, from its start, its runtime does not allow the devices "
        "(the version of crun or runc, the cgroup driver), or the GPU is lost",
        (r"(?:Failed to initialize NVML|nvml init failed): Unknown Error",),
        confidence="likely",
        next=(_ACCEPT,),
    ),
    Signature(
        "dcgm-host-engine",
        "DCGM: its host engine does not answer[ on {node}]: the service nvidia-dcgm does not run, "
        "or the program asks another address",
        (
            r"Unable to connect to (?:the )?host engine|Host engine connection invalid|"
            r"Error connecting to nv-hostengine",
        ),
        # Monitoring rarely ends a job.
        confidence="likely",
        rank=1,
        kinds=("log", "daemon"),
        per_node=True,
        next=("clusterwright diagnose {file} node {node}",),
    ),
    Signature(
        "dcgm-profiling",
        parts_dcgm.watch,
        (
            r"Error (?:watching fields|setting watches)\b(?P<text>[^\n]{0,120})",
            r"third-party Profiling module returned|DcgmModuleProfiling failed to initialize",
        ),
        confidence="likely",
        next=(_ACCEPT,),
    ),
    Signature(
        "container-gpu-mount",
        native_errors.container_hook,
        (
            r"nvidia-container-cli(?:\.real)?: (?P<reason>(?:initialization|requirement|device|cgroup|mount|ldcache|"
            r"container|detection|input|option) error: (?!unsatisfied)[^\n]{3,200})",
        ),
        confidence="likely",
        next=("clusterwright drift {file}", _ACCEPT),
    ),
    Signature(
        "container-device",
        "GPU: a container was given a GPU that the driver does not show (it is lost, or has another "
        "number)",
        (
            r"nvidia-container-cli(?:\.real)?: device error|(?:nvidia|cuda|gpu)[^\n]{0,60}unknown device",
        ),
        confidence="likely",
        per_node=True,
        next=(_REBOOT, _ACCEPT),
    ),
    Signature(
        "nvlink",
        "GPU: an NVLink or NVSwitch fault",
        (
            r"NVLink(?! SHARP).{0,60}(?:error(?! count)|fail|down|inactive|degraded)|cudaErrorNvlinkUncorrectable|"
            r"DCGM_FR_\w*(?:NVLINK|NVSWITCH|FABRIC_MANAGER)\w*|(?<![/.\w])NVSwitch(?![/.]).{0,40}(?:fatal|error|fail)",
        ),
        confidence="likely",
        per_node=True,
        next=(_REBOOT, _ACCEPT),
    ),
    Signature(
        "fabric-kernel-module",
        "GPU: the kernel module {module} is not loaded, without which the fabric manager of GPUs "
        "with NVLink 5 does not start, so that no program can use the GPUs (error 802)",
        (
            r"Kernel module \\?\"(?P<module>\w{2,30})\\?\" has not been loaded, fabric manager cannot",
            r"umad_init: [^\n]{0,120}is (?P<module>\w{2,30}) module loaded",
        ),
        per_node=True,
        next=("clusterwright drift {file}", _REBOOT, _ACCEPT),
    ),
    Signature(
        "fabric-manager-configuration",
        "GPU: the fabric manager does not start, because its configuration file is not valid: "
        "{item}: the file is of another version of the driver, or names a path that does not exist",
        (
            r"fabric ?manager config(?:uration)? file[^\n]{0,20}?(?:item)?: (?P<item>\w{3,60})\b"
            r"[^\n]{0,40}(?:invalid|unknown|missing|not valid)",
        ),
        per_node=True,
        next=("clusterwright drift {file}",),
    ),
    Signature(
        "fabric-manager",
        "GPU: the fabric manager is not running, so NVLink is not usable",
        (
            r"fabric ?manager.{0,60}(?:fail|not running|stopped|inactive|not initialized|error|dead)"
            r"|CUDA_ERROR_SYSTEM_NOT_READY|system not yet initialized|Error 802",
        ),
        confidence="likely",
        rank=1,
        per_node=True,
        next=("clusterwright drift {file}", _REBOOT, _ACCEPT),
    ),
    Signature(
        "gpu-thermal",
        "GPU: it is too hot or throttled by heat or power",
        (
            r"DCGM_FR_\w*(?:THERMAL|TEMP|THROTTL|CLOCKS_EVENT)\w*|(?:thermal|HW|power)[ _-]?"
            r"(?:slow ?down|throttl|violation)|GPU.{0,40}(?:over ?heat|over[- ]?temperature)",
        ),
        confidence="likely",
        per_node=True,
        next=(_REPLACE, _ACCEPT),
    ),
    Signature(
        "dcgm",
        "GPU: DCGM's diagnosis failed[: {reason}]",
        (
            r"(?P<reason>DCGM_FR_\w+)",
            r"(?:dcgmi? (?:diag|health)|DCGM (?:level|diag|health)\w*)(?!.*: Healthy\b).{0,100}(?:fail|error|"
            r"unhealthy|Failure)(?P<reason>)",
            r"dcgm: overall health: Failure(?P<reason>)",
            r"^\|[^|]{1,60}\|\s*Fail\b[ -]*(?P<reason>[^|]*)",
        ),
        per_node=True,
        next=(_REBOOT, _ACCEPT),
    ),
    Signature(
        "driver-unsupported",
        "GPU: the installed driver does not support this GPU: it is too old, or this GPU needs the "
        "open kernel modules",
        (
            r"installed in this system is not supported by the|requires use of the NVIDIA open kernel "
            r"modules|open nvidia\.ko is only ready|NVRM: [^\n]{0,60}not supported by (?:the )?(?:open|NVIDIA)",
        ),
        per_node=True,
        next=("clusterwright check {file} --only CW-I015", _ACCEPT),
    ),
    Signature(
        "nvshmem",
        parts_nvshmem.cause,
        (parts_nvshmem.ERROR,),
        confidence="likely",
        rank=1,
        kinds=("log", "job"),
        one_per_log=True,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "gpudirect",
        "GPU: GPUDirect does not work: a kernel module (gdrdrv of GDRCopy, nvidia-peermem) is not "
        "loaded, does not fit the driver or another module (of RDMA), or cannot pin the GPU's memory: {reason}",
        (
            r"^(?!libfabric:)(?P<reason>[^\n]{0,80}(?:gdrdrv|libgdrapi|GDRCOPY|gdr_open|/dev/gdrdrv|"
            r"nvidia_p2p_get_pages)[^\n]{0,100}(?:fail|unable|error|not (?:found|loaded)|No such|cannot|denied|"
            r"is gdrdrv[^\n]{0,20}loaded)[^\n]{0,80})",
            r"(?P<reason>nvidia[-_]peermem[^\n]{0,60}(?:Invalid argument|not found|fail|error|cannot)[^\n]{0,60}|"
            r"could not insert (?:module )?'?[\w./-]{0,80}(?:gdrdrv|nvidia[-_]peermem|nv_peer_mem)[^\n]{1,60}|"
            r"(?:nvidia_peermem|nv_peer_mem|gdrdrv): (?:disagrees about version of|Unknown) symbol \w{2,60})",
        ),
        confidence="likely",
        one_per_log=True,
        kinds=("log",),
        next=("clusterwright drift {file}", _ACCEPT),
    ),
    Signature(
        "driver-library",
        "GPU: the container has no NVIDIA driver library (NVML): it runs without NVIDIA's "
        "container runtime, or the node has no driver",
        (
            r"could not load NVML library|"
            r"NVML[^\n]{0,40}(?:ERROR_)?LIBRARY_NOT_FOUND",
        ),
        confidence="likely",
        next=("kubectl get runtimeclasses", _ACCEPT),
    ),
    Signature(
        "gpu-initialization",
        "GPU: the driver cannot initialize it: the GPU or its firmware (GSP) is in a bad state; a "
        "reboot of the guest may not restore it",
        (
            r"RmInitAdapter failed|rm_init_adapter failed|RmInitAdapter: Cannot initialize|"
            r"failed to wait for GFW[ _]boot",
        ),
        confidence="likely",
        per_node=True,
        next=(_REBOOT, _ACCEPT),
    ),
    Signature(
        "nvml",
        "GPU: the device plug-in cannot initialize NVML: the driver was changed or does not work "
        "since its pod was started",
        (r"error calling nvml\.Init|failed to initialize NVML: (?:ERROR_)?UNKNOWN",),
        confidence="likely",
        next=("kubectl rollout restart daemonsets --namespace kube-system", _ACCEPT),
    ),
    Signature(
        "driver-headers",
        "GPU: the driver container of the GPU operator cannot build a driver for the node's kernel: no "
        "headers or precompiled driver of this kernel are found: {reason}",
        (
            r"(?P<reason>Could not resolve Linux kernel version|Could not locate (?:Linux )?kernel headers)",
        ),
        confidence="likely",
        per_node=True,
        next=(_REBOOT, _ACCEPT),
    ),
    Signature(
        # Of a GPU that is lost, too, whose own message then is the cause.
        "driver-probe",
        "GPU: the NVIDIA driver does not work: it cannot use a GPU that the node has",
        (r"nvidia: probe of \S+ failed|NVIDIA probe routine failed",),
        confidence="likely",
        rank=1,
        per_node=True,
        next=(_REBOOT, _ACCEPT),
    ),
    Signature(
        "driver",
        "GPU: the NVIDIA driver does not work: it is not loaded, or its version differs from the "
        "libraries'",
        (
            r"NVIDIA-SMI has failed|Driver/library version mismatch|NVML: Failed to initialize|"
            r"Failed to initialize NVML|nvidia.{0,40}module(?! verification).{0,40}(?:not (?:found|loaded)|fail)|"
            r"API mismatch: the client has the version|NVRM: this kernel module has the version|couldn't communicate with the NVIDIA "
            r"driver|libnvidia-ml\.so\S*: cannot open|libcuda\.so\S*: cannot open",
            r"^No devices were found|nvidia-smi\S*: No devices",
            r"nvidia-container-cli(?:\.real)?: [^\n]{0,40}(?:driver|nvml|initialization)[^\n]{0,20}error|"
            r"unsupported display driver|Error 803",
        ),
        confidence="likely",
        per_node=True,
        next=(_REBOOT, _ACCEPT),
    ),
    Signature(
        "nvml-error",
        _nvml,
        (
            r"\b(?:NVML|nvml|nvidia-smi|NVIDIA-SMI)[^\n]{0,120}?(?P<reason>GPU requires reset|"
            r"corrupted infoROM|Insufficient Permissions|Driver Not Loaded|Insufficient External Power|"
            r"Interrupt Request Issue|operating system has blocked the request|Unknown Error|"
            r"Function Not Found|Insufficient Memory|\bTimeout\b)",
            r"(?P<reason>infoROM is corrupted|GPU requires reset|Unable to get device handle)",
        ),
        confidence="likely",
        per_node=True,
        kinds=("log",),
        next=(_REBOOT, _ACCEPT),
    ),
    Signature(
        "deep-health-check",
        "HyperPod: a deep health check failed[: {reason}]",
        (
            r"Encountered FaultyInstance[^\n]*?ERROR:\s*(?P<reason>[^\"}\n]{0,120})",
            r"Encountered FaultyInstance",
            r"deep ?health ?check.{0,120}(?:fail|did not pass|unsuccessful|error)[^:\n]*:?\s*"
            r"(?P<reason>[^\n]{0,120})",
            # Of NCCL's results, ncclInternalError means "internal check failed".
            r"(?<![\w/])(?!nccl\w*Error\b)(?P<reason>(?:InstanceStress|InstanceConnectivity|MultiNodeTrainingValidation|"
            # After a file of a source it is a check of glog or abseil.
            r"NCCL|DCGM|EFA)\w*)\b(?!.{0,60}\.\w{1,4}:\d+\] Check failed: ).{0,60}(?:check|test).{0,30}"
            r"(?:FAIL|failed)",
        ),
        confidence="likely",
        per_node=True,
        kinds=("log", "cluster-event", "node-status"),
        next=(_REPLACE,),
    ),
    Signature(
        "health-agent",
        "HyperPod's health agent detected a fault[: {reason}]",
        (
            r"HealthMonitoringAgentDetectionEvent[^\n]*?(?:reason|message|fault)\w*[\"':= ]+"
            r"(?P<reason>[\w :./-]{3,120})",
            r"node-health-status[\"'=: ]+(?P<reason>Unschedulable\w+)|"
            r"sagemaker\.amazonaws\.com/fault-\w+[\"'=: \[]+(?P<fault>[\w ,-]+)",
            r"HealthMonitoringAgentDetectionEvent|health ?monitoring ?agent.{0,80}(?:detect|fault|"
            r"unhealthy)",
        ),
        confidence="likely",
        rank=1,
        per_node=True,
        next=(_REPLACE,),
    ),
    Signature(
        "neuron",
        "Neuron: the device or runtime reported a hardware error[: {reason}]",
        (
            r"(?P<reason>NRT_EXEC_HW_ERR\w*|NRT_EXEC_(?:COMPLETED_WITH_ERR|NC_\w+)|"
            r"NRT_UNINITIALIZED|NRT_LOAD_\w+)",
            r"neuron.{0,80}(?P<reason>SRAM[^\n]{0,40}(?:uncorrect|ECC)|HBM[^\n]{0,40}uncorrect|"
            r"DMA (?:error|abort)[^\n]{0,40}|hardware error[^\n]{0,40})",
            r"No neuron device available|nrt_init failed",
        ),
        confidence="likely",
        per_node=True,
        next=(_REBOOT, _ACCEPT),
    ),
    Signature(
        "hardware",
        "hardware: the instance or its host has a fault (EC2 or the kernel reports it)",
        (
            r"(?:Machine check|MCE|mce:).{0,60}(?:error|hardware)|\[Hardware Error\]|"
            r"EDAC .{0,40}\bUE\b|PCIe Bus Error: severity=Uncorrected|AER: (?:Uncorrect|Multiple "
            r"Uncorrect)",
            r"(?:instance|system)[- ]?(?:status )?(?:reachability )?check.{0,40}(?:fail|impaired)|"
            r"hardware (?:failure|fault|issue|problem|degrad)|degraded hardware|"
            r"scheduled (?:event|maintenance)|instance-(?:retirement|stop|reboot)\b|"
            r"(?:instance|host|GPU) is (?:not healthy|unhealthy|impaired)|"
            r"EC2 health check",
        ),
        confidence="likely",
        per_node=True,
        next=(_REPLACE,),
    ),
    Signature(
        "kernel-panic",
        "the node's kernel stopped (panic or lock-up)",
        (
            r"Kernel panic|soft lockup|hard LOCKUP(?! detector)|BUG: unable to handle|Oops: |rcu.{0,30}stall",
        ),
        confidence="likely",
        per_node=True,
        kinds=("log",),
        next=(_REPLACE,),
    ),
)

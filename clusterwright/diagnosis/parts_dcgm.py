"""What DCGM's host engine, modules and diagnostics say, by file of their source and status.

Source: NVIDIA/DCGM (dcgmlib/src, modules, nvvs, common; dcgmReturn_t in dcgmlib/dcgm_structs.h),
read 2026-11.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis.parts import part
from clusterwright.diagnosis.signature import Values
from clusterwright.diagnosis.writer import Writer, fields

STATUSES: Final = {
    -4: "memory is used up",
    -6: "the GPU or driver does not have the feature",
    -7: "DCGM cannot be initialised",
    -8: "NVML answered with an error: the driver or a GPU does not work",
    -10: "DCGM is not initialised",
    -11: "there was no answer in time",
    -12: "the versions of DCGM's library and host engine differ",
    -17: "it has no permission: it does not run as root or lacks CAP_SYS_ADMIN (in a container, "
    "or with MIG)",
    -18: "a GPU is lost",
    -19: "a GPU needs a reset",
    -21: "the connection to the host engine is no longer valid",
    -22: "DCGM does not support the GPU",
    -25: "a library of DCGM was not found",
    -29: "the host engine must run as root for this",
    -30: "a diagnostic reported an error",
    -33: "a module of DCGM is not loaded",
    -34: "it is in use by another process",
    -36: "the GPUs have no profiling",
    -37: "the profiling library failed: another profiler uses the GPUs, or the driver is in a bad "
    "state",
    -39: "another diagnostic is running",
    -41: "the diagnostic cannot be started",
    -43: "a value exceeds the threshold of its test",
    -44: "the driver is too old for this",
    -49: "resources are used up",
    -51: "a GPU must be taken out of service",
    -52: "the diagnostic's program (nvvs) is not installed",
    -53: "the diagnostic's program (nvvs) was killed",
    -56: "NVML is not loaded: the node has no driver, or the container does not have it",
    -57: "the driver does not answer in time",
    -62: "a process cannot be started",
    -67: "the GPUs were detached",
}
"""Statuses (DCGM_ST_*) that say something about a node, by number."""

TEXTS: Final = {
    r"out of memory": -4,
    r"feature not supported": -6,
    r"NVML error": -8,
    r"API version mismatch": -12,
    r"no permission": -17,
    r"GPU is lost": -18,
    r"requires? reset": -19,
    r"connection invalid": -21,
    r"profiling is not supported": -36,
    r"third-party profiling module": -37,
    r"not currently loaded": -33,
    r"in use by another": -34,
    r"requires root|must (?:be|run as) root": -29,
}
"""Texts of these (errorString in dcgmlib), where a client prints them without the number."""

_STATUS: Final = re.compile(
    r"(?:\b(?:Error|error|ret(?:urned)?|Ret|Return|st|status|failed with|result|code|"
    r"got)\b[ :=(]*|\()(?P<status>-\d{1,2})\b"
)


def _status(message: str) -> str | None:
    found = _STATUS.search(message)
    return STATUSES.get(int(found["status"])) if found else None


DCGM: Final = Writer(
    "DCGM",
    re.compile(
        fields(r"\b(?:ERROR|FATAL)\b\s+\[\d+:\d+\] (?:\[\[\w+\]\] )?") + r"(?P<message>\S[^\n]*?) "
        r"\[(?:[\w./@-]*/)?(?P<place>[\w-]+/[\w-]+\.(?:cpp|h|cc|c)):\d+\]"
    ),
    (
        part(
            "a GPU has a fatal Xid error",
            r"Devastating XID|\bXID\b",
        ),
        part(
            "a GPU's memory gave wrong results in a test",
            r"miscompare|Unrepairable memory|row.?remap",
        ),
        part(
            "it does not start: GPUs cannot be read at its start",
            r"nvmlInit|NVML isn't loaded|NVML not loaded",
        ),
        part(
            "its parts do not reach each other: a client, the host engine (port 5555) or a "
            "process of a diagnostic",
            place=r"transport/|DcgmIpc|DcgmClientHandler|DcgmConnection|DcgmCoreProxy|"
            r"RemoteConnection",
            words=r"connect to hostengine|socket|VSOCK",
        ),
        part(
            "NVSwitches or NVLinks cannot be read: the fabric manager, NSCQ or NVSDM is missing "
            "or has another version than the driver",
            place=r"nvswitch/",
        ),
        part("its profiling module failed", place=r"profiling/", words=r"Profil"),
        part(
            "a diagnostic over several nodes (MNUBERGEMM) failed: MPI, ssh or its program",
            place=r"mndiag/|MnDiag|MpiRunner",
        ),
        part(
            "a test of its diagnostic failed or could not run",
            place=r"diag/|nvvs|Nvvs|NvidiaValidation|Plugin|plugin|pcie/|memory/|targeted|"
            r"diagnostic/|memtest|nvbandwidth|contextcreate|Software\.cpp|DcgmRecorder|"
            r"DcgmSystem\.cpp|ParsingUtil|TestFramework",
        ),
        part(
            "settings of GPUs (clocks, power, compute mode, ECC) cannot be read or changed",
            place=r"config/|DcgmConfig",
        ),
        part(
            "its health or policy watches of GPUs failed",
            place=r"health/|policy/",
        ),
        part(
            "the host's processors cannot be read",
            place=r"sysmon/|CpuHelpers|LsHw|DcgmCpu",
        ),
        part(
            "a process of it cannot be started or did not end",
            place=r"ChildProcess|DcgmThread|DcgmUtilities|HangDetect|Subreaper",
        ),
        part("IMEX's state cannot be read", place=r"Imex"),
        part(
            "the kernel's messages (Xid) cannot be read",
            place=r"Kmsg",
        ),
        part(
            "values of GPUs cannot be read: the driver (NVML) does not answer or a GPU is lost",
            place=r"CacheManager|NvmlTaskRunner|Gpu\.cpp|DcgmVgpu|GpuInstance|DcgmTopology",
            words=r"\bnvml\w+ (?:failed|returned)|nvml error",
        ),
        part(
            "a request to it could not be answered",
            place=r"HostEngineHandler|DcgmApi|core/|DcgmModule|dcgmi/|Dcgm\w*Group",
        ),
    ),
    _status,
    re.compile(
        # Its module for NVSwitches starts on machines without them too.
        r"\[\[NvSwitch\]\] [^\n]*(?:Could not load|AttachTo|Not attached|ReadNv\w+\(\) returned|"
        r"undefined state)"
    ),
)

WRITERS: Final = (DCGM,)


def watch(values: Values) -> str:
    """Why a client, such as dcgm-exporter, cannot watch the fields of its metrics."""
    text = values.get("text", "")
    known = (n for words, n in TEXTS.items() if re.search(words, text, re.IGNORECASE))
    status = next(known, None)
    if status is None or status == -37:
        return (
            "DCGM: its profiling module failed: another profiler uses the GPUs, the GPUs do not "
            "have it, or their driver is in a bad state"
        )
    return f"DCGM: the fields of a metric cannot be watched: {STATUSES[status]}"


def start(values: Values) -> str:
    """Why the host engine, or a program that embeds it, did not start."""
    status = values["status"]
    said = STATUSES.get(int(status), "GPUs cannot be read at its start")
    return f"DCGM: it does not start: {said} (status {status})"

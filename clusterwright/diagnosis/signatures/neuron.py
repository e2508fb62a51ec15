"""Neuron: its driver, devices, collectives and compiler (errors of execution are also in `gpu`).

Sources: AWS Neuron documentation, "Neuron Runtime Troubleshooting on Inf1, Inf2 and Trn1" and
"Neuron compiler error codes" (read 2026-11); threads in docs/explanations/diagnosed-failures.yaml
and its hold-outs.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis import accelerator_errors
from clusterwright.diagnosis.signature import Signature, Values
from clusterwright.diagnosis.wording import kind_of

_ACCEPT: Final = "clusterwright accept {file} --nodes {nodes} --level full"
_REPLACE: Final = "clusterwright node replace {file} {nodes} --because {because}"
_REBOOT: Final = "clusterwright node reboot {file} {nodes} --because {because}"
_JOB_FILE: Final = "clusterwright check-job {file} JOBFILE"
_DRIFT: Final = "clusterwright drift {file}"
_KILLED: Final = "-9"


def _compiler(values: Values) -> str:
    if values.get("status") == _KILLED:
        return (
            "Neuron: the compiler (neuronx-cc) was killed, in most cases because the node's memory "
            "was used up: compile on a larger node, or with fewer processes"
        )
    said = (
        "Neuron: the compiler (neuronx-cc) failed: the model or an operator is not supported, or "
        "the compiler has a fault"
    )
    code = values.get("code")
    return (
        f"{said}: {code}: {values.get('reason', '')}" if code else f"{said}; its log has the code"
    )


def _error(values: Values) -> str | None:
    """What a part of the runtime says, by its status or by its words."""
    reason = values["reason"]
    status = re.search(r"\berr(?:or)?:? ?=?(\d{1,4})\b", reason)
    if status is not None:
        known = accelerator_errors.neuron({"status_number": status.group(1)})
        if known is not None:
            return known
    kind = kind_of(reason)
    where = _COMPONENTS.get(values.get("component", ""), "")
    if kind is None:
        return f"Neuron: {where or 'the runtime'} reports an error ({values['part']}): {reason}"
    return f"Neuron: {where or 'the runtime'} reports an error: {kind.sentence}: {reason}"


_COMPONENTS: Final = {
    "ENC": "the part of the runtime that runs collectives",
    "CCOM": "the library of collectives",
    "NCFW": "the firmware of a core",
    "HAL": "the part of the runtime that drives a device",
    "TDRV": "the part of the runtime that drives a device",
    "NEFF": "the reader of compiled programs (NEFF)",
}
"""Names before the functions of the runtime's log lines, where they say what was being done."""

SIGNATURES: Final = (
    Signature(
        "neuron-driver",
        "Neuron: the driver (aws-neuronx-dkms) is not installed or not loaded on the node",
        (
            r"Unable to determine Neuron Driver version|modprobe:[^\n]{0,40}Module neuron not found|"
            r"aws-neuronx?-dkms[^\n]{0,40}(?:is not|not installed|not loaded)|"
            # Of the package aws-neuron-runtime-base, which older drivers need.
            r"/run/infa-map\.json: no such file",
        ),
        per_node=True,
        next=(_DRIFT, _ACCEPT),
    ),
    Signature(
        "neuron-load",
        "Neuron: the runtime cannot load a compiled program (NEFF): the cores' memory is used up, or "
        "ranks or versions of the compiler and the runtime differ",
        (r"Nrt::Load failed|nrt_load(?:_\w{1,30})? status=[1-9]|Failed to load NN: ",),
        confidence="likely",
        next=(_JOB_FILE,),
    ),
    Signature(
        "neuron-driver-version",
        "Neuron: the driver (aws-neuronx-dkms) is older than the runtime needs",
        (
            r"runtime requires Neuron Driver version|"
            r"aws_hal_\w{1,60}[^\n]{0,40}failed programming the engine",
        ),
        per_node=True,
        next=(_DRIFT,),
    ),
    Signature(
        "neuron-cores-in-use",
        "Neuron: the cores that the program asks for are in use by another process, or the node "
        "has fewer",
        (
            r"Neuron ?Core\(?s?\)? not available - Requested|Could not find VNC id|"
            r"NERR_RESOURCE_NC\b|insufficient number of NeuronCores",
        ),
        confidence="likely",
        kinds=("log", "job"),
        next=(_JOB_FILE, "clusterwright diagnose {file} node {node}"),
    ),
    Signature(
        "neuron-device",
        "Neuron: a device cannot be opened: the program asks for more than the instance type has, "
        "the container was not given it, or it is missing",
        (
            r"\[NMGR:kmgr_init_mlas\] No devices specified|Unable to read compatible Driver version|Please check /dev/neuron\S? is accessible|"
            r"Could not open the (?:nd\d{1,2}\b|device)|No neuron devices? (?:was |were )?found|/dev/neuron\d{1,2}\b[^\n]{0,40}(?:No such|Permission "
            r"denied|Device or resource busy)",
        ),
        confidence="likely",
        kinds=("log", "job"),
        next=(_JOB_FILE, _ACCEPT),
    ),
    Signature(
        "neuron-not-started",
        "Neuron: the devices cannot be initialised: an earlier program left them in use; reload "
        "the driver or reboot the node",
        (
            r"Failed to stop neuron core|Failed to initialize devices, error: ?\d|TDRV not initialized",
        ),
        confidence="likely",
        # Often the report of a device that could not be opened.
        rank=1,
        per_node=True,
        kinds=("log", "job"),
        next=(_REBOOT, _ACCEPT),
    ),
    Signature(
        "neuron-memory-error",
        "Neuron: a device's memory has an error that cannot be corrected",
        (r"Uncorrectable(?: \w{2,5})? memory error is detected",),
        per_node=True,
        next=(_REPLACE, _ACCEPT),
    ),
    Signature(
        "neuron-memory",
        "Neuron: the device's memory is used up: the model, batch or sequence does not fit",
        (
            r"neuron:mc_alloc: device mempool|TDRV:[^\n]{0,80}Failed to alloc|Failed to allocate "
            r"[^\n]{0,80}\bon ND \d|NRT_RESOURCE\b",
        ),
        confidence="likely",
        kinds=("log", "job"),
        next=("clusterwright plan --help",),
    ),
    Signature(
        "neuron-collectives",
        "Neuron: the library of collectives (aws-neuronx-collectives) is missing on the node or in "
        "the image, or has another version",
        (r"Error opening libnccom\.so|libnccom\S{0,20}: cannot open shared object",),
        next=(_DRIFT, _JOB_FILE),
    ),
    Signature(
        "neuron-efa",
        "network of jobs: Neuron's collectives do not use EFA: its plug-in is not installed, or "
        "EFA is not enabled on the nodes",
        (r"Ofi plugin is not installed or EFA is not enabled|OFI plugin initNet\(\) failed",),
        next=(_JOB_FILE, _ACCEPT),
    ),
    Signature(
        "neuron-version",
        "Neuron: the compiler that made the program has another version than the runtime: {reason}",
        (r"(?P<reason>NEFF version mismatch[^\n]{0,80})",),
        next=(_DRIFT,),
    ),
    Signature(
        "neuron-numerical",
        "training diverged: Neuron found values that are not numbers (NaN)",
        (r"INFER_ERROR_SUBTYPE_NUMERICAL",),
        kinds=("log", "job"),
        next=("clusterwright accept {file} --nodes {nodes} --level standard",),
    ),
    Signature(
        "neuron-status",
        accelerator_errors.neuron,
        (
            r"\bNRT_(?P<status_name>(?!SUCCESS)[A-Z][A-Z_]{3,40})\b",
            r"\bnrt_\w{1,40}[^\n]{0,60}?status[ =:]+(?P<status_number>[1-9]\d{0,3})\b",
        ),
        confidence="likely",
        rank=1,
        kinds=("log", "job"),
        next=(_JOB_FILE, _ACCEPT),
    ),
    Signature(
        "neuron-compiler",
        _compiler,
        (
            r"neuronx?-cc(?: compilation)? (?:failed|terminated|was killed|exited)(?: with(?: (?:exit "
            r"code|status))?:? (?P<status>-?\d{1,3}))?",
            r"\bneuronx?-cc\b[^\n]{0,1200}returned non-zero exit status (?P<status>\d{1,3})",
            r"\[neuronx?-?cc[\w.-]{0,60}\]:[^\n]{0,20}(?:An Internal Compiler Error|\[N[A-Z]{2,3}\d{3}\])",
            r"There was a compilation error for this graph|\|\|NCC_WRAPPER\|\|: Compilation failed\b",
            r"Failed compilation with \[?['\"]?neuronx?-cc\b(?:[^\n]*?\[(?P<code>[A-Z]{3}\d{3})\]\s*"
            r"(?P<reason>[^\n]{3,200}))?",
            r"\[neuronx?-?cc[\w.-]{0,60}\]:[^\n]{0,20}(?:Internal |Backend |Frontend )?[^\n]{0,30}\berror:|"
            r"Subcommand returned with exitcode=(?P<status>-?[1-9]\d{0,2})",
        ),
        confidence="likely",
        kinds=("log", "job"),
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "neuron-error",
        _error,
        (
            r"\bERROR\s{1,4}(?P<component>NRT|TDRV|NMGR|KMGR|ENC|HAL|NCFW|NEFF|CCOM|DLR):(?P<part>\w{2,60})\s{1,60}"
            r"(?P<reason>(?!Unexpected runtime state|-{4,}|\w+ version: |\w+ ID: |Kernel: |Nodename: |Environment:|"
            r"NEURON_\w+=)\S[^\n]{3,200})",
            r"\[(?P<component>NRTD|NMGR|TDRV|NRT|ENC):(?P<part>\w{2,60})\] (?P<reason>[^\n]{0,80}(?:fail|error|could not|"
            r"cannot|unable|timeout)[^\n]{0,120})",
        ),
        confidence="likely",
        rank=1,
        kinds=("log", "job"),
        next=(_JOB_FILE, _ACCEPT),
    ),
)

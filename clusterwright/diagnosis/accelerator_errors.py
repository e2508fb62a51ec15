"""What the errors of CUDA, of its libraries and of Neuron's runtime mean.

CUDA: the descriptions of `cudaGetErrorString` (CUDA Runtime API, "Error handling"); cuDNN: its log
of errors (CUDNN_LOGERR_DBG), whose reasons are the conditions of its source, and the statuses of
`cudnnStatus_t` (cuDNN documentation, "Error reporting and API logging"); Neuron: the status codes
of `nrt_status.h` (AWS Neuron documentation, "Neuron Runtime API"), read 2026-11.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis.signature import Values
from clusterwright.diagnosis.wording import meaning_of

_PROGRAM: Final = "an error of the program or of a kernel that it uses"
_ACCESS: Final = (
    "a kernel of the program reads or writes memory that is not its own; a fault of the GPU if it "
    "follows one node"
)
_BUILD: Final = "a kernel was built for another GPU or another CUDA version"
_DRIVER: Final = "the driver of the node does not have what the program's CUDA version asks for"
CUDA: Final = (
    # Parts of descriptions or names, in lower case and without spaces and underscores.
    (
        "illegalmemoryaccess|illegaladdress|misalignedaddress|invalidaddressspace|illegalinstruction|"
        "invalidprogramcounter|invalidpc|hardwarestack",
        _ACCESS,
    ),
    (
        "devicesideassert|deviceassert",
        "a check in a kernel failed: almost always an index or a label outside its range",
    ),
    ("launchfailure|launchfailed", _ACCESS),
    ("launchtimeout|launchtimedout", "a kernel took longer than the system lets it run"),
    (
        "outofresources|toomanyresources|cooperativelaunchtoolarge|toomanyblocks",
        "a kernel needs more registers, threads or shared memory than this GPU has",
    ),
    (
        "invaliddevicefunction|nokernelimage|invalidimage|kernelimage|sharedobject|symbolnotfound|"
        "namedsymbol|invalidptx|ptxjit|jitcompil|unsupportedptx|invalidsource",
        _BUILD,
    ),
    (
        "invaliddevice|devicesunavailable|allcudacapable|nodevice",
        "no GPU of this number is free or visible: CUDA_VISIBLE_DEVICES, the exclusive mode, or a "
        "process that still holds it",
    ),
    (
        "callnotsupported|notsupportedonthisos|operationnotsupported|compatnotsupported|"
        "systemdrivermismatch|stubslibrary|symbolnotsupported",
        _DRIVER,
    ),
    ("systemnotready|notyetinitialized", "the fabric manager is not running"),
    ("nvlink", "an NVLink error that cannot be corrected"),
    ("ecc|contained", "a memory error of the GPU that cannot be corrected"),
    (
        "peeraccess|peermemory|toomanypeers",
        "the GPUs cannot read each other's memory (peer access): "
        "virtualisation, ACS, or no link between them",
    ),
    ("mps", "the MPS server of the GPU does not run or refuses the client"),
    (
        "streamcapture|capturing|graphexec",
        "an operation is not allowed while a CUDA graph is captured",
    ),
    (
        "initializationerror|notinitialized|cudartunloading|deinitialized|shuttingdown|contextisdestroyed",
        "CUDA cannot be initialised: used again in a forked process, or the driver is in a bad "
        "state",
    ),
    (
        "invalidvalue|invalidargument|invalidconfiguration|invalidhandle|invalidresource|invalidpitch|"
        "invalidsymbol",
        _PROGRAM,
    ),
    (
        "operatingsystem|oscall",
        "the operating system refused a call of the driver: devices or memory "
        "of the container, or the driver is in a bad state",
    ),
    ("unknown|999", "the driver or the GPU is in a bad state"),
)
NEURON: Final = {
    "FAILURE": (1, "a failure without a reason"),
    "INVALID": (2, "invalid input: the compiled program (NEFF) or a tensor does not fit"),
    "INVALID_HANDLE": (3, "an invalid handle: an error of the program or the framework"),
    "RESOURCE": (4, "the device's memory is used up: the model, batch or sequence does not fit"),
    "TIMEOUT": (5, "an operation timed out: a core, a rank or a link hangs"),
    "HW_ERROR": (6, "a hardware failure"),
    "QUEUE_FULL": (7, "the queue of executions is full"),
    "LOAD_NOT_ENOUGH_NC": (9, "the program needs more cores than are free"),
    "UNSUPPORTED_NEFF_VERSION": (
        10,
        "the compiler that made the program has another version than the runtime",
    ),
    "FAIL_HOST_MEM_ALLOC": (11, "the memory of the host is used up"),
    "UNINITIALIZED": (
        13,
        "the runtime is not initialised: the driver, the devices or the cores are "
        "not available to the program",
    ),
    "CLOSED": (14, "the runtime is closed already"),
    "EXEC_UNIT_UNRECOVERABLE": (101, "a core cannot go on; the process must be started again"),
    "EXEC_BAD_INPUT": (1002, "invalid input: shapes or types differ from the compiled ones"),
    "EXEC_COMPLETED_WITH_NUM_ERR": (1003, "values that are not numbers (NaN)"),
    "EXEC_COMPLETED_WITH_ERR": (1004, "an execution ended with a hardware or a software error"),
    "EXEC_NC_BUSY": (1005, "the core is in use by another process"),
    "EXEC_OOB": (1006, "an index is outside its tensor"),
    "COLL_PENDING": (1100, "a collective is pending"),
    "EXEC_HW_ERR_COLLECTIVES": (1200, "a collective hangs: another worker or a link failed first"),
    "EXEC_HW_ERR_HBM_UE": (1201, "a memory error of a device that cannot be corrected"),
    "EXEC_HW_ERR_NC_UE": (1202, "a memory error in a core that cannot be corrected"),
    "EXEC_HW_ERR_DMA_ABORT": (1203, "a DMA engine failed"),
    "EXEC_SW_NQ_OVERFLOW": (1204, "a queue of notifications overflowed"),
    "EXEC_HW_ERR_REPAIRABLE_HBM_UE": (1205, "a memory error of a device, which a reboot repairs"),
    "NETWORK_PROXY_FAILURE": (1206, "the network of collectives (EFA) failed"),
}
"""Name without `NRT_`: number, meaning."""

_BY_NUMBER: Final = {number: (name, meaning) for name, (number, meaning) in NEURON.items()}


_PINNED: Final = re.compile(r"pin_memory|cudaHost(?:Alloc|Register)", re.IGNORECASE)
"""Statements that ask for memory of the host: `cudaHostAlloc` is what PyTorch calls for them."""


def cuda(values: Values) -> str | None:
    """The meaning of an error of CUDA; of the host's memory where the statement asks for it."""
    reason = values.get("reason", "").strip(" .:'\"")
    plain = re.sub(r"[\s_-]|^cudaerror|^cuda_error_", "", reason.lower())
    plain = plain.removeprefix("cudaerror").removeprefix("an").removeprefix("error")
    meaning = meaning_of(CUDA, plain)
    of_request = re.search("invalidvalue|invalidargument|memoryallocation|outofmemory", plain)
    # Other errors are of earlier kernels, which this statement is the first to notice.
    if meaning and of_request and _PINNED.search(values.get("code", "")):
        meaning = (
            "memory of the host cannot be page-locked (pinned): the request is too large for the "
            "host, the limits of the job or the driver"
        )
    return f"CUDA: {meaning}: {reason}" if meaning else None


CUDNN: Final = (
    # Words of a reason or of a status, in the order in which they are tried.
    (
        r"\brtc\b|nvrtc|load_?module|cuModule|cubin|ptx|compil",
        "cannot compile or load a kernel while the program runs: its libraries (cuDNN, NVRTC) are "
        "of different versions, or do not fit the driver or the GPU",
    ),
    (r"alloc|workspace|memory", "does not get the memory of the GPU that it needs"),
    (
        r"version|sublibrary|mismatch\b[^\n]{0,20}\b(?:lib|build)",
        "is made of libraries of different versions",
    ),
    (
        r"stride|\bdims?\b|shape|tensor|align|data_?type|BAD_PARAM",
        "does not accept the shapes, types or strides of a tensor",
    ),
    (
        r"support|NOT_SUPPORTED|ARCH_MISMATCH|engine",
        "has no kernel (engine) for this operation on this GPU with these shapes and types",
    ),
    (
        r"NOT_INITIALIZED|INITIALIZATION|handle|\bcuda\w*\(",
        "cannot be initialised: the memory of the GPU is used up, or the driver is in a bad state",
    ),
    (r"EXECUTION|INTERNAL", "a kernel of its own failed"),
)


_LIBRARIES: Final = {
    "CUBLAS": "cuBLAS",
    "CUDNN": "cuDNN",
    "CUSOLVER": "cuSOLVER",
    "CUSPARSE": "cuSPARSE",
}
_NO_HANDLE: Final = (
    "{library} cannot be initialised: in most cases the memory of the GPU is used up, also by "
    "another process or rank on it; else the driver is in a bad state"
)
STATUSES: Final = (
    (r"NOT_INITIALIZED|INITIALIZATION|ALLOC_FAILED|INSUFFICIENT_RESOURCES", _NO_HANDLE),
    (
        r"INVALID|BAD_PARAM|NOT_SUPPORTED_(?:SHAPE|LAYOUT|PADDING)|TYPE_NOT_SUPPORTED|ZERO_PIVOT",
        "{library} does not accept the shapes, types or values of a tensor: an error of the "
        "program",
    ),
    (
        r"ARCH_MISMATCH|NOT_SUPPORTED|LICENSE",
        "{library} does not have this operation for this GPU, these types or this version",
    ),
    (
        r"VERSION|PREREQUISITE|SUBLIBRARY|LOADING",
        "{library} is not whole or is made of libraries of different versions",
    ),
    (
        r"EXECUTION|INTERNAL|MAPPING|TIMEOUT|OVERFLOW",
        "a kernel of {library} failed: an earlier error of the program, or of the GPU if it "
        "follows one node",
    ),
)
"""Statuses of the libraries of CUDA (their documentation: cublasStatus_t and its like)."""


def library(values: Values) -> str | None:
    """What a status of a library of CUDA means."""
    name, status = values["library"].upper(), values["status"].upper()
    said = _NO_HANDLE if values.get("before") else meaning_of(STATUSES, status)
    if said is None:
        return None
    return f"CUDA: {said.format(library=_LIBRARIES[name])}: {name}_STATUS_{status}"


def cudnn(values: Values) -> str | None:
    """What the log of cuDNN says: the first reason is the innermost."""
    reason, status = values["reason"], values["status"]
    said = meaning_of(CUDNN, reason) or meaning_of(CUDNN, status)
    return f"CUDA: cuDNN {said}: CUDNN_STATUS_{status}: {reason}" if said else None


def neuron(values: Values) -> str | None:
    """The meaning of a status of Neuron's runtime."""
    name, number = values.get("status_name", ""), values.get("status_number", "")
    if name:
        known = NEURON.get(name)
        meaning = known[1] if known else None
    else:
        name, meaning = _BY_NUMBER.get(int(number or 0), ("", None))
    return f"Neuron: the runtime reports {meaning} (NRT_{name})" if meaning else None

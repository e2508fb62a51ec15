"""Lines of jobs: EFA, NCCL, CUDA, PyTorch, containers, and programs' own errors.

NCCL's texts are those of its sources 2.18 to 2.29, aws-ofi-nccl's those of 1.7 to 1.16.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis import accelerator_errors, parts_containers, parts_network, signals
from clusterwright.diagnosis.parts import own_words
from clusterwright.diagnosis.signature import Signature, Values
from clusterwright.diagnosis.wording import meaning_of

_JOB: Final = "clusterwright diagnose {file} job {job}"
_NODES: Final = "clusterwright accept {file} --nodes {nodes} --level standard"
_TEXT: Final = ("log", "job")


_COMPLETION: Final = re.compile(
    r"completion from peer (?P<peer>\S{1,80}) with (?:error |status=)(?P<status>\d{1,2})"
)
_RDMA: Final = {
    # Statuses of work completions (ibv_wc_status).
    "1": "a local length error",
    "2": "a local error of the queue pair",
    "4": "local memory may not be used (its registration, or GPUDirect RDMA)",
    "5": "the queue was flushed after an earlier error",
    "9": "the peer refuses a request",
    "10": "the peer's memory may not be used (its registration)",
    "11": "an error at the peer",
    "12": "the peer does not answer: the node, its interface or the network",
    "13": "the peer is not ready to receive in time",
}
_STRANGER: Final = re.compile(
    r"(?<!has )wrong (?:type|magic|version)|unexpected magic|magic number", re.IGNORECASE
)
_NCCL_RESULTS: Final = (
    (
        r"ncclSystemError|unhandled system error",
        "a system call or a library that it uses failed "
        "(sockets, memory, the network); NCCL_DEBUG=WARN names it",
    ),
    (
        r"ncclUnhandledCudaError|unhandled cuda error",
        "a call of CUDA failed; NCCL_DEBUG=WARN names it",
    ),
    (
        r"ncclRemoteError|remote process exited",
        "another process of the job ended, or the network to it failed; its own log says why",
    ),
    (
        r"ncclInternalError|internal error",
        "an internal error, often of the topology, the plug-in or a "
        "peer that ended; NCCL_DEBUG=WARN names it",
    ),
    (
        r"Unable to load NCCL library|(?:Failed|Could not|Unable) to (?:load|open|find) \S{0,80}libnccl",
        "its library (libnccl.so.2) cannot be loaded: the job's environment does not have it, or the "
        "loader does not find it",
    ),
    (
        r"Invalid config \w{2,30} attribute value -?2147483648",
        "two versions of NCCL are mixed: the library that is loaded has other settings than the "
        "program was built for",
    ),
    (
        r"ncclInvalidArgument|invalid argument",
        "a value that the program passes is not valid, or it was built for another version of NCCL "
        "than the one that is loaded; NCCL_DEBUG=WARN names it",
    ),
    (
        r"ncclInvalidUsage|invalid usage",
        "the program uses it "
        "wrongly: the same GPU twice, or different calls of ranks; NCCL_DEBUG=WARN names it",
    ),
)


def _jax(values: Values) -> str:
    if values.get("missing"):
        return (
            "JAX: not all processes of the job reached the barrier "
            f"{values.get('barrier', 'of its start')} in time: one was never started, ended or "
            "cannot reach the coordinator"
        )
    if values.get("task"):
        return (
            f"JAX: process {values['task']} of the job does not answer its coordinator: it ended, "
            "its node was lost, or it was preempted"
        )
    return (
        "JAX: the process cannot reach the job's coordinator: it does not run, its port is "
        "closed, or its address is wrong"
    )


def _nccl(values: Values) -> str | None:
    """The kind of failure that a message of NCCL names; None for advice."""
    reason = values["reason"]
    result = meaning_of(_NCCL_RESULTS, reason)
    if result is not None:
        return f"NCCL: {result}"
    completion = _COMPLETION.search(reason)
    if completion is not None:
        status = completion.group("status")
        meaning = _RDMA.get(status, "a transfer failed")
        return f"NCCL: RDMA: {meaning} (status {status}): peer {completion.group('peer')}"
    if _STRANGER.search(reason):
        return (
            "NCCL: another program connected to its socket: another job on the node, a port scan, or ranks with "
            f"other versions of NCCL: {reason}"
        )
    return parts_network.nccl(reason, values.get("place", ""))


def _efa(values: Values) -> str | None:
    """The kind of failure that a message of EFA's provider or of NCCL's plug-in for it names; None
    for what they try again.
    """
    own = values.get("ofi") or values.get("efa", "")
    if parts_network.is_retried(own) or parts_network.is_replaced(own):
        return None
    place, reason = values.get("place", ""), values.get("reason", "")
    if "ofi" in values:
        return parts_network.ofi(values["ofi"], place)
    if "efa" in values:
        return parts_network.efa(values["efa"], place)
    tail = f": {reason}" if reason else ""
    return f"network of jobs: an EFA interface or a peer reports errors{tail}"


_FAILS: Final = re.compile(
    r"\bfail(?:s|ed|ure|ing)?\b|couldn't|could not|\berrors?\b(?!-)|invalid|denied|cannot|unable|"
    r"not found|no such",
    re.IGNORECASE,
)


def _container(values: Values) -> str | None:
    """Why a container does not start, by the words of pyxis, enroot and others."""
    reason = values["reason"]
    if "any" in values and not _FAILS.search(own_words(reason)):
        return None
    said = parts_containers.cause(reason, values.get("place", "")) if "own" in values else None
    return said or f"a container image cannot be pulled, unpacked or started: {reason}"


_EFA_OBJECTS: Final = {
    "mr": "memory",
    "pd": "a protection domain",
    "qp": "a queue pair",
    "cq": "a completion queue",
    "eq": "an event queue",
    "ah": "the address of another peer",
    "uar": "the doorbell of a process",
}
_EFA_VERBS: Final = (
    (r"^(?:dereg|dealloc|destroy)", "remove {}"),
    (r"^reg", "register more {}"),
    (r"^(?:alloc|create)", "make {}"),
    (r"^modify", "change {}"),
    (r"^query", "read the state of {}"),
)
_EFA_TAKES: Final = re.compile(r"^(?:reg|alloc|create)")
_EFA_FULL: Final = (
    "the device has no room for more: processes that ended badly still hold theirs, or the "
    "program asks for more than the device has"
)
_EFA_CODES: Final = {
    "-22": "the request is not valid",
    "-95": "the device or driver does not support it",
    "-11": "the device is busy",
    "-110": "the device does not answer",
    "-62": "the device does not answer",
}
"""Errors of the kernel's EFA driver (efa_com.c turns the device's statuses into them)."""


def _efa_command(values: Values) -> str:
    verb, _, name = values.get("command", "").lower().partition("_")
    verb, name = values.get("verb", verb).lower(), values.get("object", name).lower()
    done = meaning_of(_EFA_VERBS, verb)
    what = done.format(_EFA_OBJECTS[name]) if done and name in _EFA_OBJECTS else None
    code = values["code"]
    why = _EFA_CODES.get(code, "the device refuses")
    if code == "-12" and _EFA_TAKES.match(verb):
        why = _EFA_FULL
    elif code == "-22" and name == "mr" and _EFA_TAKES.match(verb):
        why += (
            ": the driver is older than libfabric, or the buffer is not memory that a device can "
            "reach"
        )
    return (
        f"network of jobs: an EFA device cannot {what or 'do what a program asks'}: {why} "
        f"(error {code})"
    )


_OTHER_SIGNAL: Final = rf"^(?![^\n]*\b(?:{signals.WORDS})\s*\(core dumped)"
"""No word of `signals` is before `(core dumped)`; bash pads the word to 24 characters."""

SIGNATURES: Final = (
    Signature(
        "gpu-memory",
        "GPU out of memory (CUDA): the model, batch or sequence does not fit",
        (
            r"CUDA out of memory|OutOfMemoryError|CUBLAS_STATUS_ALLOC_FAILED|"
            r"cudaErrorMemoryAllocation|(?:CUDA|Cuda|HIP)\b.{0,40}out of memory|"
            r"CUDA_ERROR_OUT_OF_MEMORY|CUDNN_STATUS_ALLOC_FAILED|RESOURCE_EXHAUSTED",
        ),
        kinds=_TEXT,
        next=("clusterwright plan --help",),
    ),
    Signature(
        "efa-gpu-memory",
        "network of jobs: EFA cannot register the memory of a GPU or program: GPUDirect RDMA (dmabuf or "
        "nvidia-peermem) does not work here, or the buffer is not valid: {reason}",
        (
            r"(?P<reason>Unable to register MR[^\n]{0,60}(?:Bad address|Invalid argument|not supported|"
            r"Operation not|No such)[^\n]{0,40})",
            r"(?P<reason>ibv_reg_(?:dmabuf_)?mr\w*[^\n]{0,60}(?:Bad address|Invalid argument|not supported)[^\n]{0,40})",
            # Other errors than ENOMEM, which is the limit of locked memory.
            r"(?P<reason>Unable to register memory\b[^\n]{0,60}\bRC: -(?!12\b)\d+[^\n]{0,60})",
            r"(?P<reason>\bcode -(?!12\b)\d+ [^\n]{0,60}\bfi_mr_reg\w*)",
        ),
        confidence="likely",
        kinds=_TEXT,
        one_per_log=True,
        next=(_NODES,),
    ),
    Signature(
        "locked-memory",
        "the limit of locked memory is too low for EFA and NCCL (ulimit -l)",
        (
            r"(?:memlock|locked memory|ulimit -l|RLIMIT_MEMLOCK)|"
            r"ibv_(?:reg_mr|create_\w+).{0,60}(?:Cannot allocate|fail)|"
            r"fi_mr_reg\w*.{0,120}(?:fail|Cannot allocate)|Unable to register memory",
            # libfabric's own words; memory itself is not short.
            r"(?:libfabric|\bOFI\b|\bEQ\b)[^\n]{0,120}(?:Cannot allocate memory(?! for)|\(-12\))|"
            r"Unable to register MR\b|Failure to post internal receive buffers",
        ),
        confidence="likely",
        kinds=_TEXT,
        next=("clusterwright accept {file} --nodes {nodes} --level quick",),
    ),
    Signature(
        "host-memory",
        "out of memory: the kernel or Slurm killed a process for exceeding the node's or the "
        "job's memory",
        (
            r"Out of memory: Kill|oom[-_ ]?kill(?!-step|step|_kill| counter|_?step)|invoked oom-killer|Memory cgroup out of memory|"
            r"Exceeded (?:job |step )?memory limit|\bOOMKilled\b|OUT_OF_MEMORY|"
            r"task \d+: Out Of Memory|(?:\bMemoryError|Cannot allocate memory|std::bad_alloc|\[Errno 12\])",
        ),
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "shared-memory",
        "shared memory (/dev/shm) is too small or full",
        (
            r"/dev/shm\b.{0,120}(?:No space|too small|insufficient|fail|Cannot|size)|"
            r"failed to (?:extend|allocate|truncate) /dev/shm/|"
            r"(?:insufficient|out of) shared memory|unable to open shared memory object(?!.{0,160}Too many "
            r"open files)|"
            r"(?:Error while creating|Call to ftruncate|posix_fallocate).{0,80}(?:shared memory|"
            r"shm)|shm.{0,40}No space left|killed by signal: Bus error|"
            # UCX, uct/sm/mm: processes of a node exchange messages there.
            r"\bmm_iface failed to allocate receive FIFO",
        ),
        kinds=_TEXT,
        next=("clusterwright accept {file} --nodes {nodes} --level quick",),
    ),
    Signature(
        "bus-error",
        "bus error (SIGBUS): usually /dev/shm is too small, or a memory-mapped file was truncated",
        (r"\bSIGBUS\b|(?<!PCIe )Bus error|signal 7\b|exit(?:ed with)?(?: exit)? code 135",),
        confidence="likely",
        kinds=_TEXT,
        next=("clusterwright accept {file} --nodes {nodes} --level quick",),
    ),
    Signature(
        "efa-not-in-container",
        "network of jobs: NCCL does not use EFA: libfabric finds no EFA device, because the "
        "container lacks /dev/infiniband or the node has none",
        (
            r"OFI fi_getinfo\(\) call failed: No data available|fi_getinfo[^\n]{0,10}: -61|"
            r"provider efa output empty list",
        ),
        confidence="likely",
        kinds=_TEXT,
        next=("clusterwright check-job {file} JOBFILE", "clusterwright accept {file}"),
    ),
    Signature(
        "efa-not-used",
        "network of jobs: NCCL does not use EFA but TCP sockets: the aws-ofi-nccl plug-in is "
        "missing in the job's image or does not load",
        (
            # A plug-in that NCCL does not find is no failure: it may use InfiniBand by itself.
            r"NCCL INFO (?:NET/Socket : Using|Using network Socket)|Selected Provider is (?:tcp|"
            r"sockets|ofi_rxm)|NCCL INFO (?:Initialized|Assigned) NET plugin Socket\b",
            r"dlopen.{0,60}libfabric.{0,60}(?:fail|cannot|No such)",
            r"(?:fi_getinfo(?!.{0,60}provider (?!efa\b))|NET/OFI).{0,80}(?:No data available|No eligible providers|"
            r"Unable to find|not find|could not find any)|No eligible providers were found|"
            r"provider efa (?:output empty list|not found)|"
            # An option that TCP's provider does not have.
            r"NET/OFI Disabling shared memory failed: Protocol not available|"
            r"fi_getinfo[^\n]{0,10}: -61|Only EFA provider is supported",
        ),
        confidence="likely",
        rank=1,
        kinds=_TEXT,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "efa-fork",
        "network of jobs: a program that uses EFA made a child process with fork(), so libfabric "
        "ended it: set FI_EFA_FORK_SAFE=1, or start its processes another way",
        (
            r"to the fork\(\) system call to create a child|Libfabric EFA provider is operating in|"
            r"EFA provider to work safely when fork\(\)",
        ),
        kinds=_TEXT,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "efa-command",
        _efa_command,
        (
            r"\befa_\d+: Failed to process command (?P<command>[A-Z_]{3,30}) \(opcode \d+\)"
            r"[^\n]{0,40}\berr (?P<code>-\d+)",
            r"\befa_\d+: Failed to (?P<verb>register|(?:de)?allocate|create|modify|destroy|query)"
            r" (?P<object>mr|pd|qp|cq|ah|uar|eq)\b[^\n]{0,60}\[(?P<code>-\d+)\]",
        ),
        kinds=("log",),
        next=(_NODES,),
    ),
    Signature(
        "efa-device",
        "network of jobs: the EFA devices of the node do not work, or it has none: {reason}",
        (
            r"(?:infiniband|efa)\b[^\n]{0,24}: (?P<reason>[^\n]{0,20}(?:failed|error|timed? ?out|"
            r"timeout)\b[^\n]{0,100})",
            r"(?P<reason>No (?:valid )?EFA devices? (?:were )?found|no EFA (?:device|interface)s?)",
        ),
        confidence="likely",
        kinds=("log",),
        next=(_NODES,),
    ),
    Signature(
        "efa-error",
        _efa,
        (
            r"(?P<reason>(?:Unresponsive remote|unresponsive receiver|remote (?:is )?unresponsive|"
            r"(?-i:\bRNR\b)|Unreachable remote|LOCAL_ERROR_\w+|REMOTE_ERROR_\w+)[^\n]{0,80})",
            r"(?:(?P<place>\w{2,80}):\d+ NCCL WARN )?NET/OFI (?P<ofi>[^\n]{0,200}?(?:error(?! count)|fail|RC: -?\d+)"
            r"[^\n]{0,100})",
            r"^libfabric:\d+:\d+:(?:[\w.]{0,20}:)?efa:\w+:(?P<place>\w{2,80})\(\):\d+<warn> (?P<efa>(?=[^\n]{0,200}"
            r"(?:error(?! count)|\berr: \d|fail|exhausted|unresponsive|[Uu]nable to (?:register|create|open|allocate|post)))"
            r"[^\n]{1,240})",
            r"^(?!libfabric:\d+:\d+:(?:core|:core):)(?!.*<info>).*?(?<![/\w.-])(?:libfabric|fi_cq_read\w*|efa)"
            r"(?:_\w{1,60}(?:\(\))?)?[: ].{0,100}(?<![/\w.-])(?<!\bno )(?<!\b0 )(?P<reason>(?:errors?(?! count)|fail(?:s|ed|ure)?)\b[^\n]{0,100})",
            r"efa_\w*(?:unresponsive_remote|retrans_timeout)\w*(?P<reason>)",
            # A queue of events whose program did not take the error: libfabric ends it.
            r"\berr: [^\n]{1,60}\bprov_errno: (?P<reason>[^\n]{1,100}\bprov/efa/[^\n]{0,80})",
        ),
        confidence="likely",
        rank=1,
        one_per_log=True,
        parts=(*parts_network.OFI, *parts_network.EFA),
        follows=True,
        kinds=_TEXT,
        next=(_NODES,),
    ),
    Signature(
        "duplicate-gpu",
        "NCCL: two ranks use the same GPU (CUDA_VISIBLE_DEVICES or the local rank is wrong, or there "
        "are more ranks than GPUs)",
        (r"Duplicate GPU detected",),
        kinds=_TEXT,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "nccl-interface",
        "NCCL: no usable network interface (NCCL_SOCKET_IFNAME excludes all, or names one that does "
        "not exist)",
        (
            r"Bootstrap : no socket interface|"
            r"(?:NCCL|GLOO)_SOCKET_IFNAME.{0,80}(?:no such|not found|does not exist|invalid|exclude|"
            r"none)|Unable to find (?:address|interface) for",
        ),
        kinds=_TEXT,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "nccl-topology",
        "NCCL: the topology file or plug-in of the image is too old for this instance type",
        (
            r"Attribute \w+ of node \w+ not found|Could not find.{0,40}topology|"
            r"NCCL_TOPO_FILE.{0,60}(?:fail|not|cannot)|XML (?:parse|parsing) error",
        ),
        confidence="likely",
        kinds=_TEXT,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "collective-mismatch",
        "PyTorch: ranks run different collectives, or with other shapes: the program takes another "
        "path on some ranks",
        (
            r"Detected mismatch between collectives on ranks",
            # The sockets' transport; the bootstrap's sizes differ with versions and settings.
            r"NCCL WARN NET/Socket : [^\n]{0,80}message truncated",
        ),
        kinds=_TEXT,
        next=("sbatch --export=ALL,TORCH_DISTRIBUTED_DEBUG=DETAIL JOBFILE",),
    ),
    Signature(
        "nccl-bootstrap-sizes",
        "NCCL: ranks exchange messages of different sizes when they connect: they have different "
        "versions or settings of NCCL, or another program connects to the port",
        (r"Message truncated ?: received \d+ bytes instead of \d+",),
        confidence="likely",
        kinds=_TEXT,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "nccl-versions",
        "NCCL: ranks or the plug-in have different versions",
        (
            r"Mismatched (?:NCCL|collective)|NCCL version.{0,60}(?:mismatch|differ|incompatible)|"
            r"ncclInvalidUsage.{0,80}version|undefined symbol: nccl\w+",
        ),
        kinds=_TEXT,
        next=("clusterwright accept {file} --level quick", "clusterwright drift {file}"),
    ),
    Signature(
        "cuda-driver",
        "CUDA: the driver is older than the program or image needs, or no GPU is visible",
        (
            r"CUDA driver version is insufficient|no CUDA-capable device|"
            r"forward compatibility was attempted|The NVIDIA driver on your system is too old|"
            r"CUDA_ERROR_NO_DEVICE|Found no NVIDIA driver|No CUDA GPUs are available|"
            r"unsatisfied condition: cuda",
        ),
        next=("clusterwright check {file} --only CW-I015",),
    ),
    Signature(
        "gpu-busy",
        "GPU: another program holds it, and its compute mode is exclusive, or it is in an error "
        "state",
        (
            # Not in a table of DCGM, whose own row says which test failed.
            r"^(?!\s*\|)[^\n]*(?:CUDA-capable device(?:\(s\)|s)? (?:is/)?are busy|cudaErrorDevicesUnavailable)",
        ),
        confidence="likely",
        next=("clusterwright status {file}",),
    ),
    Signature(
        "jax-coordination",
        _jax,
        (
            r"(?P<missing>Barrier timed out)[^\n]{0,40}(?:Barrier_i|I)d: (?P<barrier>[\w\[\]]+)",
            r"(?P<missing>as cluster registration failed)",
            r"/job:(?P<job_name>\w+)/replica:\d+/task:(?P<task>\d+) (?:has been set to ERROR|"
            r"heartbeat timeout)",
            r"CoordinationService/(?P<call>\w+)|Coordination service agent in error status",
            r"(?P<refused>WatchTasksAsync failed)",
        ),
        kinds=_TEXT,
        confidence="likely",
        rank=1,
        next=("clusterwright status {file}",),
    ),
    Signature(
        "xla-rendezvous",
        "XLA: a collective waits for devices that do not join it ({waits}): a process ended or runs "
        "another program, or NCCL cannot connect the hosts; the log of the missing ones says why",
        (
            r"thread has been waiting for `(?P<waits>[^`\n;]{3,80})[^\n]{0,400}may be stuck",
            r"Termination timeout for `(?P<waits>[^`\n;]{3,80})[^\n]{0,200}exceeded",
        ),
        confidence="likely",
        rank=1,
        follows=True,
        kinds=_TEXT,
        next=(_NODES,),
    ),
    Signature(
        "cuda-toolkit",
        "CUDA: the toolkit of the image does not fit what is compiled: {reason}",
        (
            r"nvcc fatal {0,6}: (?P<reason>[^\n]{1,160})",
            r"fatal error: (?P<reason>(?:cuda|cudnn|nccl|cublas|nvToolsExt)\w{0,40}\.h: No such file)",
        ),
        kinds=("log", "job"),
        next=("srun python3 -m torch.utils.collect_env",),
    ),
    Signature(
        "kernel-resources",
        "a GPU kernel needs more than this GPU has: {reason}",
        (r"OutOfResources: out of resources?: (?P<reason>[^\n]{1,120})",),
        kinds=("log", "job"),
        next=("srun python3 -m torch.utils.collect_env",),
    ),
    Signature(
        "nccl-nvls",
        "NCCL: NVLink SHARP (NVLS) cannot be set up: the fabric manager was started again without "
        "a reset of the GPUs, or has no resources left: {reason}",
        (
            r"transport/nvls\.cc:\d+ NCCL WARN (?P<reason>[^\n]{1,120})",
            r"(?P<reason>Failed to (?:bind|create|map|add) [^\n]{0,40}(?:NVLS|Multicast)[^\n]{0,120})",
        ),
        confidence="likely",
        rank=1,
        kinds=_TEXT,
        next=(_NODES,),
    ),
    Signature(
        # Functions of CUDA for memory that other processes use, and what programs call its handles.
        "gpu-memory-sharing",
        "CUDA: memory of a GPU of another process or node cannot be mapped: the nodes share no IMEX domain "
        "(nvidia-imex), the container has no IMEX channel, or the GPUs are in different NVLink domains: {reason}",
        (
            r"(?P<reason>(?:CUDA|\bcu)[^\n]{0,120}\b(?:invalid|error|fail\w{0,4}|not (?:supported|permitted))\b[^\n]{0,120}"
            r"\b(?:cuMemSetAccess|cuMem(?:Import|Export)\w{4,9}ShareableHandle|cuMulticast\w{4,20})\b)",
            r"(?P<reason>-> \w{3,40}Error\b[^\n]{0,80}\bisFabric=true)",
        ),
        confidence="likely",
        kinds=_TEXT,
        next=(_NODES,),
    ),
    Signature(
        "cuda-error",
        accelerator_errors.cuda,
        (
            # nccl-tests.
            r"Test CUDA failure \S{1,60}:\d+ '(?P<reason>[^'\n]{4,80})'",
            r"(?:CUDA|Cuda|cuda)(?:\w{0,40})? (?:runtime |driver |kernel )?(?:error|failure|fail)\b(?: in "
            r"file [^\n]{1,120} in line \d+)? ?[:=(]? ?\d{0,4}\)? ?[:,'-]? ?'?(?P<reason>[A-Za-z]"
            r"[^\n']{4,80})",
            r"(?P<reason>cudaError\w+|CUDA_ERROR_\w+)",
        ),
        confidence="likely",
        rank=1,
        kinds=_TEXT,
        next=(_NODES,),
    ),
    Signature(
        "cudnn-kernel",
        "CUDA: cuDNN has no kernel (engine) for this operation on this GPU with these shapes and types, or "
        "its version does not fit: {reason}",
        (r"cuDNN (?:Frontend )?Error:? ?(?P<reason>[^\n]{3,120})",),
        confidence="likely",
        rank=1,
        kinds=_TEXT,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "cudnn-log",
        accelerator_errors.cudnn,
        (
            r"^e!\s{1,20}Error: CUDNN_STATUS_(?P<status>[A-Z_]{3,60}); Reason: (?P<reason>[^\n]{1,200})",
        ),
        confidence="likely",
        rank=1,
        kinds=_TEXT,
        one_per_log=True,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "cuda-library",
        accelerator_errors.library,
        (
            r"(?P<before>create \w{1,20} handle[^\n]{0,40})?\b(?P<library>CUBLAS|CUDNN|CUSOLVER|CUSPARSE)_STATUS_"
            r"(?P<status>(?!SUCCESS)[A-Z_]{3,60})",
        ),
        confidence="likely",
        rank=1,
        kinds=_TEXT,
        one_per_log=True,
        next=(_NODES,),
    ),
    Signature(
        "numerical",
        "training diverged: the loss or the gradients are NaN or infinite",
        (
            # A progress bar of Lightning prints `loss`, a mean of its own, beside the loss of the
            # step that the program reports (train_loss).
            r"loss.{0,30}\b(?:is|=|:|became|are|to) ?(?:nan|inf)\b(?![^\n]{0,160}train_loss\w{0,8}=\d)|"
            r"grad\w*(?: norm)?.{0,30}\b(?:is|=|:|became|are|to) ?(?:nan|inf)\b|"
            r"(?:found|got|detected|encountered) (?:a )?(?:nan|inf)\b|NaN (?:loss|grad|detected|"
            r"encountered)|(?:nan|inf) in (?:local )?(?:grad|loss)|loss scale.{0,40}minimum",
        ),
        kinds=_TEXT,
        next=("clusterwright accept {file} --nodes {nodes} --level standard",),
    ),
    Signature(
        "checkpoint-layout",
        "a checkpoint does not fit the job: it was saved with another number of ranks, another "
        "parallel layout or other shapes: {reason}",
        (
            r"(?P<reason>checkpoint[^\n]{0,80}\b(?:but|not match\w{0,3}|differ\w{0,3}|mismatch\w{0,3})\b"
            r"[^\n]{0,30}world[ _]size[^\n]{0,40})",
            r"(?P<reason>(?:global |local )?shape mismatch for [^\n]{1,160})",
            r"(?P<reason>\w{1,60} value from checkpoint \([^)\n]{0,40}\) is not equal[^\n]{0,80})",
            r"(?P<reason>(?:tensor|pipeline|expert|model)[ _-](?:model[ _-])?parallel[ _-]size[^\n]{0,80}"
            r"(?:checkpoint[^\n]{0,40}(?:mismatch|differ|not match)|(?:mismatch|differ|not match)"
            r"[^\n]{0,40}checkpoint))",
        ),
        kinds=_TEXT,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "checkpoint-incomplete",
        "a checkpoint's file could not be written whole: its file system is full, a quota is "
        "exceeded, or the writing was interrupted: {reason}",
        (
            r"(?P<reason>inline_container\.cc:\d+\][^\n]{0,20}(?:unexpected pos[^\n]{0,40}|"
            r"file (?:write|flush)[^\n]{0,40}))",
            r"(?P<reason>PytorchStreamWriter failed writing[^\n]{0,100})",
        ),
        confidence="likely",
        kinds=_TEXT,
        next=("clusterwright status {file}",),
    ),
    Signature(
        "data-index",
        "the index of a data set is not on this node: the first rank builds it, so its directory "
        "(the data cache) must be on a shared file system, or be built on every node",
        (r"FileNotFoundError[^\n]{0,300}(?:index|indices|idx)[^\n]{0,160}\.(?:npy|idx)\b",),
        confidence="likely",
        kinds=_TEXT,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "checkpoint",
        "a checkpoint cannot be loaded or written: {reason}",
        (
            r"(?P<reason>(?:Cannot|Could not|Unable to|Failed to) find (?:a |any )?(?:valid )?"
            r"checkpoint[^\n]{0,100})",
            r"(?P<reason>PytorchStreamReader failed[^\n]{0,100}|Safetensor\w*Error[^\n]{0,100}|size mismatch for [^\n]{0,100}|unexpected EOF, expected \d[^\n]{0,60}|"
            r"(?:corrupt\w*|truncated|incomplete) checkpoint[^\n]{0,80}|"
            r"checkpoint[^\n]{0,60}(?:corrupt\w*|truncated|not found|does not exist(?!, skipping)|"
            r"fail(?:ed|ure|s)?\b(?![=:] ?0))[^\n]{0,60}|PytorchStreamWriter failed[^\n]{0,100}|"
            r"Missing key(?:\(s\))? in [^\n]{0,20}state_dict[^\n]{0,100})",
            r"FileNotFoundError: (?P<reason>[^\n]{0,300}(?:\.distcp|"
            r"checkpoint[^\n]{0,120}\.(?:pt|pth|safetensors|metadata)))\b",
            r"(?P<reason>KeyError: '(?:iteration|total_iters|checkpoint_version|"
            r"(?:model_|optimizer_)?state_dict|param_groups)')",
            r"(?P<reason>assert len\(self\.ckpt_list\) > 0)",
        ),
        kinds=_TEXT,
        next=("ls -l {path}", "ls -l CHECKPOINT_FOLDER"),
    ),
    Signature(
        # What wraps the reason, which follows in the next lines.
        "checkpoint-exception",
        "a checkpoint cannot be loaded or written: {reason}",
        (
            r"(?P<reason>Checkpoint(?:ing)?Exception[^\n]{0,100}|"
            r"Error\(s\) in loading state_dict[^\n]{0,100})",
        ),
        rank=1,
        kinds=_TEXT,
        next=("ls -l {path}", "ls -l CHECKPOINT_FOLDER"),
    ),
    Signature(
        "hub",
        "Hugging Face: the model or data set cannot be downloaded ({reason})",
        (
            r"(?P<reason>429 Client Error|HTTP Error 429|Too Many Requests)[^\n]{0,120}"
            r"(?:huggingface|hf\.co)",
            r"(?:huggingface|hf\.co)[^\n]{0,200}(?P<reason>429|401|403|Too Many Requests|"
            r"Connection error|offline mode)",
            r"(?P<reason>GatedRepoError|LocalEntryNotFoundError|OfflineModeIsEnabled|"
            r"RepositoryNotFoundError|access a gated repo|We couldn't connect to 'https://huggingface\.co')",
        ),
        kinds=_TEXT,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "container-start",
        "a container could not be started: {reason}",
        (
            r"pyxis: +(?P<reason>container start failed[^\n]*)",
            r"(?P<reason>hooks\.d/\S+ exited with return code \d+)",
        ),
        rank=1,
        confidence="likely",
        kinds=_TEXT,
        next=("clusterwright artefacts check {file}",),
    ),
    Signature(
        "registry-login",
        "Enroot: the registry[ {host}] refuses the credentials, or they are missing or have expired "
        "(those of ECR are valid for 12 hours): renew the file .credentials of ENROOT_CONFIG_PATH; or it "
        "has no such image, which Docker Hub answers in the same way: Enroot looks there for a name without REGISTRY#",
        (
            r"(?:^|\s)\[ERROR\] URL https?://(?P<host>[^/\s]{3,200})\S* returned error code: "
            r"40[13]\b",
        ),
        next=("clusterwright artefacts check {file}",),
    ),
    Signature(
        "registry-answer",
        "Enroot: the registry's answer is not JSON: in most cases it refuses the credentials in words "
        "(those of ECR are valid for 12 hours), or Enroot sends them in a form that ECR does not "
        "accept (corrected after 3.4.1)",
        (r"(?:^|\s)\[ERROR\] Could not process JSON input",),
        confidence="likely",
        next=("clusterwright artefacts check {file}",),
    ),
    Signature(
        "container",
        _container,
        (
            r"(?P<own>pyxis): +\[ERROR\] (?P<reason>[^\n]{3,300})",
            r"^(?P<own>\[ERROR\]) (?P<reason>(?:URL https?://|Invalid image reference|Could not find image|"
            r"(?:Container|Image file|File) already exists: |No such [^\n]{0,240}\.sqsh\b|[^\n]{0,40}squashfs)"
            r"[^\n]{0,260})",
            # What it does or did is no failure, whatever the name of the image.
            r"(?P<own>(?P<any>pyxis)):(?! *(?:import|creat|start|reus|load|export|remov|extract|pull|download|"
            r"us|runn|mount)(?:ing|ed)\b) +(?P<reason>[^\n]*(?:fail|couldn't|could not|error|invalid|denied|cannot|"
            r"unable|not found)[^\n]*)",
            r"(?:^|[\s:])(?P<own>(?P<place>enroot-[a-z]\w+): )(?P<reason>[^\n]{0,60}(?:fail|error|lacks|unsupported|unexpected|must)[^\n]{0,240})",
            r"(?:(?<![/.\w])enroot(?!/)(?=[^\n]*(?:\bERROR\b|\bfail(?:s|ed|ure)?\b|\berrors?\b(?!-)|cannot|could not|"
            r"couldn't|unable|denied|not found|No such|invalid|unsupported|unknown))).{0,20}(?P<reason>[^\n]{0,160}(?:URL|image|layer|manifest|squashfs|"
            r"credential|digest|No such file|container)[^\n]{0,160})",
            r"(?P<reason>manifest unknown|pull access denied"
            r"|toomanyrequests[^\n]{0,80}|no basic auth credentials|repository does not exist"
            r"|failed to pull (?:and unpack )?image[^\n]{0,120}|failed to (?:register|extract|unpack) layer"
            r"[^\n]{0,120}|error pulling image[^\n]{0,120}|filesystem layer verification failed[^\n]{0,80}"
            r"|failed to resolve reference[^\n]{0,160}|Cannot pull algorithm container[^\n]{0,120}|docker: Error response[^\n]{0,120})",
        ),
        one_per_log=True,
        parts=parts_containers.PARTS,
        next=("clusterwright artefacts check {file}",),
    ),
    Signature(
        "image-pull",
        "a container image cannot be pulled; the events before this one say why",
        (r"ImagePullBackOff|ErrImagePull",),
        confidence="likely",
        rank=2,
        next=("kubectl get events --all-namespaces",),
    ),
    Signature(
        "working-directory",
        "the job's working directory {path} does not exist on the node, or may not be entered "
        "there",
        (r"(?:couldn't chdir to|chdir\()[ `'\"]*(?P<path>/[^\s`'\")]{1,200})",),
        kinds=_TEXT,
        next=("clusterwright status {file}",),
    ),
    Signature(
        "slurm-spool",
        "slurmd: its copy of the batch script is gone ({path}): SlurmdSpoolDir was emptied, such as "
        "by a cleaner of /tmp, is full, or was moved while slurmd ran; restart slurmd",
        (r"execve\(\): (?P<path>/\S{0,200}/job\d+/slurm_script): No such file",),
        confidence="likely",
        kinds=_TEXT,
        next=("clusterwright drift {file}",),
    ),
    Signature(
        "job-program-missing",
        "the job's program or script does not exist or cannot be executed: {reason}",
        (
            r"slurmstepd: error: execve\(\): (?P<reason>[^\n]+)",
            r"(?P<reason>can't open file [^\n]+)",
            r"(?P<reason>(?:slurm_script|job\d+/slurm_script): line \d+: [^\n]+(?:not found|No such "
            r"file or directory|Permission denied))",
        ),
        kinds=_TEXT,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "job-output",
        "a file of the job's output or input cannot be opened on the node: its folder does not exist "
        "there, or the user may not write to it: {reason}",
        (r"Could not open std(?:out|err|in) file:? ?(?P<reason>[^\n]+)",),
        kinds=_TEXT,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "c-library",
        "a program or library was built for a newer C or C++ library (glibc, libstdc++) than the node's "
        "system or the image has: {reason}",
        (r"(?P<reason>version [`']?(?:GLIBC|CXXABI|GLIBCXX)_[\d.]+'? not found[^\n]{0,120})",),
        kinds=_TEXT,
        next=("srun python3 -m pip list",),
    ),
    Signature(
        "python-module",
        "the job's Python environment lacks a module or a library: {reason}",
        (
            r"(?P<reason>(?:ModuleNotFoundError|ImportError): [^\n]{1,200})",
            r"(?P<reason>error while loading shared libraries: [^\n]{1,160})",
        ),
        kinds=_TEXT,
        next=("srun python3 -m pip list",),
    ),
    Signature(
        "segfault",
        "a program crashed (segmentation fault)",
        (r"Segmentation fault|\bSIGSEGV\b|segfault at|signal 11\b|general protection fault",),
        confidence="likely",
        rank=1,
        kinds=_TEXT,
        next=("clusterwright diagnose {file} job {job} --log JOB_OUTPUT", "coredumpctl list"),
    ),
    Signature(
        "illegal-instruction",
        "a program has instructions that the processor does not know (SIGILL): it was built for another "
        "processor than that of the node",
        (r"Illegal instruction|\bSIGILL\b|trap invalid opcode",),
        confidence="likely",
        rank=1,
        kinds=_TEXT,
        next=("lscpu",),
    ),
    Signature(
        # Of the signals that `signals` knows, statements say what they mean.
        "core-dump",
        "a program ended with a core dump[: {word}]",
        (
            rf"{_OTHER_SIGNAL}[^\n]*?\b(?P<word>[a-z][\w/]*(?: [\w/]+){{0,3}}?)\s*\(core dumped\)",
            rf"{_OTHER_SIGNAL}[^\n]*(?:\(core dumped\)|\bcore dumped$)",
        ),
        confidence="likely",
        rank=1,
        kinds=_TEXT,
        next=("clusterwright diagnose {file} job {job} --log JOB_OUTPUT", "coredumpctl list"),
    ),
    Signature(
        "time-limit",
        "the job reached its time limit",
        (r"DUE TO TIME LIMIT|reached time limit|job time ?limit exceeded",),
        kinds=_TEXT,
        next=("scontrol show job {job}", "clusterwright check-job {file} JOBFILE"),
    ),
    Signature(
        "preempted",
        "the job was preempted by another one",
        (r"DUE TO PREEMPTION|was preempted|PREEMPTED\b",),
        kinds=_TEXT,
        next=("scontrol show job {job}",),
    ),
    Signature(
        "cancelled-node",
        "the job was cancelled because a node failed",
        (r"DUE TO NODE (?:FAILURE(?!\?)|\S+ FAIL)|NODE FAILURE(?!\?)|Node failure on \S+",),
        rank=1,
        kinds=_TEXT,
        next=("clusterwright status {file}",),
    ),
    Signature(
        "requeued",
        "the job was put back into its queue (scontrol requeue, or Slurm after a failure of a node); "
        "slurmctld's log says why",
        (r"\*\*\* (?:JOB|STEP) \S+ ON \S+ CANCELLED AT \S+ DUE TO JOB REQUEUE",),
        confidence="likely",
        rank=1,
        follows=True,
        kinds=_TEXT,
        next=("clusterwright diagnose {file} job {job}", "clusterwright status {file}"),
    ),
    Signature(
        "cancelled-by-person",
        "the job was cancelled by a user or an administrator (scancel)",
        (r"\*\*\* JOB \S+ ON \S+ CANCELLED AT [\d:T-]+ \*\*\*",),
        confidence="likely",
        rank=1,
        follows=True,
        kinds=_TEXT,
        next=("sacct --jobs {job} --format JobID,State%30,End",),
    ),
    Signature(
        "step-cancelled",
        "a step of the job was cancelled: by a user or an administrator (scancel), or by srun after a "
        "task of it ended",
        (
            r"\*\*\* STEP \S+ ON \S+ CANCELLED AT [\d:T-]+ \*\*\*",
            r"\*\*\* (?:JOB|STEP) \S+ ON \S+ FAILED \(non-zero exit code",
        ),
        confidence="possible",
        rank=2,
        follows=True,
        kinds=_TEXT,
        next=("clusterwright diagnose {file} job {job} --log JOB_OUTPUT",),
    ),
    Signature(
        "too-many-files",
        "a process has too many open files or threads",
        (
            r"Too many open files|EMFILE|\[Errno 24\]|can't start new thread|pthread_create failed|"
            r"Resource temporarily unavailable.{0,40}(?:fork|thread)|fork: (?:retry: )?Resource|"
            r"thread(?: constructor failed)?: Resource temporarily unavailable|"
            r"received 0 items of ancdata",
        ),
        kinds=("log", "job", "daemon"),
        next=("srun bash -c 'ulimit -a'",),
    ),
    Signature(
        "master-port",
        "torchrun: the port of the rendezvous (MASTER_PORT) is in use",
        (
            r"port [`'\"]?\d+[`'\"]?, but another process|EADDRINUSE|(?:server socket|MASTER_PORT|c10d).{0,120}(?:Address already in use|in use)|"
            r"address already in use",
        ),
        confidence="likely",
        kinds=_TEXT,
        next=("ss --listening --tcp --numeric --processes",),
    ),
    Signature(
        "rendezvous-closed",
        "torchrun: this node came to a rendezvous that is closed: another node's workers had failed, or the job "
        "was over, before it joined; the log of the node that failed first says why",
        (r"RendezvousClosedError",),
        confidence="likely",
        rank=1,
        follows=True,
        kinds=_TEXT,
        next=(_NODES,),
    ),
    Signature(
        "rendezvous-lost",
        "PyTorch: the launcher or rank that hosts the store of the rendezvous ended before this one "
        "did: its own log says why; if another job of the node hosted it, give each job an own port "
        "(--rdzv-endpoint, --standalone)",
        (
            r"failed to shutdown the rendezvous [^\n]{0,200}RendezvousConnectionError|"
            r"DistNetworkError: (?:Connection reset by peer|Broken pipe)",
        ),
        confidence="likely",
        rank=1,
        follows=True,
        kinds=_TEXT,
        next=(_NODES,),
    ),
    Signature(
        "rendezvous",
        "ranks did not find each other in time (rendezvous): one did not start, or the network "
        "or MASTER_ADDR is wrong",
        (
            r"Rendezvous(?!ConnectionError)\w*(?:Timeout|Error|Closed)\w*|DistStoreError|"
            r"client socket has (?:timed out|failed to connect)(?!.*errno: 97\b)|"
            r"(?:TCPStore|c10d|rendezvous).{0,120}(?:timed? ?out|timeout|failed to connect|refused)(?!.*errno: 97\b)"
            r"|Some NCCL operations have failed.{0,10}rendezvous",
        ),
        confidence="likely",
        rank=1,
        follows=True,
        kinds=_TEXT,
        next=(_NODES,),
    ),
    Signature(
        # What wraps the reason, which other lines have.
        "rendezvous-connection",
        "ranks did not find each other in time (rendezvous): one did not start, or the network "
        "or MASTER_ADDR is wrong",
        (r"RendezvousConnectionError",),
        confidence="likely",
        rank=2,
        follows=True,
        kinds=_TEXT,
        next=(_NODES,),
    ),
    Signature(
        "gloo-timeout",
        "Gloo: a collective timed out: a rank stopped, or did something else, such as writing a "
        "checkpoint, for longer than the time-out",
        (r"gloo/transport[^\n]{0,80}Timed out waiting \d+ms",),
        confidence="likely",
        rank=1,
        follows=True,
        kinds=_TEXT,
        next=(_NODES, _JOB),
    ),
    Signature(
        "nccl-connect",
        "NCCL: a rank cannot connect to another one[ ({address})]: the interface is not the one "
        "between the nodes (NCCL_SOCKET_IFNAME), the other rank ended, or a security group does "
        "not allow it",
        (
            r"socketStartConnect: Connect to (?P<address>[^\s<]{1,60})<\d+> failed",
            # What NCCL's sockets say is the last error of an unhandled system error. A peer that
            # listens a moment later is tried again.
            r"socketPollConnect\b(?![^\n]*\bretrying \()[^\n]{0,20}(?:(?:Connect )?to (?P<address>[\w.:-]{3,60}?)(?:<\d+>)? "
            r"(?:returned|failed)|poll\(\) returned|failed)",
        ),
        confidence="likely",
        rank=1,
        follows=True,
        kinds=_TEXT,
        next=("clusterwright check-job {file} JOBFILE", _NODES),
    ),
    Signature(
        "nccl-timeout",
        "NCCL: a collective timed out: a rank, node or link stopped (the others wait for it)",
        (
            r"Watchdog caught collective operation timeout|collective operation timeout|"
            r"ncclTimeout|Timeout\(ms\)=\d+.{0,60}ran for|"
            r"NCCL.{0,60}\btimed? ?out\b(?!\(ms\):)|"
            r"(?:ProcessGroupNCCL|monitoredBarrier).{0,120}\b(?:timeout\b(?!\(ms\):)|timed out|aborted)|"
            r"failed to pass monitoredBarrier|"
            r"Received a dump signal due to a collective timeout",
        ),
        confidence="likely",
        rank=1,
        follows=True,
        kinds=_TEXT,
        next=(_NODES, _JOB),
    ),
    Signature(
        "nccl-peer",
        "NCCL: the connection to a peer was lost: another rank or node ended first",
        (
            r"ncclRemoteError|socketProgress.{0,40}(?:closed|fail)|Connection closed by "
            r"(?:remote peer|peer)|Connection reset by peer|ncclInternalError.{0,60}(?:closed|"
            r"remote)|remote process exited|Broken pipe|"
            r"TCPStore.{0,160}(?:failed to (?:recv|send)|recvValue failed|sendBytes failed)",
        ),
        confidence="possible",
        rank=2,
        kinds=_TEXT,
        next=(_NODES,),
    ),
    Signature(
        "nccl-error",
        _nccl,
        (
            r"(?P<reason>ncclSystemError|ncclRemoteError|remote process exited or there was a network|ncclUnhandledCudaError|ncclInternalError|ncclInvalidUsage|"
            r"ncclInvalidArgument)",
            r"NCCL error.{0,200}?(?P<reason>unhandled system error|unhandled cuda error|internal "
            r"error|invalid usage|invalid argument)",
            r"(?P<reason>Invalid config \w{2,30} attribute value -?\d{1,12})",
            # XLA, with the last of NCCL's own messages where there is one.
            r"NCCL operation nccl\w{3,40}\([^\n]{0,200}?\) failed: (?P<reason>[^\n.;(]{3,80}[^\n]{0,160})",
            r"(?:(?P<place>[\w./-]{2,80}):\d+ )?NCCL WARN (?P<reason>[^\n]{1,160})",
        ),
        confidence="possible",
        rank=2,
        one_per_log=True,
        parts=parts_network.NCCL,
        kinds=_TEXT,
        next=(_NODES,),
    ),
    Signature(
        "data-loader-killed",
        "a data loader's worker was killed (SIGKILL), in most cases because the memory of the job "
        "or the node was used up",
        (r"DataLoader worker \(pid(?:\(s\))?[^)]*\) is killed by signal: Killed",),
        confidence="likely",
        rank=1,
        kinds=_TEXT,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "data-loader",
        "a data loader's worker ended: {reason}",
        (r"DataLoader worker \(pid(?:\(s\))?[^)]*\) (?P<reason>[^\n]{1,120})",),
        confidence="likely",
        rank=1,
        kinds=_TEXT,
        next=("clusterwright diagnose {file} job {job} --log JOB_OUTPUT",),
    ),
    Signature(
        "permission",
        "file permissions: {reason}",
        (
            r"(?P<reason>[^\n]{0,80}(?<!publickey\) )\bPermission denied\b[^\n]{0,80})",
            r"(?<!filesystem: )(?P<reason>Operation not permitted[^\n]{0,80}|\[Errno 13\][^\n]{0,80})",
        ),
        confidence="likely",
        rank=1,
        kinds=("log", "job", "node-status"),
        next=("namei --long {path}", "id USER"),
    ),
)

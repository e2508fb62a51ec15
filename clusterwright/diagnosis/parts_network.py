"""Parts of NCCL, of the aws-ofi-nccl plug-in and of libfabric's provider of EFA.

Sources: NVIDIA/nccl 2.18 to 2.30 (WARN, whose lines name the file), aws/aws-ofi-nccl 1.7 to 1.19
(NET/OFI, whose lines name the function), ofiwg/libfabric prov/efa (whose lines name a subsystem
and the function); read 2026-11.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis import parts
from clusterwright.diagnosis.parts import Part, part
from clusterwright.diagnosis.wording import PLAIN, kind_of

_MEMORY: Final = (
    "the limit of locked memory of the job (ulimit -l, memlock), the memory of the GPU or its "
    "export (DMA-BUF, nvidia-peermem)"
)
NCCL: Final[tuple[Part, ...]] = (
    part(
        "ranks load different versions of NCCL or of a plug-in: one image and one "
        "LD_LIBRARY_PATH for all",
        r"version mismatch|Mismatched NCCL version|incompatible version|(?:too old|newer|not "
        r"backwards compatible)|compiled with NCCL|wrong version",
    ),
    part(
        "ranks of the job differ in their number of network interfaces or GPUs: a node has one "
        "less, or does not see it",
        r"mixed local (?:Net|CollNet)|net device counts|ndev=|device count",
    ),
    part(
        "several ranks use the same GPU: CUDA_VISIBLE_DEVICES or the local rank is wrong, or a "
        "node has fewer GPUs than ranks",
        r"(?:multiple|same|duplicate)[^\n]{0,40}GPU",
    ),
    part(
        "the interface that is asked for does not exist on a node: NCCL_SOCKET_IFNAME, "
        "NCCL_IB_HCA, NCCL_OOB_NET_IFNAME or NCCL_COMM_ID is wrong here, or the container does "
        "not "
        "see the interface",
        r"no (?:\w+ )*(?:interface|device) (?:was )?found|No IP interface|IFNAME|NCCL_COMM_ID|"
        r"no usable listening|No valid [^\n]{0,40}pair found|non-existent virtual device",
    ),
    part(
        "the RDMA interface or its port reports a failure (an asynchronous event): its link, "
        "cable, switch or card",
        r"async(?:_| (?:fatal )?)event|fatal event|failed devices|GID table changed|"
        r"port \S+ (?:down|err)|"
        r"CQE with error|device \S+ failed",
        depth=1,
    ),
    part(
        "multi-node NVLink does not work: the IMEX daemon does not run on all nodes, or the "
        "container has no IMEX channel (NCCL_MNNVL_ENABLE=0 does without)",
        r"\bMNNVL\b|\bIMEX\b",
    ),
    part(
        "NVLink SHARP (NVLS) cannot be used: the fabric manager, the driver or memory of the GPU "
        "(NCCL_NVLS_ENABLE=0 does without)",
        r"\bNVLS\b|NVLink SHARP|multicast",
        r"nvls",
    ),
    part(
        "CollNet (SHARP in the network's switches) cannot be used, which EFA does not have: a "
        "plug-in of another network, or its settings",
        r"CollNet|\bSHARP\b",
        r"coll_?net",
    ),
    part(
        "its plan of GPUs, processors and interfaces (topology) cannot be made: NCCL_TOPO_FILE or "
        "NCCL_GRAPH_FILE does not fit the instance type, or a virtual machine or container hides "
        "the devices in /sys",
        place=r"^graph/|/graph/|^topo\.|^paths\.|^xml\.|^search\.|^rings\.",
    ),
    part(
        "the shared memory between ranks of a node cannot be made: /dev/shm of the job or "
        "container is too small (--shm-size)",
        r"shared memory|/dev/shm|\bshm\b|Could not map |failed to extend",
        r"shm",
    ),
    part(
        "GPUs of a node cannot read each other's memory (P2P, CUDA IPC): containers or processes "
        "that do not see each other's GPUs, virtualisation, or ACS (NCCL_P2P_DISABLE=1 does "
        "without)",
        r"cudaIpc\w*|failed to peer|\bIPC peer|\bP2P is disabled|peer access",
        r"transport/p2p|(?<!net_ib/)p2p\.cc$",
    ),
    part(
        "GDRCopy cannot be used: its kernel module (gdrdrv) or library is missing or of another "
        "version",
        r"gdr(?:copy|_\w+|drv)",
        r"gdrwrap",
    ),
    part(
        "a library of RDMA (libibverbs, its provider) fails: the container does not see the "
        f"devices (/dev/infiniband), the library does not fit the kernel, or {_MEMORY}",
        r"\bibv_\w+|libibverbs|mlx5dv\w*",
        r"ibv|mlx5dv|net_ib/reg",
    ),
    part(
        "its RDMA transport to another node fails: the two interfaces are of different networks "
        "or settings (NCCL_IB_HCA, NCCL_IB_GID_INDEX), or the peer ended",
        r"^NET/IB",
        r"net_ib",
        depth=1,
    ),
    part(
        "the driver of the GPU does not answer or does not fit (NVML): it is not loaded, of "
        "another version than its library, or hidden from the container",
        r"\bnvml\w*|libnvidia-ml",
        r"nvmlwrap",
    ),
    part(
        "memory of the GPU or the host cannot be allocated: it is used up, or CUDA does not have "
        "this kind of memory (NCCL_CUMEM_ENABLE)",
        r"malloc|calloc|host alloc|out of memory|\bCUMEM\b|allocation failed|failed to allocate|"
        r"unable to allocate",
        r"alloc\.h|allocator|mem_manager",
    ),
    part(
        "a call of CUDA failed; the first error of CUDA in the logs of the ranks is the cause",
        r"\bCuda failure|\bCUDA (?:failure|error|device)|\bcu[A-Z]\w+|Retrieve \S+ failed",
        r"cudawrap|strongstream",
        depth=1,
    ),
    part(
        "ranks do not find each other at the start (bootstrap): one did not start, has another "
        "number of ranks or another address of rank 0, or cannot be reached",
        place=r"bootstrap",
        depth=2,
    ),
    part(
        "a connection of sockets to another rank cannot be made or was lost: the rank or its node "
        "ended first, the interface (NCCL_SOCKET_IFNAME) is not the one between the nodes, or a "
        "security group does not allow it",
        r"socket|connect to|Accept failed",
        r"socket",
        depth=2,
    ),
    part(
        "its network plug-in cannot be used: libnccl-net of the image is missing, of another "
        "interface version or finds no device",
        r"plug-?in",
        r"^plugin/",
    ),
    part(
        "its proxy thread, which moves data between the GPUs and the network, stopped: an earlier "
        "error of this or of another rank is the cause",
        place=r"^proxy|/proxy|^rma/|^gin/|ras",
        depth=3,
    ),
    part(
        "the program's calls or settings are not valid: arguments, ranks or buffers differ "
        "between the ranks, or a variable NCCL_* has a value that NCCL does not have",
        r"invalid|Invalig|mismatch|not (?:valid|supported)|must |NULL|exceeds|config|NCCL_[A-Z_]+|"
        r"unsupported|should|out of (?:range|bounds)",
        r"argcheck|enqueue|dev_runtime|register|ce_coll|devcomm|param",
        depth=1,
    ),
    part(
        "it failed within itself; an earlier error of this or of another rank is the cause, or "
        "the version of NCCL has a fault",
        r"\bfail(?:s|ed|ure)?\b|\berrors?\b|abort|time[d ]*out|unexpected|corrupt|crash|\blost\b|"
        r"cannot|could ?n[o']t|unable",
        depth=3,
    ),
)
"""By the file of a WARN line and its words; in the order in which they are tried."""

OFI: Final[tuple[Part, ...]] = (
    part(
        "no EFA interface is found or fits: the job's container has no /dev/infiniband, the "
        "instance type has no EFA, or FI_PROVIDER or an option asks for what the provider does "
        "not have",
        r"No eligible providers|Couldn't get (?:provider|info)|fi_getinfo|no (?:NICs|providers|"
        r"devices)|"
        r"not (?:an? )?EFA|provider \S+ does not|Only EFA|supported by (?:this|the) provider|"
        r"could not find any|Failed to (?:find|select|get) (?:a |any )?(?:providers?|NICs?|"
        r"devices?)",
    ),
    part(
        "memory cannot be registered with EFA: " + _MEMORY,
        r"regist\w*|\bMRs?\b|memory region|fi_mr_\w+|regattr|dma-?buf|gdr_pin|page size|"
        r"pin_buffer|"
        r"deregist\w*|flush buffer",
        r"_(?:mr|reg|dereg)_|mr_cache",
    ),
    part(
        "GDRCopy cannot be used: its kernel module (gdrdrv) or library is missing or of another "
        "version",
        r"gdr_\w+|libgdrapi|GDRCopy",
    ),
    part(
        "GPUDirect RDMA is not used, so that data goes through the host's memory: the driver, its "
        "module or an option (FI_EFA_USE_DEVICE_RDMA) does not give it",
        r"\bGDR\b|GPUDirect|FI_HMEM\b|device RDMA|emulated write",
    ),
    part(
        "the plan of GPUs and EFA interfaces cannot be made or written: the devices in /sys are "
        "hidden or differ from the instance type, or NCCL_TOPO_FILE cannot be written",
        r"topolog\w*|\btopo\b|hwloc|PCI\b|\bNUMA\b|product name|property (?:file|path)|info count|"
        r"num_rails|reorder|unsupported (?:instance|platform)",
        r"topo|platform|set_userdata|_nic_|hwloc|sort_rails|pci",
    ),
    part(
        "CUDA cannot be used by the plug-in: its library, device or context",
        r"\bCUDA\b|\bcu[A-Z]\w+|cuda\w*|\bHIP\b|\bneuron\w*",
        r"cuda|gpu",
    ),
    part(
        "a transfer over EFA failed: an EFA interface or a peer reports errors: the peer ended "
        "or is "
        "not reached, or the interface failed",
        r"completed with error|fi_cq_read\w*|(?:post|send|recv|receive|read|write|writemsg|flush)"
        r"[^\n]{0,60}(?:fail|error|RC)|(?:fail|error|unable|could not|"
        r"couldn't)[^\n]{0,40}\b(?:post|"
        r"send|recv|receive|read|write|connect|process)\w*|\bCQ\b[^\n]{0,40}(?:err|fail)|"
        r"completion|"
        r"in error state|bounce buff",
        r"process_(?:completions|err|cq|pending)|post_|_send|_recv|_cq_process|"
        r"handle_\w*(?:comp|msg)",
        depth=2,
    ),
    part(
        "endpoints of EFA cannot be made: the interface, its address table or the number of "
        "endpoints of the instance",
        r"endpoint|\bep\b|\bAV\b|address vector|\bCQ\b|fabric|domain|\brails?\b|fi_\w+|"
        r"handshake|bind|"
        r"option",
        r"ep_|domain|_device|ofiutils|connect|listen|accept",
        depth=1,
    ),
    part(
        "memory of the host cannot be allocated by the plug-in",
        r"alloc\w*|out of memory|freelist|unable to get",
    ),
    part(
        "its settings (OFI_NCCL_*) or the versions of NCCL and the plug-in do not fit each other",
        r"invalid|unknown|unsupported|not (?:been )?(?:supported|initialized)|version|"
        r"OFI_NCCL_\w+|"
        r"config|tuner|protocol|parse|should|must|expected|unexpected|mismatch|NULL|does not",
        r"tuner|param|config",
        depth=1,
    ),
    part(
        "an error within the plug-in; an earlier error of this or of another rank is the cause",
        depth=3,
    ),
)
"""The aws-ofi-nccl plug-in."""

EFA: Final[tuple[Part, ...]] = (
    part(
        "the peer does not answer, ended, or its address is not valid any more: its process or "
        "node failed first, or the security group does not allow all traffic in itself",
        r"unresponsive|unreachable|create_ah|\bAH\b[^\n]{0,40}fail|failed to post handshake|"
        r"handshake|"
        r"peer error|PEER_ERROR|remote error|wrong (?:generation|connid)|peer reset",
        depth=2,
    ),
    part(
        "the peer has another version or other features of libfabric: one version of the EFA "
        "installer for all nodes and images",
        r"protocol version|requesting feature|retired|deprecated in newer|API version|"
        r"incompatible peer|does not support",
    ),
    part(
        "memory cannot be registered with EFA: " + _MEMORY,
        r"register (?:MR|memory|shm|handle|zero)|\bMRs?\b|ibv_reg_\w+|\breg(?:ister)?_mr|dmabuf|"
        r"memory registration|mr_(?:map|cache|pool)|CUDA (?:buffer|ptr)|memops|MR verification",
        r"_mr_|\bmr\b|regattr|mr_reg",
    ),
    part(
        "transfers directly from memory of the GPU (FI_HMEM, peer to peer) are not available: the "
        "driver's export of memory, FI_HMEM_DISABLE_P2P or FI_EFA_USE_DEVICE_RDMA",
        r"FI_HMEM\w*|peer[- ]to[- ]peer|\bp2p\b|RDMA read support|device RDMA|rdma is required|"
        r"rdma read is required",
        r"hmem",
    ),
    part(
        "EFA does not work after fork() in the program: set FI_EFA_FORK_SAFE=1 or start its "
        "processes in another way",
        r"\bfork\b|atfork",
        r"fork",
    ),
    part(
        "the shared memory between processes of a node (shm provider) cannot be used: /dev/shm of "
        "the job or container is too small, or processes of another user have it",
        r"\bshm\b|shared memory",
        r"shm",
    ),
    part(
        "an EFA device cannot be opened or used: the container does not see /dev/infiniband, or "
        "rdma-core does not fit the kernel's driver",
        r"ibv_open_device|ibv_(?:query|create|alloc|modify|attach)_\w+|efadv_\w+|ibv[_ ](?:pd|"
        r"cq|qp)|"
        r"open device|device_construct|device info|device attr|\bPD\b|extended CQ|comp(?:letion)?"
        r"[_ ]channel|domain object|host id|\bCQ interrupts",
        r"device|construct|create_(?:qp|cq)|_pd|host_id",
    ),
    part(
        "memory of the host, or of a pool of packets, is used up",
        r"alloc\w*|exhaust\w*|\bENOMEM\b|(?:is|are) full|out of memory|pool",
    ),
    part(
        "a transfer over EFA failed: an EFA interface or a peer reports errors: the peer ended "
        "or is "
        "not reached, or the interface failed",
        r"failure err|(?:post|send|recv|read|write|cts|receipt|packet)[^\n]{0,60}(?:fail|error)|"
        r"(?:fail|error|unable|could not)[^\n]{0,40}(?:post|send|recv|read|write|process)|"
        r"\bdereg|size mismatch|unknown packet|packet type",
        r"handle_error|_post_|_pke_|_ope_|txe|rxe|cq_poll|peer",
        depth=2,
    ),
    part(
        "endpoints of EFA or their table of addresses cannot be made or closed",
        r"insert|address|\bAV\b|endpoint|\bEP\b|bound|bind|close|open|srx|fabric|domain|cntr|"
        r"counter",
        r"av_|_av|ep_|conn_|_close|_open|fabric|domain|cntr",
        depth=1,
    ),
    part(
        "an option that the program or FI_EFA_* asks for is not valid or not available with EFA",
        r"FI_\w+|not supported|unsupported|invalid|unknown|cannot|not specified|requires|must|"
        r"option",
        r"setopt|getopt|attr|validate|info",
        depth=1,
    ),
    part(
        "an error within the provider; an earlier error of this or of another rank is the cause",
        depth=3,
    ),
)
"""libfabric's provider of EFA."""

FOREIGN: Final = frozenset(
    {
        *("deep-health-check", "hardware", "disk-full", "nvlink", "quota", "permission"),
        *("slurm-versions", "slurm-plugin", "io-error", "host-memory"),
    }
)
"""Signatures whose words NCCL and libfabric use for other things."""


_LINE: Final = re.compile(r"\bNCCL (?:WARN|INFO)\b|^libfabric:\d+:")


def is_line(text: str) -> bool:
    """Whether a line is NCCL's or libfabric's own."""
    return bool(_LINE.search(text))


_ADVICE: Final = re.compile(
    r"(?:which|this) (?:can|may|might|could) (?:lead|cause|result|affect|impact|degrade|reduce)|"
    r"variability|performance|deprecated|recommend|\b(?:fall(?:ing)?|fell) ?back|"
    r"\bdefault(?:ing)? to|\bignor(?:ed|ing)\b|\bwill (?:use|be (?:used|ignored|disabled))|"
    r"\busing (?:internal|default)|\bretry(?:ing)?\b|"
    r"\bdisabl(?:ed|ing) (?:by|because|since|for)\b|instead\b",
    re.IGNORECASE,
)
_FAILED: Final = re.compile(
    r"\bfail(?:s|ed|ure)?\b|\berrors?\b|abort|time[d ]*out|mismatch|cannot|could ?n[o']t|unable|"
    r"invalid|refused|unreachable|\blost\b|\bclosed\b|exhausted|out of memory",
    re.IGNORECASE,
)
_RETRIES: Final = re.compile(
    r"\b(?:will )?retry(?:ing)?\b(?! (?:limit|count|exceed|fail))", re.IGNORECASE
)
_REPLACED: Final = re.compile(
    r"\busing (?:the )?default|\bfall(?:ing|s)? back\b|\bdefaulting to", re.IGNORECASE
)
_RETRIED: Final = re.compile(
    r"\bFI_E(?:AGAIN|INTR)\b|\bRC: -(?:4|11)\b|Resource temporarily unavailable|"
    r"Interrupted system call"
)
"""Answers (EAGAIN, EINTR) after which the plug-in and the provider try again by themselves."""


def is_advice(message: str) -> bool:
    """Whether a warning only says what could be better, or what is done instead."""
    if _RETRIES.search(message):
        return True
    return bool(_ADVICE.search(message)) and not _FAILED.search(message)


def is_retried(message: str) -> bool:
    """Whether the plug-in or the provider tries again what a message is about."""
    return bool(_RETRIED.search(message))


def is_replaced(message: str) -> bool:
    """Whether the plug-in or the provider does another thing instead of what failed."""
    return bool(_REPLACED.search(message))


def nccl(message: str, place: str = "") -> str | None:
    """What is wrong by a WARN line of NCCL and the file that it names; None for advice and
    what is tried again.
    """
    if is_advice(message) or (message.startswith("NET/OFI") and is_retried(message)):
        return None
    if message.startswith("NET/OFI"):
        return ofi(message.removeprefix("NET/OFI").strip(), place)
    said = parts.wrong_part(NCCL, parts.own_words(message), place.removeprefix("src/"))
    if said is None:
        kind = kind_of(message, PLAIN)
        said = kind.sentence if kind is not None else None
    return f"NCCL: {parts.whole(said, message)}" if said else f"NCCL: {message}"


def ofi(message: str, place: str = "") -> str:
    """What is wrong by a line of the aws-ofi-nccl plug-in and the function that it names."""
    said = parts.wrong_part(OFI, parts.own_words(message), place)
    return f"network of jobs: EFA (aws-ofi-nccl): {parts.whole(said or 'an error', message)}"


def efa(message: str, place: str = "") -> str:
    """What is wrong by a line of libfabric's provider of EFA and the function that it names."""
    # What follows is who the peers are, in every error.
    own = message.partition(" My EFA addr:")[0]
    said = parts.wrong_part(EFA, parts.own_words(own), place)
    return f"network of jobs: EFA (libfabric): {parts.whole(said or 'an error', message)}"

"""What the errors of native libraries mean: NVIDIA's container hook, cuFile, the S3 client of
AWS's common runtime, and assertions by the library whose source they are in.

Sources: NVIDIA/libnvidia-container, labels of errors; NVIDIA GPUDirect Storage, troubleshooting
guide (cufile.log); awslabs/aws-c-*, names of errors; threads in
docs/explanations/diagnosed-failures-thirteenth-hold-out.yaml (read 2026-11).
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis.signature import Values
from clusterwright.diagnosis.wording import meaning_of

CONTAINER_HOOK: Final = (
    (
        r"change root|ldconfig|/run/nvidia/driver",
        "the toolkit looks for the driver in a folder that does not exist or has none: its "
        "setting of the driver's root does not fit the node",
    ),
    (
        r"requirement error: invalid|invalid expression",
        "the image's requirement of a driver (NVIDIA_REQUIRE_*) cannot be read by this toolkit",
    ),
    (
        r"unknown device|no-gpu-has|device error",
        "a GPU that the container asks for (NVIDIA_VISIBLE_DEVICES) does not exist on the node",
    ),
    (
        r"cgroup|permission|not permitted",
        "the container's cgroup or user may not have the devices",
    ),
    (r"mount error|file exists|overlay", "the driver's files cannot be mounted into the image"),
)
"""Words of errors of nvidia-container-cli."""

CUFILE: Final = (
    (
        r"nvidia-fs[\w.]* driver not loaded|nvidia_fs|nvidia-fs[\w. ]* not (?:loaded|found)",
        "its kernel module nvidia-fs is not loaded on the node, or the container does not see it",
    ),
    (
        r"not registered with nvidia-fs|Unsupported block device|udev_device|volume attributes|"
        r"not supported on current file|file checks failed|mount options",
        "the file system or disk of the file does not support it, so cuFile uses its compatible "
        "mode or fails",
    ),
    (r"cuInit|NO_DEVICE", "CUDA finds no GPU: the driver is not loaded or no GPU is visible"),
    (
        r"bar-usage|bar1|max_direct_io|pinned|memory",
        "the GPU's BAR1 or the pinned memory that it may use is used up",
    ),
    (r"unable to load|dlopen|liburcu|librdmacm|libibverbs", "a library that it needs is missing"),
    (
        r"RDMA|rdma|network device|GID|peermem",
        "no RDMA interface fits: cuFile reaches Lustre over EFA, or not at all",
    ),
)
"""Words of ERROR lines of cufile.log."""

_RUNTIME: Final = (
    (r"INVALID_ARGUMENT|INVALID_\w*CONFIG|UNSUPPORTED", "a setting or an argument is not valid"),
    (
        r"SLOW_DOWN|THROTTL|REQUEST_HAS_COMPLETED|INVALID_RESPONSE_STATUS",
        "S3 refuses the request, in most cases for too many requests or a missing permission",
    ),
    (r"CREDENTIALS|SIGNING|AUTH", "credentials are missing, invalid or have expired"),
    (r"DNS|RESOLVE", "the name of S3's endpoint cannot be resolved (DNS)"),
    (r"TLS|CERT", "no TLS connection is made: a certificate is not accepted"),
    (r"TIMEOUT", "S3's endpoint does not answer in time"),
    (r"SOCKET|HTTP|CONNECTION|CHANNEL", "the connection to S3 is refused or was lost"),
    (r"CHECKSUM|MALFORMED|TRUNCATED", "the data that came is not what was sent"),
    (r"OOM|MEMORY", "the host's memory is used up"),
)
"""Words of the names of errors of AWS's common runtime."""

LIBRARIES: Final = (
    (r"\b(?:xla|tsl|pjrt)/", "XLA (JAX, TensorFlow)"),
    (r"\bprov/efa/|\befa_rdm|\brxr_", "libfabric's provider of EFA"),
    (r"\bprov/|/libfabric/|\bofi_", "libfabric"),
    (r"\bnccl_ofi|\baws-ofi-nccl\b", "the aws-ofi-nccl plug-in"),
    (r"\btransport/(?:net|p2p|shm|coll_net|nvls|generic)(?:_\w+)?\.cc\b|\bnccl", "NCCL"),
    (r"\bcsrc/aio|\bdeepspeed", "DeepSpeed's asynchronous files (its offload to a local disk)"),
    (r"/ucx/|\buc[cmpst]_", "UCX"),
    (r"\braylet|\bgcs_|\bcore_worker|\bray/", "Ray"),
    (r"(?<!home/)\bslurm", "Slurm"),
    (r"\btorch/csrc/", "PyTorch"),
    (r"\.cuh?\b|\bcutlass|\bflash_attn|/csrc/", "a CUDA extension"),
    (r"\b(?:torch|c10|aten|ATen)(?![A-Za-z])", "PyTorch"),
)
"""Paths or functions of sources, and the library that they are of."""


def container_hook(values: Values) -> str | None:
    """Why a container is not given its GPUs; None if the words do not say it."""
    reason = values["reason"]
    said = meaning_of(CONTAINER_HOOK, reason)
    if said is None and reason.startswith("initialization"):
        return None  # The driver's own failure, which other signatures name.
    return f"GPU: a container cannot be given its GPUs: {said + ': ' if said else ''}{reason}"


def cufile(values: Values) -> str | None:
    """Why GPUDirect Storage does not work; None for what only says that it does not."""
    said = meaning_of(CUFILE, values["reason"])
    return f"GPUDirect Storage: {said}: {values['reason']}" if said else None


def runtime(values: Values) -> str | None:
    """The cause of an error of AWS's common runtime, with which programs use S3."""
    said = meaning_of(_RUNTIME, values["code"])
    return f"S3: {said}: {values['code']}" if said else None


def assertion(values: Values) -> str:
    """Which library ended a program at an assertion, and at which."""
    file, function = values.get("file", ""), values.get("function", "")
    place = f"{file} {function}"
    library = meaning_of(LIBRARIES, place)
    where = file.rpartition("/")[2] or function
    what = (
        f"{library}: a check failed, so the program ended"
        if library
        else f"a program ended at a check that failed in {where}"
    )
    sizes = "bytes" in values["assertion"] or "size" in values["assertion"]
    why = (
        ": a file or buffer has another size than was written (a full or failing disk)"
        if (sizes and "aio" in place)
        else ""
    )
    return f"{what}{why}: {values['assertion']}"

"""NVSHMEM by the files of its source, which its errors name.

Source: NVIDIA/nvshmem, the forms of src/include (`NVSHMEMI_NZ_ERROR_JMP` and its like,
`NVSHMEMI_ERROR_PRINT`) and the folders src/modules and src/host; read 2026-11.
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis.parts import own_words, part, whole, wrong_part
from clusterwright.diagnosis.signature import Values

ERROR: Final = (
    r"nvshmem[\w.-]{0,40}/src/(?P<place>(?:modules|host|device|include)/[\w./-]{1,120}):"
    r"(?:\w{1,80}:)?\d{1,5}: (?:(?:non-zero|error) status: -?\d{1,6} |NULL value )?"
    r"(?P<reason>[^\n]{3,200})"
)
"""What its errors look like, with the file below src and the message."""

PARTS: Final = (
    part(
        "its libraries, or those on the host and in the program's kernels, have different "
        "versions",
        r"version mismatch|incompatible version|\bnot compatible",
    ),
    part(
        "its transport in which GPUs use InfiniBand cards themselves (IBGDA) does not work: EFA "
        "does not have it (NVSHMEM_REMOTE_TRANSPORT=libfabric), or the container or the driver "
        "does not give the program the card",
        r"\bIBGDA\b",
        r"transport/(?:ibgda|gpu)",
    ),
    part(
        "its transport of libfabric does not work: EFA is not enabled on the nodes, or the image "
        "has no libfabric for it",
        r"\blibfabric\b",
        r"transport/libfabric",
    ),
    part(
        "its transport of InfiniBand (IBRC, IBDEVX) does not work: EFA does not have it "
        "(NVSHMEM_REMOTE_TRANSPORT=libfabric), or two cards are of different networks or settings",
        r"\bIBRC\b|\bIBDEVX\b|\bibv_\w+|mlx5dv\w*",
        r"transport/(?:ibrc|ibdevx|common)",
    ),
    part("its transport of UCX does not work", r"\bucp?x?_\w+", r"transport/ucx"),
    part(
        "ranks do not find each other at its start (bootstrap): one did not start, or its plug-in "
        "(MPI, PMI, OpenSHMEM, a unique id) is missing or does not fit",
        r"bootstrap",
        r"bootstrap",
    ),
    part(
        "its memory on the GPUs (the symmetric heap) cannot be made, registered or mapped: it is "
        "used up (NVSHMEM_SYMMETRIC_SIZE), or the GPUs cannot read each other's memory",
        r"heap|cuMem\w+|cudaMalloc|register|allocat\w+|out of memory",
        r"host/mem|transport/p2p",
    ),
    part(
        "no transport connects its GPUs",
        r"transport|connect",
        r"host/transport|host/topo",
    ),
    part("the thread that sends for its kernels (the proxy) failed", place=r"host/proxy"),
    part("it cannot be initialised", place=r"host/init"),
    part("an operation failed"),
)


def cause(values: Values) -> str | None:
    """What is wrong by an error of NVSHMEM."""
    message = values["reason"]
    wrong = wrong_part(PARTS, own_words(message), values["place"])
    return None if wrong is None else f"NVSHMEM: {whole(wrong, message)}"

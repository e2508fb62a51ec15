"""Values of variables that programs of training jobs accept, and what is wrong with others.

Only variables with a closed list of values, or of keys, are judged. Sources: pytorch/pytorch,
c10/core/AllocatorConfig.h at 007b9bc0 and c10/cuda/CUDAAllocatorConfig.cpp at 01f9ef32 (other
keys of the allocator exist in other versions, so that only a misspelt one is judged);
NVIDIA/nccl 5067397c, src/debug.cc; PyTorch documentation, torch.distributed, Debugging;
pytorch/pytorch, torch/csrc/distributed/c10d/init.cpp (GLOO_SOCKET_IFNAME is split at `,` into
names) and facebookincubator/gloo, transport/tcp/device.cc (Unable to find address for).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from clusterwright.jobs.environment_names import typing_errors

_ALLOCATOR: Final = ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF")
_FLAGS: Final = frozenset(
    {
        "expandable_segments",
        "graph_capture_record_stream_reuse",
        "pinned_use_background_threads",
        "pinned_use_cuda_host_register",
        "release_lock_on_cudamalloc",
    }
)
"""Keys of the allocator whose value is True or False."""
_KEYS: Final = _FLAGS | {
    "backend",
    "garbage_collection_threshold",
    "max_non_split_rounding_mb",
    "max_split_size_mb",
    "pinned_num_register_threads",
    "pinned_reserve_segment_size_mb",
    "roundup_power2_divisions",
}
_BACKENDS: Final = ("native", "cudaMallocAsync")
_GLOO: Final = "GLOO_SOCKET_IFNAME"
_NEAR: Final = 2
"""Typing errors that leave the key in no doubt."""
_ENTRY: Final = re.compile(r"([^:,\[\]]*)(:?)(\[[^\]]*\]|[^,]*)(?:,|$)")

_CHOICES: Final = {
    "NCCL_DEBUG": ("VERSION", "WARN", "INFO", "ABORT", "TRACE"),
    "TORCH_DISTRIBUTED_DEBUG": ("OFF", "INFO", "DETAIL"),
}
"""Compared without case."""
_ENDS: Final = frozenset({"TORCH_DISTRIBUTED_DEBUG"})
"""Variables whose other values end the process; others are ignored."""


@dataclass(frozen=True)
class Mistake:
    """A value that its program does not accept; `ends` if the program then ends."""

    message: str
    ends: bool
    hint: str | None = None


def mistake(name: str, value: str) -> Mistake | None:
    """Return what is wrong with the value of a variable; None if nothing is known to be."""
    if not value:
        return None
    if name in _ALLOCATOR:
        return _allocator(value)
    if name == _GLOO and value.startswith("^"):
        return Mistake(
            "Gloo takes names of interfaces, and `^` excludes none: Unable to find address for: "
            f"{value.partition(',')[0]}",
            # NCCL alone does not read it.
            ends=False,
            hint=f"unset {_GLOO}: Gloo then takes the interface with the address of the host name",
        )
    choices = _CHOICES.get(name)
    if choices is None or value.upper() in choices:
        return None
    return Mistake(f"expected one of {', '.join(choices)}, got {value}", name in _ENDS)


def _allocator(value: str) -> Mistake | None:
    """`KEY:VALUE,...`; a list of values is in brackets, and white space has no meaning."""
    for match in _ENTRY.finditer(re.sub(r"\s", "", value)):
        key, colon, given = match.groups()
        if not key:
            continue
        if not colon:
            return Mistake(f"expected KEY:VALUE, got {key}", ends=True)
        if key not in _KEYS:
            near = [one for one in _KEYS if typing_errors(key, one, _NEAR) <= _NEAR]
            if near:
                return Mistake(
                    f"PyTorch's allocator has no key {key}",
                    ends=True,
                    hint=f"did you mean `{min(near)}`?",
                )
            continue
        if key in _FLAGS and given not in ("True", "False"):
            return Mistake(f"{key}: expected True or False, got {given or 'nothing'}", ends=True)
        if key == "backend" and given not in _BACKENDS:
            return Mistake(f"backend: expected {' or '.join(_BACKENDS)}, got {given}", ends=True)
    return None

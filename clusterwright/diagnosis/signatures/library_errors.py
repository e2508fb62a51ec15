"""Errors of libraries by the closed lists in their sources.

Sources: huggingface/safetensors, safetensors/src/tensor.rs (SafeTensorError, by name and by text);
serde's message for untagged enums, as huggingface/tokenizers reads tokenizer.json;
deepspeedai/DeepSpeed, deepspeed/launcher/runner.py; pytorch/pytorch, torch/_inductor/exc.py;
openxla/xla's check of the buffers of a collective.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis.signature import Signature, Values

_TEXT: Final = ("log", "job")
_JOB_FILE: Final = "clusterwright check-job {file} JOBFILE"
_INCOMPLETE: Final = "the file is not complete: a download or a save ended early, or still runs"
_OTHER: Final = "the file is no file of safetensors, or is damaged"
SAFETENSORS: Final = {
    r"MetadataIncompleteBuffer|incomplete metadata": _INCOMPLETE,
    r"HeaderTooSmall|header too small": _INCOMPLETE,
    r"InvalidHeaderLength|invalid header length": _INCOMPLETE,
    r"InvalidHeaderDeserialization|invalid JSON in header": _OTHER,
    r"HeaderTooLarge|header too large": _OTHER,
    r"InvalidHeader\b|invalid UTF-8 in header": _OTHER,
    r"InvalidOffset|invalid offset|TensorInvalidInfo|ValidationOverflow": _OTHER,
    r"TensorNotFound|tensor `[^`\n]{1,200}` not found|File does not contain tensor": (
        "the file lacks a tensor: it is of another model, or one file of several"
    ),
    r"I/O error|IoError": "the file cannot be read or written (an error of the file system)",
}


def _safetensors(values: Values) -> str | None:
    said = values["reason"]
    meaning = next((m for words, m in SAFETENSORS.items() if re.search(words, said)), None)
    return f"a checkpoint (safetensors): {meaning}: {said}" if meaning is not None else None


SIGNATURES: Final = (
    Signature(
        "safetensors",
        _safetensors,
        (
            r"SafetensorError: (?P<reason>(?:Error while (?:de)?serializ\w+[^\n:]{0,40}: )?"
            r"[^\n]{1,200})",
        ),
        kinds=_TEXT,
        next=("ls -l {path}", "ls -l CHECKPOINT_FOLDER"),
    ),
    Signature(
        "tokenizer-format",
        "the tokenizer's file cannot be read by this version of tokenizers: a newer version wrote "
        "it, or it is damaged: {reason}",
        (
            r"(?P<reason>data did not match any variant of untagged enum (?:\w*Wrapper|\w*Model|"
            r"Py\w+)[^\n]{0,80})",
        ),
        kinds=_TEXT,
        next=(_JOB_FILE,),
    ),
    Signature(
        "deepspeed-hosts",
        "DeepSpeed: its file of hosts (--hostfile) and its options do not fit: {reason}",
        (
            r"(?P<reason>Hostfile (?:contains (?:a bad entry|multiple entries)|is empty)[^\n]{0,120})",
            r"(?P<reason>No slot '?\w+'? specif\w+ on host [^\n]{1,80})",
            r"(?P<reason>Hostname '?[^'\n]{1,80}'? not found in hostfile)",
            r"(?P<reason>Num nodes is >1 but no extra nodes available via hostfile)",
            r"(?P<reason>Cannot specify num_nodes/gpus with include/exclude)",
            r"(?P<reason>include_str and exclude_str are mutually exclusive)",
            r"(?P<reason>num_nodes [^\n]{1,40} is not in MIN:MAX format)",
        ),
        kinds=_TEXT,
        next=(_JOB_FILE,),
    ),
    Signature(
        "deepspeed-ssh",
        "DeepSpeed: the launcher does not reach the host {name} by SSH without a password",
        (r"Using hostfile at \S{1,200} but host=(?P<name>\S{1,100}) was not reachable via ssh",),
        kinds=_TEXT,
        next=(_JOB_FILE,),
    ),
    Signature(
        "deepspeed-launcher",
        "DeepSpeed: the program {name}, by which it starts other nodes' processes, is not installed",
        (r"launcher '(?P<name>[\w-]{1,40})' not installed",),
        kinds=_TEXT,
        next=(_JOB_FILE,),
    ),
    Signature(
        "no-compiler",
        "torch.compile: there is no working C++ compiler in the image or on the node",
        (r"No working C\+\+ compiler found", r"\bInvalidCxxCompiler\b"),
        kinds=_TEXT,
        next=("srun python3 -m torch.utils.collect_env",),
    ),
    Signature(
        "no-triton",
        "torch.compile: Triton is not installed, or too old for this PyTorch",
        (r"Cannot find a working triton installation", r"\bTritonMissing\b"),
        kinds=_TEXT,
        next=("srun python3 -m torch.utils.collect_env",),
    ),
    Signature(
        "gpu-too-old",
        "torch.compile: Triton does not support the GPU: {reason}",
        (r"Found (?P<reason>[^\n]{1,60}) which is too old to be supported by the triton GPU",),
        kinds=_TEXT,
        next=("srun python3 -m torch.utils.collect_env",),
    ),
    Signature(
        "xla-buffers",
        "XLA: devices take part in a collective with buffers of different sizes or types: the "
        "sharding does not fit the arrays",
        (r"All buffers must have the same element type and count",),
        kinds=_TEXT,
        next=("clusterwright check-job {file} JOBFILE",),
    ),
    Signature(
        "loop-devices",
        "container: the node has no free loop device for the image: Apptainer needs one for each "
        "image without FUSE (squashfuse)",
        (r"no loop devices available", r"failed to find loop device"),
        kinds=_TEXT,
        next=("srun --nodelist={node} losetup --all", "srun losetup --all"),
    ),
)

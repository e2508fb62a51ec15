"""Libraries of a job that do not fit each other or the GPU, and data sets that cannot be read.

Sources: threads in docs/explanations/diagnosed-failures-sixth-hold-out.yaml; CUDA's and cuDNN's
documentation of status codes.
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis.signature import Signature, Values

_TEXT: Final = ("log", "job")
_JOB_FILE: Final = "clusterwright check-job {file} JOBFILE"


def _assertion(values: Values) -> str:
    """What a kernel checked on the GPU: almost always an index."""
    said = values["assertion"]
    index = any(word in said.lower() for word in ("ind", "target", "t >= 0", "class", "<"))
    what = (
        "an index is outside its tensor: a token outside the vocabulary, a label or a position that "
        "the model does not have"
        if index
        else "a check of its input failed"
    )
    return f"CUDA: a kernel's assertion failed on the GPU: {what}: {said}"


SIGNATURES: Final = (
    Signature(
        "library-builds",
        "the job's environment mixes libraries of different builds: one was built for another "
        "version of PyTorch, CUDA or cuDNN than is loaded: {reason}",
        (
            # NCCL's symbols are those of another plug-in or version of NCCL.
            r"(?P<reason>[^\s/]{1,80}\.so[\w.]{0,20}: undefined symbol: (?!nccl)[^\n]{1,100})",
            r"(?P<reason>Could not load library libcudnn[^\n]{1,120})",
            r"(?P<reason>CUDNN_STATUS_(?:SUBLIBRARY_)?VERSION_MISMATCH)",
            r"(?P<reason>cuDNN version (?:mismatch|incompatibility)[^\n]{0,120})",
            r"(?P<reason>Loaded runtime CuDNN library: [^\n]{1,20}but source was compiled with[^\n]{1,20})",
        ),
        kinds=_TEXT,
        next=(_JOB_FILE,),
    ),
    Signature(
        "kernel-image",
        "CUDA: a kernel was compiled for another GPU, or by a newer toolkit than the driver "
        "supports: {reason}",
        (
            r"(?P<reason>device kernel image is invalid|no kernel image is available[^\n]{0,40}|provided PTX was compiled with an "
            r"unsupported toolchain|cudaErrorUnsupportedPtxVersion|cudaErrorInvalidKernelImage|"
            r"CUDA_ERROR_UNSUPPORTED_PTX_VERSION|CUDA_ERROR_INVALID_IMAGE)",
        ),
        kinds=_TEXT,
        next=(_JOB_FILE,),
    ),
    Signature(
        "device-assertion",
        _assertion,
        (r"\.cuh?:\d+: [^\n]{0,200}Assertion [`'](?P<assertion>[^`'\n]{1,120})[`'] failed",),
        kinds=_TEXT,
        next=(_JOB_FILE,),
    ),
    Signature(
        "compiling",
        "a kernel or extension cannot be compiled on the node: the image lacks a library or "
        "header: {reason}",
        (
            r"\bld: (?P<reason>cannot find -l[\w.-]{1,60})",
            r"fatal error: (?P<reason>Python\.h: No such file)",
        ),
        kinds=_TEXT,
        next=(_JOB_FILE,),
    ),
    Signature(
        # What PyTorch says after the compiler.
        "extension-build",
        "an extension ({name}) cannot be built on the node; the compiler's messages before it say "
        "why",
        (r"Error building extension '(?P<name>[\w.-]{1,60})'",),
        kinds=_TEXT,
        confidence="likely",
        rank=2,
        next=(_JOB_FILE,),
    ),
    Signature(
        "data-object",
        "a data set's object cannot be read from S3: {url}",
        (
            r"(?:download failed:|Failed to download) (?P<url>s3://[^\s'\"]{1,300})",
            r"Object ?(?P<url>s3://[^\s'\"]{1,300}) not found",
            r"aws s3 cp (?P<url>s3://[^\s'\"]{1,300}) -[^\n]{0,120}\bexit [1-9]",
        ),
        confidence="likely",
        # A refusal or a lost network is the cause where the log has one.
        rank=1,
        kinds=_TEXT,
        next=("clusterwright status {file}",),
    ),
    Signature(
        "data-archive",
        "a file of a data set or checkpoint is damaged or was not written whole: {reason}",
        (
            r"(?P<reason>(?:tarfile\.ReadError|zipfile\.BadZipFile|gzip\.BadGzipFile|zlib\.error)"
            r": [^\n]{1,120})",
            # PyTorch, of a storage in a file of its own format.
            r"(?P<reason>storage has wrong (?:byte )?size: expected -?\d+ got -?\d+)",
            r"(?P<reason>Parquet magic bytes not found[^\n]{0,80})",
            r"(?P<reason>Compressed file ended before the end-of-stream[^\n]{0,60})",
        ),
        confidence="likely",
        kinds=_TEXT,
        next=("ls -l {path}", "ls -l DATA_FOLDER"),
    ),
)

"""Errors of native libraries, by their own forms: see `native_errors.py`."""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis import native_errors
from clusterwright.diagnosis.signature import Signature

_TEXT: Final = ("log", "job")
_JOB_FILE: Final = "clusterwright check-job {file} JOBFILE"
_DRIFT: Final = "clusterwright drift {file}"

SIGNATURES: Final = (
    Signature(
        "gpudirect-storage",
        native_errors.cufile,
        (
            r"\bERROR\s{1,4}(?:cufio[\w-]*|cufile):\d+ (?P<reason>[^\n]{3,200})",
            r"\[pid=\d+ tid=\d+\] ERROR\s{1,4}\w*:\d+ (?P<reason>[^\n]{3,200})",
        ),
        confidence="likely",
        rank=1,
        kinds=_TEXT,
        next=(_DRIFT,),
    ),
    Signature(
        "libfabric-option",
        "network of jobs: the aws-ofi-nccl plug-in asks for an option of libfabric that the libfabric of the "
        "node or image does not have: one of them is older than the other ({option})",
        (
            r"(?:Couldn't|Could not|Failed to) set (?P<option>FI_OPT_\w{3,60})[^\n]{0,60}(?:Protocol not available|not "
            r"supported|-92|Function not implemented)",
        ),
        kinds=_TEXT,
        next=(_JOB_FILE, _DRIFT),
        rules=("CW-I030",),
    ),
    Signature(
        "ucx-device",
        "network of jobs: UCX asks the network interface for what it does not support, as EFA does not "
        "support shared receive queues: let MPI use libfabric (--mca pml cm), not UCX: {reason}",
        (
            r"(?P<reason>ibv_\w{3,40}\(\) failed: (?:Operation|Function) not (?:supported|implemented))",
            r"pml_ucx\.c:\d+ {1,4}Error: (?P<reason>Failed to create UCP \w{3,20})",
        ),
        confidence="likely",
        kinds=_TEXT,
        next=(_JOB_FILE,),
    ),
    Signature(
        "assertion",
        native_errors.assertion,
        (
            r"(?P<file>[\w./+-]{2,200}\.(?:c|cc|cpp|cxx|h|hpp)):\d+: (?P<function>[^\n]{0,300}?): ?(?:\\\s*)?Assertion "
            r"[`'](?P<assertion>[^\n]{1,200})[`'] failed",
            # As `assert` of the C library writes it where the file is not of the build.
            r"^(?:[\w./+-]{1,120}: )?(?P<function>(?:[\w:<>,*&~ ]{1,120} )?[\w:<>~]{2,120}\([^\n]{0,160}\)(?: const)?): Assertion "
            r"[`'](?P<assertion>[^\n]{1,200})[`'] failed",
            # CHECK of glog and abseil: the severity F, the file, and what is not so.
            r"(?:\((?:pid=)?(?P<function>raylet|gcs_server|core_worker)\b[^\n)]{0,60}\) )?"
            r"(?:\bF\d{4} \d\d:\d\d:\d\d\.\d{3,9} {1,3}\d+|\d: F) (?P<file>[\w./+-]{2,200}\.(?:c|cc|cpp|cu|h)):\d+\] {1,3}"
            r"Check failed: (?P<assertion>[^\n]{1,200})",
            r"^\[[\d: ,.-]{10,40} C \d+ \d+\] (?:\((?P<function>\w+)\) )?(?P<file>[\w./+-]{2,200}\.(?:cc|cpp|h)):\d+: {1,3}"
            r"(?:\[[^\]\n]{1,80}\] )?Check failed: (?P<assertion>[^\n]{1,200})",
        ),
        confidence="likely",
        rank=1,
        kinds=_TEXT,
        next=(_JOB_FILE,),
    ),
    Signature(
        "s3-runtime",
        native_errors.runtime,
        (r"\b(?P<code>AWS_(?:ERROR|IO|AUTH)_[A-Z0-9_]{3,60})\b",),
        confidence="likely",
        rank=1,
        kinds=_TEXT,
        next=("aws sts get-caller-identity",),
    ),
    Signature(
        "sshd-keys",
        "network of jobs: sshd has no host keys in its container or on the node, so no other node can log in: "
        "make them with `ssh-keygen -A`, or mount them",
        (r"sshd: no hostkeys available|(?:Unable to|Could not) load host key: /",),
        kinds=_TEXT,
        confidence="likely",
        next=("ssh-keygen -A",),
    ),
)

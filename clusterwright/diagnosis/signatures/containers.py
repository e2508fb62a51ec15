"""Containers of jobs under Slurm: pyxis, enroot and Apptainer, in their own words.

Sources: NVIDIA/pyxis 0.11 to 0.20 and NVIDIA/enroot 3.4 to 4.0, messages of their sources;
apptainer/apptainer (internal/pkg/runtime/engine) and cncf-tags/container-device-interface
(pkg/cdi), texts of Errorf; threads
in docs/explanations/diagnosed-failures.yaml and its hold-outs.
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis.parts import part, whole, wrong_part
from clusterwright.diagnosis.signature import Signature, Values

_TEXT: Final = ("log", "job")
_JOB_FILE: Final = "clusterwright check-job {file} JOBFILE"
_NODE: Final = "clusterwright diagnose {file} node {node}"

_APPTAINER: Final = (
    part(
        "the kernel does not allow it user namespaces",
        r"namespaces?\b|[ug]id.?map|setgroups|\bsubuid\b|fakeroot",
    ),
    part(
        "the image of the container cannot be mounted: its file is damaged or cannot be read, or "
        "the node or the container around it gives no FUSE (/dev/fuse) or loop device",
        r"image driver|squashfs|squashfuse|mount(?:ing)? image|fuse2fs|fuse-overlayfs|fusermount|"
        r"/dev/fuse|\bloop\b",
    ),
    part(
        "a folder cannot be mounted in the container: it does not exist on the node, or the image "
        "has no place for it",
        r"\bmount|\bbind\b|\bstat \S+:|destination|overlay|session",
    ),
)


def _apptainer(values: Values) -> str:
    """Why Apptainer cannot make a container, by what it was doing."""
    reason = values["reason"]
    said = wrong_part(_APPTAINER, reason) or "the container cannot be made"
    return f"container: Apptainer: {whole(said, reason)}"


SIGNATURES: Final = (
    Signature(
        "cdi-devices",
        "container: the CDI specification of the node does not fit its devices: it is missing, or "
        "was written for other GPUs or another driver (nvidia-ctk cdi generate writes it): "
        "{reason}",
        (
            r"(?P<reason>(?:failed to (?:stat|validate|load|parse|read|resolve)|conflicting|invalid) "
            r"(?:\w+ ){0,2}CDI (?:host )?(?:devices?|[sS]pecs?|[sS]pecification)\b[^\n]{0,160})",
            r"^(?![^\n]*OCI runtime)[^\n]{0,200}?(?P<reason>unresolvable CDI devices[^\n]{0,120})",
        ),
        next=("clusterwright drift {file}",),
    ),
    Signature(
        "image-layer",
        "a container image: a layer came incomplete or changed ({reason}): the registry, a proxy or a full "
        "disk cut the download off; pull it again",
        (
            r"(?P<reason>failed size validation: \d+ != \d+|unexpected commit digest|failed to verify layer|"
            r"short read: expected \d+ bytes)",
        ),
        confidence="likely",
        next=("clusterwright artefacts check {file}",),
    ),
    Signature(
        "pyxis-missing",
        "container: Slurm has no pyxis plug-in here: it is not installed, or plugstack.conf of this "
        "node or of the node where the job was submitted does not load it",
        (
            r"SPANK plugin \"?pyxis\"? option [^\n]{0,60}not found",
            r"(?:unrecognized|unknown|invalid) option:? ['\"\u2018]?-{0,2}container-(?:image|mounts|name)",
        ),
        kinds=_TEXT,
        next=("clusterwright drift {file}", _NODE),
    ),
    Signature(
        "enroot-program",
        "container: enroot needs the program {program}, which is not installed on the node",
        (r"\[ERROR\] Command not found: (?P<program>[\w.+-]{1,60})",),
        kinds=_TEXT,
        next=("clusterwright drift {file}",),
    ),
    Signature(
        "user-namespaces",
        "container: the node does not allow user namespaces to users, which rootless containers need "
        "(sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone or AppArmor)",
        (
            r"failed to create user namespace|user namespaces? (?:are|is) (?:disabled|not)|"
            r"max_user_namespaces|unprivileged_userns\w*[^\n]{0,40}(?:denied|restrict)|"
            r"(?:unshare|clone)\(?(?:CLONE_NEWUSER|[^\n]{0,20}user namespace)[^\n]{0,40}(?:fail|not permitted)|"
            r"unshare: unshare failed|new(?:uid|gid)map: [^\n]{0,80}(?:fail|not allowed|not permitted)",
        ),
        kinds=_TEXT,
        next=("clusterwright drift {file}",),
    ),
    Signature(
        "image-damaged",
        "container: an image (squashfs) cannot be read or written: its file is damaged or cut off, or "
        "its disk is full or fails: {reason}",
        (
            r"^(?![^\n]*No space left)[^\n]*?(?P<reason>SQUASHFS error: [^\n]{3,120}|(?:un|mk)squashfs[^\n]{0,20}: [^\n]{0,40}(?:error|fail|corrupt)"
            r"[^\n]{0,80}|Can't find a SQUASHFS superblock[^\n]{0,60}|FATAL ERROR: ?(?:Failed to (?:read|write)|"
            r"data_reader|writer|Corrupted|Could not)[^\n]{0,80}|Could not create destination file[^\n]{0,60})",
        ),
        confidence="likely",
        # pyxis and the reason, such as a full disk, stand beside it.
        rank=1,
        kinds=_TEXT,
        next=("clusterwright artefacts check {file}", _NODE),
    ),
    Signature(
        "container-mount",
        "container: {path} cannot be mounted in the container: {reason}",
        (
            r"enroot-mount: failed to mount: (?P<path>\S{1,200}) at [^\n]{1,300}: "
            r"(?P<reason>[^\n:]{3,80})$",
        ),
        kinds=_TEXT,
        next=(_JOB_FILE,),
    ),
    Signature(
        "nvidia-runtime",
        "container: NVIDIA's container toolkit (its runtime) is not installed on the node, or the "
        "container engine is not configured to use it",
        (
            r"exec: \\?\"nvidia-container[\w.-]{0,40}\\?\": [^\n]{0,40}not found|"
            r"could not select device driver[^\n]{0,80}gpu|"
            r"(?:unknown|invalid) runtime (?:name|specified):? ?\S?nvidia|"
            r"nvidia-container-(?:runtime|toolkit|cli)[^\n]{0,40}(?:no such file|command not found)|"
            r"no runtime for \\?\"nvidia\\?\" is configured",
        ),
        next=("clusterwright drift {file}",),
    ),
    Signature(
        "apptainer",
        _apptainer,
        (r"\bFATAL: +container creation failed: (?P<reason>[^\n]{3,400})",),
        confidence="likely",
        kinds=_TEXT,
        next=(_JOB_FILE, _NODE),
    ),
    Signature(
        "container-program",
        "container: its first program {program} cannot be executed (entrypoint or shell): {reason}",
        (
            r"enroot-switchroot: failed to execute: (?P<program>[^\s:]{1,200}): "
            r"(?P<reason>[^\n]{3,80})",
            r"exec(?:: |\(\) )\\?\"(?P<program>[^\"\\\n]{1,200})\\?\": (?P<reason>[^\n]{0,60}(?:not "
            r"found|no such file|permission denied))",
        ),
        kinds=_TEXT,
        next=(_JOB_FILE,),
    ),
    Signature(
        "enroot-directory",
        "container: enroot or pyxis may not write {path}: the directory must exist and belong to "
        "the user",
        (
            r"(?:cannot|couldn't|could not|unable to) (?:create|open|write|mkdir)[^\n']{0,40}?"
            r"[ '\"](?P<path>/[^\s'\"]{0,120}(?:enroot|pyxis)[^\s'\":]{0,120})['\"]?: "
            r"(?:Permission denied|No such file|Read-only)",
        ),
        kinds=("log", "job", "scheduler-node"),
        next=("clusterwright drift {file}", _NODE),
    ),
    Signature(
        "container-report",
        "a container image cannot be pulled, unpacked or started; the messages of pyxis and enroot "
        "before this one say why",
        (
            r"pyxis: +(?:child \d+ failed with error code|failed to import docker image|failed to "
            r"create container|couldn't start container|if the image has an unusual entrypoint|"
            r"FATAL ERROR: ?Failed to write to output filesystem)",
            r"required plugin spank_pyxis\.so: \w+\(\) failed with rc=-?\d+|"
            r"Failed to invoke spank plugin stack|Plugin stack initialization failed",
        ),
        kinds=_TEXT,
        confidence="possible",
        rank=2,
        next=("clusterwright artefacts check {file}",),
    ),
)

"""Parts of pyxis and enroot, by the words of their messages.

Sources: NVIDIA/pyxis 0.11 to 0.24 and NVIDIA/enroot 3.4 to 4.1, read 2026-11.
"""

from __future__ import annotations

import functools
import re
from typing import Final

from clusterwright.diagnosis import parts
from clusterwright.diagnosis.parts import Part, part

_POSSIBLE: Final = (
    ": it does not exist, the registry refuses or is not reached, or the disk of the node's cache "
    "is full; the messages of enroot say which"
)
_part: Final = functools.partial(part, depth=1)
"""Of the messages of one start, the first says why, and the others follow."""

PARTS: Final[tuple[Part, ...]] = (
    _part(
        "the file of an image (squashfs) is damaged, or written by several nodes at once: the "
        "runtime folder of pyxis or the cache of enroot is on a file system that they share",
        r"SQUASHFS superblock|existing filesystem|filesystem is corrupted",
    ),
    _part(
        "an option --container-* of the job is missing, has a wrong form or contradicts another",
        r"argument required|specified multiple times|invalid format|must be |"
        r"empty (?:name|namespace)|unknown namespace|both --|flag must|requested but|"
        r"flag was passed|is a directory|Invalid argument|Unsupported option",
    ),
    _part(
        "a source of --container-mounts does not exist on the node, or is not mounted there",
        r"source path does not exist|mount entry|failed to mount|bind mount|"
        r"failed to (?:resolve path|parse (?:mount|fstab))|Could not mount",
        r"enroot-mount",
    ),
    _part(
        "a container of this name does not exist or does not run on the node (--container-name), "
        "and no image is given",
        r"container with name|container does not exist|does not exist, and|Process not found|"
        r"No such container|container (?:is )?not running",
    ),
    _part(
        "a file or container of this name exists already: remove it, or use another name",
        r"already exists",
    ),
    _part(
        "the setting of pyxis or enroot on the node (plugstack.conf, enroot.conf) is not valid",
        r"parse configuration|invalid value|configuration option|register (?:arguments|option)|"
        r"path too long|must be an absolute path|is required for|(?-i:ENROOT_)\w+",
    ),
    _part(
        f"the image cannot be imported{_POSSIBLE}",
        r"import\w*|docker image|download|registr(?:y|ies)|manifest|digest|layer|authentication|"
        r"realm|Could not (?:find image|process JSON|parse authentic)|URL|checksum|"
        r"mksquashfs|unsupported architecture|image reference|URI|squashfs (?:path|/)|"
        r"remove squashfs",
        r"mksquashovlfs|aufs2ovlfs",
    ),
    _part(
        "the container's file system cannot be made from its image: the disk is full or not "
        "writable, the image is damaged, or user namespaces or overlayfs are not allowed",
        r"create container|container filesystem|unsquashfs|squashfuse|overlay|whiteout|extract|"
        r"rootfs|root filesystem|Could not (?:acquire|unpack|create)|bundle|image file",
    ),
    _part(
        "the node's GPUs or interfaces cannot be given to the container: the container toolkit, "
        "the driver or its variables (NVIDIA_*, MELLANOX_*)",
        r"NVIDIA|MELLANOX|libnvidia-container|driver capabilit|device id|kernel module",
        r"nvidia|mellanox",
    ),
    _part(
        "the container did not start: its entrypoint, shell or a hook of enroot failed; the "
        "messages before this one say why",
        r"start(?:ed)? (?:container|error|failed)|container start|failed to start|"
        r"exited too soon|entrypoint|start configuration|another task|previous task|setup lock|"
        r"SIGCONT|exited with return code|failed to execute|child process terminated|"
        r"(?:execute|run) enroot|terminated with signal|failed with (?:error|exit) code",
    ),
    _part(
        "the container's namespaces cannot be made or joined: the kernel does not allow user "
        "namespaces, or the container ended meanwhile",
        r"namespace|seccomp|capabilit\w*|pidfd|setgroups|[ug]id (?:map|range)|sub[ug]id|ns\b|"
        r"chroot|pivot|no_new_privs|IPC|mount propagation",
        r"nsenter|switchroot|unshare",
    ),
    _part(
        "the container cannot be saved or exported (--container-save): the path or its disk",
        r"export",
    ),
    _part(
        "the environment or the working directory of the job cannot be taken into the container",
        r"environ\w*|chdir|cwd|change directory|workdir|argv|(?:set|unset|get) \w+:|"
        r"job (?:id|uid|gid|step|argv|task|suppl|env|local|total)",
    ),
    _part(
        "a container of an ended job cannot be removed from the node: its folders fill the disk",
        r"epilog|clean ?up|remove container|was not removed|list of (?:existing )?containers?",
        depth=None,
    ),
    _part(
        "a folder or file of pyxis or enroot on the node cannot be made or written: it must "
        "exist, belong to the user and have room",
        r"mkdir|chown|couldn't (?:create|open|write|rewind)|could not (?:create|open|fdopen)|"
        r"failed to (?:create|open|write|read|set (?:owner|xattr|permissions)|remove|rename)|"
        r"memory|No such file",
    ),
    _part(
        "a program that enroot needs is missing or fails on the node",
        r"Command not found|missing dependenc|not (?:found|installed)|command failed",
    ),
)
"""In the order in which they are tried."""


_ENROOT: Final = re.compile(
    # The messages of enroot's own common::err, as its command writes them.
    r"^(?:\S{1,40}: )?\[ERROR\] (?P<message>(?:Could not (?:retrieve|acquire|parse|change|find|"
    r"process|extract|unpack)|Unsupported (?:authentication|architecture)|"
    r"\S+ exited with return code|Invalid image (?:format|reference)|Checksum validation|"
    r"Unknown (?:NVIDIA|MELLANOX)|(?:Missing directive )?ENROOT_|Process not found|URL https?://|"
    r"Failed to mount:|No such file or directory: |File already exists: |Command not found: |"
    r"Missing dependenc)[^\n]{0,300})"
)
_STATUS: Final = re.compile(r"\bURL https?://\S+ returned error code: (?P<code>[45]\d\d)\b")
_STATUSES: Final = {
    "401": "the registry refuses the credentials, or they are missing or have expired; or it has "
    "no such image",
    "403": "the registry refuses the credentials, or they may not read the image",
    "404": "the image does not exist in the registry under this name and tag",
    "429": "the registry refuses more pulls for a while (its limit of the rate)",
}
"""Statuses of HTTP with which registries answer (OCI Distribution Specification, error codes)."""


def enroot(text: str) -> str | None:
    """What is wrong by a line of enroot's command; None for lines of others."""
    found = _ENROOT.search(text)
    return None if found is None else cause(found["message"])


def cause(message: str, place: str = "") -> str | None:
    """What is wrong by a message of pyxis or enroot; None where no part has it."""
    status = _STATUS.search(message)
    if status is not None:
        answer = _STATUSES.get(
            status["code"],
            "the registry failed"
            if status["code"].startswith("5")
            else "the registry refuses the request",
        )
        return f"container: the image cannot be imported: {answer}: {message}"
    said = parts.wrong_part(PARTS, parts.own_words(message), place)
    if said is not None and parts.reason(message) and "remove" not in message:
        # What the system answered is the one of the possibilities that is so, except to removing
        # what was not made.
        said = said.removesuffix(_POSSIBLE)
    return f"container: {parts.whole(said, message)}" if said else None

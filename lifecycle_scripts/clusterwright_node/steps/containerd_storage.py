"""Move containerd's images from the root volume to scratch or the additional EBS volume.

Docker 29 and later keeps its images in containerd where it is installed anew
(docs.docker.com/engine/storage/containerd), with the build cache: Docker's `data-root` does not
move them, and the root volume becomes full (awslabs/awsome-distributed-ai #913). Of config.toml
only the setting `root` of the whole file is ours (containerd-config.toml(5)); commented lines are
ignored, which the fix of the samples did not do (#914). containerd is restarted after a change if
no container of Docker runs; otherwise the change waits.
"""

from __future__ import annotations

import json
import re

from clusterwright_node import disk_space, root_folders, systemd
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip
from clusterwright_node.paths import is_under
from clusterwright_node.steps import docker_storage

AFTER = ("scratch", "users")
DEADLINE_SECONDS = 180
RETRIES = 2

CONF = "/etc/containerd/config.toml"
UNIT = "containerd.service"
DROP_IN = f"{systemd.UNIT_FOLDER}/{UNIT}.d/90-clusterwright.conf"
_RESTARTING = "containerd_storage: restart containerd"
_MODE = 0o711
_SETTING = re.compile(r"""^\s*root\s*=\s*(?P<value>"[^"\n]*"|'[^'\n]*')\s*(?:#.*)?$""")


def applies(node: Node) -> Verdict:
    if disk_space.place(node) is None:
        return skip(f"group {node.group.name} {disk_space.NONE}")
    if not systemd.exists(node, UNIT):
        return skip(f"the image has no {UNIT}")
    return APPLIES


def check(node: Node) -> Verdict:
    given = _place_by_flag(node)
    if given is not None:
        node.notice(f"containerd's unit sets --root itself: {given}; not changed")
        return SATISFIED
    if not _has_room(node):
        return missing(f"root of {CONF} is not below {disk_space.of(node)}")
    if not node.machine.exists(_root(node)):
        return missing(f"{_root(node)} does not exist")
    if node.machine.read_text(DROP_IN) != disk_space.drop_in(node):
        return missing(f"{DROP_IN} is outdated")
    if node.journal.begun(_RESTARTING) is None:
        return SATISFIED
    if docker_storage.has_containers(node):
        node.notice(
            "containers are running, so containerd uses the new root after its next restart"
        )
        return SATISFIED
    return missing("containerd does not use the new root")


def apply(node: Node) -> None:
    if not node.machine.exists(_root(node)):
        root_folders.make(node, _root(node), _MODE)
    changed = node.machine.read_text(DROP_IN) != disk_space.drop_in(node)
    if changed or not _has_room(node):
        node.journal.begin(_RESTARTING, CONF)
    if not _has_room(node):
        node.machine.write_text(CONF, _with_root(node.machine.read_text(CONF) or "", _root(node)))
    if changed:
        node.machine.write_text(DROP_IN, disk_space.drop_in(node))
    # Always: a run that was killed after it wrote the file has not reloaded.
    node.machine.change("systemctl", "daemon-reload")
    if docker_storage.has_containers(node):
        return
    if systemd.is_active(node, UNIT):
        systemd.restart(node, UNIT)
        if systemd.is_active(node, docker_storage.UNIT):
            # Docker would continue with images that no longer exist.
            systemd.restart(node, docker_storage.UNIT)
    node.journal.end(_RESTARTING)


def _root(node: Node) -> str:
    """The path in the file if it is on that volume; else a folder of this program there."""
    said = _said(node.machine.read_text(CONF) or "")
    if said is not None and is_under(said, disk_space.of(node)):
        return said
    return disk_space.of(node) + "/containerd"


def _has_room(node: Node) -> bool:
    return _said(node.machine.read_text(CONF) or "") == _root(node)


def _said(text: str) -> str | None:
    """`root` of the whole file: before its first table, and not commented out."""
    for line in _head(text):
        found = _SETTING.match(line.rstrip("\n"))
        if found:
            return found["value"][1:-1]
    return None


def _with_root(text: str, place: str) -> str:
    """The text with the setting replaced, or added as the first line.

    A top-level key may stand anywhere before the first table, so the first line is right.
    """
    head = _head(text)
    rest = text.splitlines(keepends=True)[len(head) :]
    kept = [line for line in head if not _SETTING.match(line.rstrip("\n"))]
    return "".join([f"root = {json.dumps(place)}\n", *kept, *rest])


def _head(text: str) -> list[str]:
    """The lines before the first table."""
    lines = text.splitlines(keepends=True)
    for index, line in enumerate(lines):
        if line.lstrip().startswith("["):
            return lines[:index]
    return lines


def _place_by_flag(node: Node) -> str | None:
    """The root that the unit's command line gives, which wins over the file's."""
    return disk_space.by_flag(node, UNIT, "containerd", "--root")

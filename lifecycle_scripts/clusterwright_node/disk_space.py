"""The disk space for images and containers, which is not the root volume.

The instance-store disks if the group has `scratch`, else the additional EBS volume of the group
(`ebs`), which HyperPod's image mounts at /opt/sagemaker: the controller and login nodes have no
instance-store disks, and images are built there (awslabs/awsome-distributed-ai
#187, #913).
"""

from __future__ import annotations

import shlex

from clusterwright_node.mounts import mount_at
from clusterwright_node.node import Node

VOLUME = "/opt/sagemaker"
NONE = "has no scratch disks, and nothing is mounted at " + VOLUME


def place(node: Node) -> str | None:
    """The path of a mount, None if there is only the root volume."""
    if node.group.scratch is not None:
        return node.group.scratch.mount_path
    mounted = mount_at(node, VOLUME)
    return None if mounted is None or mounted.is_read_only else VOLUME


def of(node: Node) -> str:
    """As `place`, for steps that apply only if there is such a mount."""
    found = place(node)
    assert found is not None, "applies checks it"
    return found


def drop_in(node: Node) -> str:
    """A drop-in with which a unit waits for the mount, and does not use the empty folder."""
    return (
        "# Written by clusterwright_node.\n[Unit]\n"
        f"RequiresMountsFor={of(node)}\nAfter=dlami-nvme.service\n"
    )


def by_flag(node: Node, unit: str, program: str, *flags: str) -> str | None:
    """The path in a unit's command line, None if it has none."""
    result = node.machine.query("systemctl", "cat", unit)
    for line in result.stdout.splitlines():
        if not line.startswith("ExecStart=") or program not in line:
            continue
        try:
            words = shlex.split(line)
        except ValueError:
            continue
        for index, word in enumerate(words):
            name, _, value = word.partition("=")
            if name in flags:
                return value or "".join(words[index + 1 : index + 2])
    return None

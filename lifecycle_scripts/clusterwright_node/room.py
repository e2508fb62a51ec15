"""Where there is room for images and containers: not on the root volume.

The instance's own drives where the spec gives them to the group (`scratch`), else the further EBS
volume of the group (`ebs`), which HyperPod's image mounts at /opt/sagemaker: the controller and
login nodes have no drives of their own, and images are built there (awslabs/awsome-distributed-ai
#187, #913).
"""

from __future__ import annotations

import shlex

from clusterwright_node.mounts import mount_at
from clusterwright_node.node import Node

VOLUME = "/opt/sagemaker"
NONE = "has no scratch disks, and nothing is mounted at " + VOLUME


def place(node: Node) -> str | None:
    """A mount's path, None where there is only the root volume."""
    if node.group.scratch is not None:
        return node.group.scratch.mount_path
    mounted = mount_at(node, VOLUME)
    return None if mounted is None or mounted.is_read_only else VOLUME


def of(node: Node) -> str:
    """As `place`, for steps that apply only where there is one."""
    found = place(node)
    assert found is not None, "applies checks it"
    return found


def drop_in(node: Node) -> str:
    """A unit with it does not start on the empty folder below a mount that is still to come."""
    return (
        "# Written by clusterwright_node.\n[Unit]\n"
        f"RequiresMountsFor={of(node)}\nAfter=dlami-nvme.service\n"
    )


def by_flag(node: Node, unit: str, program: str, *flags: str) -> str | None:
    """The place that a unit's command line gives its program, None where it gives none."""
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

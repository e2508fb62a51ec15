"""Mount every Lustre file system, and verify that it is writable.

In the managed configuration HyperPod mounts those of its instance groups (at most four storage
entries per group), ParallelCluster those of its SharedStorage, and this step waits for the mounts.
It mounts the others, and all in the scripted configuration and on PCS, by units that wait for the
network after a reboot.
"""

from __future__ import annotations

from clusterwright_node import systemd
from clusterwright_node.contract import Lustre
from clusterwright_node.errors import StepError
from clusterwright_node.mounts import is_automounted, mount_at, wake_automount, why_not_writable
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("clock", "lnet_efa", "network")
DEADLINE_SECONDS = 600
RETRIES = 20

_OPTIONS = "noatime,flock,_netdev"
_UNIT_LINES = (
    "Wants=network-online.target\nAfter=network-online.target clusterwright-lnet-efa.service\n"
)
_HINT = (
    "the security groups of nodes and file system must allow ports 988 and 1018-1023 both ways,"
    " and the file system must be AVAILABLE"
)


def applies(node: Node) -> Verdict:
    return APPLIES if node.inputs.cluster.lustre else skip("the cluster has no Lustre file system")


def check(node: Node) -> Verdict:
    for entry in node.inputs.cluster.lustre:
        reason = _why_not_usable(node, entry)
        if reason is not None:
            return missing(reason)
    return SATISFIED


def apply(node: Node) -> None:
    for entry in node.inputs.cluster.lustre:
        if _is_ours(node, entry) and not systemd.has_unit(
            node, _unit(entry), _unit_text(node, entry)
        ):
            _mount(node, entry)
    node.wait_until(lambda: check(node).reason or None, _HINT, every_seconds=5.0)


def _why_not_usable(node: Node, entry: Lustre) -> str | None:
    path = entry.mount_path
    mounted = mount_at(node, path)
    if mounted is None and is_automounted(node, path):
        wake_automount(node, path)
        mounted = mount_at(node, path)
    if mounted is None:
        platform = f"{node.platform} has not mounted"
        by = "nothing has mounted" if _is_ours(node, entry) else platform
        return f"{by} Lustre file system {entry.name} at {path}"
    mount_name = node.inputs.deployment.lustre_named(entry.name).mount_name
    if mounted.kind != "lustre" or not mounted.source.endswith(":/" + mount_name):
        raise StepError(
            f"{mounted.source} at {path} is {mounted.kind} ({mounted.options}), not Lustre file"
            f" system {entry.name} (mount name {mount_name})",
            "unmount it, or correct lustre.mount_path",
        )
    if _is_ours(node, entry) and not systemd.has_unit(node, _unit(entry), _unit_text(node, entry)):
        return f"the mount at {path} would not be restored after a reboot"
    return why_not_writable(node, path)


def _is_ours(node: Node, entry: Lustre) -> bool:
    return not node.is_mounted_for or not entry.by_platform


def _mount(node: Node, entry: Lustre) -> None:
    node.machine.make_directory(entry.mount_path)
    systemd.install_unit(node, _unit(entry), _unit_text(node, entry), timeout_seconds=130.0)


def _unit(entry: Lustre) -> str:
    return systemd.escaped(entry.mount_path) + ".mount"


def _unit_text(node: Node, entry: Lustre) -> str:
    source = node.inputs.deployment.lustre_named(entry.name).source
    return systemd.mount_unit(
        f"FSx for Lustre {entry.name}",
        source,
        entry.mount_path,
        "lustre",
        _OPTIONS,
        _UNIT_LINES,
        "remote-fs.target",
    )

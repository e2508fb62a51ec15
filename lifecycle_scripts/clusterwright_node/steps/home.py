"""Mount the shared home directories (OpenZFS over NFS), and verify that they are writable.

In the managed configuration HyperPod mounts them, ParallelCluster does too, and this step waits
for the mount. In the scripted configuration and on PCS it mounts them itself, by a unit that waits
for the network after a reboot.
"""

from __future__ import annotations

from clusterwright_node import systemd
from clusterwright_node.contract import DeployedHome
from clusterwright_node.errors import StepError
from clusterwright_node.mounts import is_automounted, mount_at, wake_automount, why_not_writable
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("clock", "network")
DEADLINE_SECONDS = 600
RETRIES = 20

_OPTIONS = "nfsvers=4.2,nconnect=16,noatime,_netdev"
_UNIT_LINES = "Wants=network-online.target\nAfter=network-online.target\n"
_HINT = (
    "the security groups must allow NFS (port 2049), and the volume must export with rw and"
    " no_root_squash to the nodes' subnet"
)


def applies(node: Node) -> Verdict:
    if node.inputs.cluster.home is None:
        return skip("home directories are on the disk of each node")
    return APPLIES


def check(node: Node) -> Verdict:
    reason = _why_not_usable(node)
    return SATISFIED if reason is None else missing(reason)


def apply(node: Node) -> None:
    path = node.inputs.cluster.home_base
    if not node.is_mounted_for and not systemd.has_unit(node, _unit(path), _unit_text(node)):
        node.machine.make_directory(path)
        systemd.install_unit(node, _unit(path), _unit_text(node), timeout_seconds=130.0)
    node.wait_until(lambda: _why_not_usable(node), _HINT, every_seconds=5.0)


def _why_not_usable(node: Node) -> str | None:
    path = node.inputs.cluster.home_base
    mounted = mount_at(node, path)
    if mounted is None and is_automounted(node, path):
        wake_automount(node, path)
        mounted = mount_at(node, path)
    if mounted is None:
        by = f"{node.platform} has not mounted" if node.is_mounted_for else "nothing has mounted"
        return f"{by} the home directories at {path}"
    home = _deployed(node)
    if mounted.kind not in ("nfs", "nfs4") or mounted.source.rstrip("/") != home.source:
        raise StepError(
            f"{mounted.source} at {path} is {mounted.kind}, not the OpenZFS volume {home.source}",
            "unmount it, or correct home.mount_path",
        )
    if not node.is_mounted_for and not systemd.has_unit(node, _unit(path), _unit_text(node)):
        return f"the mount at {path} would not be restored after a reboot"
    return why_not_writable(node, path)


def _deployed(node: Node) -> DeployedHome:
    home = node.inputs.deployment.home
    assert home is not None, "verify_inputs checks it"
    return home


def _unit(path: str) -> str:
    return systemd.escaped(path) + ".mount"


def _unit_text(node: Node) -> str:
    path = node.inputs.cluster.home_base
    return systemd.mount_unit(
        "FSx for OpenZFS homes",
        _deployed(node).source,
        path,
        "nfs",
        _OPTIONS,
        _UNIT_LINES,
        "remote-fs.target",
    )

"""Create a scratch file system on the local NVMe disks.

HyperPod's image does this on most types (dlami-nvme.service, /opt/dlami/nvme): then its mount is
used, under another path by a bind mount. Otherwise the disks become one RAID 0 array with XFS,
mounted by a unit. A disk with data that this program did not write is never changed.

ParallelCluster creates a logical volume on the disks, mounts it at EphemeralVolume.MountDir
(/scratch by default) and makes it writable for all users (cookbook, setup-ephemeral-drives.sh)
before its custom actions: there this step only checks the mount.
"""

from __future__ import annotations

from clusterwright_node import disks, systemd
from clusterwright_node.contract import Scratch
from clusterwright_node.disks import Disk
from clusterwright_node.errors import StepError
from clusterwright_node.mounts import mount_at, why_not_writable
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("not_built",)
DEADLINE_SECONDS = 300
RETRIES = 2

IMAGE_MOUNT = "/opt/dlami/nvme"
IMAGE_SERVICE = "dlami-nvme.service"
ARRAY_NAME = "clusterwright-scratch"
ARRAY = "/dev/md/" + ARRAY_NAME
LABEL = "cw-scratch"  # XFS takes 12 characters
_OPEN_MODE = 0o1777
_PARALLELCLUSTER_HINT = (
    "the type may have no local disks; else see `systemctl status setup-ephemeral` and"
    " /var/log/chef-client.log"
)
_MAKING_FILE_SYSTEM = "scratch: make file system"


def applies(node: Node) -> Verdict:
    if node.group.scratch is None:
        return skip(f"group {node.group.name} has no scratch")
    return APPLIES


def check(node: Node) -> Verdict:
    path = _scratch(node).mount_path
    if node.inputs.here is not None:
        return _of_parallelcluster(node, path, node.inputs.here.ephemeral_dir)
    if mount_at(node, path) is None:
        return missing(f"nothing is mounted at {path}")
    if path == IMAGE_MOUNT and not _is_ours(node, path):
        return _writable(node, path)
    if not _is_ours(node, path):
        return missing(f"{path} is mounted, but not by this program's unit")
    if node.machine.mode_of(path) != _OPEN_MODE and not _is_bound(node, path):
        return missing(f"{path} is not open to all users")
    return _writable(node, path)


def apply(node: Node) -> None:
    path = _scratch(node).mount_path
    if node.inputs.here is not None:
        node.wait_until(lambda: check(node).reason or None, _PARALLELCLUSTER_HINT)
        return
    _wait_for_image(node)
    if check(node).yes:
        return
    mounted = mount_at(node, path)
    if path == IMAGE_MOUNT and mounted is not None and not _is_ours(node, path):
        raise StepError(
            f"{path}, mounted by the image, is not usable",
            f"see `systemctl status {IMAGE_SERVICE}`",
        )
    if mounted is not None and node.machine.read_text(systemd.unit_path(_unit(path))) is None:
        raise StepError(
            f"{mounted.source} is already mounted at {path}, not by this program",
            "choose another scratch.mount_path",
        )
    node.machine.make_directory(path)
    if path != IMAGE_MOUNT and mount_at(node, IMAGE_MOUNT) is not None:
        systemd.install_unit(node, _unit(path), _bind_text(path))
        return
    device = _device(node)
    uuid = _file_system(node, device)
    node.machine.change("udevadm", "settle")
    systemd.install_unit(node, _unit(path), _mount_text(path, uuid))
    if node.machine.mode_of(path) != _OPEN_MODE:
        node.machine.set_mode(path, _OPEN_MODE)


def _of_parallelcluster(node: Node, path: str, ephemeral_dir: str | None) -> Verdict:
    if path != ephemeral_dir:
        raise StepError(
            f"scratch.mount_path is {path}, but ParallelCluster mounts the local disks at "
            f"{ephemeral_dir or 'no path'}",
            "set EphemeralVolume.MountDir of the queue: " + path,
        )
    if mount_at(node, path) is None:
        return missing(f"ParallelCluster has not mounted the local disks at {path}")
    if node.machine.mode_of(path) != _OPEN_MODE:
        return missing(f"{path} is not open to all users")
    return _writable(node, path)


def _scratch(node: Node) -> Scratch:
    scratch = node.group.scratch
    assert scratch is not None, "applies checks it"
    return scratch


def _wait_for_image(node: Node) -> None:
    """Wait for the image's service, which may still use the same disks."""

    def at_work() -> str | None:
        found = systemd.properties(node, IMAGE_SERVICE, ("ActiveState",)).get("ActiveState")
        return f"{IMAGE_SERVICE} is still activating" if found == "activating" else None

    node.wait_until(at_work, f"see `systemctl status {IMAGE_SERVICE}`")


def _device(node: Node) -> str:
    """The device for the file system: the only disk, or the array of all disks."""
    found = disks.instance_store_disks(node)
    if not found:
        raise StepError(
            f"{node.group.instance_type} has no instance-store disk",
            "remove scratch from the group, or choose a type with local NVMe",
        )
    for disk in found:
        ours = _scratch(node).mount_path
        elsewhere = [path for path in disk.mount_paths if path != ours]
        if elsewhere:
            raise StepError(
                "{} is in use at {}".format(disk.path, ", ".join(elsewhere)),
                "use that path as scratch.mount_path",
            )
    return found[0].path if len(found) == 1 else _array(node, found)


def _array(node: Node, found: list[Disk]) -> str:
    """The array over all disks, by the kernel's name: created, assembled or running."""
    running = _running_array(node, found)
    if running is not None:
        return running
    members = [disk.path for disk in found if _is_our_member(node, disk)]
    if len(members) == len(found):
        node.machine.change("mdadm", "--assemble", "--run", ARRAY, *members)
    else:
        # Blank disks; or some are members of the array, because a run was killed while it created
        # the array, or a disk was lost, and with it all data of the RAID 0 array.
        _make_array(node, [disk.path for disk in found], members)
    made = _running_array(node, disks.instance_store_disks(node))
    if made is None:
        raise StepError("mdadm created no array of the disks", "see dmesg; replace the node")
    return made


def _running_array(node: Node, found: list[Disk]) -> str | None:
    """The running array over all disks, None if nothing runs on them."""
    running = {child for disk in found for child in disk.children}
    if not running:
        return None
    if len(running) == 1 and all(disk.children for disk in found):
        path, kind = next(iter(running))
        if kind == "raid0" and disks.array_name(node, path) == ARRAY_NAME:
            return path
    raise StepError(
        f"the disks are already in use by {', '.join(sorted(path for path, _ in running))}",
        "replace the node, or remove scratch from the group",
    )


def _make_array(node: Node, paths: list[str], members: list[str]) -> None:
    """Create the array. `members` are the disks with its superblock."""
    for path in members:
        node.machine.change("mdadm", "--zero-superblock", path)
    options = ["--run", "--level=0", "--metadata=1.2", "--homehost=any", f"--name={ARRAY_NAME}"]
    node.machine.change(
        "mdadm", "--create", ARRAY, *options, f"--raid-devices={len(paths)}", *paths
    )


def _is_our_member(node: Node, disk: Disk) -> bool:
    """Whether the disk is a member of the array; a blank one is not. Raises StepError for other
    data.
    """
    written = disks.signature(node, disk.path)
    if written is None:
        return False
    if written.kind == "linux_raid_member" and disks.array_name(node, disk.path) == ARRAY_NAME:
        return True
    raise StepError(
        f"{disk.path} has a {written.kind} that this program did not create",
        "replace the node, or remove scratch from the group",
    )


def _file_system(node: Node, device: str) -> str:
    """The UUID of the file system on `device`, which is created if there is none."""
    written = disks.signature(node, device)
    killed = node.journal.begun(_MAKING_FILE_SYSTEM) is not None
    if written is not None and not killed and (written.kind, written.label) != ("xfs", LABEL):
        raise StepError(
            f"{device} has a {written.kind} that this program did not create",
            "replace the node, or remove scratch from the group",
        )
    if written is None or killed:
        node.journal.begin(_MAKING_FILE_SYSTEM, device)
        node.machine.change("mkfs.xfs", "-f", "-L", LABEL, device)
        node.journal.end(_MAKING_FILE_SYSTEM)
        written = disks.signature(node, device)
    if written is None or not written.uuid:
        raise StepError(
            f"{device} has no file system after mkfs.xfs", "see dmesg; replace the node"
        )
    return written.uuid


def _unit(path: str) -> str:
    return systemd.escaped(path) + ".mount"


def _mount_text(path: str, uuid: str) -> str:
    # By UUID, as the number of the array may change in a reboot.
    return systemd.mount_unit(
        "Local NVMe scratch",
        "/dev/disk/by-uuid/" + uuid,
        path,
        "xfs",
        "noatime,nofail",
        "",
        "local-fs.target",
    )


def _bind_text(path: str) -> str:
    lines = f"RequiresMountsFor={IMAGE_MOUNT}\nAfter={IMAGE_SERVICE}\n"
    # Without nofail it comes before local-fs.target, which the image's service comes after: a
    # cycle, in which systemd leaves out a start job at each boot (systemd.mount(5)).
    options = "bind,nofail"
    return systemd.mount_unit(
        "Local NVMe scratch", IMAGE_MOUNT, path, "none", options, lines, "multi-user.target"
    )


def _is_ours(node: Node, path: str) -> bool:
    text = node.machine.read_text(systemd.unit_path(_unit(path)))
    return text is not None and systemd.has_unit(node, _unit(path), text)


def _is_bound(node: Node, path: str) -> bool:
    return node.machine.read_text(systemd.unit_path(_unit(path))) == _bind_text(path)


def _writable(node: Node, path: str) -> Verdict:
    reason = why_not_writable(node, path)
    return SATISFIED if reason is None else missing(reason)

"""Mount the spec's buckets read-only with Mountpoint for S3."""

from __future__ import annotations

from clusterwright_node import systemd
from clusterwright_node.contract import Mountpoint
from clusterwright_node.errors import StepError
from clusterwright_node.mounts import mount_at
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("clock", "network")
DEADLINE_SECONDS = 180
RETRIES = 3

COMMAND = "mount-s3"
_PROGRAMS = ("/usr/bin/mount-s3", "/usr/local/bin/mount-s3", "/opt/aws/mountpoint-s3/bin/mount-s3")

_UNIT_TEXT = """# Written by clusterwright_node.
[Unit]
Description=Mountpoint for S3: {bucket} at {path}
Wants=network-online.target
After=network-online.target

[Service]
Type=forking
ExecStart={program} {bucket} {path} --read-only --allow-other --region {region}{prefix}
ExecStop=/bin/umount {path}

[Install]
WantedBy=remote-fs.target
"""


def applies(node: Node) -> Verdict:
    return APPLIES if node.inputs.cluster.mountpoints else skip("the spec has no mountpoints")


def check(node: Node) -> Verdict:
    for entry in node.inputs.cluster.mountpoints:
        reason = _why_not_right(node, entry)
        if reason is not None:
            return missing(reason)
    return SATISFIED


def apply(node: Node) -> None:
    _program(node)
    for entry in node.inputs.cluster.mountpoints:
        if _why_not_right(node, entry) is None:
            continue
        node.machine.make_directory(entry.mount_path)
        unit = unit_name(entry)
        if systemd.is_active(node, unit):
            # After a change, or a manual unmount, a start would do nothing: stop it first.
            node.machine.change("systemctl", "stop", unit)
        systemd.install_unit(node, unit, unit_text(node, entry), timeout_seconds=60.0)


def unit_name(entry: Mountpoint) -> str:
    return f"clusterwright-s3-{systemd.escaped(entry.mount_path)}.service"


def unit_text(node: Node, entry: Mountpoint) -> str:
    return _UNIT_TEXT.format(
        bucket=entry.bucket,
        path=entry.mount_path,
        program=_program(node),
        region=node.inputs.cluster.region,
        # % is special in command lines of systemd.
        prefix=""
        if entry.prefix is None
        else " --prefix '{}'".format(entry.prefix.replace("%", "%%")),
    )


def _why_not_right(node: Node, entry: Mountpoint) -> str | None:
    mounted = mount_at(node, entry.mount_path)
    if mounted is None:
        return f"{entry.mount_path} is not mounted"
    if not mounted.kind.startswith("fuse") or mounted.source != "mountpoint-s3":
        raise StepError(
            f"{mounted.source} ({mounted.kind}) is mounted at {entry.mount_path}, not a bucket",
            "choose another mount_path",
        )
    if not mounted.is_read_only:
        return f"{entry.mount_path} is mounted read-write"
    if not systemd.has_unit(node, unit_name(entry), unit_text(node, entry)):
        return f"the mount at {entry.mount_path} would not be restored after a reboot"
    return None


def _program(node: Node) -> str:
    found: list[str] = [path for path in _PROGRAMS if node.machine.exists(path)]
    if not found:
        raise StepError(
            "the image has no {} (searched: {})".format(COMMAND, ", ".join(_PROGRAMS)),
            "use an image that has Mountpoint for S3, because installation on the node is not "
            "supported; or remove mountpoints",
        )
    return found[0]

"""Copy finished checkpoints from the local disks to shared storage during training.

If a group has scratch disks and the spec's checkpoints are on shared storage, jobs may write to
`<scratch>/checkpoints/<run>/<step>/`: see `clusterwright_checkpoints` for how a checkpoint is
finished and copied. A job that must end soon (a time limit, a Spot notice) calls
`/opt/clusterwright/bin/flush-checkpoints`, which waits until its own checkpoints are copied.
"""

from __future__ import annotations

from clusterwright_node import programs, systemd
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("home", "lustre", "scratch", "user_homes")
DEADLINE_SECONDS = 60
RETRIES = 1

PACKAGE = "clusterwright_checkpoints"
UNIT = "clusterwright-checkpoints.service"
FLUSH = "/opt/clusterwright/bin/flush-checkpoints"
_EVERYBODYS = 0o1777
"""As /tmp: users create folders of runs, and cannot remove those of others."""


def applies(node: Node) -> Verdict:
    if node.group.role != "compute":
        return skip("jobs run only on compute nodes")
    if node.group.scratch is None:
        return skip(f"group {node.group.name} has no scratch disks")
    shared = node.inputs.cluster.checkpoint_path
    if shared is None:
        return skip("the spec has no checkpoint path")
    if not _is_shared(node, shared):
        return skip(f"{shared} is not on shared storage")
    return APPLIES


def check(node: Node) -> Verdict:
    if not programs.is_installed(node, PACKAGE):
        return missing(f"{PACKAGE} is missing or outdated")
    for path in _folders(node):
        if _is_half_made(node, path):
            return missing(f"{path} does not exist, or not open to all users")
    if not node.machine.has_text(FLUSH, flush_text(node), 0o755):
        return missing(f"{FLUSH} is missing or outdated")
    if not systemd.has_unit(node, UNIT, unit_text(node)):
        return missing(f"{UNIT} is not active and enabled")
    return SATISFIED


def apply(node: Node) -> None:
    systemd.stop_before_change(node, UNIT)
    programs.install(node, PACKAGE)
    for path in _folders(node):
        if _is_half_made(node, path):
            node.machine.make_directory(path)
            node.machine.set_mode(path, _EVERYBODYS)
    if not node.machine.has_text(FLUSH, flush_text(node), 0o755):
        node.machine.write_text(FLUSH, flush_text(node), mode=0o755)
    systemd.install_unit(node, UNIT, unit_text(node))


def unit_text(node: Node) -> str:
    """The service of this node."""
    local, shared = _folders(node)
    command = _command(node, "serve")
    return f"""# Written by clusterwright_node.
[Unit]
Description=Copy finished checkpoints to shared storage
RequiresMountsFor={local} {shared}

[Service]
ExecStart={command}
Restart=always
RestartSec=5
Nice=10

[Install]
WantedBy=multi-user.target
"""


def flush_text(node: Node) -> str:
    """The command for jobs. It has the same node name as the service, to identify the writer."""
    about = (
        "Written by clusterwright_node. Waits until the caller's finished checkpoints on this\n"
        "node are complete on shared storage; further options: --run=NAME, --timeout-seconds=600."
    )
    return programs.script(about, _command(node, "flush") + ' "$@"')


def _command(node: Node, mode: str) -> str:
    local, shared = _folders(node)
    return programs.command(
        PACKAGE, mode, f"--local={local}", f"--shared={shared}", f"--node={node.identity.name}"
    )


def _folders(node: Node) -> tuple[str, str]:
    scratch, shared = node.group.scratch, node.inputs.cluster.checkpoint_path
    assert scratch is not None, "see applies"
    assert shared is not None, "see applies"
    return f"{scratch.mount_path}/checkpoints", shared


def _is_half_made(node: Node, path: str) -> bool:
    """Whether a folder is missing, or left over from a run that was killed.

    The mode of any other folder is not changed.
    """
    machine = node.machine
    return machine.mode_of(path) in (None, 0o755) and not machine.listing(path)


def _is_shared(node: Node, path: str) -> bool:
    mounts = [entry.mount_path for entry in node.inputs.cluster.lustre]
    if node.inputs.cluster.home is not None:
        mounts.append(node.inputs.cluster.home.mount_path)
    return any(path == mount or path.startswith(mount + "/") for mount in mounts)

"""Load files from S3 into Lustre in the background, if the spec has `preload`.

On the controller only, by a service that continues after this program and after a reboot: the node
does not wait for it. See `clusterwright_preload` for the method, and
`/var/lib/clusterwright/preload-<name>.json` for the progress.
"""

from __future__ import annotations

import json

from clusterwright_node import programs, systemd
from clusterwright_node.contract import Lustre
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("efa_transport", "lustre")
DEADLINE_SECONDS = 60
RETRIES = 1

PACKAGE = "clusterwright_preload"


def applies(node: Node) -> Verdict:
    if not node.administers:
        return skip(f"{node.administrator} does it for the whole cluster")
    if not _file_systems(node):
        return skip("the spec has no preload")
    return APPLIES


def check(node: Node) -> Verdict:
    if not programs.is_installed(node, PACKAGE):
        return missing(f"{PACKAGE} is missing or outdated")
    for entry in _file_systems(node):
        if not systemd.has_unit(node, unit(entry), unit_text(entry)):
            return missing(f"{unit(entry)} is not active and enabled")
        _say(node, entry)
    return SATISFIED


def apply(node: Node) -> None:
    for entry in _file_systems(node):
        systemd.stop_before_change(node, unit(entry))
    programs.install(node, PACKAGE)
    for entry in _file_systems(node):
        systemd.install_unit(node, unit(entry), unit_text(entry))


def unit(entry: Lustre) -> str:
    return f"clusterwright-preload-{entry.name}.service"


def status_file(entry: Lustre) -> str:
    return f"/var/lib/clusterwright/preload-{entry.name}.json"


def unit_text(entry: Lustre) -> str:
    """The service for one file system. It stays active once all is loaded."""
    arguments = [f"--mount={entry.mount_path}", *(f"--path={path}" for path in entry.preload)]
    command = programs.command(PACKAGE, *arguments, f"--status={status_file(entry)}")
    return f"""# Written by clusterwright_node.
[Unit]
Description=Load files from S3 into {entry.mount_path}
RequiresMountsFor={entry.mount_path}

[Service]
ExecStart={command}
StandardOutput=append:/var/log/clusterwright/preload.jsonl
RemainAfterExit=yes
Restart=on-failure
RestartSec=60
Nice=10

[Install]
WantedBy=multi-user.target
"""


def _file_systems(node: Node) -> list[Lustre]:
    return [entry for entry in node.inputs.cluster.lustre if entry.preload]


def _say(node: Node, entry: Lustre) -> None:
    try:
        status = json.loads(node.machine.read_text(status_file(entry)) or "null")
        text = "{state}, {files_seen} files seen, {files_loaded} loaded".format(**status)
        reason = status["reason"]
    except (ValueError, TypeError, KeyError):
        return
    node.notice(f"preload of {entry.mount_path}: {text}" + (f": {reason}" if reason else ""))

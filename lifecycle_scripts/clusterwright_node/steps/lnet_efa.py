"""Add EFA interfaces to LNet, now and after each reboot, before Lustre is mounted.

Without them Lustre silently uses TCP. The commands are those of AWS's FSx for Lustre guide, in a
script that a unit runs at boot; they were not tested on an EFA machine.
"""

from __future__ import annotations

import json
import shlex

from clusterwright_node import lnet, systemd
from clusterwright_node.errors import StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("network",)
DEADLINE_SECONDS = 300
RETRIES = 2

UNIT = "clusterwright-lnet-efa.service"
SCRIPT = "/usr/local/lib/clusterwright/lnet-efa.sh"
_PEER_CREDITS = 32

_SCRIPT = """#!/usr/bin/env bash
# Written by clusterwright_node: LNet over TCP and EFA, as AWS's FSx for Lustre guide does it. Can
# be run again.
set -o errexit
set -o nounset
set -o pipefail

has() {{
  lnetctl net show --net "$1" 2>/dev/null | grep --fixed-strings --word-regexp "$2" >/dev/null
}}

modprobe lnet
modprobe kefalnd ipif_name={interface}
modprobe ksocklnd
lnetctl lnet configure
has tcp {interface} || lnetctl net add --net tcp --if {interface}
{additions}
lnetctl set discovery 1
lnetctl udsp show | grep --word-regexp efa >/dev/null || lnetctl udsp add --src efa --priority 0
modprobe lustre
"""

_UNIT_TEXT = f"""# Written by clusterwright_node.
[Unit]
Description=LNet over EFA
Wants=network-online.target remote-fs-pre.target
After=network-online.target
Before=remote-fs-pre.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart={SCRIPT}

[Install]
WantedBy=multi-user.target
"""


def applies(node: Node) -> Verdict:
    if not node.group.efa:
        return skip(f"group {node.group.name} has no EFA")
    if not any(entry.efa for entry in node.inputs.cluster.lustre):
        return skip("no Lustre file system has EFA")
    return APPLIES


def check(node: Node) -> Verdict:
    if not node.machine.has_command("lnetctl"):
        raise StepError(
            "the image has no Lustre client (no lnetctl)", "use a HyperPod image that contains it"
        )
    if node.machine.read_text(SCRIPT) != script_text(node):
        return missing(f"{SCRIPT} is missing or outdated")
    if not systemd.has_unit(node, UNIT, _UNIT_TEXT):
        return missing(f"{UNIT} is not active and enabled")
    wanted = set(lnet.wanted_devices(node))
    have = {device for interface in lnet.efa_interfaces(node) for device in interface.devices}
    if wanted - have:
        return missing("LNet has no EFA interface on {}".format(", ".join(sorted(wanted - have))))
    return SATISFIED


def apply(node: Node) -> None:
    if node.machine.read_text(systemd.unit_path(UNIT)) is not None:
        # A oneshot unit that has run is active and would not run again. Stop it before the script
        # is written, so that an interrupted run is visible.
        node.machine.change("systemctl", "stop", UNIT)
    node.machine.write_text(SCRIPT, script_text(node), mode=0o755)
    systemd.install_unit(node, UNIT, _UNIT_TEXT)


def script_text(node: Node) -> str:
    """The script for this node: its interface by name, its EFA devices by name."""
    additions: list[str] = []
    for device in lnet.wanted_devices(node):
        name = shlex.quote(device)
        additions.append(
            f"has efa {name} ||"
            f" lnetctl net add --net efa --if {name} --peer-credits {_PEER_CREDITS}"
        )
    return _SCRIPT.format(interface=shlex.quote(_interface(node)), additions="\n".join(additions))


def _interface(node: Node) -> str:
    """The network interface that has this node's address."""
    result = node.machine.query("ip", "-json", "address", "show")
    try:
        for interface in json.loads(result.stdout):
            if any(
                entry.get("local") == node.identity.address
                for entry in interface.get("addr_info", ())
            ):
                return str(interface["ifname"])
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise StepError(
        f"no interface has the address {node.identity.address}: {result.said}",
        "see `ip address show`",
    )

"""Wait until the clock is synchronised.

Slurm's munge refuses credentials of a node whose clock is wrong, and TLS to AWS fails. The state
is that of chrony if it is installed, else of systemd.
"""

from __future__ import annotations

from clusterwright_node import systemd
from clusterwright_node.errors import StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing

AFTER = ("not_built",)
DEADLINE_SECONDS = 180
RETRIES = 0

# Debian and Ubuntu, then Amazon Linux.
_SERVICES = ("chrony.service", "chronyd.service", "systemd-timesyncd.service")
_HINT = "the node needs the Amazon Time Sync Service at 169.254.169.123; see `chronyc sources`"


def applies(node: Node) -> Verdict:
    return APPLIES


def check(node: Node) -> Verdict:
    reason = why_not_synchronised(node)
    return SATISFIED if reason is None else missing(reason)


def apply(node: Node) -> None:
    if not any(systemd.is_active(node, service) for service in _SERVICES):
        service = next((name for name in _SERVICES if systemd.exists(node, name)), None)
        if service is None:
            raise StepError(
                "the image has none of {}".format(", ".join(_SERVICES)), "use a HyperPod image"
            )
        node.machine.change("systemctl", "enable", service)
        systemd.start(node, service)
    node.wait_until(lambda: why_not_synchronised(node), _HINT)


def why_not_synchronised(node: Node) -> str | None:
    """None if the clock is synchronised, else the reason."""
    if node.machine.has_command("chronyc"):
        result = node.machine.query("chronyc", "-n", "tracking")
        status = [line for line in result.stdout.splitlines() if line.startswith("Leap status")]
        if not result.ok or len(status) != 1:
            return f"`chronyc tracking`: {result.said}"
        word = status[0].split(":", 1)[-1].strip()
        return (
            "chrony reports that the clock is not synchronised"
            if word == "Not synchronised"
            else None
        )
    if not node.machine.has_command("timedatectl"):
        raise StepError("the image has neither chronyc nor timedatectl", "use a HyperPod image")
    result = node.machine.query("timedatectl", "show", "--property=NTPSynchronized", "--value")
    if result.stdout.strip() == "yes":
        return None
    return f"timedatectl reports NTPSynchronized={result.stdout.strip() or result.said}"

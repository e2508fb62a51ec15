"""Configure sudo for those users of the spec that have it."""

from __future__ import annotations

from clusterwright_node.errors import StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing

AFTER = ("users",)
DEADLINE_SECONDS = 30
RETRIES = 0

SUDOERS = "/etc/sudoers.d/90-clusterwright"
_CANDIDATE = "/var/lib/clusterwright/sudoers.candidate"
_MODE = 0o440


def applies(node: Node) -> Verdict:
    return APPLIES


def check(node: Node) -> Verdict:
    text = sudoers_text(node)
    found = node.machine.read_text(SUDOERS)
    if found is None and not text:
        return SATISFIED
    if found != text:
        return missing(f"{SUDOERS} is outdated")
    return (
        SATISFIED
        if node.machine.mode_of(SUDOERS) == _MODE
        else missing(f"{SUDOERS} has the wrong mode")
    )


def apply(node: Node) -> None:
    text = sudoers_text(node)
    if not text:
        node.machine.remove(SUDOERS)
        return
    # An invalid file in sudoers.d disables sudo for everybody, so validate a copy first.
    node.machine.write_text(_CANDIDATE, text, mode=_MODE)
    result = node.machine.query("visudo", "--check", "--file", str(node.machine.path(_CANDIDATE)))
    if not result.ok:
        raise StepError(
            f"visudo refuses the sudoers file: {result.said}",
            "report it: the names should be valid",
        )
    node.machine.remove(_CANDIDATE)
    node.machine.write_text(SUDOERS, text, mode=_MODE)


def sudoers_text(node: Node) -> str:
    """The whole file; empty if no user has sudo."""
    names = sorted(user.name for user in node.inputs.cluster.users if user.sudo)
    return "".join(f"{name} ALL=(ALL) NOPASSWD:ALL\n" for name in names)

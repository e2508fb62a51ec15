"""Write the rendered job files where users find them on the login node."""

from __future__ import annotations

from clusterwright_node.job_files import FOLDER, INPUT, ROLES, rendered
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("user_homes",)
DEADLINE_SECONDS = 30
RETRIES = 0


def applies(node: Node) -> Verdict:
    if node.group.role not in ROLES:
        return skip("jobs are submitted from the login nodes and the controller")
    return APPLIES if rendered(node) else skip(f"the deployment has no {INPUT}")


def check(node: Node) -> Verdict:
    files = rendered(node)
    for name, text in files.items():
        if node.machine.read_text(f"{FOLDER}/{name}") != text:
            return missing(f"{FOLDER}/{name} is missing or outdated")
    for name in node.machine.listing(FOLDER):
        if name not in files:
            return missing(f"{FOLDER}/{name} is of an earlier deployment")
    return SATISFIED


def apply(node: Node) -> None:
    files = rendered(node)
    node.machine.make_directory(FOLDER)
    for name, text in files.items():
        if node.machine.read_text(f"{FOLDER}/{name}") != text:
            node.machine.write_text(f"{FOLDER}/{name}", text)
    for name in node.machine.listing(FOLDER):
        if name not in files:
            node.machine.remove(f"{FOLDER}/{name}")

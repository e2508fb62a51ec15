"""Add the spec's Slurm accounts and users to the accounting database (managed configuration).

HyperPod sets accounting up; this step waits for it and adds what is missing. Accounts and users
that are there already, from the spec or not, are left alone.
"""

from __future__ import annotations

import re

from clusterwright_node.errors import CommandError, StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("clock", "users")
DEADLINE_SECONDS = 600
RETRIES = 5

_HINT = "see `systemctl status slurmdbd` and the reachability of the accounting database"


def applies(node: Node) -> Verdict:
    if not node.is_managed:
        return skip("accounting is not built in the scripted configuration")
    if not node.is_controller:
        return skip("the controller does it")
    if not _wanted(node):
        return skip("no user has a Slurm account")
    return APPLIES


def check(node: Node) -> Verdict:
    cluster = _cluster_name(node)
    if cluster is None:
        return missing("slurmctld does not answer")
    to_do = _plan(node, cluster)
    if to_do is None:
        return missing("the accounting database does not answer")
    return missing("; ".join(" ".join(argv) for argv in to_do)) if to_do else SATISFIED


def apply(node: Node) -> None:
    def not_ready() -> str | None:
        cluster = _cluster_name(node)
        if cluster is None:
            return "slurmctld does not answer"
        return "the accounting database does not answer" if _plan(node, cluster) is None else None

    node.wait_until(not_ready, _HINT, every_seconds=5.0)
    cluster = _cluster_name(node)
    if cluster is None:
        raise CommandError("slurmctld went away", _HINT)
    for argv in _plan(node, cluster) or ():
        node.machine.change(*argv)


def _wanted(node: Node) -> list[tuple[str, str]]:
    return [
        (user.slurm_account, user.name) for user in node.inputs.cluster.users if user.slurm_account
    ]


def _cluster_name(node: Node) -> str | None:
    result = node.machine.query("scontrol", "show", "config")
    match = re.search(r"(?m)^ClusterName\s*=\s*(\S+)\s*$", result.stdout)
    return match.group(1) if result.ok and match else None


def _plan(node: Node, cluster: str) -> list[tuple[str, ...]] | None:
    """The sacctmgr commands still needed; None when the database does not answer."""
    if not node.machine.has_command("sacctmgr"):
        raise StepError("the image has no sacctmgr", "use a HyperPod image")
    result = node.machine.query(
        "sacctmgr",
        "--noheader",
        "--parsable2",
        "show",
        "associations",
        "cluster=" + cluster,
        "format=account,user",
        timeout_seconds=30.0,
    )
    if not result.ok:
        return None
    have: set[tuple[str, str]] = set()
    for line in result.stdout.splitlines():
        account, _, user = line.partition("|")
        have.add((account.strip(), user.strip()))
    plan: list[tuple[str, ...]] = []
    for account in sorted({account for account, _ in _wanted(node)}):
        if (account, "") not in have:
            plan.append(
                (
                    "sacctmgr",
                    "--immediate",
                    "add",
                    "account",
                    account,
                    "cluster=" + cluster,
                    "description=clusterwright",
                )
            )
    for account, user in _wanted(node):
        if (account, user) not in have:
            plan.append(
                (
                    "sacctmgr",
                    "--immediate",
                    "add",
                    "user",
                    user,
                    "account=" + account,
                    "cluster=" + cluster,
                )
            )
    return plan

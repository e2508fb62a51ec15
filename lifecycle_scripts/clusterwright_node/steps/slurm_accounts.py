"""Keep the spec's Slurm accounts and users in the accounting database.

In the managed configuration HyperPod configures accounting, and this step waits for it; on PCS the
step waits for slurmd, see `slurm_later`. Missing
accounts and users are added; shares, limits and QOS of the spec's accounts are set. Other accounts
and users are not changed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from clusterwright_node import sacct, slurm_later
from clusterwright_node.contract import Account
from clusterwright_node.errors import CommandError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("clock", "slurm_daemons", "slurm_qos", "users")
DEADLINE_SECONDS = 600
RETRIES = 5

_HINT = "see `systemctl status slurmdbd` and the reachability of the accounting database"
_DEFAULT_ACCOUNT = "default"
# Session Manager sessions use the image's own user. The generated slurm.conf accepts only jobs of
# users with an account.
_IMAGE_USERS = ("ec2-user", "ubuntu")


@dataclass(frozen=True)
class _Found:
    """An account's association on this cluster."""

    fair_share: str
    nodes: int
    qos: frozenset[str]


def applies(node: Node) -> Verdict:
    if not node.administers:
        return skip(f"{node.administrator} does it")
    if node.inputs.cluster.slurm.accounting == "none":
        return skip("the spec has no accounting")
    if not _wanted_users(node) and not node.inputs.cluster.slurm.accounts:
        return skip("no user has a Slurm account")
    waits = slurm_later.reason_to_wait(node)
    return APPLIES if waits is None else skip(waits)


def check(node: Node) -> Verdict:
    cluster = _cluster_name(node)
    if cluster is None:
        return missing("slurmctld does not respond")
    to_do = _plan(node, cluster)
    if to_do is None:
        return missing("the accounting database does not respond")
    return missing("; ".join(" ".join(argv) for argv in to_do)) if to_do else SATISFIED


def apply(node: Node) -> None:
    def not_ready() -> str | None:
        cluster = _cluster_name(node)
        if cluster is None:
            return "slurmctld does not respond"
        return "the accounting database does not respond" if _plan(node, cluster) is None else None

    node.wait_until(not_ready, _HINT, every_seconds=5.0)
    cluster = _cluster_name(node)
    if cluster is None:
        raise CommandError("slurmctld stopped responding", _HINT)
    for argv in _plan(node, cluster) or ():
        node.machine.change(*argv)


def _wanted_users(node: Node) -> list[tuple[str, str]]:
    """Pairs of account and user."""
    users = [
        (user.slurm_account, user.name) for user in node.inputs.cluster.users if user.slurm_account
    ]
    if not node.is_managed or node.is_pcs:
        # It prints those that exist.
        printed = node.machine.query("getent", "passwd", *_IMAGE_USERS).stdout
        users += [(_DEFAULT_ACCOUNT, line.split(":")[0]) for line in printed.splitlines()]
    return users


def _wanted_accounts(node: Node, users: list[tuple[str, str]]) -> list[Account]:
    """The accounts of the spec, and those that only users name, without limits."""
    described = {account.name: account for account in node.inputs.cluster.slurm.accounts}
    named = {account for account, _ in users}
    return [
        described.get(name, Account(name, fair_share=1, max_nodes=None, qos=()))
        for name in sorted(set(described) | named)
    ]


def _cluster_name(node: Node) -> str | None:
    result = node.machine.query("scontrol", "show", "config")
    match = re.search(r"(?m)^ClusterName\s*=\s*(\S+)\s*$", result.stdout)
    return match.group(1) if result.ok and match else None


def _plan(node: Node, cluster: str) -> list[tuple[str, ...]] | None:
    """The required sacctmgr commands; None if the database does not answer."""
    rows = sacct.rows(
        node, "associations", "cluster=" + cluster, "format=account,user,fairshare,grptres,qos"
    )
    if rows is None:
        return None
    accounts: dict[str, _Found] = {}
    users: set[tuple[str, str]] = set()
    for row in rows:
        name, user, share, limits, qos = (*(word.strip() for word in row), "", "", "")[:5]
        if user:
            users.add((name, user))
        else:
            accounts[name] = _Found(share, sacct.node_limit(limits), frozenset(sacct.names(qos)))
    plan: list[tuple[str, ...]] = []
    here = "cluster=" + cluster
    described = {account.name for account in node.inputs.cluster.slurm.accounts}
    wanted = _wanted_users(node)
    for account in _wanted_accounts(node, wanted):
        found = accounts.get(account.name)
        if found is None:
            plan.append(sacct.add("account", account.name, here, "description=clusterwright"))
        changes = _changes(node, account, found, account.name in described)
        if changes:
            plan.append(sacct.modify("account", ["name=" + account.name, here], changes))
    for name, user in wanted:
        if (name, user) not in users:
            plan.append(sacct.add("user", user, "account=" + name, here))
    return plan


def _changes(node: Node, account: Account, found: _Found | None, is_described: bool) -> list[str]:
    """Differences. Shares and limits are set for accounts of the spec only; accounts without a
    list may use every QOS of the spec.
    """
    changes = []
    if is_described:
        share = str(account.fair_share)
        if (found.fair_share if found else "1") != share:
            changes.append("fairshare=" + share)
        limit = account.max_nodes or sacct.NO_LIMIT
        if (found.nodes if found else sacct.NO_LIMIT) != limit:
            changes.append(f"GrpTRES=node={limit}")
    known = [qos.name for qos in node.inputs.cluster.slurm.qos]
    wanted = set(account.qos) or {"normal", *known}
    if known and (found.qos if found else frozenset()) != wanted:
        changes.append("qos=" + ",".join(sorted(wanted)))
    return changes

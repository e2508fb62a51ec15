"""Report priorities and limits of the spec that the platform's slurm.conf does not enforce.

QOS and accounts are in the accounting database in every configuration, but slurm.conf decides
whether they are enforced. HyperPod writes it and allows no manual changes; on ParallelCluster
CustomSlurmSettings can set it. This step only reads the configuration of the running slurmctld and
logs notices; it does not fail.
"""

from __future__ import annotations

import re

from clusterwright_node import slurm_later
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, skip

AFTER = ("slurm_accounts", "slurm_qos")
DEADLINE_SECONDS = 60
RETRIES = 0

_KEY = re.compile(r"(?m)^(\w+)\s+= (.*)$")


def applies(node: Node) -> Verdict:
    slurm = node.inputs.cluster.slurm
    if not node.is_managed:
        return skip("this program writes slurm.conf in the scripted configuration")
    if not node.administers:
        return skip(f"{node.administrator} does it for the whole cluster")
    if slurm.accounting == "none" or not (slurm.qos or slurm.accounts):
        return skip("the spec has neither QOS nor accounts")
    waits = slurm_later.reason_to_wait(node)
    return APPLIES if waits is None else skip(waits)


def check(node: Node) -> Verdict:
    told = node.machine.query("scontrol", "show", "config")
    if not told.ok:
        node.notice(f"what {node.platform}'s slurm.conf enforces is unknown: {told.said}")
        return SATISFIED
    for text in without_effect(node, dict(_KEY.findall(told.stdout))):
        node.notice(text)
    return SATISFIED


def apply(_: Node) -> None:
    raise AssertionError("check is always satisfied")


def without_effect(node: Node, config: dict[str, str]) -> list[str]:
    """Texts on what this configuration does not enforce."""
    slurm = node.inputs.cluster.slurm
    enforced = {word.strip() for word in config.get("AccountingStorageEnforce", "").split(",")}
    limits = [f"QOS {q.name}" for q in slurm.qos if q.max_nodes_per_user or q.max_time_minutes]
    limits += [f"account {a.name}" for a in slurm.accounts if a.max_nodes]
    found = []
    if limits and not enforced & {"limits", "safe", "all"}:
        found.append(f"limits of {', '.join(limits)} are not enforced: {_said(node, config)}")
    closed = [f"account {a.name}" for a in slurm.accounts if a.qos]
    if closed and not enforced & {"qos", "all"}:
        found.append(f"any QOS may be used by {', '.join(closed)}: {_said(node, config)}")
    ordered = config.get("PriorityType", "") == "priority/multifactor"
    for key, what, asked in (
        ("PriorityWeightQOS", "priorities of QOS", any(q.priority for q in slurm.qos)),
        ("PriorityWeightFairShare", "shares of accounts", bool(slurm.accounts)),
    ):
        if asked and not (ordered and config.get(key, "0").strip() not in ("", "0")):
            found.append(f"{what} have no effect: {node.platform}'s slurm.conf has no {key}")
    return found


def _said(node: Node, config: dict[str, str]) -> str:
    value = config.get("AccountingStorageEnforce", "").strip() or "none"
    return f"{node.platform}'s slurm.conf has AccountingStorageEnforce={value}"

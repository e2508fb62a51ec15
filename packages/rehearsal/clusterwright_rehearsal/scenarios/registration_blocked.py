"""A security group of AWS PCS loses its rule from itself: new nodes cannot register.

PCS requires rules of the security group in and out to itself. Running nodes continue; a new one
fails with the rule that is missing, and joins when the rule is back.
"""

from __future__ import annotations

from typing import Any

from clusterwright_rehearsal.platforms.pcs.context import PcsContext
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 55
SECONDS = 20
MODES = ("pcs",)

PROMISES = {
    "says-why": "the failure of the new instance names the missing rule",
    "recovers": "with the rule a further instance joins and takes jobs",
}


def run(context: ScenarioContext) -> None:
    assert isinstance(context, PcsContext)
    node, ec2 = context.compute[-1], context.aws("ec2")
    seen, failed = len(context.timeline()), ""
    removed = _remove_rules(context, ec2)
    context.expect(removed, "no security group of the cluster has a rule from itself")
    try:
        context.replace(node)
        with context.promise("says-why"):
            context.wait_for(lambda: _not_refused(context, node.name, seen), within_s=120)
            failed, reason = context.failures_of(node.name, seen)[-1]
            context.expect("has no rule in" in reason, f"it failed with {reason!r}")
            context.note(reason)
    finally:
        for group, rules in removed:
            ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=rules)

    with context.promise("recovers"):
        context.wait_running_past(node, failed=failed)
        context.wait_idle()


def _remove_rules(context: PcsContext, ec2: Any) -> list[tuple[str, list[dict[str, Any]]]]:
    """Remove the rules in from the cluster's groups; return them by group."""
    cluster = context.aws("pcs").get_cluster(clusterIdentifier=context.cluster.environment)
    ids = cluster["cluster"]["networking"]["securityGroupIds"]
    removed = []
    for group in ec2.describe_security_groups(GroupIds=ids)["SecurityGroups"]:
        rules = [rule for rule in group["IpPermissions"] if rule.get("UserIdGroupPairs")]
        if rules:
            ec2.revoke_security_group_ingress(GroupId=group["GroupId"], IpPermissions=rules)
            removed.append((group["GroupId"], rules))
    return removed


def _not_refused(context: PcsContext, name: str, seen: int) -> str | None:
    failed = context.failures_of(name, seen)
    return None if failed else f"no instance of {name} has failed yet"

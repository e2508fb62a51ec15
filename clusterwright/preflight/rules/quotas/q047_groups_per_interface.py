"""Security groups of each network interface."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.cluster_spec.problems import Path
from clusterwright.cluster_spec.security_groups import existing_storage_groups
from clusterwright.preflight.context import Context
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Want


class GroupsPerInterfaceQuota(QuotaRule):
    id = "CW-Q047"
    title = "Security groups per network interface"
    prevents = (
        "nodes do not start: SecurityGroupsPerInterfaceLimitExceeded, where a node carries the "
        "network's groups and those of every file system that exists"
    )
    source = "AWS documentation, VPC quotas"
    usage_facts = ()

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        existing = context.cluster.network.existing
        own = len(existing.security_group_ids) if existing is not None else 1
        count = own + len(existing_storage_groups(context.cluster))
        if existing is not None:
            path: Path = ("network", "existing", "security_group_ids")
        else:
            path = ("network",)
        want = Want(
            count,
            f"each node carries {count} security group{'s' * (count > 1)}: it needs",
            "Security groups per network interface",
            "vpc",
            "L-2AFB9258",
        )
        yield Subject(path, want)


RULE = GroupsPerInterfaceQuota()

"""Security groups allow all traffic between their members, in both directions."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.aws.ec2.vpc import Permission
from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.cluster_spec.problems import Path
from clusterwright.cluster_spec.security_groups import existing_storage_groups
from clusterwright.preflight.facts.network import SecurityGroup
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results
from clusterwright.preflight.rules.network.existing_network import HERE, ExistingNetworkRule


class SelfReference(ExistingNetworkRule):
    id = "CW-N008"
    prevents = (
        "EFA health checks fail and the cluster is rolled back; a rule by address, even "
        "0.0.0.0/0, does not cover EFA"
    )
    source = (
        "AWS documentation, HyperPod prerequisites; awslabs/awsome-distributed-ai #546; "
        "awslabs/agent-plugins PR #169"
    )

    def needs(self, existing: ExistingNetwork, context: Context) -> Facts:
        return [SecurityGroup(group_id) for _, group_id in security_groups(existing, context)]

    def check(self, existing: ExistingNetwork, context: Context, facts: FactValues) -> Results:
        for path, group_id in security_groups(existing, context):
            group = facts[SecurityGroup(group_id)]
            if group is None:
                yield Fail(
                    message=f"the security group {group_id} does not exist in {context.region}",
                    path=path,
                    requested=group_id,
                    where=context.region,
                )
                continue
            if group.vpc_id != existing.vpc_id:
                yield Fail(
                    message=f"{group_id} is in {group.vpc_id}, not in {existing.vpc_id}",
                    path=path,
                    requested=existing.vpc_id,
                    where=group_id,
                )
            missing = [
                direction
                for direction, permissions in (
                    ("inbound", group.inbound),
                    ("outbound", group.outbound),
                )
                if not _allows_itself(group_id, permissions)
            ]
            if missing:
                yield Fail(
                    message=f"{group_id} has no rule for all traffic "
                    f"{'from and to' if len(missing) == 2 else _PREPOSITION[missing[0]]} itself",
                    path=path,
                    where=group_id,
                    hint=f"add to {group_id}: all traffic, {' and '.join(missing)}, "
                    f"{'source and destination' if len(missing) == 2 else _SIDE[missing[0]]} "
                    f"{group_id}",
                )


_PREPOSITION = {"inbound": "from", "outbound": "to"}
_SIDE = {"inbound": "source", "outbound": "destination"}


def security_groups(existing: ExistingNetwork, context: Context) -> list[tuple[Path, str]]:
    """Every security group of a node, with its path in the spec.

    They include those of existing file systems, which nodes are members of.
    """
    found: list[tuple[Path, str]] = [
        ((*HERE, "security_group_ids", index), group_id)
        for index, group_id in enumerate(existing.security_group_ids)
    ]
    storage = context.cluster.storage
    written: dict[str, Path] = {}
    for index, fs in enumerate(storage.lustre):
        if fs.existing is not None:
            path: Path = ("storage", "lustre", index, "existing", "security_group_id")
            written.setdefault(fs.existing.security_group_id, path)
    if storage.home is not None and storage.home.existing is not None:
        written.setdefault(
            storage.home.existing.security_group_id,
            ("storage", "home", "existing", "security_group_id"),
        )
    found += [
        (written[group_id], group_id) for group_id in existing_storage_groups(context.cluster)
    ]
    return found


def _allows_itself(group_id: str, permissions: Iterable[Permission]) -> bool:
    return any(rule.protocol == "-1" and group_id in rule.groups for rule in permissions)

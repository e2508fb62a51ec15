"""Security groups of existing file systems allow the nodes to mount them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from clusterwright.aws.ec2.vpc import Permission
from clusterwright.preflight.facts.files import InterfaceGroups
from clusterwright.preflight.facts.network import SecurityGroup, Subnets
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
    Unknown,
)
from clusterwright.preflight.rules.network.egress import allows_traffic
from clusterwright.preflight.rules.storage.existing_file_systems import (
    ExistingFileSystem,
    existing_file_systems,
    find_file_system,
)

# FSx for OpenZFS user guide, "File system access control with Amazon VPC"; NFSv4 needs TCP 2049,
# earlier versions the others too.
_OPENZFS_PORTS: Final = ((111, 111), (2049, 2049), (20001, 20003))


class ExistingGroup(Rule[ExistingFileSystem]):
    id = "CW-S023"
    prevents = (
        "mounts that hang: the nodes are members of the group, and it does not allow Lustre or NFS"
    )
    source = (
        "AWS documentation, file system access control with Amazon VPC; aws/aws-parallelcluster, "
        "ExistingFsxNetworking, which checks port 988 only"
    )

    def subjects(self, context: Context) -> Subjects[ExistingFileSystem]:
        for path, existing in existing_file_systems(context):
            yield (*path, "security_group_id"), existing

    def needs(self, files: ExistingFileSystem) -> Facts:
        group = SecurityGroup(files.security_group_id)
        return (group, InterfaceGroups(files.id), FileSystems(), Subnets())

    def check(self, files: ExistingFileSystem, context: Context, facts: FactValues) -> Results:
        group = facts[SecurityGroup(files.security_group_id)]
        if group is None:
            yield Fail(
                message=f"the security group {files.security_group_id} does not exist",
                requested=files.security_group_id,
                where=context.region,
            )
            return
        file_system = find_file_system(facts[FileSystems()], files)
        if file_system is None:
            return  # CW-S014 and CW-S022 report it
        if file_system.vpc_id is not None and group.vpc_id != file_system.vpc_id:
            yield Fail(
                message=f"{group.id} is in {group.vpc_id}, {files.id} in {file_system.vpc_id}",
                requested=file_system.vpc_id,
                where=group.id,
            )
            return
        yield from _attached(files, facts[InterfaceGroups(files.id)])
        ranges = [
            subnet.cidr for subnet in facts[Subnets()] if subnet.id in _node_subnets(context)
        ]
        closed, undecided = [], []
        for first, last in _ports(files, context):
            opened = {
                allows_traffic(group.inbound, port, [group.id], ranges)
                for port in range(first, last + 1)
            }
            if False in opened:
                closed.append(_port_range(first, last))
            elif None in opened:
                undecided.append(_port_range(first, last))
        if undecided:
            yield Unknown(
                message=f"whether {group.id} allows TCP {', '.join(undecided)} between its "
                "members is unknown: it has rules with prefix lists, whose ranges are not read"
            )
        if closed:
            yield Fail(
                message=f"{group.id} does not allow TCP {', '.join(closed)} between its members",
                where=group.id,
                hint=f"add to {group.id}: TCP {', '.join(closed)}, inbound, source {group.id}",
            )
        if files.efa and not all(
            _allows_all(group.id, rules) for rules in (group.inbound, group.outbound)
        ):
            yield Fail(
                message=f"{group.id} does not allow all traffic from and to itself, which EFA "
                "requires",
                where=group.id,
                hint=f"add to {group.id}: all traffic, inbound and outbound, with {group.id}",
            )


def _attached(files: ExistingFileSystem, interfaces: frozenset[frozenset[str]]) -> Results:
    if not interfaces:
        yield Unknown(
            message=f"the security groups of {files.id} are unknown: its interfaces are not listed"
        )
    elif not any(files.security_group_id in groups for groups in interfaces):
        named = sorted({group for groups in interfaces for group in groups})
        yield Fail(
            message=f"{files.id} does not have the security group {files.security_group_id}, but "
            f"{', '.join(named)}",
            requested=files.security_group_id,
            where=files.id,
            hint=f"security_group_id: {named[0]}" if named else None,
        )


def _node_subnets(context: Context) -> list[str]:
    existing = context.cluster.network.existing
    return list(existing.subnet_ids) if existing is not None else []


def _ports(files: ExistingFileSystem, context: Context) -> list[tuple[int, int]]:
    if files.kind == "OPENZFS":
        return list(_OPENZFS_PORTS)
    found = []
    for text in context.catalog.lustre.ports:
        first, _, last = text.partition("-")
        found.append((int(first), int(last or first)))
    return found


def _allows_all(group_id: str, rules: Iterable[Permission]) -> bool:
    return any(rule.protocol == "-1" and group_id in rule.groups for rule in rules)


def _port_range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"

"""The security group of a file system that exists lets nodes in that join it."""

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
    Subject,
    Subjects,
    Unknown,
)
from clusterwright.preflight.rules.network.egress import lets_through
from clusterwright.preflight.rules.storage.existing_file_systems import (
    ExistingFiles,
    existing_files,
    found_among,
)

# FSx for OpenZFS user guide, "File system access control with Amazon VPC"; NFS 4 over TCP needs
# 2049, versions before it the others too.
_OPENZFS_PORTS: Final = ((111, 111), (2049, 2049), (20001, 20003))


class ExistingGroup(Rule[ExistingFiles]):
    id = "CW-S023"
    title = "Security groups of file systems that exist let the nodes in"
    prevents = "nodes whose mount hangs: they join the group, and it does not open Lustre or NFS"
    source = (
        "AWS documentation, file system access control with Amazon VPC; aws/aws-parallelcluster, "
        "ExistingFsxNetworking, which looks at port 988 alone"
    )

    def subjects(self, context: Context) -> Subjects[ExistingFiles]:
        for subject in existing_files(context):
            yield Subject((*subject.path, "security_group_id"), subject.value)

    def needs(self, files: ExistingFiles) -> Facts:
        group = SecurityGroup(files.security_group_id)
        return (group, InterfaceGroups(files.id), FileSystems(), Subnets())

    def check(self, files: ExistingFiles, context: Context, facts: FactValues) -> Results:
        group = facts[SecurityGroup(files.security_group_id)]
        if group is None:
            yield Fail(
                message=f"there is no security group {files.security_group_id}",
                requested=files.security_group_id,
                where=context.region,
            )
            return
        file_system = found_among(facts[FileSystems()], files)
        if file_system is None:
            return  # CW-S014 and CW-S022 say so
        if file_system.vpc_id is not None and group.vpc_id != file_system.vpc_id:
            yield Fail(
                message=f"{group.id} is in {group.vpc_id}, {files.id} in {file_system.vpc_id}",
                requested=file_system.vpc_id,
                where=group.id,
            )
            return
        yield from _carried(files, facts[InterfaceGroups(files.id)])
        ranges = [
            subnet.cidr for subnet in facts[Subnets()] if subnet.id in _node_subnets(context)
        ]
        closed, unsure = [], []
        for first, last in _ports(files, context):
            opened = {
                lets_through(group.inbound, port, [group.id], ranges)
                for port in range(first, last + 1)
            }
            if False in opened:
                closed.append(_words(first, last))
            elif None in opened:
                unsure.append(_words(first, last))
        if unsure:
            yield Unknown(
                message=f"whether {group.id} opens TCP {', '.join(unsure)} to its members: it "
                "has rules with prefix lists, whose ranges are not asked"
            )
        if closed:
            yield Fail(
                message=f"{group.id} does not open TCP {', '.join(closed)} to its members",
                where=group.id,
                hint=f"add to {group.id}: TCP {', '.join(closed)}, inbound, source {group.id}",
            )
        if files.efa and not all(
            _everything(group.id, way) for way in (group.inbound, group.outbound)
        ):
            yield Fail(
                message=f"{group.id} has no rules for all traffic from and to itself, which EFA "
                "needs",
                where=group.id,
                hint=f"add to {group.id}: all traffic, inbound and outbound, with {group.id}",
            )


def _carried(files: ExistingFiles, interfaces: frozenset[frozenset[str]]) -> Results:
    if not interfaces:
        yield Unknown(
            message=f"which security groups {files.id} has: its interfaces are not shown"
        )
    elif not any(files.security_group_id in groups for groups in interfaces):
        named = sorted({group for groups in interfaces for group in groups})
        yield Fail(
            message=f"{files.id} does not have the group {files.security_group_id}, but "
            f"{', '.join(named)}",
            requested=files.security_group_id,
            where=files.id,
            hint=f"security_group_id: {named[0]}" if named else None,
        )


def _node_subnets(context: Context) -> list[str]:
    existing = context.cluster.network.existing
    return list(existing.subnet_ids) if existing is not None else []


def _ports(files: ExistingFiles, context: Context) -> list[tuple[int, int]]:
    if files.kind == "OPENZFS":
        return list(_OPENZFS_PORTS)
    found = []
    for text in context.catalog.lustre.ports:
        first, _, last = text.partition("-")
        found.append((int(first), int(last or first)))
    return found


def _everything(group_id: str, rules: Iterable[Permission]) -> bool:
    return any(rule.protocol == "-1" and group_id in rule.groups for rule in rules)


def _words(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


RULE = ExistingGroup()

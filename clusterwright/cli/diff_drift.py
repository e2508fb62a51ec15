"""Drift of the deployed stacks: CloudFormation's detection, and security group rules from EC2."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clusterwright.aws.ec2.vpc import Permission
    from clusterwright.aws.session import AwsSession
    from clusterwright.review.assembly import Assembly
    from clusterwright.review.resource_changes import Key
    from clusterwright.review.results import SpecChange, UncheckedResource, Unknown
    from clusterwright.review.security_group_drift import LiveRule


def drift_of(
    session: AwsSession, deployed: Assembly, timeout_seconds: float, unknown: list[Unknown]
) -> tuple[tuple[SpecChange, ...], tuple[UncheckedResource, ...]]:
    """What was changed outside CloudFormation, and the resources that nothing checked.

    What cannot be read is added to `unknown`.
    """
    from clusterwright.review.resource_changes import resources_of
    from clusterwright.review.results import UncheckedResource

    found, checked, failed = _detected(session, deployed, timeout_seconds, unknown)
    rules, compared = _security_groups(session, deployed, unknown)
    unchecked = tuple(
        UncheckedResource(*key, side.type)
        for key, side in resources_of(deployed).items()
        if key not in checked | compared
        and key[0] not in failed
        and side.type != "AWS::CDK::Metadata"
    )
    return (*found, *rules), unchecked


def _detected(
    session: AwsSession, deployed: Assembly, timeout_seconds: float, unknown: list[Unknown]
) -> tuple[list[SpecChange], set[Key], set[str]]:
    """Differences, checked resources, and the stacks whose drift is unknown."""
    from clusterwright.aws.cloudformation.change_sets import Drift, drift
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.review.results import SpecChange, Unknown

    end = time.monotonic() + timeout_seconds

    def ask(name: str) -> Drift | Unknown:
        try:
            return drift(session, name, deadline_seconds=max(1, end - time.monotonic()))
        except AwsUnavailable as refusal:
            return Unknown(f"the drift of {name}", refusal.message, refusal.hint)

    with ThreadPoolExecutor(8) as pool:
        answers = dict(zip(deployed.stacks, pool.map(ask, deployed.stacks), strict=True))
    changes: list[SpecChange] = []
    checked: set[Key] = set()
    failed: set[str] = set()
    for stack, answer in answers.items():
        if isinstance(answer, Unknown):
            unknown.append(answer)
            failed.add(stack)
            continue
        checked |= {(stack, name) for name in answer.checked}
        for each in answer.differences:
            parts = (f"{each.stack}/{each.logical_id}", each.property)
            path = ".".join(part for part in parts if part)
            changes.append(SpecChange(path, each.expected, each.actual))
    return changes, checked, failed


def _security_groups(
    session: AwsSession, deployed: Assembly, unknown: list[Unknown]
) -> tuple[tuple[SpecChange, ...], frozenset[Key]]:
    from clusterwright.aws.cloudformation.stacks import stack_resources
    from clusterwright.aws.ec2.vpc import security_groups
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.review.resource_changes import resources_of
    from clusterwright.review.results import Unknown
    from clusterwright.review.security_group_drift import GROUP, rule_drift

    stacks = {key[0] for key, side in resources_of(deployed).items() if side.type == GROUP}
    if not stacks:
        return (), frozenset()
    try:
        physical_ids = {
            (stack, resource.logical_id): resource.physical_id
            for stack in sorted(stacks)
            for resource in stack_resources(session, stack)
        }
        live = {
            group.id: frozenset(
                rule
                for direction, permissions in (("in", group.inbound), ("out", group.outbound))
                for permission in permissions
                for rule in _rules(direction, permission)
            )
            for group in security_groups(session)
        }
    except AwsUnavailable as refusal:
        unknown.append(Unknown("the rules of security groups", refusal.message, refusal.hint))
        return (), frozenset()
    return rule_drift(deployed, physical_ids, live)


def _rules(direction: str, permission: Permission) -> Iterator[LiveRule]:
    """EC2 returns rules of one protocol and port range together; one for each peer."""
    from clusterwright.review.security_group_drift import live_rule

    peers = permission.groups | permission.cidrs | permission.prefix_lists | permission.ipv6_cidrs
    for peer in peers:
        yield live_rule(
            direction, permission.protocol, permission.first_port, permission.last_port, peer
        )

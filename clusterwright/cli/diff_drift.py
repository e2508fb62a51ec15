"""Drift of the deployed stacks: CloudFormation's detection, security group rules from EC2, and
properties that the describe calls of AWS show. `diff --deployed` and `drift` use it.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clusterwright.aws.ec2.vpc import Permission
    from clusterwright.aws.session import AwsSession
    from clusterwright.cluster_spec.models.cluster import Cluster
    from clusterwright.cluster_state.not_read import NotRead
    from clusterwright.review.assembly import Assembly, StackTemplate
    from clusterwright.review.resource_changes import Key
    from clusterwright.review.results import (
        SpecChange,
        UncheckedPart,
        UncheckedResource,
        Unknown,
    )
    from clusterwright.review.security_group_drift import LiveRule

_RULES: Final = "the rules of security groups"
_SETTLED: Final = frozenset(
    {"CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "IMPORT_COMPLETE"}
)
"""The status of stacks that have what their template says."""


def drift_of(
    session: AwsSession,
    deployed: Assembly,
    timeout_seconds: float,
    unknown: list[Unknown],
    partly: list[UncheckedPart] | None = None,
) -> tuple[tuple[SpecChange, ...], tuple[UncheckedResource, ...]]:
    """What was changed outside CloudFormation, and the resources that nothing checked.

    What cannot be read is added to `unknown`, and to `partly` what of the other resources nothing
    compares.
    """
    from clusterwright.review.physical_values import PhysicalValues
    from clusterwright.review.policy_documents import has_unresolved
    from clusterwright.review.resource_changes import resources_of
    from clusterwright.review.results import UncheckedResource
    from clusterwright.review.role_drift import COMPARED, ROLE

    with ThreadPoolExecutor(2) as pool:
        detecting = pool.submit(_detected, session, deployed, timeout_seconds, unknown)
        physical_ids = _physical_ids(session, deployed, unknown)
        rules, of_groups = _security_groups(session, deployed, physical_ids, unknown)
        live, of_live = _live(session, deployed, physical_ids, unknown, partly)
        found, checked, failed = detecting.result()
    resources, values = resources_of(deployed), PhysicalValues(deployed, physical_ids)
    kinds = {key: side.type for key, side in resources.items()}
    # The permissions of roles are compared as a whole, also where CloudFormation compares a part.
    whole = {
        f"{'/'.join(key)}.{name}": values.of(key[0], resources[key].properties.get(name, []))
        for key in of_live
        if kinds[key] == ROLE
        for name in COMPARED
    }
    # But CloudFormation knows all values of a document.
    unresolved = {path for path, value in whole.items() if has_unresolved(value)}
    found = [
        change
        for change in found
        if (path := _property(change.path)) not in whole
        or (path in unresolved and "PolicyDocument" in change.path)
    ]
    # CloudFormation's difference of the same property is kept.
    seen = {_property(change.path) for change in found} - whole.keys()
    live = tuple(change for change in live if _property(change.path) not in seen)
    compared = of_groups | of_live
    unchecked = tuple(
        UncheckedResource(*key, kind)
        for key, kind in kinds.items()
        if key not in checked | compared and key[0] not in failed and kind != "AWS::CDK::Metadata"
    )
    return (*found, *rules, *live), unchecked


def changed_rules(session: AwsSession, cluster: Cluster) -> tuple[str, ...] | NotRead:
    """The rules of security groups that differ from the deployed templates, in words.

    The calls for one stack follow each other, those of all stacks are sent together: it takes as
    long as three. While a stack changes, or after a failure, its template is not what exists: then
    the answer is a NotRead.

    Raises
    ------
    AwsUnavailable
        CloudFormation cannot be read.
    """
    from clusterwright.cluster_state.not_read import NotRead
    from clusterwright.cluster_state.parallel import call_together
    from clusterwright.platforms.stack_names import PARTS, stack_name
    from clusterwright.review.assembly import Assembly, pseudo_parameters
    from clusterwright.review.resource_changes import resources_of
    from clusterwright.review.security_group_drift import GROUP, rule_drift

    names = [stack_name(cluster.environment, part) for part in PARTS]
    rules, *read = call_together(
        partial(_live_rules, session), *(partial(_deployed, session, name) for name in names)
    )
    unsettled = next((each for each in read if isinstance(each, NotRead)), None)
    if unsettled is not None:
        return unsettled
    known: list[tuple[StackTemplate, dict[Key, str]]] = [each for each in read if each is not None]
    pseudo = pseudo_parameters(cluster.account, cluster.region, cluster.partition)
    deployed = Assembly({template.name: template for template, _ in known}, pseudo)
    ids = {key: name for _, of_stack in known for key, name in of_stack.items()}
    changes, compared = rule_drift(deployed, ids, rules)
    groups = {key for key, side in resources_of(deployed).items() if side.type == GROUP}
    if not changes and groups - compared:
        others = ", ".join("/".join(key) for key in sorted(groups - compared))
        reason = f"those of {others} are gone, or are not known from the templates"
        return NotRead(_RULES, reason, "clusterwright drift FILE")
    return tuple(
        f"{change.path.removesuffix('.rules')}: "
        + (f"{change.after} was added" if change.before is None else f"{change.before} is missing")
        for change in changes
    )


def _deployed(
    session: AwsSession, name: str
) -> tuple[StackTemplate, dict[Key, str]] | NotRead | None:
    """The template of a stack and its physical ids; None without one that can be compared."""
    from clusterwright.aws.cloudformation import stacks
    from clusterwright.cluster_state.not_read import NotRead
    from clusterwright.review.assembly import StackTemplate

    found = stacks.stack(session, name)
    if found is None or found.status in ("DELETE_COMPLETE", "REVIEW_IN_PROGRESS"):
        return None
    if found.status not in _SETTLED:
        hint = None
        if found.status.endswith("_IN_PROGRESS"):
            hint = "repeat the command when CloudFormation has finished"
        return NotRead(_RULES, f"{name} is {found.status}", hint)
    body = stacks.template(session, name)
    if body is None:
        return None
    resources = stacks.stack_resources(session, name)
    ids = {(name, resource.logical_id): resource.physical_id for resource in resources}
    return StackTemplate(name, body, found.parameters), ids


def _property(path: str) -> str:
    """Stack, resource and first property of a path."""
    return ".".join(path.partition("[")[0].split(".")[:2])


def _physical_ids(
    session: AwsSession, deployed: Assembly, unknown: list[Unknown]
) -> dict[Key, str]:
    """Physical ids of every deployed resource of the stacks that can be read."""
    from clusterwright.aws.cloudformation.stacks import stack_resources
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.review.results import Unknown

    def read(stack: str) -> dict[Key, str] | Unknown:
        try:
            return {
                (stack, resource.logical_id): resource.physical_id
                for resource in stack_resources(session, stack)
            }
        except AwsUnavailable as refusal:
            return Unknown(f"the resources of {stack}", refusal.message, refusal.hint)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(read, deployed.stacks))
    unknown += [answer for answer in answers if not isinstance(answer, dict)]
    return {
        key: name for answer in answers if isinstance(answer, dict) for key, name in answer.items()
    }


def _live(
    session: AwsSession,
    deployed: Assembly,
    physical_ids: Mapping[Key, str],
    unknown: list[Unknown],
    partly: list[UncheckedPart] | None,
) -> tuple[tuple[SpecChange, ...], frozenset[Key]]:
    """Properties that the describe calls of AWS show, beside CloudFormation's detection."""
    from clusterwright.aws import live_members, live_properties
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.review.live_drift import live_drift
    from clusterwright.review.member_drift import member_drift
    from clusterwright.review.physical_values import PhysicalValues
    from clusterwright.review.resource_changes import resources_of
    from clusterwright.review.results import Unknown
    from clusterwright.review.uncompared import uncompared

    resources = resources_of(deployed)
    ids: dict[str, list[str]] = {}
    for key, side in resources.items():
        if physical_ids.get(key):
            ids.setdefault(side.type, []).append(physical_ids[key])
    kinds = [kind for kind in live_properties.READERS if kind in ids]
    members = [each for each in live_members.MEMBERS if each[0] in ids]

    def read(kind: str) -> Mapping[str, Mapping[str, Any]] | Unknown:
        try:
            return live_properties.READERS[kind](session, ids[kind])
        except AwsUnavailable as refusal:
            return Unknown(f"resources of type {kind}", refusal.message, refusal.hint)

    def listed(each: tuple[str, str]) -> Mapping[str, Mapping[str, str]] | Unknown:
        kind, name = each
        try:
            return live_members.MEMBERS[each](session, ids[kind])
        except AwsUnavailable as refusal:
            return Unknown(f"{name} that were added to {kind}", refusal.message, refusal.hint)

    with ThreadPoolExecutor(8) as pool:
        reading = pool.map(read, kinds)
        listing = pool.map(listed, members)
        answers = dict(zip(kinds, reading, strict=True))
        lists = dict(zip(members, listing, strict=True))
    refused = (*answers.values(), *lists.values())
    unknown += [answer for answer in refused if isinstance(answer, Unknown)]
    known = {k: answer for k, answer in answers.items() if not isinstance(answer, Unknown)}
    found, compared = live_drift(deployed, physical_ids, known, partly)
    added, unjudged = member_drift(
        resources,
        PhysicalValues(deployed, physical_ids),
        physical_ids,
        {each: answer for each, answer in lists.items() if not isinstance(answer, Unknown)},
    )
    if partly is not None:
        partly += [*unjudged, *uncompared(resources)]
    return (*found, *added), compared


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
        if answer.failure:
            hint = "CloudFormation reads each resource with your permissions: allow its read calls"
            unknown.append(Unknown(f"the drift of {stack}", answer.failure, hint))
        for each in answer.differences:
            parts = (f"{each.stack}/{each.logical_id}", each.property)
            path = ".".join(part for part in parts if part)
            changes.append(SpecChange(path, each.expected, each.actual))
    return changes, checked, failed


def _security_groups(
    session: AwsSession,
    deployed: Assembly,
    physical_ids: Mapping[Key, str],
    unknown: list[Unknown],
) -> tuple[tuple[SpecChange, ...], frozenset[Key]]:
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.review.resource_changes import resources_of
    from clusterwright.review.results import Unknown
    from clusterwright.review.security_group_drift import GROUP, rule_drift

    if not any(side.type == GROUP for side in resources_of(deployed).values()):
        return (), frozenset()
    try:
        live = _live_rules(session)
    except AwsUnavailable as refusal:
        unknown.append(Unknown(_RULES, refusal.message, refusal.hint))
        return (), frozenset()
    return rule_drift(deployed, physical_ids, live)


def _live_rules(session: AwsSession) -> dict[str, frozenset[LiveRule]]:
    """The rules of every security group of the region, by its id. Raises AwsUnavailable."""
    from clusterwright.aws.ec2.vpc import security_groups

    return {
        group.id: frozenset(
            rule
            for direction, permissions in (("in", group.inbound), ("out", group.outbound))
            for permission in permissions
            for rule in _rules(direction, permission)
        )
        for group in security_groups(session)
    }


def _rules(direction: str, permission: Permission) -> Iterator[LiveRule]:
    """EC2 returns rules of one protocol and port range together; one for each peer."""
    from clusterwright.review.security_group_drift import live_rule

    peers = permission.groups | permission.cidrs | permission.prefix_lists | permission.ipv6_cidrs
    for peer in peers:
        yield live_rule(
            direction, permission.protocol, permission.first_port, permission.last_port, peer
        )

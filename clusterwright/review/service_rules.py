"""What services do with the updates in place of a change, and to which nodes.

A node may be affected by a resource that its group does not name itself: a rule of a security
group, a policy of its role, a key. The references of the templates say which nodes these are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clusterwright.review import resource_types
from clusterwright.review.expressions import references
from clusterwright.review.resource_changes import ChangeAnalysis, Key, Pair, ResourceVersion
from clusterwright.review.results import ServiceRule
from clusterwright.review.update_rules import effects

_RULES: Final = ("AWS::EC2::SecurityGroupIngress", "AWS::EC2::SecurityGroupEgress")
_ATTACHED: Final[Mapping[str, str]] = {
    **dict.fromkeys(_RULES, "GroupId"),
    "AWS::IAM::ManagedPolicy": "Roles",
    "AWS::IAM::Policy": "Roles",
}
"""Types that act on the resource that this property names."""

_SECURITY_GROUPS: Final = (
    "https://docs.aws.amazon.com/vpc/latest/userguide/security-group-rules.html"
)


def service_rules(analysis: ChangeAnalysis) -> tuple[ServiceRule, ...]:
    """What services do with each update in place, in the order of the resources."""
    users = _Users(analysis)
    found: list[ServiceRule] = []
    deployed = {key[0] for key, pair in analysis.pairs.items() if pair.before is not None}
    for change in analysis.changes:
        pair = analysis.pairs[(change.stack, change.logical_id)]
        names = users.of(pair)
        if change.type in _RULES and change.stack in deployed and change.action != "leave":
            found.append(_security_group_rule(change.name, change.type, change.action, names))
        elif change.effect in ("update", "restart"):
            assert pair.before is not None
            assert pair.after is not None
            found += _with_users(effects(pair.before, pair.after, change.properties), names)
    return tuple(found)


def _with_users(rules: Iterator[ServiceRule], names: tuple[str, ...]) -> Iterator[ServiceRule]:
    for rule in rules:
        yield ServiceRule(**{**vars(rule), "users": names})


def _security_group_rule(
    where: str, kind: str, action: str, users: tuple[str, ...]
) -> ServiceRule:
    what = {"create": "added", "delete": "removed"}.get(action, "changed")
    return ServiceRule(
        where=where,
        type=kind,
        property="GroupId",
        nodes="at-once",
        message=(
            f"a rule is {what}: it applies to running nodes at once; no node is restarted, "
            "established connections may continue"
        ),
        source=_SECURITY_GROUPS,
        date="2026-11-20",
        users=users,
    )


class _Users:
    """The clusters and groups of nodes that refer to a resource, directly or not."""

    def __init__(self, analysis: ChangeAnalysis) -> None:
        self._versions: dict[Key, ResourceVersion] = {}
        for key, pair in analysis.pairs.items():
            side = pair.after or pair.before
            if side is not None:
                self._versions[key] = side
        self._exported = analysis.exported
        self._reached = {
            key: self._reach(key)
            for key, side in self._versions.items()
            if side.type in resource_types.RUNS_JOBS
        }

    def of(self, pair: Pair) -> tuple[str, ...]:
        side = pair.after or pair.before
        assert side is not None
        targets = {pair.key}
        attached = _ATTACHED.get(side.type)
        if attached is not None:
            targets |= set(self._named(pair.key[0], side.properties.get(attached)))
        return tuple(
            sorted(
                "/".join(key)
                for key, reached in self._reached.items()
                if targets & reached and key != pair.key
            )
        )

    def _reach(self, start: Key) -> set[Key]:
        seen = {start}
        waiting = [start]
        while waiting:
            key = waiting.pop()
            side = self._versions.get(key)
            if side is None:
                continue
            for other in self._named(key[0], dict(side.properties)):
                known = self._versions.get(other)
                if other in seen or known is None:
                    continue
                seen.add(other)
                # Another cluster's references are its own.
                if known.type not in resource_types.RUNS_JOBS:
                    waiting.append(other)
        return seen

    def _named(self, stack: str, value: Any) -> Iterator[Key]:
        """The resources that a value refers to, also through exports."""
        for reference in references(value):
            if reference.kind in ("ref", "attribute"):
                yield (stack, reference.name)
            elif reference.kind == "import" and reference.name in self._exported:
                where, exported = self._exported[reference.name]
                yield from self._named(where, exported)

"""Rules of security groups that were added or removed since the deployment.

CloudFormation's drift detection does not check every resource. The rules in EC2 are therefore
compared with those of the deployed templates, also where a rule is a resource of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from clusterwright.review.assembly import Assembly
from clusterwright.review.expressions import Expression
from clusterwright.review.resource_changes import Key, ResourceVersion, exports, resources_of
from clusterwright.review.results import SpecChange

GROUP: Final = "AWS::EC2::SecurityGroup"
_DIRECTIONS: Final = {
    "AWS::EC2::SecurityGroupIngress": "in",
    "AWS::EC2::SecurityGroupEgress": "out",
}
TYPES: Final = (GROUP, *_DIRECTIONS)
_PEERS: Final = (
    "CidrIp",
    "CidrIpv6",
    "SourcePrefixListId",
    "DestinationPrefixListId",
    "SourceSecurityGroupId",
    "DestinationSecurityGroupId",
)
_PROTOCOLS: Final = {"1": "icmp", "6": "tcp", "17": "udp", "58": "icmpv6"}


@dataclass(frozen=True)
class LiveRule:
    """One rule of a group: direction (`in`, `out`), protocol (`-1` for all), ports and peer.

    Ports are None where the rule has none, or covers all of them.
    """

    direction: str
    protocol: str
    first_port: int | None
    last_port: int | None
    peer: str

    def __lt__(self, other: LiveRule) -> bool:
        """Rules without ports come before those with ports."""
        return self._place() < other._place()

    def _place(self) -> tuple[str | int, ...]:
        ports = (-1 if port is None else port for port in (self.first_port, self.last_port))
        return (self.direction, self.protocol, *ports, self.peer)

    def __str__(self) -> str:
        ports = "" if self.first_port is None else f" {self.first_port}-{self.last_port}"
        what = "all traffic" if self.protocol == "-1" else f"{self.protocol}{ports}"
        return f"{what} {'from' if self.direction == 'in' else 'to'} {self.peer}"


EVERYTHING_OUT: Final = LiveRule("out", "-1", None, None, "0.0.0.0/0")


def live_rule(
    direction: str, protocol: str, first: int | None, last: int | None, peer: str
) -> LiveRule:
    """A rule in one form: names for protocol numbers, no ports where all are allowed."""
    protocol = _PROTOCOLS.get(protocol, protocol)
    if protocol == "-1" or first in (None, -1) or (first, last) == (0, 65535):
        first = last = None
    return LiveRule(direction, protocol, first, last, peer)


def rule_drift(
    deployed: Assembly,
    physical_ids: Mapping[Key, str],
    live: Mapping[str, frozenset[LiveRule]],
) -> tuple[tuple[SpecChange, ...], frozenset[Key]]:
    """The rules that differ, and the resources that were compared.

    Parameters
    ----------
    deployed:
        The deployed templates.
    physical_ids:
        Physical ids of the deployed resources; that of a security group is its group id.
    live:
        The rules of every security group of the region, by group id.
    """
    resources = resources_of(deployed)
    ids = _Ids(deployed, physical_ids)
    groups = {
        ids.of(key[0], ("attribute", key[1], "GroupId")): side
        for key, side in resources.items()
        if side.type == GROUP
    }
    expected: dict[str, set[LiveRule]] = {name: set() for name in groups if name in live}
    compared: dict[str, set[Key]] = {name: {groups[name].key} for name in expected}
    incomplete: set[str] = set()
    for key, side in resources.items():
        for group, rule in _rules(side, ids):
            if group not in expected:
                continue
            if rule is None:
                incomplete.add(group)
                continue
            expected[group].add(rule)
            compared[group].add(key)
    found = []
    for name in sorted(expected.keys() - incomplete):
        side = groups[name]
        wanted, there = expected[name], set(live[name])
        if "SecurityGroupEgress" not in side.properties:
            # EC2's own rule of a new group, which the template neither has nor removes.
            wanted.discard(EVERYTHING_OUT)
            there.discard(EVERYTHING_OUT)
        path = f"{'/'.join(side.key)}.rules"
        found += [SpecChange(path, str(rule), None) for rule in sorted(wanted - there)]
        found += [SpecChange(path, None, str(rule)) for rule in sorted(there - wanted)]
    keys = {key for name in expected.keys() - incomplete for key in compared[name]}
    return tuple(found), frozenset(keys)


class _Ids:
    """Physical ids of references to security groups, across stacks."""

    def __init__(self, deployed: Assembly, physical_ids: Mapping[Key, str]) -> None:
        self._physical_ids = physical_ids
        self._exports = exports(deployed)

    def of(self, stack: str, value: Expression) -> str:
        """The id; an empty text where it is not known."""
        match value:
            case str():
                return value
            case ("ref", name) | ("attribute", name, "GroupId"):
                return self._physical_ids.get((stack, str(name)), "")
            case ("import", name) if name in self._exports:
                return self.of(*self._exports[name])
        return ""


def _rules(side: ResourceVersion, ids: _Ids) -> Iterator[tuple[str, LiveRule | None]]:
    """Rules of a resource with the id of their group; None for one that is not readable."""
    stack, properties = side.key[0], side.properties
    if side.type == GROUP:
        group = ids.of(stack, ("attribute", side.key[1], "GroupId"))
        for name, direction in (("SecurityGroupIngress", "in"), ("SecurityGroupEgress", "out")):
            for rule in _items(properties.get(name)):
                yield group, _rule(stack, direction, rule, ids)
    elif side.type in _DIRECTIONS:
        group = ids.of(stack, properties.get("GroupId"))
        yield group, _rule(stack, _DIRECTIONS[side.type], properties, ids)


def _rule(stack: str, direction: str, rule: Any, ids: _Ids) -> LiveRule | None:
    if not isinstance(rule, Mapping):
        return None
    peers = [ids.of(stack, rule[name]) for name in _PEERS if name in rule]
    protocol, first, last = (rule.get(name) for name in ("IpProtocol", "FromPort", "ToPort"))
    known = isinstance(protocol, str) and all(
        port is None or _whole(port) for port in (first, last)
    )
    if len(peers) != 1 or not peers[0] or not known:
        return None
    low, high = (None if port is None else int(port) for port in (first, last))
    return live_rule(direction, str(protocol), low, high, peers[0])


def _items(value: Expression) -> Iterable[Any]:
    if value is None:
        return ()
    return value if isinstance(value, list) else (value,)


def _whole(port: Expression) -> bool:
    return isinstance(port, str) and port.lstrip("-").isdigit()

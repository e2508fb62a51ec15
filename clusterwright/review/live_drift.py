"""Properties of live resources that differ from the deployed templates.

CloudFormation's drift detection does not check every type. What the describe calls return is
therefore compared with the templates, property by property; a property that the template does not
set, or whose value only CloudFormation knows, is not compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from clusterwright.review.assembly import Assembly
from clusterwright.review.expressions import scalar
from clusterwright.review.physical_values import UNRESOLVED, PhysicalValues
from clusterwright.review.resource_changes import Key, ResourceVersion, resources_of
from clusterwright.review.results import SpecChange, UncheckedPart
from clusterwright.review.role_drift import ROLE, document_drift, role_drift

_ROUTE: Final = "AWS::EC2::Route"
_ROUTE_TABLE: Final = "AWS::EC2::RouteTable"
_ASSOCIATION: Final = "AWS::EC2::SubnetRouteTableAssociation"
_TARGETS: Final = ("GatewayId", "NatGatewayId", "TransitGatewayId", "NetworkInterfaceId")
_POLICIES: Final = ("KeyPolicy", "PolicyDocument")
_DEFAULTS: Final[Mapping[tuple[str, str], Any]] = {
    ("AWS::CloudWatch::Alarm", "ActionsEnabled"): "true",
    ("AWS::EC2::VPCEndpoint", "PolicyDocument"): {
        "Statement": [{"Effect": "Allow", "Action": "*", "Principal": "*", "Resource": "*"}]
    },
    ("AWS::SageMaker::Cluster", "RestrictedInstanceGroups"): [],
}
"""What AWS has where a template has no value, of properties that matter if somebody sets them
(CloudFormation template reference; AWS PrivateLink Guide, "Default endpoint policy")."""

_NAMES: Final = ("InstanceGroupName", "DeviceName", "ResourceType", "NetworkCardIndex")
"""Properties that identify the items of a list."""

Live = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Live properties by type and physical id (`clusterwright.aws.live_properties`)."""


def live_drift(
    deployed: Assembly,
    physical_ids: Mapping[Key, str],
    live: Live,
    partly: list[UncheckedPart] | None = None,
) -> tuple[tuple[SpecChange, ...], frozenset[Key]]:
    """The differences (before: the template, after: the live value), and the compared resources.

    What of the compared resources could not be compared is added to `partly`.

    Parameters
    ----------
    live:
        Types that were not read are absent.
    """
    values = PhysicalValues(deployed, physical_ids)
    resources = resources_of(deployed)
    found: list[SpecChange] = []
    compared: set[Key] = set()
    for key, side in resources.items():
        identifier = physical_ids.get(key)
        if side.type not in live or not identifier or side.type == ROLE:
            continue
        compared.add(key)
        path = "/".join(key)
        actual = live[side.type].get(identifier)
        if actual is None:
            found.append(SpecChange(path, "there", "deleted"))
            continue
        expected = {name: values.of(key[0], item) for name, item in side.properties.items()}
        for name in _POLICIES:
            if actual.get(name) is not None:
                declared = expected.pop(name, _DEFAULTS.get((side.type, name)))
                found += document_drift(f"{path}.{name}", declared, actual[name])
        for (kind, name), default in _DEFAULTS.items():
            if kind == side.type and name not in _POLICIES:
                expected.setdefault(name, default)
        found += _differences(path, expected, actual)
    if _ROUTE_TABLE in live:
        changes, keys = _routes(resources, values, physical_ids, live[_ROUTE_TABLE])
        found += changes
        compared |= keys
    if ROLE in live:
        of_roles, roles, unknown = role_drift(resources, values, physical_ids, live[ROLE])
        found += of_roles
        compared |= roles
        if partly is not None:
            partly += unknown
    return tuple(found), frozenset(compared)


def _differences(path: str, expected: Any, actual: Any) -> Iterator[SpecChange]:
    if expected is UNRESOLVED:
        return
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        for name, item in expected.items():
            if name in actual:
                yield from _differences(f"{path}.{name}", item, actual[name])
        return
    if isinstance(expected, list) and isinstance(actual, (list, tuple)):
        yield from _list_differences(path, expected, list(actual))
        return
    wanted, there = _plain(expected), _plain(actual)
    if wanted != there:
        yield SpecChange(path, wanted, there)


def _list_differences(
    path: str, expected: Sequence[Any], actual: Sequence[Any]
) -> Iterator[SpecChange]:
    name = next((n for n in _NAMES if _identify(expected, n) and _identify(actual, n)), None)
    if name is not None:
        there = {str(_plain(item[name])): item for item in actual}
        for item in expected:
            key = str(_plain(item[name]))
            if key in there:
                yield from _differences(f"{path}[{key}]", item, there[key])
            else:
                yield SpecChange(f"{path}[{key}]", "there", "deleted")
        wanted = {str(_plain(item[name])) for item in expected}
        for key in sorted(there.keys() - wanted):
            yield SpecChange(f"{path}[{key}]", None, "added")
        return
    if any(item is UNRESOLVED for item in expected):
        return
    if any(isinstance(item, (Mapping, list)) for item in (*expected, *actual)):
        if len(expected) == len(actual):
            for index, (left, right) in enumerate(zip(expected, actual, strict=True)):
                yield from _differences(f"{path}[{index}]", left, right)
        else:
            yield SpecChange(path, f"{len(expected)} items", f"{len(actual)} items")
        return
    left, right = sorted(map(str, expected)), sorted(str(_plain(item)) for item in actual)
    if left != right:
        yield SpecChange(path, left, right)


def _identify(items: Sequence[Any], name: str) -> bool:
    found = [
        str(_plain(item[name])) for item in items if isinstance(item, Mapping) and name in item
    ]
    return bool(found) and len(found) == len(items) == len(set(found))


def _plain(value: Any) -> Any:
    """Scalars as CloudFormation's text; None where there is no value."""
    if value is None or value is UNRESOLVED:
        return None
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return scalar(value)


def _routes(
    resources: Mapping[Key, ResourceVersion],
    values: PhysicalValues,
    physical_ids: Mapping[Key, str],
    live: Mapping[str, Mapping[str, Any]],
) -> tuple[list[SpecChange], set[Key]]:
    """Routes and associations, which templates have as resources of their own."""
    found: list[SpecChange] = []
    compared: set[Key] = set()
    tables = {
        physical_ids[key]: key
        for key, side in resources.items()
        if side.type == _ROUTE_TABLE and physical_ids.get(key) in live
    }
    expected: dict[str, dict[str, Any]] = {table: {} for table in tables}
    for key, side in resources.items():
        if side.type not in (_ROUTE, _ASSOCIATION):
            continue
        table = values.of(key[0], side.properties.get("RouteTableId"))
        if table not in live:
            continue
        compared.add(key)
        path = "/".join(key)
        if side.type == _ASSOCIATION:
            subnet = values.of(key[0], side.properties.get("SubnetId"))
            if isinstance(subnet, str) and subnet not in live[table].get("Subnets", ()):
                found.append(SpecChange(f"{path}.SubnetId", subnet, None))
            continue
        destination = values.of(
            key[0],
            side.properties.get("DestinationCidrBlock")
            or side.properties.get("DestinationIpv6CidrBlock"),
        )
        target = next(
            (
                values.of(key[0], side.properties[name])
                for name in _TARGETS
                if name in side.properties
            ),
            UNRESOLVED,
        )
        expected.setdefault(table, {})[str(destination)] = target
        there = live[table].get("Routes", {}).get(destination)
        if there is None or (target is not UNRESOLVED and target != there):
            shown = None if target is UNRESOLVED else target
            found.append(SpecChange(f"{path}.{destination}", shown or "there", there))
    for table, key in tables.items():
        for destination, there in live[table].get("Routes", {}).items():
            if destination not in expected[table]:
                found.append(SpecChange(f"{'/'.join(key)}.routes.{destination}", None, there))
    return found, compared

"""Contradictions between the fields of a world, and with AWS: names, ranges, times."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from ipaddress import IPv4Network
from typing import Any, Final

from clusterwright_localaws.worlds.injections import ClusterEvent, LogLines, Override
from clusterwright_localaws.worlds.model import Fault, SubnetSeed, World, moment_of

Path = tuple[str | int, ...]

# https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html
_LARGEST_PREFIX, _SMALLEST_PREFIX = 16, 28
_RESERVED_ADDRESSES = 5


def contradictions(world: World) -> list[tuple[Path, str]]:
    """Return every contradiction, with its position in the document.

    Each would fail later without an explanation, or silently have no effect.
    """
    return [
        *_subnets(world.subnets),
        *_repeated("training_plans", [plan.name for plan in world.training_plans], "name"),
        *_repeated(
            "capacity_reservations",
            [reservation.id for reservation in world.capacity_reservations],
            "id",
        ),
        *_repeated("buckets", [bucket.name for bucket in world.buckets], "name"),
        *_times(world),
        *_amounts(world),
        *_quotas("quotas", world.quotas),
        *_quotas("usage", world.usage),
        *_faults(world.faults),
        *_overrides(world.overrides),
        *_moments("log_lines", world.log_lines),
        *_moments("cluster_events", world.cluster_events),
        *_metadata(world),
    ]


def with_changes(world: World, changes: Mapping[str, Any]) -> World:
    """Return the world with some fields replaced.

    Raises
    ------
    ValueError
        A field is invalid (pydantic's ValidationError), or the changes contradict other fields.
    """
    changed = World.model_validate({**world.model_dump(), **changes})
    found = [message for path, message in contradictions(changed) if path[0] in changes]
    if found:
        raise ValueError("; ".join(found))
    return changed


def _subnets(subnets: Sequence[SubnetSeed]) -> Iterator[tuple[Path, str]]:
    yield from _repeated("subnets", [item.id for item in subnets], "id")
    placed: list[tuple[int, SubnetSeed, IPv4Network]] = []
    ranges: dict[str, str] = {}
    for number, subnet in enumerate(subnets):
        here: Path = ("subnets", number)
        vpc = _network(subnet.vpc_cidr)
        cidr = _network(subnet.cidr)
        if vpc is None:
            yield (
                (*here, "vpc_cidr"),
                f"{subnet.vpc_cidr!r} is not an IPv4 range, such as 10.0.0.0/16",
            )
        if cidr is None:
            yield (*here, "cidr"), f"{subnet.cidr!r} is not an IPv4 range, such as 10.0.0.0/20"
        if vpc is None or cidr is None:
            continue
        if ranges.setdefault(subnet.vpc_id, subnet.vpc_cidr) != subnet.vpc_cidr:
            yield (
                (*here, "vpc_cidr"),
                f"{subnet.vpc_id} has the range {ranges[subnet.vpc_id]} already",
            )
        if not cidr.subnet_of(vpc):
            yield (*here, "cidr"), f"{cidr} is not within {vpc}, the range of {subnet.vpc_id}"
        if not _LARGEST_PREFIX <= cidr.prefixlen <= _SMALLEST_PREFIX:
            yield (
                (*here, "cidr"),
                f"a subnet is a /{_LARGEST_PREFIX} to a /{_SMALLEST_PREFIX}, not a "
                f"/{cidr.prefixlen}",
            )
        usable = cidr.num_addresses - _RESERVED_ADDRESSES
        if subnet.free_addresses is not None and subnet.free_addresses > usable:
            yield (*here, "free_addresses"), f"{cidr} has {usable} addresses that can be free"
        for _, other, taken in placed:
            if other.vpc_id == subnet.vpc_id and taken.overlaps(cidr):
                yield (*here, "cidr"), f"{cidr} overlaps with {taken} of {other.id}"
        placed.append((number, subnet, cidr))


def _network(text: str) -> IPv4Network | None:
    try:
        return IPv4Network(text)
    except ValueError:
        return None


def _repeated(section: str, names: Sequence[str], key: str) -> Iterator[tuple[Path, str]]:
    first: dict[str, int] = {}
    for number, name in enumerate(names):
        if first.setdefault(name, number) != number:
            yield (section, number, key), f"{name} is {section}[{first[name]}] already"


def _times(world: World) -> Iterator[tuple[Path, str]]:
    now = datetime.now(UTC)
    for number, plan in enumerate(world.training_plans):
        if moment_of(plan.end, now) <= moment_of(plan.start, now):
            yield ("training_plans", number, "end"), f"{plan.end} is not after {plan.start}"
    for number, one in enumerate(world.capacity_reservations):
        if one.end is not None and moment_of(one.end, now) <= moment_of(one.start, now):
            yield ("capacity_reservations", number, "end"), f"{one.end} is not after {one.start}"


def _amounts(world: World) -> Iterator[tuple[Path, str]]:
    for number, plan in enumerate(world.training_plans):
        if plan.in_use_instance_count > plan.instance_count:
            yield (
                ("training_plans", number, "in_use_instance_count"),
                f"the plan has {plan.instance_count} instances",
            )
    for number, one in enumerate(world.capacity_reservations):
        available = one.available_instance_count
        if available is not None and available > one.instance_count:
            yield (
                ("capacity_reservations", number, "available_instance_count"),
                f"the reservation has {one.instance_count} instances",
            )


_OTHER_QUOTA_CODES: Final = ("aps",)
"""Codes of Service Quotas that are no names of boto3: Amazon Managed Service for Prometheus."""


def _quotas(section: str, values: Mapping[str, float]) -> Iterator[tuple[Path, str]]:
    from clusterwright_localaws.core import catalog_facts

    if not values:
        return
    known = {(q.service, q.code) for q in catalog_facts.catalog().quotas if q.code is not None}
    for key in values:
        service, _, code = key.partition("/")
        services = sorted({name for name, _ in known})
        if service not in (*services, *_OTHER_QUOTA_CODES, *_services()):
            yield (section, key), _unknown("service", service, [*services, *_services()])
        elif (service, code) not in known:
            # Other codes may be requested too; a code that is nearly a known one is a typing
            # error.
            near = [
                one for name, one in known if name == service and one and _one_sign_off(one, code)
            ]
            if near:
                yield (
                    (section, key),
                    f"there is no quota {key}; did you mean `{service}/{near[0]}`?",
                )


def _one_sign_off(one: str, other: str) -> bool:
    if len(one) != len(other):
        return False
    wrong = [number for number in range(len(one)) if one[number] != other[number]]
    if len(wrong) == 2:
        first, second = wrong
        swapped = (one[first], one[second]) == (other[second], other[first])
        return swapped and second == first + 1
    return len(wrong) == 1


def _faults(faults: Sequence[Fault]) -> Iterator[tuple[Path, str]]:
    for number, fault in enumerate(faults):
        if fault.service == "*":
            continue
        if fault.service not in _services():
            message = _unknown("service", fault.service, _services())
            yield ("faults", number, "service"), message
            continue
        if fault.operation == "*":
            continue
        operations = _operations(fault.service)
        if fault.operation not in operations:
            message = _unknown(f"operation of {fault.service}", fault.operation, operations)
            yield ("faults", number, "operation"), message


def _overrides(overrides: Sequence[Override]) -> Iterator[tuple[Path, str]]:
    from clusterwright_localaws.core.overrides import UNPARSED, problems_of

    for number, override in enumerate(overrides):
        here: Path = ("overrides", number)
        if override.service not in _services():
            yield (*here, "service"), _unknown("service", override.service, _services())
        elif override.service in UNPARSED:
            yield (*here, "service"), f"answers of {override.service} cannot be changed"
        elif override.operation not in (operations := _operations(override.service)):
            message = _unknown(f"operation of {override.service}", override.operation, operations)
            yield (*here, "operation"), message
        else:
            for path, stated in problems_of(override, _model(override.service)):
                yield (*here, *path), stated


def _moments(section: str, items: Sequence[LogLines | ClusterEvent]) -> Iterator[tuple[Path, str]]:
    now = datetime.now(UTC)
    for number, each in enumerate(items):
        try:
            moment_of(each.at, now)
        except ValueError as error:
            yield (section, number, "at"), str(error)


def _metadata(world: World) -> Iterator[tuple[Path, str]]:
    from clusterwright_localaws.core.validation import violations

    for number, each in enumerate(world.cluster_events):
        shape = _model("sagemaker").shape_for("EventMetadata")
        for stated in violations(shape, each.metadata, answers=True):
            yield ("cluster_events", number, "metadata"), stated


def _unknown(what: str, name: str, known: Sequence[str]) -> str:
    # difflib treats letters of another case as different.
    folded = {item.lower(): item for item in known}
    close = difflib.get_close_matches(name.lower(), folded, n=1)
    hint = f"; did you mean `{folded[close[0]]}`?" if close else ""
    return f"boto3 has no {what} named {name!r}{hint}"


@functools.cache
def _services() -> tuple[str, ...]:
    import botocore.session

    return tuple(botocore.session.get_session().get_available_services())


@functools.cache
def _operations(service: str) -> tuple[str, ...]:
    return tuple(_model(service).operation_names)


@functools.cache
def _model(service: str) -> Any:
    import botocore.session

    return botocore.session.get_session().get_service_model(service)

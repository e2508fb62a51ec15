"""Instance types, their availability per zone, and zones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from clusterwright.aws.session import AwsSession

# DescribeInstanceTypes accepts at most 100 names per call (API reference).
_NAMES_PER_CALL: Final = 100


@dataclass(frozen=True)
class Offering:
    """An instance type offered in a zone."""

    instance_type: str
    zone_id: str


@dataclass(frozen=True)
class Zone:
    """A zone of a region; `kind` is availability-zone, local-zone or wavelength-zone."""

    zone_id: str
    name: str
    kind: str
    opt_in_status: str


def instance_types(
    session: AwsSession, names: Iterable[str], *, region: str | None = None
) -> Iterator[Mapping[str, Any]]:
    """Yield the answers of DescribeInstanceTypes for these names, 100 names per call.

    Raises
    ------
    AwsUnavailable
        Also for a name that the region does not have (reason `other`, code
        `InvalidInstanceType`).
    """
    remaining = iter(names)
    while batch := list(islice(remaining, _NAMES_PER_CALL)):
        for page in session.pages(
            "ec2", "DescribeInstanceTypes", region=region, InstanceTypes=batch
        ):
            yield from page["InstanceTypes"]


def offerings(
    session: AwsSession, *, names: Iterable[str] = (), region: str | None = None
) -> Iterator[Offering]:
    """Yield the types offered in each zone of the region, only of `names` if there are any.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
    """
    wanted = sorted(set(names))
    filters = {"Filters": [{"Name": "instance-type", "Values": wanted}]} if wanted else {}
    for page in session.pages(
        "ec2",
        "DescribeInstanceTypeOfferings",
        region=region,
        LocationType="availability-zone-id",
        **filters,
    ):
        for offered in page["InstanceTypeOfferings"]:
            yield Offering(offered["InstanceType"], offered["Location"])


def zones(session: AwsSession, *, region: str | None = None) -> tuple[Zone, ...]:
    """Return every zone of the region, including local zones that are not opted in.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
    """
    answer = session.call(
        "ec2", "DescribeAvailabilityZones", region=region, AllAvailabilityZones=True
    )
    return tuple(
        Zone(
            zone["ZoneId"],
            zone["ZoneName"],
            zone.get("ZoneType", "availability-zone"),
            zone.get("OptInStatus", "opt-in-not-required"),
        )
        for zone in answer["AvailabilityZones"]
    )

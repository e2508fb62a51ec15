"""EC2: instance types, where they are offered, zones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from clusterwright.aws.session import AwsSession

# DescribeInstanceTypes takes at most this many names in one call (API reference).
_NAMES_PER_CALL: Final = 100


@dataclass(frozen=True)
class Offering:
    """An instance type that a zone offers."""

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
    """DescribeInstanceTypes of these names, in API shape, a hundred per call.

    Raises
    ------
    AwsUnavailable
        Also (reason `other`, code `InvalidInstanceType`) for a name the region does not have.
    """
    waiting = iter(names)
    while batch := list(islice(waiting, _NAMES_PER_CALL)):
        for page in session.pages(
            "ec2", "DescribeInstanceTypes", region=region, InstanceTypes=batch
        ):
            yield from page["InstanceTypes"]


def offerings(
    session: AwsSession, *, names: Iterable[str] = (), region: str | None = None
) -> Iterator[Offering]:
    """Every type that each zone of the region offers, by zone id; of `names` alone, if any.

    Raises
    ------
    AwsUnavailable
        The question was not answered.
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
    """Every zone of the region, local zones that are not opted into included.

    Raises
    ------
    AwsUnavailable
        The question was not answered.
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

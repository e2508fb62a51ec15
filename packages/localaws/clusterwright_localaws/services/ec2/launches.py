"""Placement of launches: placement groups, capacity reservations, free capacity of zones.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clusterwright_localaws.core import catalog_facts
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.ec2.capacity_checks import (
    RESERVATION_FULL,
    free_capacity,
    insufficient,
)
from clusterwright_localaws.services.ec2.placement_groups import (
    groups_in,
    instances_in,
    unknown_group,
)
from clusterwright_localaws.services.ec2.reserved import (
    BLOCK,
    INTERRUPTIBLE,
    SPOT,
    Reservation,
    Reserved,
    ec2_backend,
    reserved_in,
)
from clusterwright_localaws.services.ec2.zones import zone_id_of, zone_name

# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html: "a maximum of
# seven running instances per Availability Zone per group".
_SPREAD_PER_ZONE = 7


@dataclass
class LaunchRequest:
    """Placement and capacity parameters of a RunInstances call."""

    max_count: int | None = None
    market: str = ""
    group_name: str = ""
    preference: str = "open"
    reservation_id: str = ""
    zone: str = ""
    specified: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, request: Mapping[str, Any], template: Mapping[str, Any]) -> LaunchRequest:
        """Read the parameters of the call, with those of the launch template as defaults."""

        def either(name: str) -> Mapping[str, Any]:
            found: Mapping[str, Any] = request.get(name) or template.get(name) or {}
            return found

        placement, wanted = either("Placement"), either("CapacityReservationSpecification")
        target = wanted.get("CapacityReservationTarget") or {}
        if target.get("CapacityReservationResourceGroupArn"):
            raise AwsError(
                "UnsupportedOperation",
                "the local AWS does not support launches into groups of capacity reservations",
            )
        return cls(
            max_count=_counts(request),
            market=str(either("InstanceMarketOptions").get("MarketType") or ""),
            group_name=str(placement.get("GroupName") or placement.get("GroupId") or ""),
            preference=str(wanted.get("CapacityReservationPreference") or "open"),
            reservation_id=str(target.get("CapacityReservationId") or ""),
            zone=str(
                placement.get("AvailabilityZone") or placement.get("AvailabilityZoneId") or ""
            ),
            specified=dict(wanted),
        )


@dataclass(frozen=True)
class Launch:
    """How many instances start, in which zone, group and reservations (one per instance)."""

    count: int
    zone: str
    group_name: str
    reservations: Sequence[str | None]


class Launcher:
    """Plans launches in one account and region."""

    def __init__(self, runtime: Runtime, account: str, region: str) -> None:
        self.runtime, self.account, self.region = runtime, account, region
        self.reserved: Reserved = reserved_in(runtime, account, region)

    def check(self, launch_request: LaunchRequest, instance_type: str) -> None:
        """Refuse missing resources and conflicting parameters; also for dry runs.

        The codes of a missing, inactive or full reservation and of a missing group are documented;
        the code of a market type that does not fit is ours.

        Raises
        ------
        AwsError
            InvalidPlacementGroup.Unknown, InvalidCapacityReservationId.NotFound,
            InvalidCapacityReservationState.PendingActivation, ReservationCapacityExceeded,
            InvalidParameterCombination.
        """
        if launch_request.group_name:
            self._check_group(launch_request, instance_type)
        if launch_request.market == BLOCK and not launch_request.reservation_id:
            raise _combination(
                "The market type capacity-block needs the id of a Capacity Block's reservation in "
                "CapacityReservationTarget."
            )
        if launch_request.market == INTERRUPTIBLE and not launch_request.reservation_id:
            raise _combination(
                f"The market type {INTERRUPTIBLE} needs the id of an interruptible reservation in "
                "CapacityReservationTarget."
            )
        if not launch_request.reservation_id:
            return
        item = self.reserved.by_id.get(launch_request.reservation_id)
        if item is None:
            raise AwsError(
                "InvalidCapacityReservationId.NotFound",
                f"The capacity reservation id '{launch_request.reservation_id}' does not exist",
            )
        state = item.members["State"]
        if item.is_block and state in ("scheduled", "payment-pending"):
            raise AwsError(
                "InvalidCapacityReservationState.PendingActivation",
                f"Your Capacity Block is not active yet. ({item.id} starts at "
                f"{item.members['StartDate']:%Y-%m-%dT%H:%M:%SZ})",
            )
        if item.is_block and launch_request.market != BLOCK:
            raise _combination(
                f"The reservation {item.id} is of a Capacity Block: the market type must be "
                "capacity-block."
            )
        if item.market == INTERRUPTIBLE and launch_request.market != INTERRUPTIBLE:
            raise _combination(
                f"The reservation {item.id} is interruptible: the market type must be "
                f"{INTERRUPTIBLE}."
            )
        if not item.is_block and launch_request.market not in ("", item.market):
            raise _combination(
                f"The market type {launch_request.market} cannot be used with the on-demand "
                f"reservation "
                f"{item.id}."
            )
        alike = (instance_type, "Linux/UNIX", "default")
        members = item.members
        theirs = (members["InstanceType"], members["InstancePlatform"], members["Tenancy"])
        if state != "active" or theirs != alike:
            raise AwsError("ReservationCapacityExceeded", RESERVATION_FULL)

    def plan(
        self, launch_request: LaunchRequest, instance_type: str, min_count: int, zone: str | None
    ) -> Launch:
        """Return the plan of a launch.

        Parameters
        ----------
        zone:
            The zone of the subnet or of the request; `None` where AWS chooses.

        Raises
        ------
        AwsError
            Unsupported, InsufficientInstanceCapacity, ReservationCapacityExceeded; those of
            `check`.
        """
        self.check(launch_request, instance_type)
        wanted = max(min_count, launch_request.max_count or min_count)
        group = self._group_name(launch_request)
        place = zone or self._choose_zone(launch_request, instance_type, min_count, group)
        if zone_id_of(self.region, place) is None:
            raise AwsError("InvalidParameterValue", f"Invalid availability zone: [{place}]")
        if launch_request.reservation_id:
            return self._into(launch_request, instance_type, min_count, wanted, place, group)
        self._check_offered(instance_type, place)
        slots = self._open_slots(launch_request, instance_type, place, group)[:wanted]
        if launch_request.preference == "capacity-reservations-only":
            if len(slots) < min_count:
                raise AwsError("ReservationCapacityExceeded", RESERVATION_FULL)
            return Launch(len(slots), place, group, slots)
        free = self._free(instance_type, place)
        rest = wanted - len(slots) if free is None else min(wanted - len(slots), free)
        count = self._within_group(group, place, len(slots) + rest)
        if count < min_count:
            raise self._nothing_left(launch_request, instance_type, place)
        return Launch(count, place, group, (slots + [None] * rest)[:count])

    def check_start(self, instance: Any) -> None:
        """Refuse to start a stopped instance without capacity for it.

        Raises
        ------
        AwsError
            InsufficientInstanceCapacity, ReservationCapacityExceeded.
        """
        reservation_id = getattr(instance, "capacity_reservation_id", None)
        if reservation_id is not None:
            item = self.reserved.by_id.get(reservation_id)
            if item is None or self.reserved.available(item) < 1:
                raise AwsError("ReservationCapacityExceeded", RESERVATION_FULL)
            return
        place = instance.placement.zone
        free = self._free(instance.instance_type, place)
        if free is not None and free < 1:
            raise self._nothing_left(LaunchRequest(), instance.instance_type, place)

    def _into(
        self,
        launch_request: LaunchRequest,
        instance_type: str,
        min_count: int,
        wanted: int,
        place: str,
        group: str,
    ) -> Launch:
        item = self.reserved.by_id[launch_request.reservation_id]
        free = self.reserved.available(item)
        elsewhere = item.members["AvailabilityZone"] != place or not _takes_group(
            self._groups(), item, group
        )
        if elsewhere or free < min_count:
            raise AwsError("ReservationCapacityExceeded", RESERVATION_FULL)
        count = min(wanted, free)
        return Launch(count, place, group, [item.id] * count)

    def _open_slots(
        self, launch_request: LaunchRequest, instance_type: str, place: str, group: str
    ) -> list[str | None]:
        if launch_request.market or launch_request.preference == "none":
            return []
        found: list[str | None] = []
        for item in self.reserved.by_id.values():
            members = item.members
            if (
                members["State"] == "active"
                and members["InstanceMatchCriteria"] == "open"
                and members["InstanceType"] == instance_type
                and members["AvailabilityZone"] == place
                and members["InstancePlatform"] == "Linux/UNIX"
                and members["Tenancy"] == "default"
                and _takes_group(self._groups(), item, group)
            ):
                found += [item.id] * self.reserved.available(item)
        return found

    def _choose_zone(
        self, launch_request: LaunchRequest, instance_type: str, min_count: int, group: str
    ) -> str:
        if launch_request.reservation_id:
            zone = self.reserved.by_id[launch_request.reservation_id].members["AvailabilityZone"]
            return str(zone)
        mates = instances_in(self.account, self.region, group) if group else []
        if mates and self._groups()[group]["Strategy"] == "cluster":
            return str(mates[0].placement.zone)
        zones = sorted(
            {
                subnet.availability_zone
                for by_zone in ec2_backend(self.account, self.region).subnets.values()
                for subnet in by_zone.values()
                if subnet.default_for_az
            }
        ) or [f"{self.region}a"]
        offered = [
            zone
            for zone in zones
            if catalog_facts.offered_in(
                self.runtime.world, instance_type, self.region, zone_id_of(self.region, zone) or ""
            )
            is not False
        ]
        for zone in offered:
            free = self._free(instance_type, zone)
            if free is None or free >= min_count:
                return str(zone)
        return str((offered or zones)[0])

    def _check_offered(self, instance_type: str, place: str) -> None:
        """https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/troubleshooting-launch.html"""
        from moto.ec2.models.instance_types import INSTANCE_TYPES

        zone_id = zone_id_of(self.region, place) or ""
        if (
            catalog_facts.offered_in(self.runtime.world, instance_type, self.region, zone_id)
            is False
        ):
            with_it = [
                zone_name(self.region, found) or found
                for found in catalog_facts.zones_with(
                    self.runtime.world, instance_type, self.region
                )
            ]
            instead = f" or choosing {', '.join(sorted(with_it))}" if with_it else ""
            raise AwsError(
                "Unsupported",
                f"Your requested instance type ({instance_type}) is not supported in your "
                f"requested Availability Zone ({place}). Please retry your request by not "
                f"specifying an Availability Zone{instead}.",
            )
        usage = INSTANCE_TYPES.get(instance_type, {}).get("SupportedUsageClasses")
        if usage and "on-demand" not in usage and "spot" not in usage:
            raise AwsError(
                "Unsupported",
                "The requested configuration is currently not supported. Please check the "
                f"documentation for supported configurations. ({instance_type} is sold as "
                f"{', '.join(usage)} only)",
            )

    def _check_group(self, launch_request: LaunchRequest, instance_type: str) -> None:
        from moto.ec2.models.instance_types import INSTANCE_TYPES

        group = self._groups()[self._group_name(launch_request)]
        strategies = (
            INSTANCE_TYPES.get(instance_type, {})
            .get("PlacementGroupInfo", {})
            .get("SupportedStrategies")
        )
        if strategies is not None and group["Strategy"] not in strategies:
            raise _combination(
                f"Placement groups may not be used with instances of type '{instance_type}'."
            )
        if group["Strategy"] == "cluster" and launch_request.market == BLOCK:
            raise _combination(
                f"The cluster placement group '{group['GroupName']}' can't be used with a "
                "Capacity Block."
            )

    def _within_group(self, group: str, place: str, count: int) -> int:
        """Return how many instances a group can start in a zone: a cluster is in one zone, a
        spread is small.
        """
        if not group:
            return count
        strategy = self._groups()[group]["Strategy"]
        mates = instances_in(self.account, self.region, group)
        if strategy == "cluster" and mates and mates[0].placement.zone != place:
            raise _combination(
                f"The cluster placement group '{group}' has instances in "
                f"{mates[0].placement.zone}; it can't span Availability Zones."
            )
        if strategy == "spread":
            there = sum(1 for mate in mates if mate.placement.zone == place)
            return min(count, max(0, _SPREAD_PER_ZONE - there))
        return count

    def _free(self, instance_type: str, place: str) -> int | None:
        zone_id = zone_id_of(self.region, place) or ""
        return free_capacity(self.reserved, instance_type, zone_id)

    def _nothing_left(
        self, launch_request: LaunchRequest, instance_type: str, place: str
    ) -> AwsError:
        if launch_request.market == SPOT:
            return AwsError(
                "InsufficientInstanceCapacity",
                "There is no Spot capacity available that matches your request.",
            )
        return insufficient(self.region, instance_type, zone_id_of(self.region, place) or place)

    def _groups(self) -> dict[str, dict[str, Any]]:
        return groups_in(self.runtime, self.account, self.region)

    def _group_name(self, launch_request: LaunchRequest) -> str:
        if not launch_request.group_name:
            return ""
        for name, group in self._groups().items():
            if launch_request.group_name in (name, group["GroupId"], group["GroupArn"]):
                return name
        raise unknown_group(launch_request.group_name)


def _takes_group(groups: Mapping[str, Any], one: Reservation, group: str) -> bool:
    """Return whether a reservation fits: in a cluster placement group, for that group only."""
    arn = one.members.get("PlacementGroupArn")
    if arn is None:
        return True
    return bool(group) and groups[group]["GroupArn"] == arn


def _counts(request: Mapping[str, Any]) -> int | None:
    """Return MaxCount, if both counts are valid."""
    minimum, maximum = request.get("MinCount"), request.get("MaxCount")
    for name, value, least in (("minCount", minimum, 1), ("maxCount", maximum, minimum or 1)):
        if value is not None and int(value) < int(least):
            raise AwsError(
                "InvalidParameterValue",
                f"Value ({value}) for parameter {name} is invalid. It must be at least {least}.",
            )
    return int(maximum) if maximum is not None else None


def _combination(message: str) -> AwsError:
    return AwsError("InvalidParameterCombination", message)

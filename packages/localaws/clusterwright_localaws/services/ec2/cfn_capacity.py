"""Placement groups, capacity reservations and launch templates."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.cloudformation.handler import (
    Context,
    Created,
    Handler,
    Properties,
)
from clusterwright_localaws.cloudformation.handler_helpers import (
    changed,
    ec2_tags,
    pick,
    ready,
    retag_ec2,
)


class PlacementGroup(Handler):
    type_name = "AWS::EC2::PlacementGroup"

    def create(self, ctx: Context, properties: Properties) -> Created:
        name = ctx.generated_name(max_length=255)
        group = ctx.client("ec2").create_placement_group(
            GroupName=name,
            **pick(properties, "ParentGroupId", "PartitionCount", "SpreadLevel", "Strategy"),
            **ec2_tags(ctx, "placement-group", properties.get("Tags")),
        )["PlacementGroup"]
        return Created(name, {"GroupId": group["GroupId"], "GroupName": name})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        ec2 = ctx.client("ec2")
        found = ec2.describe_placement_groups(GroupNames=[physical_id])["PlacementGroups"][0]
        retag_ec2(ctx, found["GroupId"], old, new)
        return Created(physical_id, {"GroupId": found["GroupId"], "GroupName": physical_id})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("ec2").delete_placement_group(GroupName=physical_id)


class CapacityReservation(Handler):
    type_name = "AWS::EC2::CapacityReservation"
    unsupported_properties = frozenset({"OutPostArn", "UnusedReservationBillingOwnerId"})
    # EC2 answers these for blocks, fleets and future dates only.
    unsupported_attributes = frozenset(
        {
            "CapacityAllocationSet",
            "CapacityReservationFleetId",
            "CommitmentInfo",
            "DeliveryPreference",
            "ReservationType",
        }
    )

    def create(self, ctx: Context, properties: Properties) -> Created:
        ec2 = ctx.client("ec2")
        found = ec2.create_capacity_reservation(
            **pick(
                properties,
                "AvailabilityZone",
                "AvailabilityZoneId",
                "EbsOptimized",
                "EndDate",
                "EndDateType",
                "EphemeralStorage",
                "InstanceCount",
                "InstanceMatchCriteria",
                "InstancePlatform",
                "InstanceType",
                "PlacementGroupArn",
                "Tenancy",
            ),
            **_specified(ctx, properties, "capacity-reservation"),
        )["CapacityReservation"]
        reservation = found["CapacityReservationId"]
        ctx.identify(reservation)
        ready(
            ctx,
            lambda: self._described(ec2, reservation),
            f"the reservation {reservation}",
            status="State",
            wanted="active",
        )
        return self._created(ec2, reservation)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        ec2 = ctx.client("ec2")
        parameters = {
            name: new[name]
            for name in ("EndDate", "EndDateType", "InstanceCount", "InstanceMatchCriteria")
            if name in new and changed(old, new, name)
        }
        if parameters:
            ec2.modify_capacity_reservation(CapacityReservationId=physical_id, **parameters)
        return self._created(ec2, physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ec2 = ctx.client("ec2")
        if self._described(ec2, physical_id)["State"] not in ("cancelled", "expired"):
            ec2.cancel_capacity_reservation(CapacityReservationId=physical_id)

    def replacing(self, old: Properties, new: Properties) -> set[str]:
        return {"TagSpecifications"} if changed(old, new, "TagSpecifications") else set()

    def _described(self, ec2: Any, reservation: str) -> Any:
        return ec2.describe_capacity_reservations(CapacityReservationIds=[reservation])[
            "CapacityReservations"
        ][0]

    def _created(self, ec2: Any, reservation: str) -> Created:
        found = self._described(ec2, reservation)
        return Created(
            reservation,
            {
                **pick(
                    found,
                    "AvailabilityZone",
                    "CapacityReservationArn",
                    "InstanceType",
                    "OwnerId",
                    "State",
                    CapacityReservationId="Id",
                ),
                "AvailableInstanceCount": str(found["AvailableInstanceCount"]),
                "CreateDate": found["CreateDate"].isoformat(),
                "StartDate": found["StartDate"].isoformat(),
                "Tenancy": found.get("Tenancy", "default"),
                "TotalInstanceCount": str(found["TotalInstanceCount"]),
            },
        )


class LaunchTemplate(Handler):
    type_name = "AWS::EC2::LaunchTemplate"

    def create(self, ctx: Context, properties: Properties) -> Created:
        ec2 = ctx.client("ec2")
        name = properties.get("LaunchTemplateName") or ctx.generated_name(max_length=128)
        template = ec2.create_launch_template(
            LaunchTemplateName=name,
            LaunchTemplateData=_launch_data(properties),
            **pick(properties, "VersionDescription"),
            **_specified(ctx, properties, "launch-template"),
        )["LaunchTemplate"]
        return self._created(template)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        ec2 = ctx.client("ec2")
        if changed(old, new, "LaunchTemplateData", "VersionDescription"):
            ec2.create_launch_template_version(
                LaunchTemplateId=physical_id,
                LaunchTemplateData=_launch_data(new),
                **pick(new, "VersionDescription"),
            )
        found = ec2.describe_launch_templates(LaunchTemplateIds=[physical_id])
        return self._created(found["LaunchTemplates"][0])

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("ec2").delete_launch_template(LaunchTemplateId=physical_id)

    def _created(self, template: Any) -> Created:
        return Created(
            template["LaunchTemplateId"],
            {
                "LaunchTemplateId": template["LaunchTemplateId"],
                "DefaultVersionNumber": str(template["DefaultVersionNumber"]),
                "LatestVersionNumber": str(template["LatestVersionNumber"]),
            },
        )


def _specified(ctx: Context, properties: Properties, kind: str) -> dict[str, Any]:
    """Return the template's tag specifications, with the stack's tags."""
    for specification in properties.get("TagSpecifications", []):
        if specification.get("ResourceType", kind) == kind:
            return ec2_tags(ctx, kind, specification.get("Tags"))
    return ec2_tags(ctx, kind, None)


def _launch_data(properties: Properties) -> dict[str, Any]:
    """Return the launch template data, which has the API's names."""
    data: dict[str, Any] = dict(properties["LaunchTemplateData"])
    return data

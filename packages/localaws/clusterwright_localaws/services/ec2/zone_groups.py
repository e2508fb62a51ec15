"""Opt-in to local zones.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyAvailabilityZoneGroup.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.ec2.common import refuse_dry_run
from clusterwright_localaws.services.ec2.zones import choices, group_of


@operation("ec2", "ModifyAvailabilityZoneGroup")
def modify_availability_zone_group(call: Call) -> Mapping[str, Any]:
    """Opt in to a group of local zones. Opting out is refused: only AWS Support can do it."""
    from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend

    name, status = call.parameters["GroupName"], call.parameters["OptInStatus"]
    zones = RegionsAndZonesBackend.zones.get(call.region, ())
    groups = {group_of(zone.name) for zone in zones if zone.zone_type == "local-zone"}
    if name not in groups:
        raise AwsError("InvalidParameterValue", f"The zone group {name} does not exist.")
    if status != "opted-in":
        raise AwsError(
            "InvalidParameterValue", "You must contact AWS Support to opt out of a zone group."
        )
    refuse_dry_run(call)
    choices(call.runtime, call.account, call.region)[name] = True
    return {"Return": True}

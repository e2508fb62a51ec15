"""Checks before EC2 provides capacity: offerings, free capacity, vCPU quotas."""

from __future__ import annotations

from clusterwright_localaws.core import catalog_facts, quotas
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.ec2.reserved import Reserved, running
from clusterwright_localaws.services.ec2.zones import zone_name

# https://docs.aws.amazon.com/ec2/latest/devguide/errors-overview.html has the codes; the message
# is as users publish it (hashicorp/terraform-provider-aws#35745).
RESERVATION_FULL = (
    "The requested reservation does not have sufficient compatible and available capacity for "
    "this request."
)


def check_offered(runtime: Runtime, region: str, instance_type: str, zone_id: str) -> None:
    """Refuse a type that the zone does not offer, or that is not sold on demand.

    Raises
    ------
    AwsError
        Unsupported.
    """
    from moto.ec2.models.instance_types import INSTANCE_TYPES

    offered = catalog_facts.offered_in(runtime.world, instance_type, region, zone_id)
    usage = INSTANCE_TYPES.get(instance_type, {}).get("SupportedUsageClasses") or ["on-demand"]
    if offered is False or "on-demand" not in usage:
        why = f"{instance_type} is not offered in {zone_id}"
        if offered is not False:
            why = f"{instance_type} is sold as {', '.join(usage)} only"
        raise AwsError(
            "Unsupported",
            "The requested configuration is currently not supported. Please check the "
            f"documentation for supported configurations. ({why})",
        )


def free_capacity(reserved: Reserved, instance_type: str, zone_id: str) -> int | None:
    """Return the instances that the world's `capacity` has left in a zone; `None`: unlimited.

    Reserved capacity counts as used, and so do instances outside reservations, of every account.
    Capacity blocks count while they are active.
    """
    limit = reserved.runtime.world.free_capacity(instance_type, zone_id)
    if limit is None:
        return None
    taken = 0
    for _, region, store in reserved.runtime.stores("ec2 capacity reservations"):
        if region != reserved.region:
            continue
        taken += sum(
            item.members["TotalInstanceCount"]
            for item in store.by_id.values()
            if item.members["State"] == "active"
            and item.members["InstanceType"] == instance_type
            and item.members["AvailabilityZoneId"] == zone_id
        )
    taken += _running_outside(reserved, instance_type, zone_name(reserved.region, zone_id) or "")
    return max(0, limit - taken)


def check_capacity(reserved: Reserved, instance_type: str, zone_id: str, more: int) -> None:
    """Refuse more instances than the zone has.

    Raises
    ------
    AwsError
        InsufficientInstanceCapacity.
    """
    free = free_capacity(reserved, instance_type, zone_id)
    if free is not None and more > free:
        raise insufficient(reserved.region, instance_type, zone_id)


def insufficient(region: str, instance_type: str, zone_id: str) -> AwsError:
    """Return EC2's refusal where a zone has no capacity, with the message that users publish."""
    zone = zone_name(region, zone_id) or zone_id
    return AwsError(
        "InsufficientInstanceCapacity",
        f"We currently do not have sufficient {instance_type} capacity in the Availability Zone "
        f"you requested ({zone}). Our system will be working on provisioning additional capacity. "
        f"You can currently get {instance_type} capacity by not specifying an Availability Zone "
        "in your request or choosing another Availability Zone.",
    )


def check_vcpus(
    runtime: Runtime,
    account: str,
    region: str,
    instance_type: str,
    more: int,
    use: str = "ec2-on-demand",
) -> None:
    """Refuse instances beyond the vCPU quota of their family; reserved ones use it too.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-concepts.html

    Raises
    ------
    AwsError
        VcpuLimitExceeded; for the use `ec2-spot` MaxSpotInstanceCountExceeded.
    """
    code = catalog_facts.quota_code(instance_type, use)
    vcpus = catalog_facts.vcpus_of(instance_type)
    if code is None or vcpus is None:
        return
    limit = quotas.quota(runtime, region, "ec2", code)
    if limit is None or limit.value is None:
        return
    # The usage of the quota includes reservations (fixes/vcpu_limits.py).
    if quotas.in_use(runtime, account, region, "ec2", code) + vcpus * more <= limit.value:
        return
    if use == "ec2-spot":
        raise AwsError("MaxSpotInstanceCountExceeded", "Max spot instance count exceeded")
    raise AwsError(
        "VcpuLimitExceeded",
        f"You have requested more vCPU capacity than your current vCPU limit of {limit.value:g} "
        "allows for the instance bucket that the specified instance type belongs to. Please visit "
        "http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit.",
    )


def _running_outside(reserved: Reserved, instance_type: str, zone: str) -> int:
    from moto.ec2.models import ec2_backends

    return sum(
        1
        for account in list(ec2_backends)
        if reserved.region in ec2_backends[account]
        for instance in running(account, reserved.region)
        if instance.instance_type == instance_type
        and instance.placement.zone == zone
        and getattr(instance, "capacity_reservation_id", None) is None
    )

"""What moto's EC2 lacks: placement groups, capacity reservations, offerings of the world."""

from moto.ec2.utils import EC2_RESOURCE_TO_PREFIX

from clusterwright.localaws.services.ec2 import capacity_reservations, offerings, placement_groups

__all__ = ["capacity_reservations", "offerings", "placement_groups"]

# CreateTags takes only ids whose prefix moto knows.
EC2_RESOURCE_TO_PREFIX.setdefault("placement-group", "pg")
EC2_RESOURCE_TO_PREFIX.setdefault("capacity-reservation", "cr")

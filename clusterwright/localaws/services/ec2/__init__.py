"""What moto's EC2 lacks: placement groups, capacity reservations, offerings of the world."""

from moto.ec2.utils import EC2_PREFIX_TO_RESOURCE, EC2_RESOURCE_TO_PREFIX

from clusterwright.localaws.services.ec2 import capacity_reservations, offerings, placement_groups

__all__ = ["capacity_reservations", "offerings", "placement_groups"]

# CreateTags and DescribeTags take only ids whose prefix moto knows.
for _resource, _prefix in (("placement-group", "pg"), ("capacity-reservation", "cr")):
    EC2_RESOURCE_TO_PREFIX.setdefault(_resource, _prefix)
    EC2_PREFIX_TO_RESOURCE.setdefault(_prefix, _resource)

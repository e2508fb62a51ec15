"""What moto's EC2 lacks: capacity (reserved, in blocks, offered, priced), groups and topology."""

from moto.ec2.utils import EC2_PREFIX_TO_RESOURCE, EC2_RESOURCE_TO_PREFIX

from clusterwright_localaws.services.ec2 import (
    block_extensions,
    block_offerings,
    capacity_blocks,
    capacity_reservations,
    offerings,
    placement_groups,
    spot_prices,
    topology,
    zone_groups,
)

__all__ = [
    "block_extensions",
    "block_offerings",
    "capacity_blocks",
    "capacity_reservations",
    "offerings",
    "placement_groups",
    "spot_prices",
    "topology",
    "zone_groups",
]

# CreateTags and DescribeTags take only ids whose prefix moto knows.
for _resource, _prefix in (
    ("placement-group", "pg"),
    ("capacity-reservation", "cr"),
    ("capacity-block", "cb"),
):
    EC2_RESOURCE_TO_PREFIX.setdefault(_resource, _prefix)
    EC2_PREFIX_TO_RESOURCE.setdefault(_prefix, _resource)

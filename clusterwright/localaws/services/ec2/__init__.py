"""What moto's EC2 lacks: placement groups and capacity reservations."""

from clusterwright.localaws.services.ec2 import capacity_reservations, placement_groups

__all__ = ["capacity_reservations", "placement_groups"]

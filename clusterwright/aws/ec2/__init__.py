"""EC2: instance types, networks, instances, images, reservations and capacity offers."""

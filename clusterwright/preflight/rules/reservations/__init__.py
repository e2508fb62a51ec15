"""EC2 Capacity Reservations and Capacity Blocks."""

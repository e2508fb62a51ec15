"""VPCs, subnets, IP addresses, egress and security groups."""

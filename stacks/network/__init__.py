"""VPC, subnets, security groups, endpoints and flow logs."""

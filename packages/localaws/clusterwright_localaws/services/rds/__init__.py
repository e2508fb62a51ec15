"""Amazon RDS: parameters, states and quotas."""

API = ("parameters", "subnets")
FIXES = ("updates", "delays", "subnet_groups", "limits", "parameter_groups")

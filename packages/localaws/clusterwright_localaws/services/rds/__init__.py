"""Amazon RDS: parameters, states and quotas."""

API = ("parameters",)
FIXES = ("updates", "delays", "subnet_groups", "limits")

"""Amazon RDS: parameters, states and quotas."""

API = ("parameters",)
FIXES = ("delays", "subnet_groups", "limits")

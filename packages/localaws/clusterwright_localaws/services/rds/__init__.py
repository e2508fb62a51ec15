"""Amazon RDS: clusters, parameters, states and quotas."""

API = ("clusters", "parameters")
FIXES = ("delays", "subnet_groups", "limits")

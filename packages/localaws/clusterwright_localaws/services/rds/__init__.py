"""Amazon RDS: parameters, states and quotas."""

API = ("clusters", "parameters", "requests", "subnets")
FIXES = (
    "updates",
    "delays",
    "subnet_groups",
    "limits",
    "parameter_groups",
    "page_sizes",
    "option_groups",
    "aurora_storage",
)

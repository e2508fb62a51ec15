"""Amazon SNS."""

FIXES = ("failed_deliveries",)

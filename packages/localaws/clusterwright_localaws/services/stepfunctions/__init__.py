"""AWS Step Functions."""

FIXES = ("stop_date",)

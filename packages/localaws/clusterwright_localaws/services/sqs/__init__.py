"""Amazon SQS."""

API = ("alarms",)
FIXES = ("policy_kept",)

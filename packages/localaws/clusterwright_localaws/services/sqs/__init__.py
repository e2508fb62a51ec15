"""Amazon SQS."""

FIXES = ("policy_kept",)

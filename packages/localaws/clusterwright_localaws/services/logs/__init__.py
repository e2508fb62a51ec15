"""Amazon CloudWatch Logs: keys and retention of log groups."""

API = ("keys", "retention")
FIXES = ("log_groups",)

"""Amazon CloudWatch: refusals of alarms, and metrics of quotas and file systems."""

API = ("alarms", "quota_usage")
FIXES = ("dashboard_tags", "alarm_states")

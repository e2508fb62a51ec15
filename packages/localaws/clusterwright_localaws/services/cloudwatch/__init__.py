"""Amazon CloudWatch: refusals of alarms and data, metrics of quotas and file systems."""

API = ("alarms", "metrics", "quota_usage")
FIXES = ("dashboard_tags", "alarm_states", "alarm_members", "metric_answers")

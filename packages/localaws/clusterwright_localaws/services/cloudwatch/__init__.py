"""Amazon CloudWatch: refusals of alarms and data, metrics of quotas and file systems."""

API = ("alarms", "alarm_operations", "metrics", "metric_data", "quota_usage")
FIXES = ("dashboard_tags", "alarm_states", "alarm_members", "alarm_filters", "listed_metrics")

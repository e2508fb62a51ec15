"""Amazon CloudWatch: refusals and evaluation of alarms, metrics of quotas and file systems."""

API = ("alarms", "alarm_operations", "alarm_evaluation", "metrics", "metric_data", "quota_usage")
FIXES = (
    "dashboard_tags",
    "alarm_states",
    "alarm_members",
    "alarm_filters",
    "listed_metrics",
    "extended_statistics",
)

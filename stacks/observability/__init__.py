"""Log groups, metrics, alarms and the budget."""

"""AWS Lambda: functions are stored and never run."""

FIXES = ("no_execution",)

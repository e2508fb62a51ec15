"""AWS Budgets: actions, notifications, tags and updates that moto lacks."""

API = ("actions", "notifications", "tags", "update")
FIXES = ("tags",)

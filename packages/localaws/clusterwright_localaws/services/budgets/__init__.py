"""AWS Budgets: notifications, tags and updates that moto lacks."""

API = ("notifications", "tags", "update")
FIXES = ("tags",)

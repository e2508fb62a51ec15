"""Application Auto Scaling."""

FIXES = ("linked_role",)

"""AWS Resource Groups."""

FIXES = ("queries",)

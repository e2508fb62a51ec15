"""AWS Organizations: the effective tag policy."""

API = ("policies",)

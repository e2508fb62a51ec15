"""AWS Secrets Manager: names, keys and rotation of secrets."""

API = ("names",)
FIXES = ("rotation", "version_lists")

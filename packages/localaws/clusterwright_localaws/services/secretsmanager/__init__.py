"""AWS Secrets Manager: names, keys and rotation of secrets."""

API = ("names", "rotation")
FIXES = ("rotation", "values", "version_lists", "accesses", "change_times", "owners")

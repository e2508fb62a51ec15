"""AWS Secrets Manager: names, keys, policies and rotation of secrets."""

API = ("names", "passwords", "policies", "rotation")
FIXES = ("rotation", "values", "version_lists", "accesses", "change_times", "owners")

"""Amazon CloudWatch Logs: keys, retention and lists of log groups."""

API = ("groups", "keys", "retention")
FIXES = ("log_groups", "identifiers")

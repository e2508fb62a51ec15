"""Amazon CloudWatch Logs: keys, retention, filters and lists of log groups."""

API = ("events", "filters", "groups", "keys", "queries", "retention")
FIXES = ("log_groups", "identifiers")

"""Amazon Managed Service for Prometheus: rules, alert managers, scrapers and samples."""

API = ("rules", "samples", "scrapers")
FIXES = ("no_logging", "delays", "keys")

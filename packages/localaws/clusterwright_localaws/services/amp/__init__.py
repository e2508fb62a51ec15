"""Amazon Managed Service for Prometheus: rules, alert managers and scrapers."""

API = ("rules", "scrapers")
FIXES = ("no_logging", "delays", "keys")

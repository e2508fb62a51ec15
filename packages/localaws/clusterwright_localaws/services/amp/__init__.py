"""Amazon Managed Service for Prometheus: rules, alert managers and scrapers that moto lacks."""

API = ("rules", "scrapers")
FIXES = ("no_logging", "delays", "keys")

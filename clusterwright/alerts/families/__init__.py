"""The alerts, one module for each family, with `ALERTS`."""

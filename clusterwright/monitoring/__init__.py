"""Dashboards and the metrics that they use: what the exporters of a cluster have, and no more."""

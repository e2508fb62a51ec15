"""Debian's Prometheus and Alertmanager beside a rehearsed cluster, with its rendered rules."""
